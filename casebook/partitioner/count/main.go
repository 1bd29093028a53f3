// Command count prints the heap objects and bytes that one call of Partition
// allocates, before and after, with the fraction that allocs/op cuts off.
package main

import (
	"fmt"
	"io"
	"math/rand"
	"os"
	"runtime"

	"github.com/unheap/unheap/casebook/partitioner/after"
	"github.com/unheap/unheap/casebook/partitioner/before"
	"github.com/unheap/unheap/casebook/partitioner/before/log"
)

const (
	calls    = 1_000_000
	ringSize = 1024
)

func main() {
	logger := log.New(io.Discard, log.InfoLevel)
	b := before.New(ringSize, logger)
	bKey := &before.PickingKey{}
	bMsg := &before.Message{Key: bKey}
	a := after.New(ringSize, logger)
	aKey := &after.PickingKey{}
	aMsg := &after.Message{Key: aKey}
	report("before", func(id int64) (int32, error) {
		bKey.ID = id
		return b.Partition(bMsg, ringSize)
	})
	report("after", func(id int64) (int32, error) {
		aKey.ID = id
		return a.Partition(aMsg, ringSize)
	})
}

// report prints what partition allocates a call, over random ids.
func report(name string, partition func(id int64) (int32, error)) {
	r := rand.New(rand.NewSource(0))
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	for i := 0; i < calls; i++ {
		if _, err := partition(r.Int63()); err != nil {
			fmt.Fprintln(os.Stderr, "count:", err)
			os.Exit(1)
		}
	}
	runtime.ReadMemStats(&end)
	fmt.Printf("%-6s  %.3f allocs/op  %6.3f B/op\n", name,
		float64(end.Mallocs-start.Mallocs)/calls, float64(end.TotalAlloc-start.TotalAlloc)/calls)
}
