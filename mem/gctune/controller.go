package gctune

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// envVar is the environment variable that turns controllers off.
const envVar = "UNHEAP_GCTUNE"

// recheck is how often the target is read again while no cycle comes. A cycle
// that the sentinel missed is noticed then, too.
const recheck = 10 * time.Second

// A Controller sets GOGC after each cycle until it is stopped.
type Controller struct {
	target Target
	policy policy
	dryRun bool
	report func(Report)
	wake   chan struct{}
	stop   chan struct{}

	mu      sync.Mutex
	meter   meter
	cgroup  *cgroup // nil unless the target is one
	before  int     // GOGC before Start
	ours    int     // GOGC as last set, or found by Start
	decided decision
	last    Report
}

// Start sets GOGC for the heap as it is and again after each cycle. It fails if
// the options make no sense, or if the limit that the target is a fraction of
// is not set or cannot be found.
//
// If the environment has UNHEAP_GCTUNE=off, the controller does nothing. The
// other values allowed are "on" and none.
func Start(o Options) (*Controller, error) { return start(o, "/") }

// start is Start with proc and sys mounted below root.
func start(o Options, root string) (*Controller, error) {
	p, err := o.policy()
	if err != nil {
		return nil, err
	}
	switch v := os.Getenv(envVar); v {
	case "off":
		return &Controller{last: Report{State: Off}}, nil
	case "", "on":
	default:
		return nil, fmt.Errorf("gctune: %s=%q: set it to off or on, or unset it", envVar, v)
	}
	c, err := newController(o, p, root)
	if err != nil {
		return nil, err
	}
	go c.run(c.last, time.Tick(recheck))
	watch(c.wake, c.stop)
	return c, nil
}

// newController returns a controller that has taken its first step.
func newController(o Options, p policy, root string) (*Controller, error) {
	c := &Controller{
		target: o.Target, policy: p, dryRun: o.DryRun, report: o.Report,
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
		meter: newMeter(),
	}
	m := c.meter.read()
	c.before, c.ours = m.gogc, m.gogc
	c.decided = decision{gogc: m.gogc, runway: max(m.heap().live, minHeap)}
	if o.Target.source == cgroupLimit {
		var err error
		if c.cgroup, err = openCgroup(root); err != nil {
			return nil, err
		}
	}
	if _, err := c.readTarget(m.limit); err != nil {
		c.cgroup.close()
		return nil, err
	}
	c.step()
	return c, nil
}

// Stop ends the controller and sets GOGC back to what it was before Start,
// unless the program has set it to something else since. A report that is under
// way may still be delivered. Stopping twice does nothing.
func (c *Controller) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.State == Off {
		return
	}
	c.last.State = Off
	close(c.stop)
	c.cgroup.close()
	if !c.dryRun {
		c.set(c.before)
	}
}

// Last returns the latest report.
func (c *Controller) Last() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// String returns the latest report as JSON, which makes the controller an
// expvar.Var.
func (c *Controller) String() string { return c.Last().String() }

// run takes a step after each cycle and at each tick. It begins by reporting the
// first one.
func (c *Controller) run(first Report, tick <-chan time.Time) {
	c.deliver(first)
	for {
		select {
		case <-c.stop:
			return
		case <-c.wake:
		case <-tick:
		}
		c.mu.Lock()
		before := c.last
		c.step()
		after := c.last
		c.mu.Unlock()
		if after.Cycles != before.Cycles || after.Target != before.Target || after.Warning != before.Warning {
			c.deliver(after)
		}
	}
}

func (c *Controller) deliver(r Report) {
	if c.report != nil && r.State != Off {
		c.report(r)
	}
}

