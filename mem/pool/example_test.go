package pool_test

import (
	"bytes"
	"expvar"
	"fmt"
	"io"
	"strings"

	"github.com/unheap/unheap/mem/pool"
)

// A buffer that serves one copy after the other, instead of the 32 KiB that
// io.Copy allocates for each.
func ExampleBytes() {
	buffers := pool.NewBytes(64 << 10)
	var pools expvar.Map // a program would make it with expvar.NewMap("pools")
	pools.Set("copy", buffers)

	copyTo := func(w io.Writer, r io.Reader) (int64, error) {
		b := buffers.Get(32 << 10)
		defer buffers.Put(b)
		// The wrappers hide methods that would bypass the buffer.
		return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, b.B)
	}

	var out strings.Builder
	for _, text := range []string{"one, ", "two, ", "three"} {
		if _, err := copyTo(&out, strings.NewReader(text)); err != nil {
			fmt.Println(err)
		}
	}
	s := buffers.Stats()
	fmt.Println(out.String())
	fmt.Println(s.Hits+s.Misses, "buffers handed out,", s.Drops, "dropped")
	// Output:
	// one, two, three
	// 3 buffers handed out, 0 dropped
}

// The length of a buffer from the pool is whatever it needs to be: appending
// starts from an empty slice.
func ExampleBytes_Get() {
	lines := pool.NewBytes(4 << 10)
	b := lines.Get(80)
	b.B = fmt.Appendf(b.B[:0], "%s=%d", "answer", 42)
	fmt.Printf("%s\n", b.B)
	lines.Put(b)
	// Output: answer=42
}

// Reset says no to a buffer that one large message has blown up, so that the
// pool does not hold on to it for all the small ones that follow.
func ExampleNew() {
	messages := pool.New(nil, func(b *bytes.Buffer) (keep bool) {
		b.Reset()
		return b.Cap() <= 64<<10
	})
	for _, size := range []int{100, 1 << 20} {
		b := messages.Get()
		b.Write(make([]byte, size))
		messages.Put(b)
	}
	fmt.Println(messages.Stats().Drops, "dropped")
	// Output: 1 dropped
}
