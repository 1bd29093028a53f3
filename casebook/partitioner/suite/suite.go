// Package suite holds the tests that every form of the partitioner must pass.
package suite

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/unheap/unheap/casebook/partitioner/before/log"
)

// A Subject is one form of the partitioner.
type Subject struct {
	// New returns the Partition method of a new partitioner, with the message
	// replaced by its key.
	New func(ringSize uint32, logger *log.Logger) func(key any, numPartitions int32) (int32, error)
	// Key returns the key that holds id.
	Key func(id int64) any

	ErrRingSize, ErrKey error
}

// Run tests s.
func Run(t *testing.T, s Subject) {
	t.Run("Slots", s.slots)
	t.Run("Distribution", s.distribution)
	t.Run("Errors", s.errors)
	t.Run("LogAtDebug", s.logAtDebug)
	t.Run("LogAtInfo", s.logAtInfo)
}

// vectors are ids, the MurmurHash3 x86_32 of their eight little-endian bytes
// (seed 0) and their slot in a ring of 1,024: the hash's low 16 bits over 64.
var vectors = []struct {
	id   int64
	hash uint32
	slot int32
}{
	{0, 0x63852afc, 171},
	{1, 0x53075d44, 373},
	{2, 0xc61fa2f4, 651},
	{255, 0xfcdb09b7, 38},
	{1 << 32, 0x3ad85688, 346},
	{-1, 0x627564e8, 403},
	{math.MaxInt64, 0x827144bf, 274},
	{math.MinInt64, 0x516faf25, 700},
	{8717895732742165505, 0xd666a72a, 668},
}

func (s Subject) slots(t *testing.T) {
	partition := s.New(1024, log.New(io.Discard, log.InfoLevel))
	for _, v := range vectors {
		got, err := partition(s.Key(v.id), 1024)
		if err != nil || got != v.slot {
			t.Errorf("slot of id %d is %d, %v; want %d", v.id, got, err, v.slot)
		}
	}
}

// distribution checks every ring size's use of its slots with the chi-squared
// statistic, whose mean is size-1 and whose deviation is about sqrt(2*size).
func (s Subject) distribution(t *testing.T) {
	const perSlot = 50
	for _, size := range []uint32{1, 2, 3, 100, 1000, 1024} {
		partition := s.New(size, log.New(io.Discard, log.InfoLevel))
		r := rand.New(rand.NewSource(int64(size)))
		count := make([]int, size)
		for i := 0; i < perSlot*int(size); i++ {
			slot, err := partition(s.Key(r.Int63()), 1<<20)
			if err != nil || slot < 0 || slot >= int32(size) {
				t.Fatalf("slot is %d, %v; want one of %d", slot, err, size)
			}
			count[slot]++
		}
		chi := 0.0
		for _, n := range count {
			chi += float64((n-perSlot)*(n-perSlot)) / perSlot
		}
		if limit := float64(size-1) + 5*math.Sqrt(2*float64(size)); chi > limit {
			t.Errorf("ring of %d slots: chi-squared is %.0f, above %.0f", size, chi, limit)
		}
	}
}

func (s Subject) errors(t *testing.T) {
	for _, c := range []struct {
		name          string
		ringSize      uint32
		key           any
		numPartitions int32
		want          error  // when there is an error to compare with
		text          string // else part of the message
	}{
		{"no ring", 0, s.Key(1), 8, s.ErrRingSize, ""},
		{"ring above the hash", 1<<16 + 1, s.Key(1), math.MaxInt32, s.ErrRingSize, ""},
		{"too few partitions", 9, s.Key(1), 8, nil, "ring of 9 slots does not fit into 8 partitions"},
		{"negative partitions", 9, s.Key(1), -1, nil, "into -1 partitions"},
		{"no key", 8, nil, 8, s.ErrKey, ""},
		{"foreign key", 8, "key", 8, s.ErrKey, ""},
	} {
		var out strings.Builder
		_, err := s.New(c.ringSize, log.New(&out, log.DebugLevel))(c.key, c.numPartitions)
		if c.want != nil && !errors.Is(err, c.want) || c.want == nil && (err == nil || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: error is %v, want %v%s", c.name, err, c.want, c.text)
		}
		if out.Len() != 0 {
			t.Errorf("%s: a refused message was logged: %s", c.name, out.String())
		}
	}
	if slot, err := s.New(1<<16, log.New(io.Discard, log.InfoLevel))(s.Key(1), 1<<16); err != nil || slot < 0 {
		t.Errorf("largest ring: slot is %d, %v", slot, err)
	}
}

func (s Subject) logAtDebug(t *testing.T) {
	var out, want strings.Builder
	logger := log.New(&out, log.DebugLevel)
	partition := s.New(1024, logger)
	for _, v := range vectors {
		if _, err := partition(s.Key(v.id), 2048); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "level=debug msg=\"Partitioning\" key=id:%d numPartitions=2048\n", v.id)
		fmt.Fprintf(&want, "level=debug msg=\"Sending to partition\" smallIndex=%d murmHash=%d shortHash=%d\n", v.slot, v.hash, v.hash%65536)
	}
	if out.String() != want.String() {
		t.Errorf("the debug log is\n%swant\n%s", out.String(), want.String())
	}
	if got := len(logger.Recent()); got != 2*len(vectors) {
		t.Errorf("%d entries were kept, want %d", got, 2*len(vectors))
	}
}

func (s Subject) logAtInfo(t *testing.T) {
	var out strings.Builder
	logger := log.New(&out, log.InfoLevel)
	if _, err := s.New(1024, logger)(s.Key(1), 1024); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 || len(logger.Recent()) != 0 {
		t.Errorf("at info level the log is %q with %d entries kept, want nothing", out.String(), len(logger.Recent()))
	}
}
