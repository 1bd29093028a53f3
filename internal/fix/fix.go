// Package fix tries the rewrites that the rules propose for a diagnosis and
// keeps those that pass every oracle.
//
// An oracle is a question that a rewrite must answer well, the cheapest first;
// the first "no" ends the trial:
//
//	merge     does it leave the fixes accepted before it alone?
//	build     does the program still compile?
//	compiler  does escape analysis say what the rule declared it would say?
//	allocs    do the benchmarks allocate less?
//	tests     do the tests of the changed packages, and of all packages of the
//	          module that import them, pass? (And do they run the changed lines?)
//	vet       is go vet as content as before?
//	time      is no benchmark slower?
//
// Every trial builds on the fixes accepted so far. The user's files are only
// read; see [Options].Apply for the one exception.
package fix

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/fix/rewrite"
	"github.com/unheap/unheap/internal/recognise"
)

// Options say what to fix and how far to go.
type Options struct {
	diagnose.Options
	Apply  bool          // write the accepted fixes to the module
	Force  bool          // with Apply: also to files with uncommitted changes
	Review bool          // with Apply: also fixes of class review
	Rounds int           // timed runs of each variant in a comparison; 0: ten
	Budget time.Duration // for all trials together; 0: five minutes
}

const (
	defaultBudget = 5 * time.Minute // for all trials
	defaultRounds = 10              // of a comparison
)

