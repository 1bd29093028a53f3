// Command misuse makes one mistake with a pool, or none. Comments in angle
// brackets mark the lines that the report of the mistake must name.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/unheap/unheap/mem/pool"
)

type point struct {
	x, y  int
	label *string
}

var (
	bytes  = pool.NewBytes(1 << 16)
	points = pool.New[point](nil, nil)
	sink   int
)

func main() {
	cases := map[string]func(){
		"correct":           correct,
		"double-buffer":     doubleBuffer,
		"double-object":     doubleObject,
		"double-dropped":    doubleDropped,
		"foreign-buffer":    foreignBuffer,
		"foreign-object":    foreignObject,
		"stranger-buffer":   strangerBuffer,
		"stranger-object":   strangerObject,
		"write-then-get":    writeThenGet,
		"write-object":      writeObject,
		"read-buffer":       readBuffer,
		"write-buffer":      writeBuffer,
		"read-header":       readHeader,
		"read-object":       readObject,
		"read-dropped":      readDropped,
		"read-after-cycles": readAfterCycles,
	}
	if len(os.Args) != 2 || cases[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: misuse case")
		os.Exit(2)
	}
	cases[os.Args[1]]()
	fmt.Println("finished", sink)
}

func doubleBuffer() {
	b := bytes.Get(100)
	bytes.Put(b) // <double-buffer>
	bytes.Put(b) // <double-buffer>
}

func doubleObject() {
	p := points.Get()
	points.Put(p) // <double-object>
	points.Put(p) // <double-object>
}

// doubleDropped puts back a buffer that is too large to be kept.
func doubleDropped() {
	b := bytes.Get(1 << 20)
	bytes.Put(b) // <double-dropped>
	bytes.Put(b) // <double-dropped>
}

func foreignBuffer() {
	b := pool.NewBytes(1 << 16).Get(100) // <foreign-buffer>
	bytes.Put(b)                         // <foreign-buffer>
}

func foreignObject() {
	p := pool.New[point](nil, nil).Get() // <foreign-object>
	points.Put(p)                        // <foreign-object>
}

func strangerBuffer() {
	bytes.Put(&pool.Buffer{B: make([]byte, 512)}) // <stranger-buffer>
}

func strangerObject() {
	points.Put(&point{}) // <stranger-object>
}

// writeThenGet writes through a slice that outlived its Put.
func writeThenGet() {
	b := bytes.Get(100)
	kept := b.B
	bytes.Put(b)                  // <write-then-get>
	kept[7]++                     // <write-then-get asan>
	sink += len(bytes.Get(100).B) // <write-then-get debug>
}

func writeObject() {
	p := points.Get()
	points.Put(p)          // <write-object>
	p.x = 1                // <write-object asan>
	sink += points.Get().x // <write-object debug>
}

func readBuffer() {
	b := bytes.Get(100) // <read-buffer asan>
	kept := b.B
	bytes.Put(b)         // <read-buffer asan>
	sink += int(kept[7]) // <read-buffer asan>
}

func writeBuffer() {
	b := bytes.Get(100)
	kept := b.B[:0]
	bytes.Put(b)                // <write-buffer asan>
	kept = append(kept, "x"...) // <write-buffer asan>
	sink += len(kept)
}

func readHeader() {
	b := bytes.Get(100)
	bytes.Put(b)     // <read-header asan>
	sink += len(b.B) // <read-header asan>
}

func readObject() {
	p := points.Get()
	points.Put(p) // <read-object asan>
	sink += p.y   // <read-object asan>
}

func readDropped() {
	b := bytes.Get(1 << 20)
	kept := b.B
	bytes.Put(b)         // <read-dropped asan>
	sink += int(kept[7]) // <read-dropped asan>
}

// readAfterCycles holds the buffer for so long that the pool has let go of it.
func readAfterCycles() {
	b := bytes.Get(100)
	kept := b.B
	bytes.Put(b) // <read-after-cycles asan>
	for range 4 {
		runtime.GC()
	}
	sink += int(kept[7]) // <read-after-cycles asan>
}

// correct makes no mistake: it puts back buffers and objects of many sizes,
// lets the collector take them, and allocates in the same memory again.
func correct() {
	var keep [][]byte
	for round := range 12 {
		var buffers []*pool.Buffer
		var held []*point
		for i := range 200 {
			b := bytes.Get(i * 17)
			for j := range b.B {
				b.B[j] = byte(i)
			}
			b.B = append(b.B, make([]byte, i)...)
			p := points.Get()
			p.x, p.label = p.x+i, new(string)
			if p.x != i {
				panic("an object was not reset")
			}
			buffers, held = append(buffers, b), append(held, p)
		}
		for i := range buffers {
			sink += len(buffers[i].B) + held[i].x
			bytes.Put(buffers[i])
			points.Put(held[i])
		}
		if round%3 != 0 {
			runtime.GC()
		}
		for i := range 400 {
			fresh := make([]byte, i*17)
			for j := range fresh {
				fresh[j]++
			}
			keep = append(keep, fresh)
		}
		if round%4 == 3 {
			keep = nil
		}
	}
	runtime.KeepAlive(keep)
}
