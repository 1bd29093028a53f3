package rows

import "reflect"

// Runs holds lists that belong to rows as runs of elements in pages. C must
// have no pointers. It has no lock of its own: the table's serves for it.
//
// A run has room for a few elements more than its length, how many follows
// from the length alone (see room), so that a row needs no more than a Ref.
type Runs[C any] struct {
	space space
	data  [][]C // by page
}

// NewRuns returns empty Runs. It panics if C has pointers.
func NewRuns[C any]() *Runs[C] {
	mustBeFlat[C]()
	return &Runs[C]{space: space{open: -1}}
}

// room returns how many elements a run of length n has room for: up to a
// quarter more, in steps.
func room(n int) int {
	step := 1
	for step*8 < n {
		step *= 2
	}
	return (n + step - 1) &^ (step - 1)
}

// Make stores a list of n zero elements, to be filled through At. n must not
// be negative, nor greater than [MaxLen].
func (r *Runs[C]) Make(n int) Ref {
	switch {
	case n == 0:
		return noneButEmpty
	case n > MaxLen:
		panic(ErrTooLong)
	}
	units := room(n)
	if !r.space.fits(units) {
		size := r.space.next(units)
		number, emptied := r.space.add(size)
		if number == len(r.data) {
			r.data = append(r.data, nil)
		}
		r.data[number] = make([]C, size)
		if emptied >= 0 {
			r.drop(emptied)
		}
	}
	ref := r.space.take(units)
	return makeRef(ref.page(), ref.off(), n)
}

// At returns the elements of a list where they are. The slice is good until
// the list is changed, moved or freed.
func (r *Runs[C]) At(ref Ref) []C {
	n := ref.Len()
	if n == 0 {
		return nil
	}
	off := ref.off()
	return r.data[ref.page()][off : off+n : off+n]
}

// Append adds a zero element at the end of a list shorter than [MaxLen].
func (r *Runs[C]) Append(ref Ref) Ref {
	n := ref.Len()
	if n > 0 && room(n+1) == room(n) {
		ref++ // one more in the same run
		var zero C
		r.At(ref)[n] = zero
		return ref
	}
	longer := r.Make(n + 1)
	copy(r.At(longer), r.At(ref))
	r.Free(ref)
	return longer
}

// Remove takes element i out of a list and closes the gap.
func (r *Runs[C]) Remove(ref Ref, i int) Ref {
	elements := r.At(ref)
	copy(elements[i:], elements[i+1:])
	n := len(elements)
	// What the shorter run has no room for is lost to it.
	if r.space.release(ref.page(), room(n)-room(n-1)) {
		r.drop(ref.page())
	}
	if n == 1 {
		return noneButEmpty
	}
	return ref - 1
}

// Free gives up a list, but not what its elements refer to.
func (r *Runs[C]) Free(ref Ref) {
	if n := ref.Len(); n > 0 && r.space.release(ref.page(), room(n)) {
		r.drop(ref.page())
	}
}

// Move takes a list out of a page that is being evacuated, and does nothing
// for others.
func (r *Runs[C]) Move(ref Ref) Ref {
	if ref.Len() == 0 || !r.space.pages[ref.page()].out {
		return ref
	}
	moved := r.Make(ref.Len())
	copy(r.At(moved), r.At(ref))
	r.Free(ref)
	return moved
}

func (r *Runs[C]) drop(number int) {
	r.data[number] = nil
	r.space.drop(number)
}

func (r *Runs[C]) wasteful() bool { return r.space.wasteful() }
func (r *Runs[C]) begin()         { r.space.begin() }
func (r *Runs[C]) end()           { r.space.end() }

func (r *Runs[C]) usage() Usage {
	size, total := int(reflect.TypeFor[C]().Size()), r.space.total
	return Usage{
		Live: size * (total.used - total.dead), Dead: size * total.dead,
		Held: size * total.size, Objects: r.space.held(),
	}
}
