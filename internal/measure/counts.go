package measure

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/unheap/unheap/finding"
)

// CountOptions say how [Count] goes about it.
type CountOptions struct {
	// Budget is about how long a pair of runs may take; 0 means 300 ms. There
	// are two to five pairs, and one more with profiles. A benchmark whose
	// operations are slow takes longer.
	Budget time.Duration
	// Dir is an existing directory for the two heap profiles; Count makes
	// files of its own in it. Empty: no profiles are taken.
	Dir string
}

// Counts are the exact allocation figures of one leaf benchmark: the slope
// between two runs at fixed numbers of iterations. What both runs have in
// common, set-up and the warm-up of one iteration, cancels out.
type Counts struct {
	Benchmark string
	// Measure holds the time per operation of the plain run, and bytes and
	// allocations per operation from the slope. Bytes count blocks as the
	// runtime hands them out, rounded up to their size class.
	Measure finding.Measure
	// BytesExact and AllocsExact are set when repeats gave the same figure
	// but for the few objects that the runtime allocates in the background;
	// else it carries noise (scheduling, timers, pools emptied by the collector).
	BytesExact, AllocsExact bool
	// Low and High are the heap profiles of every allocation in the run with
	// fewer and in the run with more iterations, empty if none were asked for.
	// Their difference divided by Ops is what one operation allocates, that of
	// code with the timer stopped included, which Measure leaves out.
	// Allocations before testing.M.Run are in neither.
	Low, High string
	// Ops is the number of iterations by which the two profiled runs differ.
	Ops int
	// Warnings qualify the figures.
	Warnings []string

	bytes, allocs figure
}

// A figure is a count per operation.
type figure struct {
	value float64
	exact bool    // repeats agree
	slack float64 // differences up to this can be noise; unknown where whole is set
	// whole is set for want of exact counters: value is a whole number,
	// rounded down, on which repeats agree.
	whole bool
}

// settled reports whether repeats agree.
func (f figure) settled() bool { return f.exact || f.whole }

// figure returns the figure of UnitBytes or UnitAllocs.
func (c *Counts) figure(unit string) figure {
	if unit == UnitBytes {
		return c.bytes
	}
	return c.allocs
}

// Exact reports whether both figures are exact.
func (c *Counts) Exact() bool { return c.BytesExact && c.AllocsExact }

// Limits of the number of iterations of the shorter run, N, and of how many
// times longer the other run is, k.
const (
	minIterations = 2       // one iteration reuses the warm-up run: no slope
	maxIterations = 100_000 // resolves 1e-6 allocations per operation
	minFactor     = 3
	maxFactor     = 11
)

const (
	defaultBudget = 300 * time.Millisecond
	// profiledAlloc is about how many nanoseconds it takes to record one
	// allocation in a heap profile.
	profiledAlloc = 1500
)

// iterations chooses N and k so that N+kN operations of the given cost take
// about budget.
func iterations(budget time.Duration, perOp float64) (n, k int) {
	ops := float64(budget) / max(perOp, 0.1)
	n = int(min(ops/(1+maxFactor), maxIterations))
	if n >= minIterations {
		return round(n), maxFactor
	}
	k = int(min(max(ops/minIterations-1, minFactor), maxFactor))
	return minIterations, k
}

// round rounds n down to one, two, four or eight times a power of ten, so that
// (k-1)N is a multiple of the periods that patterns in benchmarks have.
func round(n int) int {
	if n < 10 {
		return n
	}
	p := 1
	for p*10 <= n {
		p *= 10
	}
	for _, m := range []int{8, 4, 2} {
		if m*p <= n {
			return m * p
		}
	}
	return p
}

