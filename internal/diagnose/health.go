package diagnose

import (
	"fmt"
	"time"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/gctrace"
)

// Verdicts of [TraceHealth].
const (
	VerdictFine       = "the collector is not the problem"
	VerdictAllocation = "too much allocation"
	VerdictLive       = "too much live data to mark"
	VerdictThrash     = "heap too small for its load"
	VerdictLeak       = "leak suspected"
	VerdictUnknown    = "not known"
)

// Thresholds of the verdict on a trace, beside notAProblem and muchGC.
const (
	// enoughCycles is the fewest that can be judged: those before it are the program's start.
	enoughCycles = 5
	// heavyMark is the processor time from which a cycle is dear whatever its frequency: that of marking
	// about 200 MiB of the cheapest pointers.
	heavyMark = 200 * time.Millisecond
	// tightGOGC is the effective GOGC, in per cent, under which a heap has no room: it costs at least
	// twice the collections of the default of 100.
	tightGOGC = 50
	// mostLost is the part of the cycles without which a low share of GC CPU is believed: it is too low by this part.
	mostLost = 0.1
	// smallGoal is a heap goal that hardly any machine is short of, so more room is free.
	smallGoal = 16 << 20

	// Start-up and filling caches look like a leak. Hence growth must last: over leakSpan and leakCycles, from each
	// quarter of the timeline to the next, and in the second half by the factor leakGrowth and by leakBytes,
	// which is well above the rounding to whole MiB.
	leakSpan   = time.Minute
	leakCycles = 20
	leakGrowth = 1.2
	leakBytes  = 16 << 20
)

// TraceHealth judges one process of a trace. The reasons say which figures led
// to the verdict and what their thresholds are. The share of GC CPU is that of
// all the processors the program may use, as the trace does not tell how much
// it used: of what it used it is at least as much.
func TraceHealth(s gctrace.Summary, t gctrace.Timeline) (finding.Health, []string) {
	h := finding.Health{
		GCCPUShare: s.GCCPUShare, AllocBytesPerS: s.AllocBytesPerSecond,
		CyclesPerS: s.CyclesPerSecond, LiveBytes: float64(s.LiveLast), Verdict: VerdictUnknown,
	}
	switch {
	case !s.Format.Clocked():
		return h, []string{"lines of this format carry neither the time since the start nor processor time"}
	case s.Cycles < enoughCycles || s.Span <= 0:
		return h, []string{fmt.Sprintf("%d cycles are too few to judge (threshold %d)", s.Cycles, enoughCycles)}
	}
	load := fmt.Sprintf("GC CPU is %.1f %% of %d processors", 100*s.GCCPUShare, s.Procs)
	if growth := grows(&s, &t); growth != "" {
		h.Verdict = VerdictLeak
		return h, []string{growth, load}
	}
	if s.GCCPUShare < notAProblem {
		low := fmt.Sprintf("%s (threshold %.0f %%)", load, 100*notAProblem)
		if float64(s.Lost) > mostLost*float64(s.Cycles+s.Lost) {
			return h, []string{low + ", but too low a figure", fmt.Sprintf("%d of %d cycles are missing (threshold %.0f %%)", s.Lost, s.Cycles+s.Lost, 100*mostLost)}
		}
		h.Verdict = VerdictFine
		return h, []string{low + "; where the program leaves processors idle, its share of those in use is larger"}
	}
	if s.GCCPUShare >= muchGC {
		reason := ""
		switch {
		case s.GoalLast <= smallGoal:
			reason = fmt.Sprintf("the heap goal is %d MiB (threshold %d MiB): raise GOGC, the memory is hardly missed", s.GoalLast>>20, smallGoal>>20)
		case s.EffectiveGOGC < tightGOGC:
			reason = fmt.Sprintf("effective GOGC is %.0f (threshold %d): raise GOMEMLIMIT or GOGC, or hold less", s.EffectiveGOGC, tightGOGC)
		}
		if reason != "" {
			h.Verdict = VerdictThrash
			return h, []string{fmt.Sprintf("%s (threshold %.0f %%)", load, 100*muchGC), reason}
		}
	}
	load += fmt.Sprintf(" (threshold %.0f %%)", 100*notAProblem)
	mark := fmt.Sprintf("marking takes %.1f ms of processor time a cycle at the median (threshold %d ms)", s.MarkCPU.P50.Seconds()*1e3, heavyMark.Milliseconds())
	rate := fmt.Sprintf("%.0f MiB/s allocated make for %.1f cycles/s", s.AllocBytesPerSecond/(1<<20), s.CyclesPerSecond)
	if s.MarkCPU.P50 >= heavyMark {
		h.Verdict = VerdictLive
		return h, []string{load, mark, "the other lever is allocation: " + rate}
	}
	h.Verdict = VerdictAllocation
	return h, []string{load, mark, rate}
}

// grows says how the live heap grew, if it did so throughout.
func grows(s *gctrace.Summary, t *gctrace.Timeline) string {
	if s.Span < leakSpan || s.Cycles < leakCycles {
		return ""
	}
	var mean, n [4]float64
	for i, b := range t.Buckets {
		if b.Cycles > 0 {
			q := i * 4 / len(t.Buckets)
			mean[q] += float64(b.LiveMax)
			n[q]++
		}
	}
	for q := range mean {
		if n[q] == 0 {
			return ""
		}
		mean[q] /= n[q]
		if q > 0 && mean[q] <= mean[q-1] {
			return ""
		}
	}
	if mean[3] < leakGrowth*mean[1] || mean[3] < mean[1]+leakBytes {
		return ""
	}
	return fmt.Sprintf("the live heap grew in every quarter of %v, from %.0f MiB in the second to %.0f MiB in the last (thresholds %v, a factor of %.1f, %d MiB): compare two heap profiles",
		s.Span.Round(time.Second), mean[1]/(1<<20), mean[3]/(1<<20), leakSpan, leakGrowth, leakBytes>>20)
}
