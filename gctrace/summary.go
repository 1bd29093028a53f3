package gctrace

import (
	"fmt"
	"time"
)

// A Summary describes the collections of one process. Shares and rates are over the time that
// the trace covers, from From to To; without a clock in the format (Go 1.4 and earlier) they are 0.
type Summary struct {
	Format Format `json:"format"`
	Procs  int    `json:"procs"` // at the last cycle; up to Go 1.4 the most threads of any cycle

	Cycles   int64 `json:"cycles"`
	Forced   int64 `json:"forced"`
	FirstSeq int64 `json:"first_seq"`
	LastSeq  int64 `json:"last_seq"`
	Lost     int64 `json:"lost"` // cycles between FirstSeq and LastSeq that are not in the trace

	// From and To are since the program's start. From is 0 when the trace begins with gc 1, else the end of
	// its first cycle, whose own cost is then left out: all of a cycle's cost falls before its end.
	From time.Duration `json:"from_ns"`
	To   time.Duration `json:"to_ns"`

	Rates
	Window   Rates         `json:"last_window"`    // the same figures over the last 32 cycles
	GCCPU    time.Duration `json:"gc_cpu_ns"`      // processor time taken from the program; Go 1.5 and later
	IdleCPU  time.Duration `json:"gc_idle_cpu_ns"` // marking on processors that had nothing else to do; in no share
	WorkLow  time.Duration `json:"work_low_ns"`    // bounds of the thread time, see [Event.Work]
	WorkHigh time.Duration `json:"work_high_ns"`
	Wall     time.Duration `json:"gc_wall_ns"` // sum of the cycles' wall times

	// AssistShare is the part of GCCPU that goroutines paid while they allocated. It is latency: a
	// high share means that the background workers do not keep up.
	AssistShare float64 `json:"assist_share"`

	Pauses   Quantiles `json:"pauses"`    // every stop of the world by itself
	MarkWall Quantiles `json:"mark_wall"` // a cycle's marking, scanning included
	MarkCPU  Quantiles `json:"mark_cpu"`  // without Idle; Go 1.5 and later

	// Live heap after a cycle. For Go 1.3 and 1.4, which print it one cycle late as an estimate, that estimate.
	LiveFirst int64 `json:"live_first_bytes"`
	LiveLast  int64 `json:"live_bytes"`
	LiveMax   int64 `json:"live_max_bytes"`
	HeapMax   int64 `json:"heap_max_bytes"` // largest heap at a cycle's start or end
	RootsLast int64 `json:"roots_bytes"`    // scannable stacks and globals; Go 1.18 and later
	GoalLast  int64 `json:"goal_bytes"`

	ObjectsFirst int64 `json:"objects_first,omitempty"` // after a cycle; up to Go 1.4
	ObjectsLast  int64 `json:"objects_last,omitempty"`

	// EffectiveGOGC is 100·Σ(goal - live)/Σ(live + stacks + globals), live being what the cycle before found
	// (before 1.18 roots did not count). It is GOGC unless a memory limit lowers the goal or the 4 MiB minimum raises it.
	EffectiveGOGC float64 `json:"effective_gogc"`

	Warnings []string `json:"warnings"`
}

// Rates are figures over a stretch of time.
type Rates struct {
	Span            time.Duration `json:"span_ns"`
	CyclesPerSecond float64       `json:"cycles_per_s"`
	GCCPUShare      float64       `json:"gc_cpu_share"` // of Procs processors, 0 to 1
	// AllocBytesPerSecond is the heap at the end of each cycle less the live heap of the one before: all that was
	// allocated in between, as objects allocated during marking count as live. Whole MiB a cycle, without bias.
	AllocBytesPerSecond float64 `json:"alloc_bytes_per_s"`
}

// windowCycles is the length of the last window.
const windowCycles = 32

// A Summarizer makes a [Summary] of one process's cycles, one at a time, in constant memory.
// Its zero value is ready for use.
type Summarizer struct {
	s        Summary
	last     Event
	total    stretch
	window   [windowCycles]stretch
	assist   time.Duration
	pauses   histogram
	markWall histogram
	markCPU  histogram
	growth   int64 // Σ(goal - live)
	base     int64 // Σ(live + roots)
	atMin    int64 // cycles at the least heap goal
}

// A stretch is the figures between the ends of two cycles.
type stretch struct {
	cycles    int64
	time      time.Duration
	cpu       time.Duration
	capacity  float64 // processor seconds that there were
	alloc     int64
	allocTime time.Duration // without gaps in the trace
}

func (a *stretch) add(b stretch) {
	a.cycles += b.cycles
	a.time += b.time
	a.cpu += b.cpu
	a.capacity += b.capacity
	a.alloc += b.alloc
	a.allocTime += b.allocTime
}

func (a *stretch) rates() Rates {
	r := Rates{Span: a.time}
	if a.time > 0 {
		r.CyclesPerSecond = float64(a.cycles) / a.time.Seconds()
	}
	if a.capacity > 0 {
		r.GCCPUShare = a.cpu.Seconds() / a.capacity
	}
	if a.allocTime > 0 {
		r.AllocBytesPerSecond = max(0, float64(a.alloc)/a.allocTime.Seconds())
	}
	return r
}

