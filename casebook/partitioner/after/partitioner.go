// Package after assigns messages to the partitions of a ring, and tells a
// debug log what it decides.
package after

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/unheap/unheap/casebook/partitioner/before/log"
	"github.com/unheap/unheap/casebook/partitioner/murmur3"
)

// Errors of [Partitioner.Partition].
var (
	ErrRingSize = errors.New("ring size is out of range: make the partitioner with New and a size from 1 to 65536")
	ErrKey      = errors.New("message key is not a *PickingKey")
)

// shortBits is how much of the hash picks the slot: 65,536 values, shared out
// evenly over rings of up to that many slots.
const shortBits = 16

// A PickingKey is a message key that serves only to pick the partition.
type PickingKey struct {
	ID int64
}

// String returns the key as logs show it.
func (k *PickingKey) String() string {
	return "id:" + strconv.FormatInt(k.ID, 10)
}

// A Message is what a producer sends.
type Message struct {
	Key   any // a *PickingKey
	Value []byte
}

// A Partitioner spreads messages over the slots of a ring by the hash of their
// keys. Messages with equal keys share a slot.
type Partitioner struct {
	ringSize uint32
	log      *log.Logger
}

// New returns a partitioner for a ring of ringSize slots, at most 65,536.
func New(ringSize uint32, logger *log.Logger) *Partitioner {
	return &Partitioner{ringSize: ringSize, log: logger}
}

// Partition returns the slot for msg, from 0 up to the ring's size, which
// numPartitions must be able to hold.
func (p *Partitioner) Partition(msg *Message, numPartitions int32) (int32, error) {
	if p.ringSize == 0 || p.ringSize > 1<<shortBits {
		return 0, ErrRingSize
	}
	if int64(numPartitions) < int64(p.ringSize) {
		return 0, fmt.Errorf("ring of %d slots does not fit into %d partitions", p.ringSize, numPartitions)
	}
	key, ok := msg.Key.(*PickingKey)
	if !ok {
		return 0, ErrKey
	}
	if p.log.Level >= log.DebugLevel {
		log.Debug2(p.log, "key", msg.Key, "numPartitions", numPartitions, "Partitioning")
	}
	var id [8]byte
	binary.LittleEndian.PutUint64(id[:], uint64(key.ID))
	murmHash := murmur3.Sum32(id[:], 0)
	shortHash := murmHash & (1<<shortBits - 1)
	smallIndex := int32(uint64(shortHash) * uint64(p.ringSize) >> shortBits)
	if p.log.Level >= log.DebugLevel {
		log.Debug3(p.log, "smallIndex", smallIndex, "murmHash", murmHash, "shortHash", shortHash, "Sending to partition")
	}
	return smallIndex, nil
}
