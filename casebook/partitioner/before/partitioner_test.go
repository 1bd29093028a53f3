package before

import (
	"io"
	"math/rand"
	"testing"

	"github.com/unheap/unheap/casebook/partitioner/before/log"
	"github.com/unheap/unheap/casebook/partitioner/suite"
)

func TestPartitioner(t *testing.T) {
	suite.Run(t, suite.Subject{
		New: func(ringSize uint32, logger *log.Logger) func(any, int32) (int32, error) {
			p := New(ringSize, logger)
			return func(key any, numPartitions int32) (int32, error) {
				return p.Partition(&Message{Key: key}, numPartitions)
			}
		},
		Key:         func(id int64) any { return &PickingKey{ID: id} },
		ErrRingSize: ErrRingSize,
		ErrKey:      ErrKey,
	})
}

func BenchmarkPartition(b *testing.B) {
	const numPartitions = 1024
	r := rand.New(rand.NewSource(0))
	key := &PickingKey{}
	msg := &Message{Key: key}
	p := New(numPartitions, log.New(io.Discard, log.InfoLevel))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		key.ID = r.Int63()
		slot, err := p.Partition(msg, numPartitions)
		if err != nil {
			b.Fatal(err)
		}
		if slot < 0 || slot >= numPartitions {
			b.Fatalf("slot %d is outside the ring", slot)
		}
	}
}
