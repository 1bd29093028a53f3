// Package other already has what the rewrite needs.
package other

import (
	"io"
	"sync"
)

// pooledCopyBuffers holds the buffers of pooledCopy.
var pooledCopyBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// pooledCopy is io.Copy with a buffer from a pool.
func pooledCopy(dst io.Writer, src io.Reader) (int64, error) {
	buf := pooledCopyBuffers.Get().(*[32 << 10]byte)
	defer pooledCopyBuffers.Put(buf)
	return io.CopyBuffer(dst, src, buf[:])
}

func copyAll(dst io.Writer, src io.Reader) {
	io.Copy(dst, src) // want `allocates a buffer`
}

// The name means something else here.
func shadowed(pooledCopy io.Writer, src io.Reader) {
	io.Copy(pooledCopy, src)
}
