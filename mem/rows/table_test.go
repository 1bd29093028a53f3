package rows

import (
	"math"
	"strings"
	"testing"
)

func plain() *Table[int64] { return NewTable(func(*int64) {}) }

func add(t *testing.T, table *Table[int64]) Handle[int64] {
	t.Helper()
	slot, err := table.Add()
	if err != nil {
		t.Fatal(err)
	}
	return table.HandleAt(slot)
}

// TestGenerationsEnd: when an identity has had all its generations, it is not
// used again, and no handle of it comes back to life.
func TestGenerationsEnd(t *testing.T) {
	table := plain()
	first := add(t, table)
	table.Remove(0)
	table.entries.at(int(first.id)).gen = math.MaxUint32
	last := add(t, table)
	if last.id != first.id || last.gen != math.MaxUint32 {
		t.Fatalf("the row has handle %+v, want the last of identity %d", last, first.id)
	}
	table.Remove(0)
	next := add(t, table)
	if next.id == first.id {
		t.Errorf("identity %d is used again after all its generations", next.id)
	}
	for _, h := range []Handle[int64]{first, last, {}} {
		if table.Has(h) {
			t.Errorf("handle %+v has a row again", h)
		}
	}
}

func TestHandlesOfAnotherTable(t *testing.T) {
	a, b := plain(), plain()
	h := add(t, a)
	add(t, b)
	if b.Has(h) {
		t.Error("a handle is good in another table")
	}
	// Even if two tags should be the same by chance, no memory is touched
	// that is not there.
	empty := plain()
	h.table = empty.tag
	if _, err := empty.slot(h); err != ErrForeign {
		t.Errorf("error = %v, want ErrForeign", err)
	}
}

func TestNewTableRefusesPointers(t *testing.T) {
	type inner struct{ s [2]string }
	type outer struct {
		n int
		inner
	}
	defer func() {
		if m, _ := recover().(string); !strings.Contains(m, "outer.inner.s[0] is a string") {
			t.Errorf("the panic is %q", m)
		}
	}()
	NewTable(func(r *outer) { r.n = len(r.inner.s) })
}
