package capture

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	pprof "github.com/google/pprof/profile"
)

// A Figure is a number and how it was had. Without a source it is not known, and Value means nothing.
type Figure struct {
	Value  float64 `json:"value"`
	Source string  `json:"source,omitempty"`
}

// Known reports whether there is a number.
func (f Figure) Known() bool { return f.Source != "" }

// A Snapshot is a program's counters at one time.
type Snapshot struct {
	MemStats *MemStats // nil: not had
	Memory   Entry     // where MemStats are from, with the time
	Metrics  *Metrics  // nil: not had
	Prom     Entry     // where Metrics are from, with the time
}

// Health is what the counters on both sides of the window say of one program's memory.
type Health struct {
	Target string `json:"target"`

	AllocBytesPerS Figure `json:"alloc_bytes_per_s"`
	MallocsPerS    Figure `json:"mallocs_per_s"` // objects; tiny ones that share a block count one by one
	CyclesPerS     Figure `json:"cycles_per_s"`
	// GCCPU is the collector's part, 0 to 1, of the processor time that the program could have used (GOMAXPROCS),
	// idle marking left out: over the window, from the end of a cycle to the end of a cycle.
	GCCPU Figure `json:"gc_cpu"`
	// GCCPUTotal is the same since the program's start.
	GCCPUTotal  Figure `json:"gc_cpu_total"`
	LiveBytes   Figure `json:"live_bytes"`
	GoalBytes   Figure `json:"goal_bytes"`   // of the heap, after the window
	GOGC        Figure `json:"gogc"`         // percent; negative: off
	MemoryLimit Figure `json:"memory_limit"` // bytes; math.MaxInt64, about, where there is none

	Warnings []string `json:"warnings,omitempty"`
}

// Snapshot reads the counters of one target at one side of the window.
func (b *Bundle) Snapshot(t *Target, p Phase) (Snapshot, error) {
	var s Snapshot
	var err error
	for _, kind := range []Kind{Vars, Trailer} {
		if e := t.entry(kind, p); e != nil && s.MemStats == nil {
			parse := parseVars
			if kind == Trailer {
				parse = parseTrailer
			}
			if s.MemStats, err = read(b, e, parse); err != nil {
				return s, err
			}
			s.Memory = *e
		}
	}
	if e := t.entry(Prom, p); e != nil {
		if s.Metrics, err = read(b, e, parseMetrics); err != nil {
			return s, err
		}
		s.Prom = *e
	}
	return s, nil
}

// read parses an entry to its end, so that its sum is checked.
func read[T any](b *Bundle, e *Entry, parse func(io.Reader) (T, error)) (T, error) {
	var none T
	r, err := b.Open(e)
	if err != nil {
		return none, err
	}
	defer r.Close()
	v, err := parse(r)
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return none, fmt.Errorf("%s: %w", e.Name, err)
	}
	return v, nil
}

// Health works out the figures of one target. Those that the bundle does not tell stay unknown; the error is for
// entries that cannot be read.
func (b *Bundle) Health(t *Target) (*Health, error) {
	before, err := b.Snapshot(t, Before)
	if err != nil {
		return nil, err
	}
	after, err := b.Snapshot(t, After)
	if err != nil {
		return nil, err
	}
	h := &Health{Target: t.Name}
	if why := otherProcess(&before, &after); why != "" {
		h.warn("%s: no rates; give the address of one process, not of a load balancer", why)
	} else {
		h.rates(&before, &after)
		h.gcCPU(&before, &after)
	}
	h.state(&after)
	if err := h.profiles(b, t); err != nil {
		return nil, err
	}
	return h, nil
}

func (h *Health) warn(format string, args ...any) {
	h.Warnings = append(h.Warnings, fmt.Sprintf(format, args...))
}

// startTime is the metric that tells processes apart; source: Prometheus client conventions, process collector.
const startTime = "process_start_time_seconds"

