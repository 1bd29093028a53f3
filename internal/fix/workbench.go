package fix

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/compiler"
	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/measure"
	"github.com/unheap/unheap/internal/recognise"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/rules"
)

// A workbench holds the state of the program with the fixes accepted so far.
type workbench struct {
	d     *diagnose.Result
	o     Options
	suite *suite

	accepted []recognise.Edit // all accepted fixes
	keep     []recognise.Edit // those that the combined patch holds
	state    *build           // the program with accepted
}

// A build is the program in one state of its sources.
type build struct {
	content  map[string][]byte // files that differ from disk
	overlay  string
	binaries map[string]*run.TestBinary  // by package under test
	reports  map[string]*compiler.Report // by the packages compiled, joined
	counts   map[int]*measure.Counts     // by benchmark
}

// newWorkbench copies the module and runs the tests of all that the candidates
// may change, before any change.
func newWorkbench(ctx context.Context, d *diagnose.Result, o Options) (*workbench, error) {
	w := &workbench{d: d, o: o}
	var packages []string
	for i := range d.Matches {
		for _, f := range d.Matches[i].Fixes {
			packages = append(packages, w.packages(f.Edits)...)
		}
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	var err error
	if w.suite, err = newSuite(ctx, d.Go, d.Scratch, d.Tree.Root); err != nil {
		return nil, err
	}
	o.progress("running the tests before any change", 0, 0)
	if _, err := w.suite.run(ctx, d.Scratch, packages); err != nil {
		var failed *errTests
		if errors.As(err, &failed) {
			return nil, fmt.Errorf("tests fail before any change (%s): make go test pass first; until then nothing can be proved", failed.failed)
		}
		return nil, err
	}
	if w.state, err = w.build(nil); err != nil {
		return nil, err
	}
	return w, nil
}

// packages returns the import paths of the packages that the edits change.
func (w *workbench) packages(edits []recognise.Edit) []string {
	var out []string
	for _, e := range edits {
		out = append(out, w.d.Tree.Canonical(e.File, "", 0, 0).Package)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// build prepares the program with the given edits; its parts are built when
// they are first asked for.
func (w *workbench) build(edits []recognise.Edit) (*build, error) {
	content, err := contents(edits)
	if err != nil {
		return nil, err
	}
	files := maps.Clone(w.d.Overlay)
	maps.Copy(files, content)
	overlay, err := w.d.Scratch.WriteOverlay(files)
	if err != nil {
		return nil, err
	}
	return &build{content: content, overlay: overlay, binaries: make(map[string]*run.TestBinary),
		reports: make(map[string]*compiler.Report), counts: make(map[int]*measure.Counts)}, nil
}

// binary returns the test binary of a package in the given state.
func (w *workbench) binary(ctx context.Context, b *build, pkg string) (*run.TestBinary, error) {
	if bin := b.binaries[pkg]; bin != nil {
		return bin, nil
	}
	dir, err := w.d.Scratch.Fresh("trial")
	if err != nil {
		return nil, err
	}
	bin, _, err := w.d.Go.BuildTest(ctx, w.d.Tree.Package(pkg), filepath.Join(dir, "test.exe"), run.BuildOptions{Overlay: b.overlay})
	if err != nil {
		return nil, err
	}
	b.binaries[pkg] = bin
	return bin, nil
}

// report returns the compiler's diagnostics of the packages in the given state.
func (w *workbench) report(ctx context.Context, b *build, packages []string) (*compiler.Report, error) {
	key := strings.Join(packages, " ")
	if r := b.reports[key]; r != nil {
		return r, nil
	}
	r, err := diagnose.Compile(ctx, w.d.Go, w.d.Scratch, w.d.Tree, packages, packages, b.overlay)
	if err != nil {
		return nil, err
	}
	b.reports[key] = r
	return r, nil
}

// count returns the exact allocation figures of a benchmark in the given state.
func (w *workbench) count(ctx context.Context, b *build, benchmark int) (*measure.Counts, error) {
	if c := b.counts[benchmark]; c != nil {
		return c, nil
	}
	v, err := w.variant(ctx, b, benchmark, "")
	if err != nil {
		return nil, err
	}
	c, err := measure.Count(ctx, v, w.d.Plain[benchmark], measure.CountOptions{})
	if err != nil {
		return nil, err
	}
	b.counts[benchmark] = c
	return c, nil
}

func (w *workbench) variant(ctx context.Context, b *build, benchmark int, name string) (measure.Variant, error) {
	bin, err := w.binary(ctx, b, w.d.Document.Target.Benchmarks[benchmark].Package)
	return measure.Variant{Name: name, Binary: bin}, err
}

// maxBenchmarks bounds how many of the benchmarks that reach a site judge its fixes.
const maxBenchmarks = 3

// benchmarks returns those that judge a candidate: the ones in which its
// findings weigh most.
func (w *workbench) benchmarks(c *candidate) []int {
	var out []int
	for _, i := range c.findings {
		for _, b := range w.d.Reached[i][:min(len(w.d.Reached[i]), maxBenchmarks)] {
			if !slices.Contains(out, b) && len(out) < maxBenchmarks {
				out = append(out, b)
			}
		}
	}
	return out
}

// try asks the oracles about a candidate. Its error is the end of the context
// or a failure of unheap's own; a rewrite that fails is a verdict.
func (w *workbench) try(ctx context.Context, c *candidate) (finding.Verdict, error) {
	no := func(oracle, format string, args ...any) (finding.Verdict, error) {
		if err := ctx.Err(); err != nil {
			return finding.Verdict{}, err
		}
		return finding.Verdict{Status: finding.Rejected, Oracle: oracle, Why: fmt.Sprintf(format, args...)}, nil
	}
	edits, ok := merge(w.accepted, c.fix.Edits)
	if !ok {
		return no("merge", "it changes the same place as a fix that was accepted")
	}
	next, err := w.build(edits)
	if err != nil {
		return no("build", "%s", firstLine(err))
	}
	benchmarks := w.benchmarks(c)
	for _, b := range benchmarks {
		if _, err := w.variant(ctx, next, b, ""); err != nil {
			return no("build", "%s", firstLine(err))
		}
	}
	changed := w.packages(c.fix.Edits)
	if why, err := w.compilerSays(ctx, c, next, changed); err != nil {
		return no("compiler", "%s", firstLine(err))
	} else if why != "" {
		return no("compiler", "%s", why)
	}
	if why, err := w.allocatesLess(ctx, next, benchmarks); err != nil {
		return no("allocs", "%s", firstLine(err))
	} else if why != "" {
		return no("allocs", "%s", why)
	}
	if err := w.suite.set(next.content); err != nil {
		return finding.Verdict{}, err
	}
	tests, err := w.suite.run(ctx, w.d.Scratch, changed)
	if err != nil {
		return no("tests", "%s", firstLine(err))
	}
	uncovered := tests.uncovered(w.d.Tree, w.state.content, next.content)
	if why, err := w.vet(ctx, next, changed); err != nil {
		return finding.Verdict{}, err
	} else if why != "" {
		return no("vet", "%s", why)
	}
	v, err := w.compare(ctx, w.state, next, benchmarks)
	if err != nil {
		return no("time", "%s", firstLine(err))
	}
	v.Tests = fmt.Sprintf("%d packages", len(tests.packages))
	v.Covered = len(tests.packages) > 0 && len(uncovered) == 0
	if v.Status != finding.Accepted {
		return v, nil
	}
	if !v.Covered {
		// What no test runs is not proved, whatever the rule says of it.
		c.class = finding.Review
		v.Why = "no test runs the changed code"
		if len(uncovered) > 0 {
			v.Why = "no test runs " + strings.Join(uncovered[:min(3, len(uncovered))], ", ")
		}
	}
	w.accepted, w.state = edits, next
	if c.class == finding.Safe || w.o.Review {
		if keep, ok := merge(w.keep, c.fix.Edits); ok {
			w.keep = keep
		}
	}
	return v, nil
}

// compilerSays asks escape analysis whether the rewrite did what its rule
// declared: "" if so, else why not.
func (w *workbench) compilerSays(ctx context.Context, c *candidate, next *build, changed []string) (string, error) {
	before, err := w.report(ctx, w.state, changed)
	if err != nil {
		return "", err
	}
	after, err := w.report(ctx, next, changed)
	if err != nil {
		return "", err
	}
	d := compiler.Compare(before, after)
	if c.match.Expect == rules.EscapeGone && len(d.Gone) == 0 {
		return "the value still escapes", nil
	}
	if c.match.Expect == rules.EscapeGone && len(d.New) >= len(d.Gone) {
		return fmt.Sprintf("as many values escape as before: now %s", d.New[0].Subject), nil
	}
	return "", nil
}

// allocatesLess counts the benchmarks' allocations: "" if at least one of them
// fell and none rose, else why not.
func (w *workbench) allocatesLess(ctx context.Context, next *build, benchmarks []int) (string, error) {
	fell := false
	for _, b := range benchmarks {
		before, err := w.count(ctx, w.state, b)
		if err != nil {
			return "", err
		}
		after, err := w.count(ctx, next, b)
		if err != nil {
			return "", err
		}
		tolerance := 0.001
		if !before.Exact() || !after.Exact() {
			tolerance = 0.02
		}
		x, y := before.Measure, after.Measure
		lessAllocs, moreAllocs := moved(x.AllocsPerOp, y.AllocsPerOp, tolerance)
		lessBytes, moreBytes := moved(x.BytesPerOp, y.BytesPerOp, max(tolerance, 0.005))
		name := w.d.Document.Target.Benchmarks[b].Name
		switch {
		case moreAllocs:
			return fmt.Sprintf("%s allocates %.4g objects instead of %.4g", name, y.AllocsPerOp, x.AllocsPerOp), nil
		case moreBytes && !lessAllocs:
			return fmt.Sprintf("%s allocates %.4g bytes instead of %.4g", name, y.BytesPerOp, x.BytesPerOp), nil
		case lessAllocs || lessBytes:
			fell = true
		}
	}
	if !fell {
		return "the benchmarks allocate as much as before", nil
	}
	return "", nil
}

// moved reports whether a figure fell or rose by more than the tolerance.
func moved(before, after, tolerance float64) (less, more bool) {
	by := tolerance * max(before, 0.01)
	return after < before-by, after > before+by
}

const (
	// slowdown is how much slower, at most, an accepted fix may make a benchmark.
	slowdown = 0.05
	// noticeable is the slow-down that rejects a fix when it is certain.
	noticeable = 0.02
)

// patience is how many times as many rounds a comparison gets that could not
// tell in the first, on fresh samples.
const patience = 3

// compare runs the benchmarks of two states interleaved and judges the second.
func (w *workbench) compare(ctx context.Context, before, after *build, benchmarks []int) (finding.Verdict, error) {
	rounds := w.o.Rounds
	if rounds <= 0 {
		rounds = defaultRounds
	}
	v, err := w.compareOnce(ctx, before, after, benchmarks, rounds)
	if err == nil && v.Status == finding.Inconclusive {
		return w.compareOnce(ctx, before, after, benchmarks, patience*rounds)
	}
	return v, err
}

func (w *workbench) compareOnce(ctx context.Context, before, after *build, benchmarks []int, rounds int) (finding.Verdict, error) {
	var verdict finding.Verdict
	byPackage := make(map[string][]int)
	for _, b := range benchmarks {
		pkg := w.d.Document.Target.Benchmarks[b].Package
		byPackage[pkg] = append(byPackage[pkg], b)
	}
	slower, unsure := "", ""
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		var names []string
		for _, b := range byPackage[pkg] {
			names = append(names, w.d.Document.Target.Benchmarks[b].Name)
		}
		old, err := w.variant(ctx, before, byPackage[pkg][0], "before")
		if err != nil {
			return verdict, err
		}
		new, err := w.variant(ctx, after, byPackage[pkg][0], "after")
		if err != nil {
			return verdict, err
		}
		table, err := measure.Compare(ctx, []measure.Variant{old, new}, names, measure.CompareOptions{Rounds: rounds, Seed: 1})
		if err != nil {
			return verdict, err
		}
		for i, name := range names {
			c := table.Find("after", name, measure.UnitTime)
			if c == nil {
				return verdict, fmt.Errorf("%s reported no time", name)
			}
			if c.High < 1/(1+noticeable) {
				slower = fmt.Sprintf("%s is slower: %.2f times as fast", name, c.Ratio)
			} else if c.Low < 1/(1+slowdown) {
				unsure = fmt.Sprintf("%s may be slower: %.2f to %.2f times as fast", name, c.Low, c.High)
			}
			if verdict.Benchmark == "" && byPackage[pkg][i] == benchmarks[0] {
				b, a := table.Measures("after", name)
				verdict.Benchmark, verdict.Before, verdict.After = name, &b, &a
				verdict.Ratio, verdict.RatioLow, verdict.RatioHigh, verdict.P = c.Ratio, c.Low, c.High, c.PAdjusted
			}
		}
	}
	switch {
	case slower != "":
		verdict.Status, verdict.Oracle, verdict.Why = finding.Rejected, "time", slower
	case unsure != "":
		verdict.Status, verdict.Oracle, verdict.Why = finding.Inconclusive, "time", unsure
	default:
		verdict.Status = finding.Accepted
	}
	return verdict, nil
}

// vet reports what go vet says of the packages now that it did not say before.
func (w *workbench) vet(ctx context.Context, next *build, packages []string) (string, error) {
	after, err := w.vetLines(ctx, next.overlay, packages)
	if err != nil || len(after) == 0 {
		return "", err
	}
	before, err := w.vetLines(ctx, w.state.overlay, packages)
	if err != nil {
		return "", err
	}
	if len(after) > len(before) {
		return after[len(after)-1], nil
	}
	return "", nil
}

func (w *workbench) vetLines(ctx context.Context, overlay string, packages []string) ([]string, error) {
	args := append([]string{"vet"}, w.d.Go.Flags...)
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	_, stderr, _ := run.Combined(w.d.Go.Command(ctx, append(args, packages...)...))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(stderr)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// finish measures what the kept fixes do together, on every benchmark that a
// finding with an accepted fix reaches, and writes the combined patch.
func (w *workbench) finish(ctx context.Context) error {
	if len(w.keep) == 0 {
		return nil
	}
	doc := w.d.Document
	content, err := contents(w.keep)
	if err != nil {
		return err
	}
	if doc.Combined, err = diff(w.d.Tree.Root, content); err != nil {
		return err
	}
	var reached []int
	for i := range doc.Findings {
		if doc.Findings[i].Verdict.Status == finding.Accepted {
			for _, b := range w.d.Reached[i] {
				if !slices.Contains(reached, b) {
					reached = append(reached, b)
				}
			}
		}
	}
	slices.Sort(reached)
	before, err := w.build(nil)
	if err != nil {
		return err
	}
	after, err := w.build(w.keep)
	if err != nil {
		return err
	}
	const most = 12
	for n, b := range reached[:min(len(reached), most)] {
		w.o.progress("measuring all fixes together", n, min(len(reached), most))
		v, err := w.compare(ctx, before, after, []int{b})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			doc.Warnings = append(doc.Warnings, fmt.Sprintf("all fixes together were not measured on %s: %s", doc.Target.Benchmarks[b].Name, firstLine(err)))
			continue
		}
		doc.Target.Benchmarks[b].Outcome = &v
	}
	return nil
}
