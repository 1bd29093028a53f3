package diagnose

import (
	"math"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/profile"
	"github.com/unheap/unheap/internal/source"
)

// cpu is what a CPU profile says of memory management, in samples.
type cpu struct {
	total  float64
	gc     float64 // the collector: marking, sweeping, assists
	malloc float64 // allocating, assists left out
	// mallocAt is malloc's part below each of the user's lines.
	mallocAt map[lineKey]float64
}

// gcFunctions are the runtime functions below which the CPU time is the
// collector's: background work and the assists that allocation pays.
// Source: runtime/mgc.go, mgcmark.go, mgcsweep.go, mgcscavenge.go.
func isGC(fn string) bool {
	switch fn {
	case "runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.gcAssistAlloc1", "runtime.gcDrain",
		"runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart", "runtime.gcMarkDone", "runtime.gcMarkTermination":
		return true
	}
	return false
}

// readCPU classifies the samples of a CPU profile, whose values are sample counts.
func readCPU(samples []profile.Sample, tree *source.Tree) *cpu {
	c := &cpu{mallocAt: make(map[lineKey]float64)}
	for i := range samples {
		s := &samples[i]
		n := s.Values[0]
		c.total += n
		var gc, malloc bool
		for _, f := range s.Stack {
			if isGC(f.Func) {
				gc = true
				break
			}
			malloc = malloc || strings.HasPrefix(f.Func, "runtime.mallocgc")
		}
		switch {
		case gc:
			c.gc += n
		case malloc:
			c.malloc += n
			if own := s.Own(tree.Owns); own >= 0 {
				f := s.Stack[own]
				c.mallocAt[lineKey{f.Pos.AtLine(), f.Func}] += n
			}
		}
	}
	return c
}

// minSamples is how many CPU samples a statement about shares needs: their
// error is about one in the square root.
const minSamples = 100

// priorSamples is the weight, in samples, of the object share against the
// sampled share of a line's allocation time.
const priorSamples = 10

// saving estimates the share of CPU time that a line's allocations cost:
// its part of the time spent allocating, and of the collector's in proportion
// to the bytes per second that it allocates. The share of allocation time is
// the sampled one, drawn towards the line's share of objects where samples are
// few. The bounds are 95 % Poisson limits of the samples.
func (c *cpu) saving(key lineKey, objectShare, byteShare float64) *finding.Saving {
	if c.total < minSamples {
		return nil
	}
	k := c.mallocAt[key] + priorSamples*objectShare
	n := c.malloc + priorSamples
	share := c.malloc / c.total * k / n
	gc := c.gc / c.total * byteShare
	half := 1.96 * math.Sqrt(k) / n * c.malloc / c.total
	gcHalf := 1.96 * math.Sqrt(c.gc) / c.total * byteShare
	return &finding.Saving{
		CPUShare: share + gc,
		Low:      max(0, share-half) + max(0, gc-gcHalf),
		High:     min(1, share+half+gc+gcHalf),
	}
}

// Thresholds of the health verdict, as shares of CPU time.
const (
	notAProblem = 0.05 // collecting and allocating together
	muchGC      = 0.10 // collecting alone
)

// health sums the profile up. Nil without enough samples.
func (c *cpu) health(bytesPerSecond float64) *finding.Health {
	if c.total < minSamples {
		return nil
	}
	h := &finding.Health{GCCPUShare: c.gc / c.total, AllocBytesPerS: bytesPerSecond}
	both := (c.gc + c.malloc) / c.total
	switch {
	case both < notAProblem:
		h.Verdict = "memory management is not the problem: collecting and allocating take less than 5 % of the CPU time"
	case h.GCCPUShare >= muchGC:
		h.Verdict = "too much allocation: the collector alone takes more than 10 % of the CPU time"
	default:
		h.Verdict = "allocation costs CPU time, more in allocating than in collecting"
	}
	return h
}
