package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/unheap/unheap/finding"
)

// CompareOptions say how [Compare] goes about it. Zero fields take the
// defaults given.
type CompareOptions struct {
	RunTime   time.Duration // of one timed run; 100 ms
	Rounds    int           // timed runs of each variant; 10, at least 6
	Tolerance float64       // smallest effect on a noisy metric that counts; 0.02
	Alpha     float64       // chance of a false finding in the whole table; 0.05
	// CountBudget is about how long the pair of runs for exact counts may
	// take; 300 ms.
	CountBudget time.Duration
	Seed        uint64 // of the bootstrap
	// Progress, if set, is called after each step: a run, or all runs for the
	// counts of one variant.
	Progress func(done, total int)
}

// minRounds is the smallest number of rounds whose exact Mann-Whitney p-value
// (2/924) leaves room for correction.
const minRounds = 6

func (o CompareOptions) withDefaults() CompareOptions {
	if o.RunTime <= 0 {
		o.RunTime = 100 * time.Millisecond
	}
	if o.Rounds == 0 {
		o.Rounds = 10
	}
	o.Rounds = max(o.Rounds, minRounds)
	if o.Tolerance <= 0 {
		o.Tolerance = 0.02
	}
	if o.Alpha <= 0 {
		o.Alpha = 0.05
	}
	if o.CountBudget <= 0 {
		o.CountBudget = defaultBudget
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

// A Table is the outcome of an experiment.
type Table struct {
	// Samples hold the timed runs of every variant, benchmark and unit.
	Samples []Sample
	// Comparisons set each variant but the first against the first, for time,
	// bytes and allocations of every benchmark.
	Comparisons []Comparison
}

// A Sample is what one variant measured of one unit of one benchmark.
type Sample struct {
	Variant, Benchmark, Unit string
	Values                   []float64 // one a round, in order; rounds that did not report the unit are left out
}

// A Comparison sets one variant against the first one, in one unit of one
// benchmark.
type Comparison struct {
	Benchmark, Unit             string
	BeforeVariant, AfterVariant string
	// Before and After are medians, or the exact figures.
	Before, After float64
	// Interval is of Before/After.
	Interval
	// P is the p-value of the exact Mann-Whitney U test; PAdjusted is that
	// after Holm's correction for all noisy comparisons of the table. Both
	// are 0 where Exact is set.
	P, PAdjusted float64
	// Exact is set for counts that repeats confirmed: any difference is real.
	Exact    bool
	Verdict  Verdict
	Warnings []string
}

// Find returns the comparison of a variant in one unit of one benchmark, or nil.
func (t *Table) Find(variant, benchmark, unit string) *Comparison {
	for i := range t.Comparisons {
		c := &t.Comparisons[i]
		if c.AfterVariant == variant && c.Benchmark == benchmark && c.Unit == unit {
			return c
		}
	}
	return nil
}

// Measures returns what the first variant and the named one cost in one
// benchmark, as the comparisons give it.
func (t *Table) Measures(variant, benchmark string) (before, after finding.Measure) {
	for _, c := range t.Comparisons {
		if c.AfterVariant != variant || c.Benchmark != benchmark {
			continue
		}
		switch c.Unit {
		case UnitTime:
			before.NsPerOp, after.NsPerOp = c.Before, c.After
		case UnitBytes:
			before.BytesPerOp, after.BytesPerOp = c.Before, c.After
		case UnitAllocs:
			before.AllocsPerOp, after.AllocsPerOp = c.Before, c.After
		}
	}
	return before, after
}

// Compare runs the leaf benchmarks, named in full, of two or more variants and
// sets each variant against the first.
//
// The number of iterations is fixed once for each benchmark, so that the
// slowest variant's run takes about RunTime. Each round then runs every variant of
// every benchmark once, in a process of its own, and starts one variant later
// than the round before; a first round is thrown away. Machine noise and drift
// so fall on all variants alike. Counts come from [Count]'s pairs of runs.
//
// The first run that fails ends the experiment with its [*Error].
func Compare(ctx context.Context, variants []Variant, benchmarks []string, o CompareOptions) (*Table, error) {
	if len(variants) < 2 || len(benchmarks) == 0 {
		return nil, errors.New("a comparison needs two variants and a benchmark")
	}
	for i, v := range variants {
		if slices.ContainsFunc(variants[:i], func(u Variant) bool { return u.Name == v.Name }) {
			return nil, fmt.Errorf("two variants are named %q: give each a name of its own", v.Name)
		}
	}
	x := experiment{variants: variants, CompareOptions: o.withDefaults()}
	// One run to fix the iterations, the counts, warm-up and rounds.
	x.total = len(benchmarks) * len(variants) * (1 + 1 + 1 + x.Rounds)
	for _, name := range benchmarks {
		b := workload{name: name}
		if err := x.calibrate(ctx, &b); err != nil {
			return nil, err
		}
		if err := x.count(ctx, &b); err != nil {
			return nil, err
		}
		x.workloads = append(x.workloads, b)
	}
	for round := -1; round < x.Rounds; round++ {
		for i := range x.workloads {
			if err := x.round(ctx, &x.workloads[i], round); err != nil {
				return nil, err
			}
		}
	}
	return x.table(), nil
}

// An experiment is one call of [Compare].
type experiment struct {
	CompareOptions
	variants    []Variant
	workloads   []workload
	done, total int
}

// A workload is one leaf benchmark. Its slices are parallel to the variants.
type workload struct {
	name   string
	plain  []Result   // of the calibration
	n      int        // iterations of a timed run
	counts []*Counts  // exact or not
	runs   [][]Result // timed
}

func (x *experiment) step() {
	x.done++
	x.Progress(x.done, x.total)
}

// calibrate fixes the number of iterations: the testing package finds it for
// each variant, and the smallest serves all.
func (x *experiment) calibrate(ctx context.Context, w *workload) error {
	for _, v := range x.variants {
		r, err := leaf(ctx, v, w.name, nil, "-test.benchtime="+x.RunTime.String())
		if err != nil {
			return err
		}
		x.step()
		w.plain = append(w.plain, r)
		if w.n == 0 || r.N < w.n {
			w.n = r.N
		}
	}
	w.runs = make([][]Result, len(x.variants))
	return nil
}

// count finds the counts of every variant at the same iterations.
func (x *experiment) count(ctx context.Context, w *workload) error {
	slowest := slices.MinFunc(w.plain, func(a, b Result) int { return cmp.Compare(a.N, b.N) })
	var n, k int
	for i, v := range x.variants {
		p := pair{variant: v, name: w.name, n: n, k: k}
		if i == 0 {
			if err := p.settle(ctx, x.CountBudget, float64(x.RunTime)/float64(slowest.N)); err != nil {
				return err
			}
			n, k = p.n, p.k
		}
		if err := p.repeat(ctx); err != nil {
			return err
		}
		x.step()
		c := &Counts{Measure: w.plain[i].Measure}
		p.figures(c)
		w.counts = append(w.counts, c)
	}
	return nil
}

// round runs every variant once, starting with another one each time. Round -1
// is the warm-up.
func (x *experiment) round(ctx context.Context, w *workload, round int) error {
	for _, at := range x.order(round) {
		r, err := runLeaf(ctx, x.variants[at], w.name, w.n, nil)
		if err != nil {
			return err
		}
		x.step()
		if round >= 0 {
			w.runs[at] = append(w.runs[at], r)
		}
	}
	return nil
}

// order returns the variants in the order in which they run in a round.
func (x *experiment) order(round int) []int {
	order := make([]int, len(x.variants))
	for i := range order {
		order[i] = (i + round + 1) % len(order)
	}
	return order
}

// table makes samples and comparisons from the runs.
func (x *experiment) table() *Table {
	t := new(Table)
	var noisy []int // indices of comparisons that are tested
	for _, w := range x.workloads {
		values := make([]map[string][]float64, len(x.variants))
		for i, v := range x.variants {
			values[i] = collect(w.runs[i])
			for _, unit := range slices.Sorted(maps.Keys(values[i])) {
				t.Samples = append(t.Samples, Sample{Variant: v.Name, Benchmark: w.name, Unit: unit, Values: values[i][unit]})
			}
		}
		for i := 1; i < len(x.variants); i++ {
			for _, unit := range []string{UnitTime, UnitBytes, UnitAllocs} {
				c := Comparison{Benchmark: w.name, Unit: unit, BeforeVariant: x.variants[0].Name, AfterVariant: x.variants[i].Name}
				if unit != UnitTime {
					c.Warnings = w.warnings(i)
					if c.count(w.counts[0].figure(unit), w.counts[i].figure(unit), x.Tolerance) {
						t.Comparisons = append(t.Comparisons, c)
						continue
					}
				}
				before, after := values[0][unit], values[i][unit]
				if len(before) == 0 || len(after) == 0 {
					continue // the benchmark suppresses ns/op
				}
				c.sample(before, after, x.Seed+uint64(len(t.Comparisons)))
				noisy = append(noisy, len(t.Comparisons))
				t.Comparisons = append(t.Comparisons, c)
			}
		}
	}
	p := make([]float64, len(noisy))
	for i, at := range noisy {
		p[i] = t.Comparisons[at].P
	}
	for i, adjusted := range Holm(p) {
		c := &t.Comparisons[noisy[i]]
		c.PAdjusted = adjusted
		c.Verdict = Judge(c.Interval, x.Tolerance, adjusted, x.Alpha)
		if c.Verdict == Inconclusive {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s: noise hides whether the difference is above %.3g %%: take more rounds or longer runs, on a quieter machine", c.Unit, 100*x.Tolerance))
		}
	}
	return t
}

// warnings returns those on the counts of the first variant and variant i.
func (w *workload) warnings(i int) []string {
	warnings := slices.Concat(w.counts[0].Warnings, w.counts[i].Warnings)
	slices.Sort(warnings)
	return slices.Compact(warnings)
}

// count compares counts that are exact, or whole numbers, and reports whether
// it could: noisy ones must be compared by their samples.
func (c *Comparison) count(before, after figure, tolerance float64) bool {
	c.Before, c.After = before.value, after.value
	switch {
	case before.exact && after.exact:
		c.Exact = true
		r := ratio(c.Before, c.After)
		c.Interval = Interval{Ratio: r, Low: r, High: r}
		c.Verdict = Same
		if math.Abs(c.Before-c.After) > max(before.slack, after.slack) {
			c.Verdict = direction(c.Before, c.After)
		}
	case before.whole && after.whole:
		// Each lies anywhere up to the next whole number.
		c.Interval = Interval{Ratio: ratio(c.Before, c.After), Low: ratio(c.Before, c.After+1), High: ratio(c.Before+1, c.After)}
		c.Verdict = Inconclusive
		if c.Before != c.After {
			c.Verdict = direction(c.Before, c.After)
		} else if c.Low >= 1/(1+tolerance) && c.High <= 1+tolerance {
			c.Verdict = Same
		}
	default:
		return false
	}
	return true
}

// direction returns the verdict on two figures that differ.
func direction(before, after float64) Verdict {
	if after < before {
		return Better
	}
	return Worse
}

// sample compares two samples; the verdict waits for Holm's correction.
func (c *Comparison) sample(before, after []float64, seed uint64) {
	c.Before, c.After = median(ascending(before)), median(ascending(after))
	c.Interval = MedianRatio(before, after, seed)
	c.P = MannWhitney(before, after)
}

// collect returns the values of each unit, in the order of the runs.
func collect(runs []Result) map[string][]float64 {
	values := make(map[string][]float64)
	add := func(unit string, v float64) { values[unit] = append(values[unit], v) }
	for _, r := range runs {
		if r.NsPerOp != 0 { // a benchmark suppresses it by reporting 0
			add(UnitTime, r.NsPerOp)
		}
		add(UnitBytes, r.BytesPerOp)
		add(UnitAllocs, r.AllocsPerOp)
		for unit, v := range r.Extra {
			add(unit, v)
		}
	}
	return values
}
