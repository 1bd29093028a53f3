package pool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

type account struct {
	name  string
	items []int
}

// resetAccount keeps the items' memory unless there is too much of it.
func resetAccount(a *account) bool {
	a.name, a.items = "", a.items[:0]
	return cap(a.items) <= 100
}

func TestPoolResets(t *testing.T) {
	p := New(nil, resetAccount)
	for i := range 100 {
		a := p.Get()
		if a.name != "" || len(a.items) != 0 {
			t.Fatalf("Get returned %+v, want it reset", a)
		}
		a.name, a.items = "x", append(a.items, i)
		p.Put(a)
	}
}

func TestPoolWithoutResetZeroes(t *testing.T) {
	p := New[account](nil, nil)
	for range 100 {
		a := p.Get()
		if a.name != "" || a.items != nil {
			t.Fatalf("Get returned %+v, want the zero value", a)
		}
		a.name, a.items = "x", make([]int, 1)
		p.Put(a)
	}
}

func TestPoolFresh(t *testing.T) {
	p := New(func() *account { return &account{name: "fresh"} }, func(a *account) bool { a.name = "used"; return true })
	a := p.Get()
	if a.name != "fresh" {
		t.Errorf("a miss returned %+v, want what fresh makes", a)
	}
	p.Put(a)
	// sync.Pool may lose an object, never invent one.
	if a := p.Get(); a.name != "fresh" && a.name != "used" {
		t.Errorf("Get returned %+v, want a fresh or a reset one", a)
	}
}

func TestPoolDropsWhatResetRefuses(t *testing.T) {
	p := New(nil, resetAccount)
	a := p.Get()
	a.items = make([]int, 101)
	p.Put(a)
	if b := p.Get(); cap(b.items) != 0 {
		t.Errorf("Get returned an object that holds %d items, want a fresh one", cap(b.items))
	}
	if got, want := p.Stats(), (Stats{Misses: 2, Drops: 1}); got != want {
		t.Errorf("stats are %+v, want %+v", got, want)
	}
}

func TestPutNil(t *testing.T) {
	New[account](nil, nil).Put(nil)
	b := NewBytes(1000)
	b.Put(nil)
	if got := b.Stats(); got != (Stats{}) {
		t.Errorf("stats are %+v, want none", got)
	}
}

func TestSizelessType(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New accepted a type without size")
		}
	}()
	New[struct{}](nil, nil)
}

// TestStatsAddUp checks that every Get is counted once, on whatever goroutine.
func TestStatsAddUp(t *testing.T) {
	const goroutines, rounds = 8, 500
	p := New(nil, resetAccount)
	b := NewBytes(1 << 12)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				a, buf := p.Get(), b.Get(1<<13)
				a.items = append(a.items, i)
				p.Put(a)
				b.Put(buf)
			}
		}()
	}
	wg.Wait()
	if s := p.Stats(); s.Hits+s.Misses != goroutines*rounds || s.Drops != 0 {
		t.Errorf("stats are %+v, want %d Gets and no drops", s, goroutines*rounds)
	}
	// Larger than the pool keeps: no Get can hit, every Put is a drop.
	if s, want := b.Stats(), (Stats{Misses: goroutines * rounds, Drops: goroutines * rounds}); s != want {
		t.Errorf("stats are %+v, want %+v", s, want)
	}
}

func TestStatsJSON(t *testing.T) {
	b := NewBytes(256)
	b.Put(b.Get(1000))
	for _, v := range []fmt.Stringer{b, New[account](nil, nil), Stats{Hits: 1<<64 - 1}} {
		var got map[string]uint64
		if err := json.Unmarshal([]byte(v.String()), &got); err != nil || len(got) != 3 {
			t.Errorf("%s is not the JSON of three counts: %v", v, err)
		}
	}
	if got, want := b.String(), `{"hits":0,"misses":1,"drops":1}`; got != want {
		t.Errorf("stats are %s, want %s", got, want)
	}
}

func TestBytesClasses(t *testing.T) {
	for _, c := range []struct{ n, class, of int }{
		{0, 0, -9}, {1, 0, -8}, {255, 0, -1}, {256, 0, 0}, {257, 1, 0}, {511, 1, 0}, {512, 1, 1}, {513, 2, 1},
		{1 << 20, 12, 12}, {1<<20 + 1, 13, 12}, {1 << 30, 22, 22},
	} {
		if got := classFor(c.n); got != c.class {
			t.Errorf("classFor(%d) = %d, want %d", c.n, got, c.class)
		}
		if got := classOf(c.n); got != c.of {
			t.Errorf("classOf(%d) = %d, want %d", c.n, got, c.of)
		}
	}
}

func TestBytesSizes(t *testing.T) {
	p := NewBytes(1 << 14)
	for _, n := range []int{0, 1, 255, 256, 257, 4000, 4096, 1 << 14, 1<<14 + 1, 1 << 17} {
		for range 3 {
			b := p.Get(n)
			if len(b.B) != n {
				t.Fatalf("Get(%d) returned %d bytes", n, len(b.B))
			}
			copy(b.B, bytes.Repeat([]byte{1}, n))
			p.Put(b)
		}
	}
}

// TestBytesTakesGrownBuffers checks that a buffer serves the size it grew or
// shrank to.
func TestBytesTakesGrownBuffers(t *testing.T) {
	p := NewBytes(1 << 14)
	for _, capacity := range []int{300, 511, 512, 5000, 1 << 14, 1<<15 - 1} {
		b := p.Get(1)
		b.B = make([]byte, capacity)
		p.Put(b)
		for n := 1; n <= 1<<14; n *= 2 {
			if got := p.Get(n); len(got.B) != n {
				t.Fatalf("after a Put of %d bytes, Get(%d) returned %d", capacity, n, len(got.B))
			}
		}
		if s := p.Stats(); s.Drops != 0 {
			t.Fatalf("a buffer of %d bytes was dropped", capacity)
		}
	}
}

func TestBytesDrops(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"no memory", nil},
		{"too small", make([]byte, 255)},
		{"grown too large", make([]byte, 1<<15)},
	} {
		p := NewBytes(1 << 14)
		b := p.Get(100)
		b.B = c.b
		p.Put(b)
		if got, want := p.Stats(), (Stats{Misses: 1, Drops: 1}); got != want {
			t.Errorf("%s: stats are %+v, want %+v", c.name, got, want)
		}
	}
}

func TestBytesRefusesBadSizes(t *testing.T) {
	for name, f := range map[string]func(){
		"no size":        func() { NewBytes(0) },
		"negative size":  func() { NewBytes(-1) },
		"size too large": func() { NewBytes(1<<30 + 1) },
		"negative Get":   func() { NewBytes(1).Get(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	NewBytes(1 << 30)
}

// TestBytesHasOneOwner fills buffers from several goroutines and checks that
// nobody else wrote to them meanwhile.
func TestBytesHasOneOwner(t *testing.T) {
	p := NewBytes(1 << 12)
	var wg sync.WaitGroup
	for id := range byte(8) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 300 {
				b := p.Get(i * 17)
				for j := range b.B {
					b.B[j] = id
				}
				b.B = append(b.B, id)
				for j, got := range b.B {
					if got != id {
						t.Errorf("byte %d is %d, want %d", j, got, id)
						return
					}
				}
				p.Put(b)
			}
		}()
	}
	wg.Wait()
}