// Run diagnoses and tries the fixes of the findings, best finding first. The
// document that it returns with an error is complete but for what the error
// names; it is nil when there is no diagnosis.
func Run(ctx context.Context, o Options) (*finding.Document, error) {
	d, err := diagnose.Run(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	doc := d.Document
	candidates, err := collect(ctx, d)
	if err != nil {
		return doc, err
	}
	if len(candidates) == 0 {
		return doc, nil
	}
	if o.Budget <= 0 {
		o.Budget = defaultBudget
	}
	w, err := newWorkbench(ctx, d, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return doc, err
	}
	if err := w.tryAll(ctx, candidates); err != nil {
		return nil, err
	}
	if err := w.finish(ctx); err != nil {
		return nil, err
	}
	if o.Apply && len(w.keep) > 0 {
		content, err := contents(w.keep)
		if err != nil {
			return doc, err
		}
		return doc, apply(ctx, d.Tree.Root, content, o.Force)
	}
	return doc, nil
}

// A candidate is one rewrite with the findings that it is for.
type candidate struct {
	match    *recognise.Match
	fix      recognise.Fix
	class    finding.Class
	findings []int // indices in the document, best first
}

// maxCandidates bounds how many rewrites are tried for one finding.
const maxCandidates = 4

// collect returns the candidates of all findings: the safe ones of every
// finding first, in the findings' order, then those for review.
func collect(ctx context.Context, d *diagnose.Result) ([]*candidate, error) {
	across, err := acrossPackages(ctx, d)
	if err != nil {
		return nil, err
	}
	var out []*candidate
	byEdits := make(map[string]*candidate)
	for i, place := range d.Places {
		tried := 0
		for _, m := range d.MatchesFor(&d.Document.Findings[i], place) {
			match := &d.Matches[m]
			if r := across[m]; r != nil {
				match = r
			}
			for _, f := range match.Fixes {
				key := editsKey(f.Edits)
				if c := byEdits[key]; c != nil {
					if !slices.Contains(c.findings, i) {
						c.findings = append(c.findings, i)
					}
					continue
				}
				if tried == maxCandidates {
					continue
				}
				tried++
				c := &candidate{match: match, fix: f, class: match.Class, findings: []int{i}}
				byEdits[key] = c
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *candidate) int {
		return boolOrder(a.class != finding.Safe, b.class != finding.Safe)
	})
	return out, nil
}

// acrossPackages makes the fixes that need a change in the callee's package too,
// by the index of the match that has none of its own.
func acrossPackages(ctx context.Context, d *diagnose.Result) (map[int]*recognise.Match, error) {
	prepared := make(map[int][]recognise.Edit)
	var all []recognise.Edit
	var callers []string
	for i, place := range d.Places {
		for _, m := range d.MatchesFor(&d.Document.Findings[i], place) {
			match := &d.Matches[m]
			if match.Rule != "guardedargs" || match.Fixes != nil || prepared[m] != nil {
				continue
			}
			edits, ok := rewrite.Enabled(d.Program(), match)
			if !ok {
				continue
			}
			if union, ok := merge(all, edits); ok {
				all, prepared[m] = union, edits
				callers = append(callers, match.Spans[0].Pos.Package)
			}
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	overlay, err := contents(all)
	if err != nil {
		return nil, err
	}
	program, err := recognise.Load(ctx, d.Go, d.Tree, callers, overlay)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, nil // the prepared callees do not compile: no candidates
	}
	matches, _, err := program.Matches()
	if err != nil {
		return nil, err
	}
	out := make(map[int]*recognise.Match)
	for m, edits := range prepared {
		for i := range matches {
			again := matches[i]
			if again.Rule != d.Matches[m].Rule || again.Spans[0] != d.Matches[m].Spans[0] || len(again.Fixes) == 0 {
				continue
			}
			union, ok := merge(edits, again.Fixes[0].Edits)
			if !ok {
				continue
			}
			again.Class = finding.Review // a new method is for a person to want
			again.Fixes = []recognise.Fix{{Title: "Add an Enabled method to what holds the level, and ask it first", Edits: union}}
			out[m] = &again
		}
	}
	return out, nil
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func editsKey(edits []recognise.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		fmt.Fprintf(&b, "%s:%d-%d:%s;", e.File, e.Start, e.End, e.New)
	}
	return b.String()
}

// tryAll tries the candidates in order and writes each verdict to its
// findings. Only the end of the context is an error.
func (w *workbench) tryAll(ctx context.Context, candidates []*candidate) error {
	doc := w.d.Document
	for i := range doc.Findings {
		// Diagnosis listed the rules' advice; from here on the fixes tried
		// and the advice without a rewrite stand there.
		f := &doc.Findings[i]
		f.Fixes = slices.DeleteFunc(f.Fixes, func(x finding.Fix) bool { return x.Class != finding.None })
	}
	deadline := time.Now().Add(w.o.Budget)
	for n, c := range candidates {
		w.o.progress("trying "+c.match.Rule, n, len(candidates))
		var v finding.Verdict
		if time.Now().After(deadline) {
			v = finding.Verdict{Status: finding.Unverified, Why: fmt.Sprintf("not tried: the budget of %s was used up (--budget)", w.o.Budget)}
		} else {
			var err error
			if v, err = w.try(ctx, c); err != nil {
				return err
			}
		}
		w.record(c, v)
	}
	return nil
}

func (o *Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// record writes a candidate's verdict to its findings.
func (w *workbench) record(c *candidate, v finding.Verdict) {
	patch := ""
	if content, err := contents(c.fix.Edits); err == nil {
		patch, _ = diff(w.d.Tree.Root, content)
	}
	f := finding.Fix{Rule: c.match.Rule, Class: c.class, Title: c.fix.Title, Diff: patch, Verdict: &v}
	if f.Title == "" {
		f.Title = c.match.Message
	}
	for _, i := range c.findings {
		target := &w.d.Document.Findings[i]
		target.Fixes = append(target.Fixes, f)
		if better(v, target.Verdict) {
			target.Verdict = v
			target.Rule = c.match.Rule
		}
	}
}

// better reports whether verdict a says more for its fix than b.
func better(a, b finding.Verdict) bool {
	rank := func(v finding.Verdict) int {
		switch v.Status {
		case finding.Accepted:
			return 3
		case finding.Inconclusive:
			return 2
		case finding.Rejected:
			return 1
		}
		return 0
	}
	return rank(a) > rank(b) || b.Why == "" && rank(a) == rank(b)
}