// Count finds the exact figures of the leaf benchmark that gave the plain
// result r, from [List] with the same variant. The error is an [*Error], or
// says that the profiles cannot be written.
func Count(ctx context.Context, v Variant, r Result, o CountOptions) (*Counts, error) {
	budget := o.Budget
	if budget <= 0 {
		budget = defaultBudget
	}
	p := pair{variant: v, name: r.Name}
	if err := p.settle(ctx, budget, r.NsPerOp); err != nil {
		return nil, err
	}
	if err := p.repeat(ctx); err != nil {
		return nil, err
	}
	c := &Counts{Benchmark: r.Name, Measure: r.Measure}
	p.figures(c)
	if o.Dir == "" {
		return c, nil
	}
	dir, err := os.MkdirTemp(o.Dir, "counts")
	if err != nil {
		return nil, fmt.Errorf("no place for heap profiles: %w", err)
	}
	c.Low, c.High = filepath.Join(dir, "low.pb.gz"), filepath.Join(dir, "high.pb.gz")
	p.n, p.k = iterations(budget, max(r.NsPerOp, p.perOp())+(c.Measure.AllocsPerOp+1)*profiledAlloc)
	c.Ops = p.ops()
	return c, p.profile(ctx, c.Low, c.High)
}

// A pair is two runs of one benchmark, at n and kn iterations, repeated.
type pair struct {
	variant Variant
	name    string
	n, k    int

	low, high []Result
	wall      []time.Duration // by which the longer run took longer, process and all
}

// ops returns the number of iterations by which the two runs differ.
func (p *pair) ops() int { return (p.k - 1) * p.n }

// run runs the pair once.
func (p *pair) run(ctx context.Context) error {
	low, short, err := p.timed(ctx, p.n)
	if err != nil {
		return err
	}
	high, long, err := p.timed(ctx, p.k*p.n)
	if err != nil {
		return err
	}
	p.low, p.high, p.wall = append(p.low, low), append(p.high, high), append(p.wall, long-short)
	return nil
}

// timed runs n iterations and returns how long that took, process and all.
func (p *pair) timed(ctx context.Context, n int) (Result, time.Duration, error) {
	start := time.Now()
	r, err := runLeaf(ctx, p.variant, p.name, n, nil)
	return r, time.Since(start), err
}

// perOp returns how many nanoseconds an operation takes by the clock on the
// wall, parts with the timer stopped included.
func (p *pair) perOp() float64 { return float64(slices.Min(p.wall)) / float64(p.ops()) }

// Repeats of a pair: two where they agree, else more.
const (
	minRepeats = 2
	maxRepeats = 5
)

// repeat runs the pair until most repeats agree, or often enough to say that
// they do not.
func (p *pair) repeat(ctx context.Context) error {
	for len(p.low) < maxRepeats {
		if err := p.run(ctx); err != nil {
			return err
		}
		if len(p.low) >= minRepeats && p.figure(UnitBytes).settled() && p.figure(UnitAllocs).settled() {
			break
		}
	}
	return nil
}

// profile runs the pair once more and writes its heap profiles.
func (p *pair) profile(ctx context.Context, low, high string) error {
	// Before testing.M.Run sets the rate, the runtime samples at random: a big
	// table made in init could be in one profile and not in the other.
	godebug := "memprofilerate=0"
	if set := lookup(p.variant.Env, "GODEBUG"); set != "" {
		godebug = set + "," + godebug
	}
	env := []string{"GODEBUG=" + godebug}
	for file, n := range map[string]int{low: p.n, high: p.k * p.n} {
		if _, err := runLeaf(ctx, p.variant, p.name, n, env, "-test.memprofilerate=1", "-test.memprofile="+file); err != nil {
			return err
		}
	}
	return nil
}

// figure returns what the repeats found of UnitBytes or UnitAllocs.
func (p *pair) figure(unit string) figure {
	low, high := make([]float64, len(p.low)), make([]float64, len(p.low))
	for i := range p.low {
		low[i], high[i] = p.low[i].count(unit), p.high[i].count(unit)
	}
	if p.low[0].Totals == nil {
		return wholeFigure(high)
	}
	noise := background(p.ops())
	if unit == UnitBytes {
		noise *= backgroundSize
	}
	return slopeFigure(low, high, p.ops(), noise)
}

