package rows

import (
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// A Seed hashes keys, differently in each process, so that nobody can choose
// keys that collide.
type Seed struct {
	text   maphash.Seed
	number [2]uint64
}

// NewSeed returns a random Seed.
func NewSeed() Seed {
	return Seed{maphash.MakeSeed(), [2]uint64{rand.Uint64(), rand.Uint64() | 1}}
}

// Text hashes a string.
func (s *Seed) Text(key string) uint32 {
	return uint32(maphash.String(s.text, key) >> 32)
}

// Number hashes an integer: the halves of a 128-bit product, folded.
func (s *Seed) Number(key uint64) uint32 {
	high, low := bits.Mul64(key^s.number[0], s.number[1])
	high, low = bits.Mul64(high^low, 0x9e3779b97f4a7c15)
	return uint32((high ^ low) >> 32)
}
