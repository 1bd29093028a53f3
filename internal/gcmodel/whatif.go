package gcmodel

import "math"

// A Program is a steady state, measured.
type Program struct {
	Live      int64   // L, bytes
	Roots     int64   // R, bytes
	AllocRate float64 // A, bytes/s
	NonHeap   int64   // bytes, see [GoalLimit]
	Procs     int     // GOMAXPROCS
	Cost      Cost
}

// A Setting is a configuration to predict, and how the program itself changes under it.
type Setting struct {
	GOGC        int     // negative: off
	Limit       int64   // GOMEMLIMIT in bytes; [Unlimited] for none
	LiveFactor  float64 // live heap times this; 0 counts as 1
	AllocFactor float64 // allocation rate times this; 0 counts as 1
}

// A Verdict says whether a setting can be run.
type Verdict string

// The verdicts, best first.
const (
	Steady    Verdict = "steady"
	Near      Verdict = "near the cliff" // 10 % more live heap would be over it
	Spiral    Verdict = "death spiral"   // the collector would need half of the processors or more
	Unbounded Verdict = "unbounded"      // nothing triggers a cycle: memory grows until the system stops it
)

// limiterShare is the share of the processors to which the runtime holds the collector (runtime/mgclimit.go).
const limiterShare = 0.5

// A Prediction is what a setting leads to. GCCPU above half of the processors is what the collector would need, not
// what it gets: see Limited.
type Prediction struct {
	Goal            int64   `json:"goal_bytes"` // N
	Bound           string  `json:"bound"`      // what sets the goal: "gogc", "minimum heap", "memory limit", "live heap" or "nothing"
	EffectiveGOGC   float64 `json:"effective_gogc"`
	Headroom        int64   `json:"headroom_bytes"` // N - L: what can be allocated from cycle to cycle
	CyclesPerSecond float64 `json:"cycles_per_s"`
	GCCPU           float64 `json:"gc_cpu"`     // processors: CPU seconds per second
	GCCPULow        float64 `json:"gc_cpu_low"` // 95 % interval from the residuals of the fit
	GCCPUHigh       float64 `json:"gc_cpu_high"`
	Interval        bool    `json:"interval"`       // the interval is known: the fit had more samples than parameters
	GCShare         float64 `json:"gc_cpu_share"`   // of Procs
	Peak            int64   `json:"peak_bytes"`     // memory of the runtime, N + nonheap; more if Limited
	Limited         bool    `json:"gc_cpu_limiter"` // the limiter would act
	Verdict         Verdict `json:"verdict"`
}

// Predict applies the equations of the package comment to a setting.
func (p Program) Predict(s Setting) Prediction {
	p = p.changed(s)
	q := p.steady(s)
	switch {
	case q.Goal == Unlimited:
		q.Verdict = Unbounded
	case q.Limited:
		q.Verdict = Spiral
	default:
		q.Verdict = Steady
		if p.changed(Setting{LiveFactor: 1.1}).steady(s).Limited {
			q.Verdict = Near
		}
	}
	return q
}

// changed applies the setting's factors.
func (p Program) changed(s Setting) Program {
	if s.LiveFactor > 0 {
		p.Live = clamp(float64(p.Live) * s.LiveFactor)
	}
	if s.AllocFactor > 0 {
		p.AllocRate *= s.AllocFactor
	}
	return p
}

func (p Program) steady(s Setting) Prediction {
	gogc := GoalGOGC(p.Live, p.Roots, s.GOGC)
	limit := GoalLimit(p.Live, s.Limit, p.NonHeap, 0)
	q := Prediction{Goal: min(gogc, limit)}
	switch {
	case q.Goal == Unlimited:
		q.Bound = "nothing"
	case q.Goal <= p.Live:
		q.Bound = "live heap"
	case limit < gogc:
		q.Bound = "memory limit"
	case float64(gogc) > float64(p.Live)+float64(p.Live+p.Roots)*float64(s.GOGC)/100:
		q.Bound = "minimum heap"
	default:
		q.Bound = "gogc"
	}
	q.EffectiveGOGC = EffectiveGOGC(p.Live, p.Roots, q.Goal)
	q.Headroom = q.Goal - p.Live
	q.CyclesPerSecond = CyclesPerSecond(p.AllocRate, p.Live, q.Goal)
	cycle, low, high := p.Cost.Cycle(float64(p.Live + p.Roots))
	q.GCCPU = q.CyclesPerSecond * cycle
	if q.Interval = p.Cost.Freedom > 0; q.Interval {
		q.GCCPULow, q.GCCPUHigh = q.CyclesPerSecond*low, q.CyclesPerSecond*high
	}
	q.GCShare = q.GCCPU / float64(max(p.Procs, 1))
	q.Limited = q.GCShare >= limiterShare
	q.Peak = clamp(float64(q.Goal) + float64(p.NonHeap))
	return q
}

// CliffLive returns the live heap in bytes at which the collector would need half of the processors under a memory limit alone: the equation
//
//	A·(c·(L+R) + F)/(N_limit - L) = Procs/2
//
// solved for L. It is negative when the program cannot run at all under the limit.
func (p Program) CliffLive(limit int64) float64 {
	goal := GoalLimit(0, limit, p.NonHeap, 0)
	if goal == Unlimited {
		return math.Inf(1)
	}
	half := limiterShare * float64(max(p.Procs, 1))
	perByte := p.AllocRate * p.Cost.PerByte
	fixed := p.AllocRate * (p.Cost.PerByte*float64(p.Roots) + p.Cost.PerCycle)
	return (half*float64(goal) - fixed) / (perByte + half)
}

// LimitFor returns the least GOMEMLIMIT in bytes, with GOGC=off, that keeps the collector to a share of the processors (0 to 1, exclusive of 0).
func (p Program) LimitFor(share float64) int64 {
	cycle, _, _ := p.Cost.Cycle(float64(p.Live + p.Roots))
	goal := float64(p.Live) + p.AllocRate*cycle/(share*float64(max(p.Procs, 1)))
	return limitFor(goal, float64(p.NonHeap))
}
