package rows

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
)

// A Table holds rows of type R, which has no pointers. It is the part of a
// generated table that does not depend on what the rows are; it knows no keys,
// and reaches strings and lists only through the function given to [NewTable].
//
// Rows are in slots numbered from 0, without gaps: removing a row moves the
// last one into its slot. Its identity, a number that its handle carries,
// stays.
//
// BeginRead, EndRead, BeginWrite and EndWrite make up the table's lock. All
// other methods need it held: those that change the table for writing.
type Table[R any] struct {
	lock     sync.RWMutex
	guard    guard[R]
	tag      uint32
	rows     vector[R]
	entries  vector[entry] // at least as many as rows
	freed    uint32        // identity + 1 of the entry freed last, 0 if none is
	stores   []Store
	relocate func(*R)
	sweep    struct {
		on   bool
		slot int // the next row to relocate
	}
}

// An entry is of the identity, and also of the slot, that has its number.
type entry struct {
	gen  uint32 // of the identity, from 1; 0 when all have been used
	slot uint32 // of the identity's row; free: the identity + 1 freed before
	id   uint32 // of the row in the slot
}

// A Store holds what rows refer to. [Text] and [Runs] are Stores.
type Store interface {
	wasteful() bool
	begin()
	end()
	usage() Usage
}

// sweepRows is how many rows each write looks at while pages are evacuated:
// enough to be done before much more is wasted, and little for one write.
const sweepRows = 24

// NewTable returns an empty table. relocate replaces every Ref in a row, and
// in its lists, by what Move makes of it. NewTable panics if R has pointers.
func NewTable[R any](relocate func(*R), stores ...Store) *Table[R] {
	mustBeFlat[R]()
	return &Table[R]{
		guard:    newGuard[R](),
		tag:      rand.Uint32N(math.MaxUint32) + 1,
		rows:     vector[R]{steps: 4},
		entries:  vector[entry]{steps: 3},
		stores:   stores,
		relocate: relocate,
	}
}

// BeginRead waits for the writer and keeps it off until EndRead. A goroutine
// must not call BeginRead or BeginWrite before its EndRead.
func (t *Table[R]) BeginRead() Scope {
	s := t.guard.beginRead()
	t.lock.RLock()
	return s
}

// EndRead ends what BeginRead began.
func (t *Table[R]) EndRead(s Scope) {
	t.guard.endRead(s)
	t.lock.RUnlock()
}

// BeginWrite waits for readers and keeps all others off until EndWrite.
func (t *Table[R]) BeginWrite() {
	t.guard.beginWrite()
	t.lock.Lock()
}

// EndWrite evacuates a little, if that is due, and ends what BeginWrite began.
func (t *Table[R]) EndWrite() {
	t.tend(sweepRows)
	t.guard.endWrite()
	t.lock.Unlock()
}

// Len returns the number of rows.
func (t *Table[R]) Len() int { return t.rows.n }

// At returns the row in a slot. The pointer is good while the lock is held,
// and up to the next Add or Remove.
func (t *Table[R]) At(slot uint32) *R { return t.rows.at(int(slot)) }

// ByID returns the row with an identity, which must exist.
func (t *Table[R]) ByID(id uint32) *R { return t.rows.at(int(t.entries.at(int(id)).slot)) }

// SlotOf returns the slot of the row with an identity, which must exist.
func (t *Table[R]) SlotOf(id uint32) uint32 { return t.entries.at(int(id)).slot }

// IDAt returns the identity of the row in a slot.
func (t *Table[R]) IDAt(slot uint32) uint32 { return t.entries.at(int(slot)).id }

// HandleAt returns the handle of the row in a slot.
func (t *Table[R]) HandleAt(slot uint32) Handle[R] {
	id := t.IDAt(slot)
	return Handle[R]{t.tag, id, t.entries.at(int(id)).gen}
}

