package pool

import (
	"math/bits"
	"runtime"
	"strconv"
	"sync/atomic"
	"unsafe"
)

// Stats counts what became of the calls of a pool since it was made. The
// counts are read one after the other while the pool is in use, so they may be
// apart by the calls that were under way.
type Stats struct {
	Hits   uint64 // Gets that found an object in the pool
	Misses uint64 // Gets that had to make one
	Drops  uint64 // Puts whose object was left to the collector because of the pool's cap
}

// String returns s as a JSON object.
func (s Stats) String() string {
	return `{"hits":` + strconv.FormatUint(s.Hits, 10) +
		`,"misses":` + strconv.FormatUint(s.Misses, 10) +
		`,"drops":` + strconv.FormatUint(s.Drops, 10) + `}`
}

// A tally counts Gets in shards, since those happen on every use; misses and
// drops go with an allocation and can share a word each. Hits are the rest.
type tally struct {
	gets   []shard // a power of two of them
	misses atomic.Uint64
	drops  atomic.Uint64
}

// A shard has a cache line to itself, 128 bytes on some processors.
type shard struct {
	n atomic.Uint64
	_ [120]byte
}

// newTally makes eight shards a processor, so that goroutines running at the
// same time seldom meet on one, but no more than 256, which take 32 KiB.
func newTally() tally {
	shards := min(8*runtime.GOMAXPROCS(0), 256)
	return tally{gets: make([]shard, 1<<bits.Len(uint(shards-1)))}
}

// get counts a Get in a shard picked by the goroutine's stack address, the
// cheapest thing at hand that differs between goroutines.
func (t *tally) get() {
	var here byte
	at := uint64(uintptr(unsafe.Pointer(&here)) >> 11) // stacks are 2 KiB or more
	h := at * 0x9e3779b97f4a7c15 >> 32
	t.gets[int(h)&(len(t.gets)-1)].n.Add(1)
}

func (t *tally) miss() { t.misses.Add(1) }
func (t *tally) drop() { t.drops.Add(1) }

func (t *tally) stats() Stats {
	// Misses first: each was counted as a Get before, so hits cannot go
	// below zero.
	s := Stats{Misses: t.misses.Load(), Drops: t.drops.Load()}
	for i := range t.gets {
		s.Hits += t.gets[i].n.Load()
	}
	s.Hits -= s.Misses
	return s
}