// Add takes the next event of the process. Events other than cycles are ignored.
func (z *Summarizer) Add(e Event) {
	if e.Kind != Cycle {
		return
	}
	s := &z.s
	first := s.Cycles == 0
	consecutive := e.Seq == z.last.Seq+1
	if first {
		s.Format, s.FirstSeq = e.Format, e.Seq
		s.LiveFirst, s.ObjectsFirst = live(&e), e.Objects.After
	} else if !consecutive {
		s.Lost += max(0, e.Seq-z.last.Seq-1)
	}
	if e.Format.Clocked() {
		z.addClocked(&e, first, consecutive)
	} else {
		s.Procs = max(s.Procs, e.Procs)
	}
	z.addPauses(&e)
	s.Cycles++
	if e.Forced {
		s.Forced++
	}
	low, high := e.Work()
	s.WorkLow += low
	s.WorkHigh += high
	s.Wall += e.Wall()
	s.LastSeq = e.Seq
	s.LiveLast, s.ObjectsLast = live(&e), e.Objects.After
	s.LiveMax = max(s.LiveMax, s.LiveLast)
	s.HeapMax = max(s.HeapMax, e.Heap.Start, e.Heap.End)
	s.RootsLast = e.Heap.Stacks + e.Heap.Globals
	s.GoalLast = e.Heap.Goal
	z.last = e
}

// addClocked adds what only Go 1.5 and later tell.
func (z *Summarizer) addClocked(e *Event, first, consecutive bool) {
	s := &z.s
	s.Procs = e.Procs
	end := e.At + e.Wall()
	if first && e.Seq != 1 {
		s.From, s.To = end, end
	} else {
		step := stretch{cycles: 1, time: max(0, end-s.To), cpu: e.CPU.Total()}
		step.capacity = step.time.Seconds() * float64(e.Procs)
		if consecutive {
			step.alloc, step.allocTime = e.Heap.End-z.last.Heap.Live, step.time
		}
		s.To = max(s.To, end)
		z.total.add(step)
		z.window[z.total.cycles%windowCycles] = step
	}
	if consecutive && !first {
		z.growth += e.Heap.Goal - z.last.Heap.Live
		z.base += z.last.Heap.Live + z.last.Heap.Stacks + z.last.Heap.Globals
	}
	if e.Heap.Goal == 4<<mebi {
		z.atMin++
	}
	s.GCCPU += e.CPU.Total()
	s.IdleCPU += e.CPU.Idle
	z.assist += e.CPU.Assist
	z.markCPU.add(e.CPU.Scan + e.CPU.Mark())
}

func (z *Summarizer) addPauses(e *Event) {
	z.markWall.add(e.Clock.Scan + e.Clock.Mark)
	if !e.Format.Clocked() {
		z.pauses.add(e.Wall())
		return
	}
	z.pauses.add(e.Clock.SweepTerm)
	if e.Format <= Go15 {
		z.pauses.add(e.Clock.InstallBarrier)
	}
	z.pauses.add(e.Clock.MarkTerm)
}

// live returns what the cycle, or for Go 1.3 and 1.4 the cycle before it, left.
func live(e *Event) int64 {
	if e.Format == Go13 || e.Format == Go14 {
		return e.Heap.Start
	}
	return e.Heap.Live
}

// Summary returns the figures up to now.
func (z *Summarizer) Summary() Summary {
	s := z.s
	s.Rates = z.total.rates()
	var window stretch
	for _, step := range z.window {
		window.add(step)
	}
	s.Window = window.rates()
	if s.GCCPU > 0 {
		s.AssistShare = z.assist.Seconds() / s.GCCPU.Seconds()
	}
	if z.base > 0 {
		s.EffectiveGOGC = 100 * float64(z.growth) / float64(z.base)
	}
	s.Pauses, s.MarkWall, s.MarkCPU = z.pauses.quantiles(), z.markWall.quantiles(), z.markCPU.quantiles()
	s.Warnings = z.warnings()
	return s
}

// fewCycles is the number under which the figures say little.
const fewCycles = 10

func (z *Summarizer) warnings() []string {
	s, warnings := &z.s, []string{}
	if s.Cycles == 0 {
		return append(warnings, "no cycles: set GODEBUG=gctrace=1 for the program and capture its standard error")
	}
	if !s.Format.Clocked() {
		warnings = append(warnings, fmt.Sprintf("lines of Go %v carry no time since start: rates and shares are unknown; run the program on Go 1.5 or later for them", s.Format))
	}
	if s.Cycles < fewCycles {
		warnings = append(warnings, fmt.Sprintf("only %d cycles: let the trace run for at least %d before you rely on its figures", s.Cycles, fewCycles))
	}
	if s.Lost > 0 {
		warnings = append(warnings, fmt.Sprintf("%d cycles between gc %d and gc %d are missing: GC CPU and cycles/s are too low; capture standard error without sampling", s.Lost, s.FirstSeq, s.LastSeq))
	}
	if 2*z.atMin > s.Cycles {
		warnings = append(warnings, "most cycles ran at the least heap goal of 4 MiB, where effective GOGC exceeds GOGC; raise GOGC or set GOMEMLIMIT with GOGC=off")
	}
	if 2*s.Forced > s.Cycles {
		warnings = append(warnings, "most cycles were forced: look for calls of runtime.GC and debug.FreeOSMemory")
	}
	return warnings
}
