package report

import (
	"time"

	"github.com/unheap/unheap/gctrace"
)

// A history is a process's timeline as series of equal steps. A step in which
// no cycle began has the heap of the one before.
type history struct {
	clocked          bool
	start, step      float64   // seconds; without a clock, cycles
	heap, goal, live []float64 // bytes
	load             []float64 // GC CPU, as a share of all processors; without a clock, the longest stop in ns
}

func newHistory(p *gctrace.Process) history {
	t := &p.Timeline
	h := history{clocked: t.Width > 0, start: t.Start.Seconds(), step: t.Width.Seconds()}
	if !h.clocked {
		h.start, h.step = float64(t.FirstSeq), float64(t.Seqs)
	}
	var last gctrace.Bucket
	for _, b := range t.Buckets {
		if b.Cycles > 0 {
			last = b
		}
		h.heap = append(h.heap, float64(last.HeapMax))
		h.goal = append(h.goal, float64(last.GoalMax))
		h.live = append(h.live, float64(last.LiveMax))
		if !h.clocked {
			h.load = append(h.load, float64(b.LongestSTW))
		}
	}
	if h.clocked {
		h.load = cpuShares(t, p.Summary.Procs)
	}
	return h
}

// cpuShares returns the share of the processors that went into collecting in
// each bucket. A bucket holds the whole cost of the cycles that began in it, so
// what took longer than the bucket is spread over those that follow. The
// cost of a last cycle that goes on beyond the timeline stays in its last bucket.
func cpuShares(t *gctrace.Timeline, procs int) []float64 {
	shares := make([]float64, len(t.Buckets))
	capacity := float64(t.Width) * float64(max(1, procs))
	for i, b := range t.Buckets {
		n := int(min((b.Wall+t.Width-1)/t.Width, time.Duration(len(shares))))
		n = max(n, 1)
		part := float64(b.GCCPU) / float64(n) / capacity
		for j := i; j < min(i+n, len(shares)); j++ {
			shares[j] += part
		}
	}
	for i := range shares {
		shares[i] = min(shares[i], 1)
	}
	return shares
}

// peaks returns xs in at most n steps, each the greatest of those it stands for.
func peaks(xs []float64, n int) []float64 {
	group := (len(xs) + n - 1) / max(n, 1)
	if group <= 1 {
		return xs
	}
	out := make([]float64, 0, n)
	for i, x := range xs {
		if i%group == 0 {
			out = append(out, x)
		} else {
			out[len(out)-1] = max(out[len(out)-1], x)
		}
	}
	return out
}

// spark draws a series as blocks of up to eight eighths of its greatest value,
// which it returns too. What is not 0 is seen.
func spark(xs []float64) (string, float64) {
	top := 0.0
	for _, x := range xs {
		top = max(top, x)
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	out := make([]rune, len(xs))
	for i, x := range xs {
		out[i] = ' '
		if x > 0 {
			out[i] = levels[min(int(x/top*float64(len(levels))), len(levels)-1)]
		}
	}
	return string(out), top
}
