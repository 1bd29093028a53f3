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
	// Budget is about how long the two profiled runs may take together;
	// 0 means 300 ms. A benchmark whose operations are slow takes longer.
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
	// Ops is the number of iterations by which the two runs differ.
	Ops int
	// Warnings qualify the figures.
	Warnings []string

	bytes, allocs figure
}

// A figure is a count per operation.
type figure struct {
	value float64
	exact bool    // repeats agree
	slack float64 // differences up to this can be noise
	// whole is set for want of exact counters: value is a whole number,
	// rounded down, on which repeats agree.
	whole bool
}

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
	perOp := r.NsPerOp
	if o.Dir != "" {
		perOp += r.AllocsPerOp * profiledAlloc
	}
	var err error
	if p.n, p.k, err = settle(ctx, p, budget, perOp); err != nil {
		return nil, err
	}
	c := &Counts{Benchmark: r.Name, Measure: r.Measure, Ops: (p.k - 1) * p.n}
	for range 2 {
		if err := p.run(ctx); err != nil {
			return nil, err
		}
	}
	if o.Dir != "" {
		dir, err := os.MkdirTemp(o.Dir, "counts")
		if err != nil {
			return nil, fmt.Errorf("no place for heap profiles: %w", err)
		}
		c.Low, c.High = filepath.Join(dir, "low.pb.gz"), filepath.Join(dir, "high.pb.gz")
		p.profiles = [2]string{c.Low, c.High}
		if err := p.run(ctx); err != nil {
			return nil, err
		}
	}
	p.figures(c)
	return c, nil
}

// A pair is two runs of one benchmark, at n and kn iterations, and what its
// repeats found.
type pair struct {
	variant  Variant
	name     string
	n, k     int
	profiles [2]string // heap profiles to write; empty: none

	slopes []Totals // growth of the counters from n to kn iterations, where there are exact counters
	highs  []Result // of the longer runs
}

// run runs the pair once.
func (p *pair) run(ctx context.Context) error {
	var results [2]Result
	for i, n := range [2]int{p.n, p.k * p.n} {
		r, err := p.once(ctx, n, p.profiles[i])
		if err != nil {
			return err
		}
		results[i] = r
	}
	low, high := results[0].Totals, results[1].Totals
	if low != nil && high != nil {
		p.slopes = append(p.slopes, Totals{Bytes: growth(low.Bytes, high.Bytes), Allocs: growth(low.Allocs, high.Allocs)})
	}
	p.highs = append(p.highs, results[1])
	return nil
}

func (p *pair) once(ctx context.Context, n int, profile string) (Result, error) {
	if profile == "" {
		return runLeaf(ctx, p.variant, p.name, n, nil)
	}
	// Before testing.M.Run sets the rate, the runtime samples at random: a big
	// table made in init could be in one profile and not in the other.
	godebug := "memprofilerate=0"
	if set := lookup(p.variant.Env, "GODEBUG"); set != "" {
		godebug = set + "," + godebug
	}
	return runLeaf(ctx, p.variant, p.name, n, []string{"GODEBUG=" + godebug},
		"-test.memprofilerate=1", "-test.memprofile="+profile)
}

// growth returns high-low, or 0 where background noise outweighs the benchmark.
func growth(low, high uint64) uint64 {
	if high < low {
		return 0
	}
	return high - low
}

// figures fills in what the repeats found.
func (p *pair) figures(c *Counts) {
	n := len(p.highs)
	bytes, allocs := make([]float64, n), make([]float64, n)
	if len(p.slopes) < n {
		for i, r := range p.highs {
			bytes[i], allocs[i] = r.BytesPerOp, r.AllocsPerOp
		}
		c.bytes, c.allocs = wholeFigure(bytes), wholeFigure(allocs)
		c.Warnings = append(c.Warnings, "counts are whole bytes and allocations per operation, rounded down: this toolchain's testing package cannot be made to report fractions")
	} else {
		for i, s := range p.slopes {
			bytes[i], allocs[i] = float64(s.Bytes), float64(s.Allocs)
		}
		ops := float64((p.k - 1) * p.n)
		c.bytes, c.allocs = slopeFigure(bytes, ops, background(ops)*backgroundSize), slopeFigure(allocs, ops, background(ops))
		if !c.bytes.exact || !c.allocs.exact {
			c.Warnings = append(c.Warnings, fmt.Sprintf("counts differ between repeats (%.6g to %.6g allocs/op, %.6g to %.6g B/op): operations do not all allocate the same",
				slices.Min(allocs)/ops, slices.Max(allocs)/ops, slices.Min(bytes)/ops, slices.Max(bytes)/ops))
		}
	}
	c.Measure.BytesPerOp, c.Measure.AllocsPerOp = c.bytes.value, c.allocs.value
	c.BytesExact, c.AllocsExact = c.bytes.exact, c.allocs.exact
}

// wholeFigure makes a figure of repeats that are rounded down.
func wholeFigure(repeats []float64) figure {
	return figure{value: slices.Max(repeats), whole: slices.Max(repeats) == slices.Min(repeats)}
}

// The runtime allocates a few objects of its own during a run, however long it
// is: up to eight or so in runs of Go 1.26, the largest of them goroutines of
// about 500 bytes.
const (
	backgroundObjects = 8
	backgroundSize    = 512
)

// background returns how many objects to allow for in a slope over ops
// operations: never more than one in 200 operations.
func background(ops float64) float64 { return min(backgroundObjects, ops/200) }

// slopeFigure makes a figure of the totals that repeats found over ops
// operations. They agree if they lie within noise, or one in ten thousand, of
// each other. The value then is the shortest decimal as near as they are.
func slopeFigure(totals []float64, ops, noise float64) figure {
	m := median(ascending(totals))
	spread := slices.Max(totals) - slices.Min(totals)
	f := figure{value: m / ops, exact: spread <= max(noise, m/1e4), slack: max(noise, spread, m/1e5) / ops}
	if f.exact {
		f.value = shortest(f.value, f.slack)
	}
	return f
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
func settle(ctx context.Context, p pair, budget time.Duration, perOp float64) (n, k int, err error) {
	n, k = iterations(budget, perOp)
	wall, err := p.wall(ctx, n)
	if err != nil || wall <= budget || n == minIterations {
		return n, k, err
	}
	few := max(minIterations, n/16)
	short, err := p.wall(ctx, few)
	if err != nil {
		return 0, 0, err
	}
	// Start and set-up take as long however few the iterations are.
	perOp = max(perOp, float64(wall-short)/float64(n-few))
	n, k = iterations(budget, perOp)
	return n, k, nil
}

// wall returns how long a run of n iterations takes, process and all.
func (p *pair) wall(ctx context.Context, n int) (time.Duration, error) {
	start := time.Now()
	_, err := p.once(ctx, n, "")
	return time.Since(start), err
}
