// Package recognise loads the user's packages, runs the rules over them, our
// own and adopted ones alike, and says what each found where.
package recognise

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/source"
	"github.com/unheap/unheap/rules"
)

// A Match is one report of one rule.
type Match struct {
	Rule    string
	Class   finding.Class
	Expect  rules.Expectation
	Message string
	// Spans are the lines that the report is about: the diagnostic's own
	// first, then those of its related positions.
	Spans []Span
	Fixes []Fix
}

// A Span is a range of lines of one file.
type Span struct {
	Pos  source.Pos // first line
	Last int        // last line
}

// Covers reports whether p's line lies in the span.
func (s Span) Covers(p source.Pos) bool {
	return s.Pos.Package == p.Package && s.Pos.File == p.File && s.Pos.Line <= p.Line && p.Line <= s.Last
}

// Covers reports whether one of the match's spans holds p's line, and the
// number of lines of the smallest that does: the fewer, the closer.
func (m *Match) Covers(p source.Pos) (lines int, ok bool) {
	for _, s := range m.Spans {
		if n := s.Last - s.Pos.Line + 1; s.Covers(p) && (!ok || n < lines) {
			lines, ok = n, true
		}
	}
	return lines, ok
}

// A Fix is one rewrite that a rule proposes.
type Fix struct {
	Title string
	Edits []Edit // sorted, not overlapping within a file
}

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	File       string // absolute
	Start, End int
	New        []byte
	// Import is set on an edit of the file's imports: those of several fixes
	// are made together where they touch the same place.
	Import bool
}

// Matches runs all rules over the program's packages. A rule that fails is
// reported as a warning; the others still count.
func (p *Program) Matches() (matches []Match, warnings []string, err error) {
	all := All()
	byAnalyzer := make(map[*analysis.Analyzer]Rule, len(all))
	analyzers := make([]*analysis.Analyzer, len(all))
	see := overlaid{p.overlay, make(map[*analysis.Analyzer]*analysis.Analyzer)}
	for i, r := range all {
		analyzers[i] = see.analyzer(r.Analyzer)
		byAnalyzer[analyzers[i]] = r
	}
	graph, err := checker.Analyze(analyzers, p.Packages, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("running the rules: %w", err)
	}
	for _, action := range graph.Roots {
		if action.Err != nil {
			warnings = append(warnings, fmt.Sprintf("rule %s could not read %s: %v", action.Analyzer.Name, action.Package.PkgPath, action.Err))
			continue
		}
		rule := byAnalyzer[action.Analyzer]
		for i := range action.Diagnostics {
			matches = append(matches, p.match(rule, action.Package, &action.Diagnostics[i]))
		}
	}
	order := make(map[string]int, len(all))
	for i, r := range all {
		order[r.Name] = i
	}
	slices.SortStableFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(order[a.Rule], order[b.Rule]),
			cmp.Compare(a.Spans[0].Pos.Package, b.Spans[0].Pos.Package),
			cmp.Compare(a.Spans[0].Pos.File, b.Spans[0].Pos.File),
			cmp.Compare(a.Spans[0].Pos.Line, b.Spans[0].Pos.Line),
			cmp.Compare(a.Spans[0].Pos.Col, b.Spans[0].Pos.Col))
	})
	return matches, warnings, nil
}

// overlaid makes analyzers read the contents that stand in for files on disk:
// the checker gives them the disk's, and offsets into the other text.
type overlaid struct {
	files map[string][]byte
	made  map[*analysis.Analyzer]*analysis.Analyzer
}

// analyzer returns a copy of a that reads overlaid files, as do those it requires.
func (o overlaid) analyzer(a *analysis.Analyzer) *analysis.Analyzer {
	if len(o.files) == 0 {
		return a
	}
	if b := o.made[a]; b != nil {
		return b
	}
	b := *a
	o.made[a] = &b
	b.Requires = make([]*analysis.Analyzer, len(a.Requires))
	for i, r := range a.Requires {
		b.Requires[i] = o.analyzer(r)
	}
	b.Run = func(pass *analysis.Pass) (any, error) {
		own := *pass
		own.Analyzer = a
		own.ResultOf = make(map[*analysis.Analyzer]any)
		for i, r := range a.Requires {
			own.ResultOf[r] = pass.ResultOf[b.Requires[i]]
		}
		own.ReadFile = func(name string) ([]byte, error) {
			if data, ok := o.files[name]; ok {
				return data, nil
			}
			return pass.ReadFile(name)
		}
		return a.Run(&own)
	}
	return &b
}

func (p *Program) match(rule Rule, pkg *packages.Package, d *analysis.Diagnostic) Match {
	m := Match{Rule: rule.Name, Class: rule.class(d), Expect: rule.Expect, Message: d.Message}
	m.Spans = append(m.Spans, p.span(pkg, d.Pos, d.End))
	for _, r := range d.Related {
		m.Spans = append(m.Spans, p.span(pkg, r.Pos, r.End))
	}
	for _, f := range d.SuggestedFixes {
		if fix, ok := p.fix(pkg, f); ok {
			m.Fixes = append(m.Fixes, fix)
		}
	}
	return m
}

func (p *Program) span(pkg *packages.Package, pos, end token.Pos) Span {
	s := Span{Pos: p.position(pkg, pos)}
	s.Last = s.Pos.Line
	if end.IsValid() {
		s.Last = max(s.Last, p.Fset.PositionFor(end, false).Line)
	}
	return s
}

// fix converts a suggested fix; one whose edits overlap or leave their file is dropped.
func (p *Program) fix(pkg *packages.Package, f analysis.SuggestedFix) (Fix, bool) {
	out := Fix{Title: f.Message}
	for _, e := range f.TextEdits {
		file := p.Fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		if file == nil || p.Fset.File(end) != file || end < e.Pos {
			return Fix{}, false
		}
		out.Edits = append(out.Edits, Edit{File: file.Name(), Start: file.Offset(e.Pos), End: file.Offset(end), New: e.NewText, Import: inImports(pkg, end)})
	}
	slices.SortStableFunc(out.Edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	for i := 1; i < len(out.Edits); i++ {
		if a, b := out.Edits[i-1], out.Edits[i]; a.File == b.File && b.Start < a.End {
			return Fix{}, false
		}
	}
	return out, len(out.Edits) > 0
}

// inImports reports whether a position lies before the first declaration of its
// file that is not an import.
func inImports(pkg *packages.Package, pos token.Pos) bool {
	for _, f := range pkg.Syntax {
		if pos < f.FileStart || pos > f.FileEnd {
			continue
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
				if doc := docOf(d); doc != nil {
					return pos < doc.Pos()
				}
				return pos < d.Pos()
			}
		}
		return len(f.Imports) > 0 && pos <= f.Imports[len(f.Imports)-1].End()
	}
	return false
}

func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
