package pool

import (
	"fmt"
	"sync"
	"testing"
)

// BenchmarkGetPut compares one trip through the pools with sync.Pool used by
// hand, which is what they have to keep up with.
func BenchmarkGetPut(b *testing.B) {
	const size = 4096
	raw := sync.Pool{New: func() any {
		s := make([]byte, size)
		return &s
	}}
	bytes := NewBytes(1 << 16)
	objects := New(func() *[size]byte { return new([size]byte) }, func(*[size]byte) bool { return true })
	trips := []struct {
		name string
		trip func()
	}{
		{"raw", func() {
			s := raw.Get().(*[]byte)
			(*s)[0]++
			raw.Put(s)
		}},
		{"Bytes", func() {
			s := bytes.Get(size)
			s.B[0]++
			bytes.Put(s)
		}},
		{"Pool", func() {
			s := objects.Get()
			s[0]++
			objects.Put(s)
		}},
	}
	for _, c := range trips {
		b.Run("alone/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				c.trip()
			}
		})
	}
	for _, c := range trips {
		b.Run("parallel/"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					c.trip()
				}
			})
		})
	}
}

// BenchmarkTally is what counting adds to a Get.
func BenchmarkTally(b *testing.B) {
	t := newTally()
	b.Run("alone", func(b *testing.B) {
		for range b.N {
			t.get()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				t.get()
			}
		})
	})
}

// hold makes what is assigned to it escape.
var hold []byte

// BenchmarkSource compares where a scratch buffer can come from, by size: the
// pool, the heap, the stack with a constant size, and a make whose size the
// compiler does not know in a function that keeps the buffer to itself. All
// are written to once in each 64 bytes.
func BenchmarkSource(b *testing.B) {
	use := func(s []byte) {
		for i := 0; i < len(s); i += 64 {
			s[i]++
		}
	}
	run := func(name string, op func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				op()
			}
		})
	}
	p := NewBytes(1 << 20)
	for _, size := range []int{16, 64, 256, 1024, 4096, 32768, 262144} {
		run(fmt.Sprintf("Bytes/%d", size), func() {
			s := p.Get(size)
			use(s.B)
			p.Put(s)
		})
		run(fmt.Sprintf("heap/%d", size), func() {
			hold = make([]byte, size)
			use(hold)
		})
	}
	run("stack/16", func() { use(make([]byte, 16)) })
	run("stack/64", func() { use(make([]byte, 64)) })
	run("stack/256", func() { use(make([]byte, 256)) })
	run("stack/1024", func() { use(make([]byte, 1024)) })
	run("stack/4096", func() { use(make([]byte, 4096)) })
	run("stack/32768", func() { use(make([]byte, 32768)) })
	for _, size := range []int{32, 33} {
		run(fmt.Sprintf("unknown/%d", size), func() { use(make([]byte, size)) })
	}
}
