// Package diagnose goes from benchmarks to ranked findings: it collects the
// evidence, attributes every allocation to a line of the user's own, explains
// why it is on the heap, recognises its idiom and ranks by what there is to
// gain.
package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/compiler"
	"github.com/unheap/unheap/internal/measure"
	"github.com/unheap/unheap/internal/profile"
	"github.com/unheap/unheap/internal/recognise"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// Options say what to diagnose.
type Options struct {
	Dir      string   // any directory of the module; empty: the current one
	Patterns []string // packages; empty: the one in Dir
	Bench    string   // pattern of benchmarks; empty: all
	Own      []string // import-path patterns that count as the user's own, beside the main module
	Tags     string   // build tags, comma-separated
	Progress run.Progress
}

func (o *Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// A UsageError is a request that cannot be met as it was put.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// A Result is a diagnosis with what the stages after it build on.
type Result struct {
	Document *finding.Document
	Go       *run.Go
	Tree     *source.Tree
	Scratch  *run.Scratch
	Overlay  map[string][]byte // contents that every build needs for exact counters
	Tested   []string          // packages whose benchmarks ran
	Matches  []recognise.Match
	// Benchmarks that ran, in the order of Document.Target.Benchmarks.
	Plain []measure.Result
	// Reached says, for each finding of Document, in which benchmarks (by
	// index) its site allocates, most bytes first.
	Reached [][]int
	// Places are the findings' sites, in Document's order.
	Places []source.Pos

	evidence *evidence
}

// Program returns the type-checked packages that the matches were found in.
func (r *Result) Program() *recognise.Program { return r.evidence.program }

// Close removes the scratch files.
func (r *Result) Close() error { return r.Scratch.Close() }

// Run diagnoses. The caller closes the result.
func Run(ctx context.Context, o Options) (_ *Result, err error) {
	if o.Bench == "" {
		o.Bench = "."
	}
	if _, err := regexp.Compile(o.Bench); err != nil {
		return nil, &UsageError{fmt.Sprintf("--bench %q is not a regular expression: %v", o.Bench, err)}
	}
	if len(o.Patterns) == 0 {
		o.Patterns = []string{"."}
	}
	r := new(Result)
	if r.Go, err = goCommand(o); err != nil {
		return nil, err
	}
	o.progress("listing packages", 0, 0)
	vars, err := r.Go.Variables(ctx, "GOMOD", "GOROOT", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return nil, err
	}
	if vars["GOMOD"] == "" || vars["GOMOD"] == os.DevNull {
		return nil, &UsageError{fmt.Sprintf("%s is not in a Go module: give a directory with -C, or run go mod init", r.Go.Dir)}
	}
	listing, err := r.Go.List(ctx, o.Patterns...)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(vars["GOMOD"])
	r.Tree = source.NewTree(root, listing.Packages, o.Own)
	module := r.Tree.Package(listing.Matched[0]).Module
	if len(listing.Tested) == 0 {
		return nil, &UsageError{fmt.Sprintf("no test files in %s: name packages with benchmarks, or ./... for all", strings.Join(o.Patterns, " "))}
	}
	if r.Scratch, err = run.NewScratch(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			r.Scratch.Close()
		}
	}()
	doc := &finding.Document{Schema: finding.Schema, Findings: []finding.Finding{}, Target: finding.Target{
		Module: module, Root: root, GoVersion: vars["GOVERSION"], GOOS: vars["GOOS"], GOARCH: vars["GOARCH"], Packages: listing.Matched}}
	r.Document = doc
	r.Overlay = make(map[string][]byte)
	if file, content, ok := measure.ExactCounters(vars["GOROOT"]); ok {
		r.Overlay[file] = content
	} else {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("allocation counts are rounded down to integers: the testing package of %s is not one this unheap knows", vars["GOVERSION"]))
	}
	overlay, err := r.Scratch.WriteOverlay(r.Overlay)
	if err != nil {
		return nil, err
	}
	ev, err := collect(ctx, o, r.Go, r.Scratch, r.Tree, listing.Tested, overlay)
	if err != nil {
		return nil, err
	}
	doc.Warnings = append(doc.Warnings, ev.warnings...)
	if len(ev.runs) == 0 {
		return nil, &UsageError{fmt.Sprintf("no benchmarks match --bench %q in %s: see go test -list Benchmark %s", o.Bench, strings.Join(o.Patterns, " "), strings.Join(o.Patterns, " "))}
	}
	return r, r.join(ctx, o, ev, overlay)
}

