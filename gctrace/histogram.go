package gctrace

import (
	"math/bits"
	"time"
)

// A histogram counts durations in a fixed number of buckets: exact up to 63 µs, then 32 to every
// doubling, so that a quantile is at most 1/64 (1.6 %) off. The trace resolves microseconds at best.
type histogram struct {
	counts [subBuckets * 33]uint32
	n      int64
	max    time.Duration
}

const subBuckets = 32

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
	h.max = max(h.max, d)
}

func bucketOf(d time.Duration) int {
	us := min(uint64(max(d, 0)/time.Microsecond), 1<<37-1) // 38 hours; more is corrupt
	shift := max(bits.Len64(us)-6, 0)
	return shift*subBuckets + int(us>>shift)
}

// middle returns the middle of a bucket.
func middle(bucket int) time.Duration {
	shift := max(bucket/subBuckets-1, 0)
	low := uint64(bucket-shift*subBuckets) << shift
	return time.Duration(low+(1<<shift)/2) * time.Microsecond
}

// Quantiles describes durations. They are at most 1.6 % off; Max is exact.
type Quantiles struct {
	Count int64         `json:"count"`
	P50   time.Duration `json:"p50_ns"`
	P90   time.Duration `json:"p90_ns"`
	P99   time.Duration `json:"p99_ns"`
	Max   time.Duration `json:"max_ns"`
}

func (h *histogram) quantiles() Quantiles {
	return Quantiles{Count: h.n, P50: h.quantile(0.50), P90: h.quantile(0.90), P99: h.quantile(0.99), Max: h.max}
}

// quantile returns the smallest duration that a share q of all do not exceed.
func (h *histogram) quantile(q float64) time.Duration {
	seen := int64(0)
	for b, n := range h.counts {
		seen += int64(n)
		if n > 0 && float64(seen) >= q*float64(h.n) {
			return min(middle(b), h.max)
		}
	}
	return 0
}