// otherProcess returns in what the snapshots cannot be of one process, "" if they can.
func otherProcess(before, after *Snapshot) string {
	if a, b := before.Metrics, after.Metrics; a != nil && b != nil {
		from, ok1 := a.Values[startTime]
		to, ok2 := b.Values[startTime]
		if ok1 && ok2 && from != to {
			return "the program restarted in the window, or another one answered"
		}
	}
	if a, b := before.MemStats, after.MemStats; a != nil && b != nil && (b.TotalAlloc < a.TotalAlloc || b.NumGC < a.NumGC || b.Mallocs < a.Mallocs) {
		return "counters fell: the program restarted in the window, or another one answered"
	}
	return ""
}

// rates works out what happened a second, from memory statistics or else from metrics.
func (h *Health) rates(before, after *Snapshot) {
	set := func(f *Figure, name string, from, to float64, a, b *Entry) {
		d := b.At.Sub(a.At)
		if f.Known() || d <= 0 || to < from {
			return
		}
		f.Value = (to - from) / d.Seconds()
		f.Source = fmt.Sprintf("%s of %s, twice in %.1f s", name, b.Source, d.Seconds())
	}
	if a, b := before.MemStats, after.MemStats; a != nil && b != nil {
		from, to := &before.Memory, &after.Memory
		set(&h.AllocBytesPerS, "TotalAlloc", float64(a.TotalAlloc), float64(b.TotalAlloc), from, to)
		set(&h.MallocsPerS, "Mallocs", float64(a.Mallocs), float64(b.Mallocs), from, to)
		set(&h.CyclesPerS, "NumGC", float64(a.NumGC), float64(b.NumGC), from, to)
	}
	if before.Metrics == nil || after.Metrics == nil {
		return
	}
	for name, f := range map[string]*Figure{
		"go_memstats_alloc_bytes_total": &h.AllocBytesPerS,
		"go_memstats_mallocs_total":     &h.MallocsPerS,
		"go_gc_duration_seconds_count":  &h.CyclesPerS,
	} {
		from, ok1 := before.Metrics.Values[name]
		to, ok2 := after.Metrics.Values[name]
		if ok1 && ok2 {
			set(f, name, from, to, &before.Prom, &after.Prom)
		}
	}
}

// gcCPU works out the collector's part of the processor time that there was.
//
// GCCPUFraction is as of the end of the last cycle (runtime/mgc.go, gcMarkTermination): fraction·(LastGC - start) is in
// proportion to the collector's processor time at LastGC, and its growth over that of LastGC is the part in between,
// as long as GOMAXPROCS stays. An error in the start time hardly matters: it is weighed with the change of the fraction.
func (h *Health) gcCPU(before, after *Snapshot) {
	a, b := before.MemStats, after.MemStats
	if b != nil && b.NumGC > 0 {
		h.GCCPUTotal = Figure{b.GCCPUFraction, "GCCPUFraction of " + after.Memory.Source}
	}
	if from, to := before.Metrics, after.Metrics; from != nil && to != nil {
		// Prometheus names of runtime/metrics /cpu/classes/*.
		change := func(name string) float64 { return to.Values[name] - from.Values[name] }
		total := change("go_cpu_classes_total_cpu_seconds_total")
		gc := change("go_cpu_classes_gc_total_cpu_seconds_total") - change("go_cpu_classes_gc_mark_idle_cpu_seconds_total")
		if total > 0 && gc >= 0 && gc <= total {
			h.GCCPU = Figure{gc / total, "go_cpu_classes_gc_* of " + after.Prom.Source + ", over the window"}
			return
		}
	}
	if a == nil || b == nil || after.Metrics == nil || a.NumGC == b.NumGC || a.NumGC == 0 {
		return
	}
	start, ok := after.Metrics.Values[startTime]
	t0, t1 := float64(a.LastGC)/1e9-start, float64(b.LastGC)/1e9-start
	if !ok || t0 <= 0 || t1 <= t0 {
		return
	}
	if share := (b.GCCPUFraction*t1 - a.GCCPUFraction*t0) / (t1 - t0); share >= 0 && share <= 1 {
		h.GCCPU = Figure{share, fmt.Sprintf("growth of GCCPUFraction of %s over %.1f s, with %s", after.Memory.Source, t1-t0, startTime)}
	}
}

// off is above every real heap goal and memory limit; the runtime writes GOGC=off and no limit as the largest integers.
const off = 1 << 62