// goCommand returns the go command for the module that o names.
func goCommand(o Options) (*run.Go, error) {
	dir := o.Dir
	if dir == "" {
		dir = "."
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, &UsageError{fmt.Sprintf("%s is not a directory", o.Dir)}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	g := &run.Go{Dir: dir}
	if o.Tags != "" {
		g.Flags = append(g.Flags, "-tags="+o.Tags)
	}
	return g, nil
}

// join makes findings of the evidence.
func (r *Result) join(ctx context.Context, o Options, ev *collected, overlay string) error {
	for _, run := range ev.runs {
		r.Plain = append(r.Plain, run.Plain)
		if !slices.Contains(r.Tested, run.Package) {
			r.Tested = append(r.Tested, run.Package)
		}
	}
	l := attribute(r.Tree, ev.runs)
	hot, own := l.hotPackages()
	report, program := new(compiler.Report), new(recognise.Program)
	if len(hot) > 0 {
		o.progress("asking the compiler", 0, 0)
		var err error
		if report, err = Compile(ctx, r.Go, r.Scratch, r.Tree, hot, r.Tested, overlay); err != nil {
			return fmt.Errorf("asking the compiler why: %w", err)
		}
		r.Document.Warnings = append(r.Document.Warnings, report.Warnings()...)
	}
	if len(own) > 0 {
		o.progress("running the rules", 0, 0)
		var err error
		if program, err = recognise.Load(ctx, r.Go, r.Tree, own, nil); err != nil {
			return err
		}
		matches, warnings, err := program.Matches()
		if err != nil {
			return err
		}
		r.Matches = matches
		r.Document.Warnings = append(r.Document.Warnings, warnings...)
	}
	r.evidence = &evidence{runs: ev.runs, cpu: ev.cpu, report: report, program: program}
	r.assemble(l, r.evidence)
	return nil
}

// evidence is what findings are made from.
type evidence struct {
	runs    []*benchRun
	cpu     []profile.Sample
	report  *compiler.Report
	program *recognise.Program
}

// assemble explains the ledger's lines and makes ranked findings of them.
func (r *Result) assemble(l *ledger, ev *evidence) {
	l.explain(ev.report, ev.program)
	r.findings(l, readCPU(ev.cpu, r.Tree))
}

// findings turns the ledger's lines into ranked findings.
func (r *Result) findings(l *ledger, c *cpu) {
	doc := r.Document
	rate := make([]float64, len(l.runs)) // bytes per nanosecond
	var allRates float64
	for b, run := range l.runs {
		if run.NsPerOp > 0 {
			rate[b] = 1 / run.NsPerOp
			allRates += run.BytesPerOp * rate[b]
		}
		doc.Target.Benchmarks = append(doc.Target.Benchmarks, l.benchmark(b))
	}
	doc.Health = c.health(allRates / float64(max(1, len(l.runs))) * 1e9)
	if h := doc.Health; h != nil && strings.Contains(h.Verdict, "not the problem") {
		doc.Warnings = append(doc.Warnings, h.Verdict)
	}
	type ranked struct {
		finding.Finding
		place   source.Pos
		reached []int
		score   float64
	}
	var all []ranked
	nth := make(map[string]int)
	for _, ln := range l.lines {
		share, top := l.shares(ln.cost)
		if share.objects < minShare && share.bytes < minShare {
			continue
		}
		f := ranked{place: ln.pos, Finding: l.finding(ln, share, top)}
		var lineRate, objRate, allObj float64
		for b, run := range l.runs {
			lineRate += ln.cost(b).bytes * rate[b]
			objRate += ln.cost(b).objects * rate[b]
			allObj += run.AllocsPerOp * rate[b]
			if ln.cost(b).bytes > 0 {
				f.reached = append(f.reached, b)
			}
		}
		slices.SortStableFunc(f.reached, func(a, b int) int {
			return cmp.Compare(ln.cost(b).bytes/l.runs[b].BytesPerOp, ln.cost(a).bytes/l.runs[a].BytesPerOp)
		})
		// Where the CPU profile is too thin to weigh, shares rank.
		f.score = (share.objects + share.bytes) / 2
		if allRates > 0 && allObj > 0 {
			if f.Saving = c.saving(lineKey{ln.pos, ln.fn}, objRate/allObj, lineRate/allRates); f.Saving != nil {
				f.score = f.Saving.CPUShare
			}
		}
		r.recognised(&f.Finding, ln.pos)
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Site.File, b.Site.File), cmp.Compare(a.Site.Line, b.Site.Line))
	})
	for i := range all {
		f := &all[i]
		same := finding.NewID(f.Site, 0)
		f.ID = finding.NewID(f.Site, nth[same])
		nth[same]++
		doc.Findings = append(doc.Findings, f.Finding)
		r.Places = append(r.Places, f.place)
		r.Reached = append(r.Reached, f.reached)
	}
	r.warnUnowned(l)
}

// minShare is the share of objects and bytes below which a line is no finding.
const minShare = 5e-4

func (l *ledger) benchmark(b int) finding.Benchmark {
	run := l.runs[b]
	out := finding.Benchmark{Package: run.Package, Name: run.Name, Measure: run.Measure}
	if run.BytesPerOp > 0 {
		var own float64
		for _, ln := range l.lines {
			own += ln.cost(b).bytes
		}
		out.AttributedBytes = min(1, own/run.BytesPerOp)
		out.TestBytes = min(1, l.test[b].bytes/run.BytesPerOp)
	}
	return out
}

