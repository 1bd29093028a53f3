// Package murmur3 computes MurmurHash3 x86_32, the public-domain hash by Austin
// Appleby: https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp.
package murmur3

import (
	"encoding/binary"
	"math/bits"
)

// Multipliers of the block mix.
const (
	c1 = 0xcc9e2d51
	c2 = 0x1b873593
)

// Sum32 returns the hash of data with the given seed.
func Sum32(data []byte, seed uint32) uint32 {
	h := seed
	n := uint32(len(data))
	for len(data) >= 4 {
		h ^= scramble(binary.LittleEndian.Uint32(data))
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
		data = data[4:]
	}
	if len(data) > 0 {
		var tail uint32
		for i, b := range data {
			tail |= uint32(b) << (8 * i)
		}
		h ^= scramble(tail)
	}
	return avalanche(h ^ n)
}

// scramble mixes one 32-bit block before it joins the state.
func scramble(k uint32) uint32 {
	return bits.RotateLeft32(k*c1, 15) * c2
}

// avalanche makes every input bit reach every output bit.
func avalanche(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
