package pool

import (
	"math/bits"
	"strconv"
	"sync"
	"unsafe"
)

// minShift sets the smallest size class, 256 bytes, which serves all smaller
// requests too: more classes would make it likelier that the right one is empty,
// to save memory that hardly counts.
const minShift = 8

// A Buffer is a byte slice on loan from [Bytes]. B may be resliced and
// appended to; the pool takes back whatever array B has in the end, so B must
// not be set to memory that something else uses.
type Buffer struct {
	B []byte
}

// Bytes recycles byte buffers in size classes: powers of two, which are sizes
// that the Go allocator does not round up. Make one with [NewBytes]; it is
// safe for concurrent use and must not be copied.
type Bytes struct {
	classes []sync.Pool // of *Buffer; class c holds capacities from 1<<(minShift+c) up to the next class
	tally   tally
	guard   guard
}

// NewBytes returns a pool that keeps buffers of up to maxSize bytes, rounded
// up to a power of two, 256 at least. Larger ones can be had, but are left to
// the garbage collector. It panics if maxSize is not positive or above 1 GiB.
//
// The cap is on each buffer. How many are kept is up to the garbage collector:
// an idle buffer is gone after two cycles.
func NewBytes(maxSize int) *Bytes {
	if maxSize <= 0 || maxSize > 1<<30 {
		panic("pool: NewBytes: maxSize is " + strconv.Itoa(maxSize) + ", must be from 1 to 1<<30")
	}
	return &Bytes{classes: make([]sync.Pool, classFor(maxSize)+1), tally: newTally(), guard: newGuard()}
}

// classFor returns the smallest class whose buffers hold n bytes.
func classFor(n int) int {
	if n <= 1<<minShift {
		return 0
	}
	return bits.Len(uint(n-1)) - minShift
}

// classOf returns the class that a capacity of n bytes serves, below 0 if it
// is too small for any.
func classOf(n int) int {
	return bits.Len(uint(n)) - 1 - minShift
}

// Get returns a buffer whose B has length n. Its contents are undefined: they
// are what an earlier owner left there. It panics if n is negative.
func (p *Bytes) Get(n int) *Buffer {
	p.tally.get()
	c := classFor(n)
	if c < len(p.classes) {
		if b, _ := p.classes[c].Get().(*Buffer); b != nil {
			p.guard.reuse(unsafe.Pointer(b), unsafe.Sizeof(*b))
			b.B = b.B[:n]
			return b
		}
	}
	return p.miss(n, c)
}

// miss is apart from Get to keep the usual path short.
func (p *Bytes) miss(n, class int) *Buffer {
	p.tally.miss()
	size := n
	if class < len(p.classes) {
		size = 1 << (minShift + class)
	}
	b := &Buffer{B: make([]byte, size)[:n]}
	p.guard.lend(unsafe.Pointer(b))
	return b
}

// Put offers b to later calls of Get. b must come from Get of the same pool,
// and neither b nor any slice of its memory may be used again. Put does
// nothing if b is nil.
func (p *Bytes) Put(b *Buffer) {
	if b == nil {
		return
	}
	p.guard.accept(unsafe.Pointer(b))
	c := classOf(cap(b.B))
	p.guard.retire(unsafe.Pointer(b), unsafe.Sizeof(*b), b.B)
	if uint(c) >= uint(len(p.classes)) {
		p.tally.drop()
		return
	}
	p.classes[c].Put(b)
}

// Stats returns what the pool has counted so far.
func (p *Bytes) Stats() Stats { return p.tally.stats() }

// String returns the pool's [Stats] as JSON, which makes the pool an
// expvar.Var.
func (p *Bytes) String() string { return p.Stats().String() }