// count returns the total of UnitBytes or UnitAllocs or, for want of exact
// counters, what is printed.
func (r *Result) count(unit string) float64 {
	switch {
	case r.Totals != nil && unit == UnitBytes:
		return float64(r.Totals.Bytes)
	case r.Totals != nil:
		return float64(r.Totals.Allocs)
	case unit == UnitBytes:
		return r.BytesPerOp
	}
	return r.AllocsPerOp
}

// figures fills in what the repeats found.
func (p *pair) figures(c *Counts) {
	c.bytes, c.allocs = p.figure(UnitBytes), p.figure(UnitAllocs)
	c.Measure.BytesPerOp, c.Measure.AllocsPerOp = c.bytes.value, c.allocs.value
	c.BytesExact, c.AllocsExact = c.bytes.exact, c.allocs.exact
	switch {
	case p.low[0].Totals == nil:
		c.Warnings = append(c.Warnings, "counts are whole bytes and allocations per operation, rounded down: this toolchain's testing package cannot be made to report fractions")
	case !c.Exact():
		c.Warnings = append(c.Warnings, fmt.Sprintf("counts differ between repeats, by up to %.3g allocs/op and %.3g B/op: operations do not all allocate the same", c.allocs.slack, c.bytes.slack))
	}
}

// wholeFigure makes a figure of repeats that are rounded down.
func wholeFigure(repeats []float64) figure {
	return figure{value: slices.Max(repeats), whole: slices.Max(repeats) == slices.Min(repeats)}
}

// The runtime allocates a few objects of its own during a run, however long it
// is: up to eight or so in runs of Go 1.26, the largest of them threads of about
// two kilobytes.
const (
	backgroundObjects = 8
	backgroundSize    = 2 << 10
)

// maxRounding is the most by which a figure is rounded where repeats agree.
const maxRounding = 0.01

// background returns how many objects to allow for in a slope over ops
// operations: never more than one in 200 operations.
func background(ops int) float64 { return min(backgroundObjects, float64(ops)/200) }

// slopeFigure makes a figure of the counters' totals in repeats of runs whose
// iterations differ by ops.
//
// The runtime's own allocations only ever add, so of a benchmark that always
// allocates the same the least total is right. It counts as such if most
// repeats lie within noise, or one in ten thousand, of it. The value then is
// the shortest decimal as near. Else it is the median of the slopes.
func slopeFigure(low, high []float64, ops int, noise float64) figure {
	slopes := make([]float64, len(low))
	for i := range slopes {
		slopes[i] = high[i] - low[i]
	}
	slices.Sort(slopes)
	low, high = ascending(low), ascending(high)
	most := len(low) / 2 // index of the last that makes more than half
	least := high[0] - low[0]
	spread := max(low[most]-low[0], high[most]-high[0])
	if least >= 0 && spread <= max(noise, least/1e4) {
		f := figure{exact: true, slack: max(noise, spread, least/1e5) / float64(ops)}
		f.value = shortest(least/float64(ops), max(spread/float64(ops), min(f.slack, maxRounding)))
		return f
	}
	return figure{value: max(0, median(slopes)) / float64(ops), slack: (slopes[len(slopes)-1] - slopes[0]) / float64(ops)}
}

// shortest returns the number of fewest decimals within slack of v.
func shortest(v, slack float64) float64 {
	for scale := 1.0; scale <= 1e6; scale *= 10 {
		if short := math.Round(v*scale) / scale; math.Abs(short-v) <= slack {
			return short
		}
	}
	return v
}

// settle chooses the iterations of a pair for which an operation is thought to
// take perOp nanoseconds. That can be far off where the benchmark stops its
// timer or reports a time of its own, so it tries.
func (p *pair) settle(ctx context.Context, budget time.Duration, perOp float64) error {
	p.n, p.k = iterations(budget, perOp)
	_, long, err := p.timed(ctx, p.n)
	if err != nil || long <= budget || p.n == minIterations {
		return err
	}
	few := max(minIterations, p.n/16)
	_, short, err := p.timed(ctx, few)
	if err != nil {
		return err
	}
	// Start and set-up take as long however few the iterations are.
	perOp = max(perOp, float64(long-short)/float64(p.n-few))
	p.n, p.k = iterations(budget, perOp)
	return nil
}