// state works out what does not need two snapshots.
func (h *Health) state(after *Snapshot) {
	if m := after.Metrics; m != nil {
		set := func(f *Figure, name string) {
			if v, ok := m.Values[name]; ok && !f.Known() {
				*f = Figure{v, name + " of " + after.Prom.Source}
			}
		}
		set(&h.GOGC, "go_gc_gogc_percent")
		if h.GOGC.Value > math.MaxInt32 { // off, as runtime/metrics gives it
			h.GOGC.Value = -1
		}
		set(&h.MemoryLimit, "go_gc_gomemlimit_bytes")
		set(&h.LiveBytes, "go_gc_heap_live_bytes")
		set(&h.GoalBytes, "go_gc_heap_goal_bytes")
		set(&h.GoalBytes, "go_memstats_next_gc_bytes")
	}
	s := after.MemStats
	if s == nil {
		return
	}
	if !h.GoalBytes.Known() {
		h.GoalBytes = Figure{float64(s.NextGC), "NextGC of " + after.Memory.Source}
	}
	// Goal = L + (L+R)·GOGC/100, see package gcmodel, solved for L with R taken as the stacks in use: globals are
	// small beside them. Only where neither the least goal nor a memory limit made the goal.
	g, goal := h.GOGC.Value/100, h.GoalBytes.Value
	if h.LiveBytes.Known() || !h.GOGC.Known() || !h.MemoryLimit.Known() || g <= 0 || h.MemoryLimit.Value < off || goal >= off || goal < 1.1*g*(4<<20) {
		return
	}
	if live := (goal - g*float64(s.StackInuse)) / (1 + g); live > 0 {
		h.LiveBytes = Figure{live, "from the heap goal, GOGC and StackInuse"}
	}
}

// Thresholds of the warnings about profiles.
const (
	minCycles  = 3    // in the window, for a profile difference to mean something
	maxOwnPart = 0.05 // of the bytes in it that were the capture's own
)

// profiles adds what the profiles say, and what qualifies them.
func (h *Health) profiles(b *Bundle, t *Target) error {
	if t.entry(Allocs, "") != nil {
		p, err := b.Profile(t, Allocs)
		if err != nil {
			return err
		}
		if share := ownPart(p); share > maxOwnPart {
			h.warn("%.0f %% of the sampled bytes were allocated for profiling itself", 100*share)
		}
		seconds := time.Duration(p.DurationNanos).Seconds()
		if n := h.CyclesPerS.Value * seconds; h.CyclesPerS.Known() && n < minCycles {
			more := "a window of several minutes"
			if n >= 1 {
				more = fmt.Sprintf("--seconds %.0f", math.Ceil(2*minCycles*seconds/n))
			}
			h.warn("%.0f collections in the window: what a program allocates shows in its profile only after the next one; give %s", n, more)
		}
	}
	if h.LiveBytes.Known() || t.entry(Heap, "") == nil {
		return nil
	}
	p, err := b.Profile(t, Heap)
	if err != nil {
		return err
	}
	if i := column(p, "inuse_space"); i >= 0 {
		n, sum := 0, 0.0
		for _, s := range p.Sample {
			if s.Value[i] > 0 {
				n++
				sum += float64(s.Value[i])
			}
		}
		h.LiveBytes = Figure{sum, fmt.Sprintf("inuse_space of the heap profile, %d stacks, as of a recent collection", n)}
	}
	return nil
}

// column returns the index of a profile's sample type, -1 for none.
func column(p *pprof.Profile, name string) int {
	for i, st := range p.SampleType {
		if st.Type == name {
			return i
		}
	}
	return -1
}

// ownPart returns the part, 0 to 1, of the bytes that were allocated by handlers that a capture asks.
func ownPart(p *pprof.Profile) float64 {
	i := column(p, "alloc_space")
	if i < 0 {
		return 0
	}
	var own, all float64
	for _, s := range p.Sample {
		v := float64(max(0, s.Value[i]))
		all += v
		if isOwn(s) {
			own += v
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}

func isOwn(s *pprof.Sample) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			for _, pkg := range []string{"net/http/pprof.", "runtime/pprof.", "expvar.", "github.com/prometheus/client_golang/prometheus/promhttp."} {
				if strings.HasPrefix(line.Function.Name, pkg) {
					return true
				}
			}
		}
	}
	return false
}