// Has reports whether a handle is of a row of this table.
func (t *Table[R]) Has(h Handle[R]) bool {
	_, err := t.slot(h)
	return err == nil
}

// Find returns the slot of a row. The error is [ErrStale] or [ErrForeign]; in
// debug builds Find panics instead.
func (t *Table[R]) Find(h Handle[R]) (uint32, error) {
	slot, err := t.slot(h)
	if err != nil {
		t.guard.misused(h, err)
	}
	return slot, err
}

func (t *Table[R]) slot(h Handle[R]) (uint32, error) {
	if h.table != t.tag {
		if h.IsZero() {
			return 0, ErrStale
		}
		return 0, ErrForeign
	}
	if int(h.id) >= t.entries.n { // of a table with the same tag, by chance
		return 0, ErrForeign
	}
	e := t.entries.at(int(h.id))
	if e.gen != h.gen {
		return 0, ErrStale
	}
	return e.slot, nil
}

// Add adds a zero row in the last slot. The error is [ErrFull].
func (t *Table[R]) Add() (slot uint32, err error) {
	if t.rows.n >= math.MaxUint32-1 {
		return 0, ErrFull
	}
	slot = uint32(t.rows.n)
	id := t.freed - 1
	if t.freed != 0 {
		t.freed = t.entries.at(int(id)).slot
	} else {
		if t.entries.n >= math.MaxUint32-1 {
			return 0, ErrFull // identities have been used up
		}
		id = uint32(t.entries.n)
		t.entries.grow()
		t.entries.at(int(id)).gen = 1
	}
	t.rows.grow()
	t.entries.at(int(slot)).id = id
	t.entries.at(int(id)).slot = slot
	return slot, nil
}

// Remove removes the row in a slot, but not what it refers to. Handles of it
// are stale from now on. If it returns true, the row that was in the last slot,
// whose number is now [Table.Len], is in this slot.
func (t *Table[R]) Remove(slot uint32) (moved bool) {
	id := t.IDAt(slot)
	e := t.entries.at(int(id))
	t.guard.removed(id, e.gen)
	e.gen++
	if e.gen != 0 {
		e.slot = t.freed
		t.freed = id + 1
	}
	last := uint32(t.rows.n - 1)
	if slot != last {
		row, id := t.At(last), t.IDAt(last)
		if t.sweep.on && int(slot) < t.sweep.slot {
			t.relocate(row) // the sweep has passed the slot that it comes to
		}
		*t.At(slot) = *row
		t.entries.at(int(slot)).id = id
		t.entries.at(int(id)).slot = slot
	}
	t.rows.shrink()
	return slot != last
}

// Compact evacuates at once all pages that are worth it.
func (t *Table[R]) Compact() {
	if t.sweep.on {
		t.tend(t.rows.n)
	}
	t.tend(t.rows.n)
}

// tend looks at the given number of rows, at least one, if pages are being
// evacuated or should be.
func (t *Table[R]) tend(rows int) {
	if !t.sweep.on {
		for _, s := range t.stores {
			t.sweep.on = t.sweep.on || s.wasteful()
		}
		if !t.sweep.on {
			return
		}
		t.sweep.slot = 0
		for _, s := range t.stores {
			s.begin()
		}
	}
	for ; rows > 0 && t.sweep.slot < t.rows.n; rows-- {
		t.relocate(t.At(uint32(t.sweep.slot)))
		t.sweep.slot++
	}
	if t.sweep.slot >= t.rows.n {
		t.sweep.on = false
		for _, s := range t.stores {
			s.end()
		}
	}
}

func (t *Table[R]) rowUsage() (rows, directory Usage) {
	size := int(reflect.TypeFor[R]().Size())
	rows = Usage{Live: size * t.rows.n, Held: size * t.rows.capacity(), Objects: len(t.rows.chunks)}
	directory = Usage{Live: 12 * t.rows.n, Held: 12 * t.entries.capacity(), Objects: len(t.entries.chunks)}
	return rows, directory
}
