package rows

// An Index finds numbers, usually of slots, by the 32-bit hashes of their
// keys. The keys are where the numbers lead, and the caller compares them:
//
//	for i := x.First(hash); ; i++ {
//		slot, ok := x.Next(&i, hash)
//		if !ok { ... not there }
//		if table.At(slot).Key == key { ... found }
//	}
//
// It is one array without pointers, probed linearly. A hash's place in the
// array is proportional to it, and entries are kept in the order of their
// hashes; so a search ends at the first greater hash, there are no tombstones,
// and growing is one pass in order through old and new memory. This lets it
// grow by a quarter at a time, and waste little.
type Index struct {
	entries []uint64 // hash, number + 1; 0 is free; the last is always free
	places  uint64   // those that hashes map to; the rest takes what overflows
	n       int
}

const (
	fewPlaces = 16
	overflow  = 32
)

// NewIndex returns an empty Index.
func NewIndex() *Index {
	x := new(Index)
	x.resize(fewPlaces)
	return x
}

// Len returns the number of entries.
func (x *Index) Len() int { return x.n }

// First returns where to look for a hash first.
func (x *Index) First(hash uint32) int { return int(uint64(hash) * x.places >> 32) }

// Next returns the first number with this hash at or after position i, and
// sets i to its position. ok is false if there are no more.
func (x *Index) Next(i *int, hash uint32) (number uint32, ok bool) {
	for at := *i; at < len(x.entries); at++ {
		e := x.entries[at]
		if uint32(e>>32) == hash && e != 0 {
			*i = at
			return uint32(e) - 1, true
		}
		if e == 0 || uint32(e>>32) > hash {
			break
		}
	}
	return 0, false
}

// find returns the position of an entry that must be there.
func (x *Index) find(hash, number uint32) int {
	i := x.First(hash)
	for {
		got, ok := x.Next(&i, hash)
		if !ok {
			panic("rows: an index lacks a row of its table: a row was changed without its index")
		}
		if got == number {
			return i
		}
		i++
	}
}

// Add adds an entry. Numbers go up to 1<<32 - 2.
func (x *Index) Add(hash, number uint32) {
	if 6*(x.n+1) > 5*int(x.places) {
		x.resize(x.places + x.places/4)
	}
	e := uint64(hash)<<32 | uint64(number+1)
	for {
		i := x.First(hash)
		for x.entries[i] != 0 && uint32(x.entries[i]>>32) < hash {
			i++
		}
		end := i
		for x.entries[end] != 0 {
			end++
		}
		if end < len(x.entries)-1 {
			copy(x.entries[i+1:end+1], x.entries[i:end])
			x.entries[i] = e
			x.n++
			return
		}
		// What overflows has no room left.
		x.refill(x.places, 2*len(x.entries)-int(x.places))
	}
}

// Remove removes an entry, which must be there.
func (x *Index) Remove(hash, number uint32) {
	i := x.find(hash, number)
	end := i + 1
	for e := x.entries[end]; e != 0 && x.First(uint32(e>>32)) < end; e = x.entries[end] {
		end++
	}
	copy(x.entries[i:], x.entries[i+1:end])
	x.entries[end-1] = 0
	x.n--
	if x.places > fewPlaces && uint64(x.n) < x.places/4 {
		x.resize(max(x.places/2, fewPlaces))
	}
}

// Replace changes the number of an entry, which must be there.
func (x *Index) Replace(hash, from, to uint32) {
	x.entries[x.find(hash, from)] = uint64(hash)<<32 | uint64(to+1)
}

// Reserve makes room for n entries in all.
func (x *Index) Reserve(n int) {
	if 6*n > 5*int(x.places) {
		x.resize(uint64(n)*6/5 + 1)
	}
}

// resize moves the entries to an array with another number of places.
func (x *Index) resize(places uint64) {
	for extra := overflow; ; extra *= 2 {
		if x.refill(places, int(places)+extra) {
			return
		}
	}
}

// refill is resize with a length; it reports whether that is enough.
func (x *Index) refill(places uint64, length int) bool {
	entries, next := make([]uint64, length), 0
	for _, e := range x.entries {
		if e == 0 {
			continue
		}
		next = max(next, int(e>>32*places>>32))
		if next >= length-1 {
			return false
		}
		entries[next] = e
		next++
	}
	x.entries, x.places = entries, places
	return true
}

func (x *Index) usage() Usage {
	return Usage{Live: 8 * x.n, Held: 8 * len(x.entries), Objects: 1}
}