// finding makes the finding of one line without its rule.
func (l *ledger) finding(ln *line, share counts, top int) finding.Finding {
	first := ln.parts[0]
	cost := ln.cost(top)
	f := finding.Finding{
		Site: finding.Site{Package: ln.pos.Package, File: l.tree.Rel(ln.pos), Line: ln.pos.Line,
			Function: profile.FuncName(ln.fn), Source: l.tree.Text(ln.pos), Inline: ln.inline},
		Leaf: first.leaf, Benchmark: l.runs[top].Name,
		Alloc: finding.Alloc{Kind: first.alloc.Kind, Type: first.alloc.Type, ObjectsPerOp: cost.objects, BytesPerOp: cost.bytes,
			ObjectsShare: share.objects, BytesShare: share.bytes},
		Reason: first.reason, ReasonSource: first.from,
		Verdict: finding.Verdict{Status: finding.Unverified},
	}
	if first.own {
		f.Site.Column = first.column
	}
	for _, p := range ln.parts {
		s, _ := l.shares(func(b int) counts { return p.cost[b] })
		f.Alloc.Estimated = f.Alloc.Estimated || p.estimated
		f.Parts = append(f.Parts, finding.Part{Leaf: p.leaf, Reason: p.reason, ReasonSource: p.from,
			Alloc: finding.Alloc{Kind: p.alloc.Kind, Type: p.alloc.Type, ObjectsPerOp: p.cost[top].objects, BytesPerOp: p.cost[top].bytes,
				ObjectsShare: s.objects, BytesShare: s.bytes, Estimated: p.estimated}})
	}
	return f
}

// recognised gives a finding the rule whose report lies closest to its line,
// or to a line of the user's on the way of its escape.
func (r *Result) recognised(f *finding.Finding, place source.Pos) {
	best := -1
	for _, i := range r.MatchesFor(f, place) {
		m := &r.Matches[i]
		f.Fixes = append(f.Fixes, finding.Fix{Rule: m.Rule, Class: m.Class, Title: m.Message})
		// The first with a rewrite names the finding; else the first.
		if best < 0 || r.Matches[best].Fixes == nil && m.Fixes != nil {
			best = i
		}
	}
	if best >= 0 {
		f.Rule, f.Advice = r.Matches[best].Rule, r.Matches[best].Message
	}
}

// MatchesFor returns the indices of the matches that may serve a finding: those
// on its line, then those on lines of the same file that its reason names.
func (r *Result) MatchesFor(f *finding.Finding, place source.Pos) []int {
	out := r.matchesAt(place)
	for _, s := range f.Reason {
		if s.File != f.Site.File || s.Line == place.Line {
			continue
		}
		step := place.AtLine()
		step.Line = s.Line
		for _, i := range r.matchesAt(step) {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// matchesAt returns the indices of the matches that cover a line, the closest
// first and, among equals, in the order in which rules are tried.
func (r *Result) matchesAt(p source.Pos) []int {
	type hit struct{ index, lines int }
	var hits []hit
	for i := range r.Matches {
		if n, ok := r.Matches[i].Covers(p); ok && n <= maxSpan {
			hits = append(hits, hit{i, n})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.lines, b.lines) })
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.index
	}
	return out
}

// maxSpan is the number of lines beyond which a report says nothing about one of them.
const maxSpan = 40

// warnUnowned says so where much is allocated that no line of the user's asks for.
func (r *Result) warnUnowned(l *ledger) {
	for b, run := range l.runs {
		for root, c := range l.unowned[b] {
			if run.BytesPerOp > 0 && c.bytes/run.BytesPerOp > 0.05 {
				r.Document.Warnings = append(r.Document.Warnings, fmt.Sprintf("%s: %.0f %% of the bytes are allocated below %s without a line of this module", run.Name, 100*c.bytes/run.BytesPerOp, root))
			}
		}
	}
	slices.Sort(r.Document.Warnings)
	r.Document.Warnings = slices.Compact(r.Document.Warnings)
}

// Explain returns the document with nothing but the findings at FILE:LINE.
func (r *Result) Explain(at string) (*finding.Document, error) {
	file, lineText, ok := strings.Cut(at, ":")
	var lineNo int
	if _, err := fmt.Sscanf(lineText, "%d", &lineNo); !ok || err != nil || lineNo < 1 {
		return nil, &UsageError{fmt.Sprintf("%q is not FILE:LINE", at)}
	}
	doc := *r.Document
	doc.Findings = []finding.Finding{}
	var near []string
	for _, f := range r.Document.Findings {
		if f.Site.File != filepath.ToSlash(file) && !strings.HasSuffix(f.Site.File, "/"+filepath.ToSlash(file)) {
			continue
		}
		if f.Site.Line == lineNo {
			doc.Findings = append(doc.Findings, f)
		} else {
			near = append(near, fmt.Sprint(f.Site.Line))
		}
	}
	switch {
	case len(doc.Findings) > 0:
		return &doc, nil
	case len(near) > 0:
		return nil, &UsageError{fmt.Sprintf("%s allocates nothing under these benchmarks; in that file lines %s do", at, strings.Join(near[:min(len(near), 10)], ", "))}
	}
	return nil, &UsageError{fmt.Sprintf("%s allocates nothing under these benchmarks, nor does another line of that file: see unheap diagnose for the lines that do", at)}
}
