package rows

import "math/bits"

// A vector is a slice in chunks, so that growing copies nothing. Chunks grow
// with the vector: each doubling of its length is made of 1<<steps chunks, so
// that at most one part in that many is unused, and the number of chunks grows
// with the logarithm of the length.
type vector[T any] struct {
	chunks [][]T
	n      int
	steps  uint8
}

// firstLog is the logarithm of the length at which chunks begin to grow.
const firstLog = 14

// locate returns where element i is.
func locate(i int, steps uint8) (chunk, offset int) {
	n := uint(i) + 1<<firstLog
	log := uint8(bits.Len(n)) - 1
	shift := (log - steps) & 63
	return int(log-firstLog)<<(steps&63) + int(n>>shift) - 1<<(steps&63), int(n & (1<<shift - 1))
}

// chunkSize returns the length of a chunk.
func chunkSize(chunk int, steps uint8) int {
	return 1 << (firstLog - int(steps) + chunk>>steps)
}

func (v *vector[T]) at(i int) *T {
	chunk, offset := locate(i, v.steps)
	return &v.chunks[chunk][offset]
}

// grow appends a zero element.
func (v *vector[T]) grow() {
	chunk, offset := locate(v.n, v.steps)
	if chunk == len(v.chunks) {
		size := chunkSize(chunk, v.steps)
		if chunk == 0 {
			size = min(size, 16) // most tables of a program may be small
		}
		v.chunks = append(v.chunks, make([]T, size))
	}
	c := v.chunks[chunk]
	if offset == len(c) { // only the first chunk is ever short
		larger := make([]T, min(2*len(c), chunkSize(chunk, v.steps)))
		copy(larger, c)
		v.chunks[chunk] = larger
		c = larger
	}
	var zero T
	c[offset] = zero
	v.n++
}

// shrink drops the last element. One chunk more than needed is kept, so that a
// vector whose length goes to and fro does not allocate each time.
func (v *vector[T]) shrink() {
	v.n--
	chunk, offset := locate(v.n, v.steps)
	if offset == 0 && chunk+1 < len(v.chunks) {
		clear(v.chunks[chunk+1:])
		v.chunks = v.chunks[:chunk+1]
	}
}

// capacity returns how many elements the chunks hold.
func (v *vector[T]) capacity() int {
	n := 0
	for _, c := range v.chunks {
		n += len(c)
	}
	return n
}