// step reads the heap, decides, sets GOGC and keeps a report. It allocates
// nothing unless the target cannot be read.
func (c *Controller) step() {
	if c.last.State == Off {
		return
	}
	m := c.meter.read()
	r := Report{
		Live: m.live, Roots: m.roots, Limit: m.limit, Cycles: m.cycles,
		Target: c.last.Target, TightCycles: c.last.TightCycles, DryRun: c.dryRun,
	}
	if target, err := c.readTarget(m.limit); err != nil {
		r.Warning = err.Error()
	} else {
		r.Target = target
	}
	if m.limit != 0 {
		r.Target = min(r.Target, m.limit)
	}
	if r.Cycles != c.last.Cycles || r.Target != c.last.Target {
		c.decided = c.policy.decide(m.heap(), float64(r.Target), c.decided)
	}
	r.GOGC, r.State = c.decided.gogc, c.decided.state

	inForce, overridden := m.gogc, false
	if !c.dryRun {
		overridden = m.gogc != c.ours || r.GOGC != c.ours && !c.set(r.GOGC)
		if !overridden {
			inForce = r.GOGC
		}
	}
	r.Goal = c.meter.goal()
	r.Effective = effective(m.heap(), r.Goal)
	if m.limit != 0 && limited(m.heap(), r.Goal, inForce, r.GOGC) {
		if r.Effective < float64(c.policy.floor) {
			r.State = Tight
		} else if r.State != Tight {
			r.State = Limited
		}
	}
	switch {
	case r.State != Tight:
		r.TightCycles = 0
	case r.Cycles != c.last.Cycles:
		r.TightCycles++
	}
	if overridden {
		r.State = Overridden
	}
	c.last = r
}

// set sets GOGC, and reports whether it was still ours to set.
func (c *Controller) set(gogc int) bool {
	if was := debug.SetGCPercent(gogc); was != c.ours {
		debug.SetGCPercent(was)
		return false
	}
	c.ours = gogc
	return true
}

// readTarget returns the target in bytes, which may be above the memory limit,
// 0 for none.
func (c *Controller) readTarget(limit uint64) (uint64, error) {
	target := uint64(c.target.bytes)
	switch c.target.source {
	case cgroupLimit:
		n, err := c.cgroup.limit()
		if err != nil {
			return 0, err
		}
		target = uint64(c.target.fraction * float64(n))
	case memoryLimit:
		if limit == 0 {
			return 0, errNoLimit
		}
		target = uint64(c.target.fraction * float64(limit))
	}
	return target, nil
}

var errNoLimit = errors.New("gctune: the runtime has no memory limit: set GOMEMLIMIT or call debug.SetMemoryLimit, or use another target")

// limited reports whether the memory limit holds goal below what the GOGC in
// force asks for, and below what the one decided on does.
func limited(h heap, goal uint64, inForce, decided int) bool {
	if goal == math.MaxUint64 {
		return false
	}
	below := func(gogc int) bool { return float64(goal) < (1-deadBand)*h.goal(float64(gogc)) }
	return below(decided) && (inForce < 0 || below(inForce))
}

// effective returns the GOGC that a goal amounts to, -1 if there is no goal.
func effective(h heap, goal uint64) float64 {
	if goal == math.MaxUint64 {
		return -1
	}
	return max(100*(float64(goal)-h.live)/max(h.live+h.roots, 1), 0)
}

// A meter reads the runtime's metrics without allocating.
type meter struct{ samples []metrics.Sample }

// A measurement is the state of the collector; sizes are in bytes.
type measurement struct {
	live, roots, limit, cycles uint64
	gogc                       int
}

func (m measurement) heap() heap {
	return heap{live: float64(m.live), roots: float64(m.roots)}
}

func newMeter() meter {
	return meter{[]metrics.Sample{
		{Name: "/gc/heap/goal:bytes"}, // first: goal reads it alone
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/scan/stack:bytes"},
		{Name: "/gc/scan/globals:bytes"},
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/gc/gogc:percent"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}}
}

func (m meter) read() measurement {
	metrics.Read(m.samples)
	at := func(i int) uint64 { return m.samples[i].Value.Uint64() }
	r := measurement{live: at(1), roots: at(2) + at(3), limit: at(4), gogc: int(int32(at(5))), cycles: at(6)}
	if r.limit >= math.MaxInt64 {
		r.limit = 0
	}
	return r
}

func (m meter) goal() uint64 {
	metrics.Read(m.samples[:1])
	return m.samples[0].Value.Uint64()
}
