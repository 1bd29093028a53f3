package pool

import (
	"sync"
	"unsafe"
)

// A Pool recycles objects of type T. Make one with [New]; it is safe for
// concurrent use and must not be copied.
type Pool[T any] struct {
	idle  sync.Pool // of *T
	fresh func() *T
	reset func(*T) bool
	tally tally
	guard guard
}

// New returns a pool. On a miss it makes an object with fresh, or with new if
// fresh is nil. Put passes every object to reset, which makes it ready for its
// next owner and reports whether to keep it: it should say no to an object
// whose memory has grown beyond what is worth holding. A nil reset sets the
// object to its zero value and keeps it. New panics if T has no size, since then
// there is nothing to recycle.
func New[T any](fresh func() *T, reset func(*T) (keep bool)) *Pool[T] {
	if unsafe.Sizeof(*new(T)) == 0 {
		panic("pool: New: a type without size has nothing to recycle")
	}
	if fresh == nil {
		fresh = func() *T { return new(T) }
	}
	if reset == nil {
		reset = func(x *T) bool {
			var zero T
			*x = zero
			return true
		}
	}
	return &Pool[T]{fresh: fresh, reset: reset, tally: newTally(), guard: newGuard()}
}

// Get returns an object that was put back, in the state in which reset left
// it, or a fresh one.
func (p *Pool[T]) Get() *T {
	p.tally.get()
	x, _ := p.idle.Get().(*T)
	if x == nil {
		return p.miss()
	}
	p.guard.reuse(unsafe.Pointer(x), unsafe.Sizeof(*x))
	return x
}

// miss is apart from Get to keep the usual path short.
func (p *Pool[T]) miss() *T {
	p.tally.miss()
	x := p.fresh()
	p.guard.lend(unsafe.Pointer(x))
	return x
}

// Put resets x and offers it to later calls of Get. x must come from Get and
// must not be used again. Put does nothing if x is nil.
func (p *Pool[T]) Put(x *T) {
	if x == nil {
		return
	}
	p.guard.accept(unsafe.Pointer(x))
	keep := p.reset(x)
	p.guard.retire(unsafe.Pointer(x), unsafe.Sizeof(*x), nil)
	if !keep {
		p.tally.drop()
		return
	}
	p.idle.Put(x)
}

// Stats returns what the pool has counted so far.
func (p *Pool[T]) Stats() Stats { return p.tally.stats() }

// String returns the pool's [Stats] as JSON, which makes the pool an
// expvar.Var.
func (p *Pool[T]) String() string { return p.Stats().String() }
