package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/compiler"
	"github.com/unheap/unheap/internal/profile"
	"github.com/unheap/unheap/internal/recognise"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// maxCompiled bounds how many packages are compiled for their diagnostics.
const maxCompiled = 60

// hotPackages returns the import paths of the packages whose machine code
// allocates, most bytes first, then those of the main modules that they
// depend on; and the user's own among the former.
func (l *ledger) hotPackages() (all, own []string) {
	weight := make(map[string]float64)
	for _, ln := range l.lines {
		for _, p := range ln.parts {
			s, _ := l.shares(func(b int) counts { return p.cost[b] })
			for _, pos := range append([]source.Pos{ln.pos}, p.chain...) {
				if pkg := l.tree.Package(pos.Package); pkg != nil && pkg.Path != "unsafe" {
					weight[pkg.Path] += s.bytes + s.objects
				}
			}
		}
	}
	for path := range weight {
		all = append(all, path)
		if l.tree.Owns(path) {
			own = append(own, path)
		}
	}
	// A value may leak through a parameter of a package that allocates nothing
	// itself: the reasons go on there.
	for _, path := range l.tree.Closure(own) {
		if _, ok := weight[path]; !ok {
			all = append(all, path)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if weight[a] != weight[b] {
			if weight[a] > weight[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	slices.Sort(own)
	return all[:min(len(all), maxCompiled)], own
}

// Compile asks the compiler about the packages named by hot, building the tests
// of the tested packages as the measured binaries were built, without linking.
func Compile(ctx context.Context, g *run.Go, scratch *run.Scratch, tree *source.Tree, hot, tested []string, overlay string) (*compiler.Report, error) {
	build := func(ctx context.Context, gcflags []string) ([]byte, error) {
		args := append([]string{"list", "-test", "-export", "-f", "{{.ImportPath}}"}, g.Flags...)
		if overlay != "" {
			args = append(args, "-overlay="+overlay)
		}
		for _, f := range gcflags {
			args = append(args, "-gcflags="+f)
		}
		_, stderr, err := run.Combined(g.Command(ctx, append(append(args, "--"), tested...)...))
		return stderr, err
	}
	return compiler.Diagnose(ctx, scratch, tree, hot, build)
}

// explain gives every part of the ledger its reason, from the best source that
// has one: the compiler's flow, the library's own behaviour, kind and type.
func (l *ledger) explain(report *compiler.Report, program *recognise.Program) {
	for _, ln := range l.lines {
		for _, p := range ln.parts {
			l.explainPart(ln, p, pick(report.At(p.chain), p, siblings(ln, p)), report, program)
		}
	}
}

// siblings returns the addresses of all calls in the line's machine code that
// make the same kind of allocation as p at the same place, in order.
func siblings(ln *line, p *part) []uint64 {
	var calls []uint64
	for _, q := range ln.parts {
		if q.alloc.Kind == p.alloc.Kind && slices.Equal(q.chain, p.chain) {
			calls = append(calls, q.calls...)
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

func (l *ledger) explainPart(ln *line, p *part, rec *compiler.Record, report *compiler.Report, program *recognise.Program) {
	text := library(p.leaf)
	if rec != nil {
		p.from = finding.FromFlow
		p.reason = report.Explain(rec, program.Param, l.tree)
		p.column = rec.Chain[len(rec.Chain)-1].Col
		if text != "" {
			p.reason = append([]finding.Step{{Text: text}}, p.reason...)
		}
		return
	}
	if steps := l.explainStays(p, report); steps != nil {
		p.from, p.reason = finding.FromFlow, steps
		return
	}
	if p.alloc.Kind == finding.KindMapAssign {
		if steps := l.explainMap(p, report, program); steps != nil {
			p.from, p.reason = finding.FromFlow, steps
			return
		}
	}
	if steps := l.explainBuilder(ln, p, report, program); steps != nil {
		p.from, p.reason = finding.FromFlow, append([]finding.Step{{Text: text}}, steps...)
		return
	}
	if text != "" {
		p.from = finding.FromLibrary
		p.reason = []finding.Step{{Text: text}}
		return
	}
	p.from = finding.FromKind
	pos := p.chain[len(p.chain)-1]
	if text = kindReason(p); text == "" {
		text = "allocated in " + profile.FuncPackage(p.leafFunction())
	}
	p.reason = []finding.Step{{File: l.tree.Rel(pos), Line: pos.Line, Text: text}}
}

// explainStays explains memory of which the compiler says that it does not
// escape and that is allocated all the same: from Go 1.25 on, values of a size
// that is not known when compiling get 32 bytes on the stack, and what needs
// more goes to the heap (cmd/compile/internal/walk, "non-escaping make").
func (l *ledger) explainStays(p *part, report *compiler.Report) []finding.Step {
	switch p.alloc.Kind {
	case finding.KindSlice, finding.KindAppend, finding.KindString, finding.KindBytes:
	default:
		return nil
	}
	for _, rec := range report.At(p.chain[:1]) {
		if rec.Code == compiler.Stays && about(rec, p.alloc.Kind) != no {
			pos := p.chain[len(p.chain)-1]
			return []finding.Step{{File: l.tree.Rel(pos), Line: pos.Line,
				Text: rec.Subject + " does not escape, but its size is known only at run time: what is larger than a small buffer on the stack goes to the heap"}}
		}
	}
	return nil
}

// explainBuilder explains the memory of a strings.Builder, which the runtime
// allocates without a record of the compiler's (internal/bytealg.MakeNoZero),
// by what the compiler says of the method that gives it away: String's receiver
// leaks to its result.
func (l *ledger) explainBuilder(ln *line, p *part, report *compiler.Report, program *recognise.Program) []finding.Step {
	if !slices.ContainsFunc(p.leaf, func(f finding.Frame) bool { return strings.HasPrefix(f.Function, "strings.(*Builder).") }) {
		return nil
	}
	use, ok := program.BuilderResult(ln.pos)
	if !ok {
		return nil
	}
	receiver, _, ok := program.Param(use.Call, use.Builder)
	if !ok {
		return nil
	}
	for _, rec := range report.AtLine(receiver) {
		if rec.Code != compiler.Leak {
			continue
		}
		call := finding.Step{File: l.tree.Rel(use.Call), Line: use.Call.Line,
			Text: use.Builder + ".String() gives the builder's memory away as its result, without a copy"}
		if use.Returned {
			call.Text += "; the result is returned by " + profile.FuncName(ln.fn)
		}
		return append([]finding.Step{call}, report.Explain(rec, program.Param, l.tree)...)
	}
	return nil
}

// explainMap explains a map that grows, of which the compiler says nothing, by
// the place where the map was made: why it is on the heap there is known.
func (l *ledger) explainMap(p *part, report *compiler.Report, program *recognise.Program) []finding.Step {
	at := p.chain[len(p.chain)-1]
	makers, sure := program.MapMakers(at)
	for _, place := range makers {
		for _, rec := range report.AtLine(place) {
			if rec.Code != compiler.Escape || rec.Kind != finding.KindMap {
				continue
			}
			made := "the map is made here"
			if !sure {
				made = fmt.Sprintf("a map of this type is made here, one of %d places", len(makers))
				if len(makers) == 1 {
					made = "the only place that makes a map of this type"
				}
			}
			return append([]finding.Step{
				{File: l.tree.Rel(at), Line: at.Line, Text: kindReason(p)},
				{File: l.tree.Rel(place), Line: place.Line, Text: made},
			}, report.Explain(rec, program.Param, l.tree)...)
		}
	}
	return nil
}

func (p *part) leafFunction() string {
	if len(p.leaf) == 0 {
		return ""
	}
	return p.leaf[0].Function
}

// pick returns the record that is about the part's kind of allocation, or nil.
// Where a line has several, and as many calls, they are taken to come in the
// same order; else the first serves: they differ in the value, rarely in the
// reason.
func pick(records []*compiler.Record, p *part, calls []uint64) *compiler.Record {
	var sure, unsure []*compiler.Record
	for _, r := range records {
		if r.Code != compiler.Escape {
			continue
		}
		switch about(r, p.alloc.Kind) {
		case yes:
			sure = append(sure, r)
		case perhaps:
			unsure = append(unsure, r)
		}
	}
	if len(sure) == 0 {
		sure = unsure
	}
	if len(sure) == 0 {
		return nil
	}
	if len(sure) == len(calls) {
		return sure[slices.Index(calls, slices.Min(p.calls))]
	}
	return sure[0]
}

type answer int

const (
	no answer = iota
	perhaps
	yes
)

// about says whether a record is about an allocation of the given kind.
func about(r *compiler.Record, kind string) answer {
	switch {
	case r.Kind == kind:
		return yes
	case kind == "" || r.Kind == "":
		return perhaps
	case kind == finding.KindNew && (r.Kind == finding.KindBox || r.Kind == finding.KindClosure || r.Kind == finding.KindSlice || r.Moved),
		kind == finding.KindBox && r.Kind == finding.KindNew && !r.Moved,
		kind == finding.KindMapAssign && r.Kind == finding.KindMap,
		kind == finding.KindSlice && r.Kind == finding.KindAppend:
		// Boxes, closures and slices of known size are made by the same
		// runtime call as new values.
		return perhaps
	}
	return no
}
