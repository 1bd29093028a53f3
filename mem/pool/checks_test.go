//go:build unheapdebug || asan

package pool

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// caught returns what f panics with.
func caught(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// TestChecksTellTinyObjects: objects under 16 bytes without pointers share
// blocks of memory, and must not share records.
func TestChecksTellTinyObjects(t *testing.T) {
	p := New[int32](nil, nil)
	var all []*int32
	for range 100 {
		all = append(all, p.Get())
	}
	for _, x := range all {
		p.Put(x)
	}
	for i, x := range all {
		if got := caught(func() { p.Put(x) }); !strings.HasPrefix(got, "pool: double Put") {
			t.Fatalf("a second Put of object %d panics with %q", i, got)
		}
	}
}

// TestChecksTellPartsOfOneObject: fresh may make objects in batches.
func TestChecksTellPartsOfOneObject(t *testing.T) {
	batch := make([]account, 0, 10)
	p := New(func() *account {
		batch = append(batch, account{})
		return &batch[len(batch)-1]
	}, nil)
	a, b := p.Get(), p.Get()
	p.Put(a)
	b.name = "still mine"
	p.Put(b)
	if got := caught(func() { p.Put(a) }); !strings.HasPrefix(got, "pool: double Put") {
		t.Errorf("a second Put panics with %q", got)
	}
}

// TestChecksSurviveMisuse: a program that recovers can go on using the pool.
func TestChecksSurviveMisuse(t *testing.T) {
	p := NewBytes(1 << 10)
	if got := caught(func() { p.Put(&Buffer{}) }); !strings.HasPrefix(got, "pool: foreign Put") {
		t.Errorf("a foreign Put panics with %q", got)
	}
	b := p.Get(10)
	b.B[0]++
	p.Put(b)
}

// TestLedgerForgets checks that records go with the objects: those put back,
// those dropped and those never put back.
func TestLedgerForgets(t *testing.T) {
	size := func() int {
		ledger.Lock()
		defer ledger.Unlock()
		return len(ledger.records)
	}
	before := size()
	func() {
		b, p := NewBytes(1<<10), New[account](nil, nil)
		for i := range 300 {
			buf, a := b.Get(10*i), p.Get()
			if i%3 != 0 {
				b.Put(buf)
				p.Put(a)
			}
		}
		if size() <= before {
			t.Error("objects have no records")
		}
	}()
	for deadline := time.Now().Add(20 * time.Second); size() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d records of collected objects are left", size()-before)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
