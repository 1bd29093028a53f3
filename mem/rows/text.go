package rows

import "strings"

// A Text holds strings and byte slices of rows in pages without pointers. It
// has no lock of its own: the table's serves for it.
//
// Pages are filled through a strings.Builder, which never changes what it has
// written, and read as substrings. So a string from Get is an ordinary string:
// it keeps its page in memory for as long as it is held, and nothing can
// change it.
type Text struct {
	space space
	data  []string         // by page
	open  *strings.Builder // of the open page
}

// NewText returns an empty Text.
func NewText() *Text { return &Text{space: space{open: -1}} }

// Put stores a copy of s, which must not be longer than [MaxLen].
func (t *Text) Put(s string) Ref {
	if len(s) == 0 {
		return 0
	}
	t.room(len(s))
	t.open.WriteString(s)
	return t.took(len(s)).marked(markOf(s))
}

// PutBytes stores a copy of b, and whether it is nil. b must not be longer
// than [MaxLen].
func (t *Text) PutBytes(b []byte) Ref {
	if len(b) == 0 {
		if b == nil {
			return 0
		}
		return noneButEmpty
	}
	t.room(len(b))
	t.open.Write(b)
	ref := t.took(len(b))
	return ref.marked(markOf(t.Get(ref)))
}

// markOf returns the mark of a string that is not empty, from its ends.
func markOf(s string) uint64 {
	x := uint64(s[0]) | uint64(s[len(s)/2])<<8 | uint64(s[len(s)-1])<<16
	if len(s) >= 8 {
		end := s[len(s)-8:]
		x ^= uint64(end[0]) | uint64(end[1])<<8 | uint64(end[2])<<16 | uint64(end[3])<<24 |
			uint64(end[4])<<32 | uint64(end[5])<<40 | uint64(end[6])<<48 | uint64(end[7])<<56
	}
	return x * 0x9e3779b97f4a7c15 >> (64 - markBits)
}

// is reports whether r is of the string s. Of most others it knows without
// reading them, which would cost a cache miss.
func (t *Text) is(r Ref, s string) bool {
	if n := len(s); n == 0 || n != r.Len() || r.mark() != markOf(s) {
		return n == 0 && r.Len() == 0
	}
	return t.Get(r) == s
}

func (t *Text) room(n int) {
	if n > MaxLen {
		panic(ErrTooLong)
	}
	if t.space.fits(n) {
		return
	}
	t.open = new(strings.Builder)
	t.open.Grow(t.space.next(n))
	number, emptied := t.space.add(min(t.open.Cap(), maxPage))
	if number == len(t.data) {
		t.data = append(t.data, "")
	}
	if emptied >= 0 {
		t.drop(emptied)
	}
}

func (t *Text) took(n int) Ref {
	t.data[t.space.open] = t.open.String()
	return t.space.take(n)
}

// Get returns a string without copying it.
func (t *Text) Get(r Ref) string {
	if n := r.Len(); n > 0 {
		off := r.off()
		return t.data[r.page()][off : off+n]
	}
	return ""
}

// GetBytes returns a copy of a byte slice.
func (t *Text) GetBytes(r Ref) []byte {
	if r.IsNil() {
		return nil
	}
	return []byte(t.Get(r))
}

// Free gives up a string.
func (t *Text) Free(r Ref) {
	if n := r.Len(); n > 0 && t.space.release(r.page(), n) {
		t.drop(r.page())
	}
}

// Replace gives up a string for s, and does nothing if they are the same.
func (t *Text) Replace(r Ref, s string) Ref {
	if t.is(r, s) {
		return r
	}
	t.Free(r)
	return t.Put(s)
}

// ReplaceBytes is Replace for byte slices.
func (t *Text) ReplaceBytes(r Ref, b []byte) Ref {
	if r.Len() == len(b) && r.IsNil() == (b == nil) && t.Get(r) == string(b) {
		return r
	}
	t.Free(r)
	return t.PutBytes(b)
}

// Move takes a string out of a page that is being evacuated, and does nothing
// for others.
func (t *Text) Move(r Ref) Ref {
	if r.Len() == 0 || !t.space.pages[r.page()].out {
		return r
	}
	t.room(r.Len())
	t.open.WriteString(t.Get(r))
	moved := t.took(r.Len()).marked(r.mark())
	t.Free(r)
	return moved
}

func (t *Text) drop(number int) {
	t.data[number] = ""
	t.space.drop(number)
}

func (t *Text) wasteful() bool { return t.space.wasteful() }
func (t *Text) begin()         { t.space.begin() }
func (t *Text) end()           { t.space.end() }

func (t *Text) usage() Usage {
	total := t.space.total
	return Usage{Live: total.used - total.dead, Dead: total.dead, Held: total.size, Objects: t.space.held()}
}
