package rules

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// importEdits returns the edits that make a file import the paths in add, all
// of the standard library, and no longer the specs in drop. The result is as
// gofmt would leave it.
//
// Drivers merge the edits of several fixes like those of several authors:
// identical edits become one, insertions at one place follow each other, and
// replacements that overlap are a conflict. So each path has an edit of its own,
// what encloses them is the same in every fix, and a line is dropped from the
// end of the one before it to its own end, where others may insert.
func importEdits(fset *token.FileSet, file *ast.File, add []string, drop []*ast.ImportSpec) []analysis.TextEdit {
	add = slices.Sorted(slices.Values(add))
	tf := fset.File(file.FileStart)
	var edits []analysis.TextEdit
	edit := func(from, to token.Pos, text string) {
		edits = append(edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)})
	}
	for i, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || len(g.Specs) == 0 {
			continue
		}
		switch emptied := !slices.ContainsFunc(g.Specs, func(s ast.Spec) bool { return !isIn(drop, s) }); {
		case emptied && len(add) > 0:
			// What is new takes the place of what goes.
			text := ""
			for _, p := range add {
				text += "\n\t" + strconv.Quote(p)
			}
			last := g.Specs[len(g.Specs)-1]
			group := len(add) > 1 && !g.Lparen.IsValid()
			if group {
				openGroup(g, edit)
			}
			edit(g.Specs[0].Pos(), last.End(), strings.TrimPrefix(text, "\n\t"))
			if group {
				closeGroup(tf, last, edit)
			}
			add = nil
		case emptied:
			from, to := dropDecl(tf, file, i)
			edit(from, to, "")
		default:
			dropSpecs(tf, g, drop, edit)
		}
	}
	if len(add) > 0 {
		addImports(tf, file, add, drop, edit)
	}
	return edits
}

func isIn(specs []*ast.ImportSpec, s ast.Spec) bool {
	return slices.Contains(specs, s.(*ast.ImportSpec))
}

// dropDecl returns the range of the file's i-th declaration, an import, with
// the blank line before it if there is one after it too.
func dropDecl(tf *token.File, file *ast.File, i int) (from, to token.Pos) {
	g := file.Decls[i].(*ast.GenDecl)
	first, last := g.Pos(), lineEnd(tf, g.End())
	if g.Doc != nil {
		first = g.Doc.Pos()
	}
	start := tf.LineStart(tf.Line(first))
	follows := i > 0 && tf.Line(file.Decls[i-1].End())+1 == tf.Line(first)
	precedes := i+1 < len(file.Decls) && tf.Line(file.Decls[i+1].Pos()) == tf.Line(last)+1
	if follows || precedes {
		return start, last + 1
	}
	return max(lineEnd(tf, file.Name.End()), start-2), last
}

// dropSpecs removes some specs of an import declaration, with the blank lines
// that they leave without use.
func dropSpecs(tf *token.File, g *ast.GenDecl, drop []*ast.ImportSpec, edit func(from, to token.Pos, text string)) {
	for i := 0; i < len(g.Specs); {
		// Specs from i to j have no other lines in between.
		j := i + 1
		for j < len(g.Specs) && tf.Line(g.Specs[j].Pos()) == tf.Line(g.Specs[j-1].End())+1 {
			j++
		}
		whole := !slices.ContainsFunc(g.Specs[i:j], func(s ast.Spec) bool { return !isIn(drop, s) })
		for k := i; k < j; k++ {
			if !isIn(drop, g.Specs[k]) {
				continue
			}
			from, to := tf.LineStart(firstLine(tf, g.Specs[k]))-1, lineEnd(tf, g.Specs[k].End())
			switch {
			case !whole:
			case k == j-1 && j < len(g.Specs) && firstLine(tf, g.Specs[j]) > tf.Line(g.Specs[k].End())+1:
				to++ // the blank line after them
			case k == i && j == len(g.Specs) && i > 0 && firstLine(tf, g.Specs[i]) > tf.Line(g.Specs[i-1].End())+1:
				from-- // the blank line before them
			}
			edit(from, to, "")
		}
		i = j
	}
}

// openGroup puts the parenthesis of a group behind the keyword of an import
// that has none. Replacing the keyword conflicts with dropping it.
func openGroup(g *ast.GenDecl, edit func(from, to token.Pos, text string)) {
	edit(g.Pos(), g.Specs[0].Pos(), "import (\n\t")
}

// closeGroup ends the group behind its last spec. Replacing the line break
// leaves room for the insertions of other fixes before it.
func closeGroup(tf *token.File, last ast.Spec, edit func(from, to token.Pos, text string)) {
	end := lineEnd(tf, last.End())
	if int(end) == tf.Base()+tf.Size() {
		edit(end, end, "\n)")
		return
	}
	edit(end, end+1, "\n)\n")
}

// firstLine returns the line on which a spec begins, comments included.
func firstLine(tf *token.File, s ast.Spec) int {
	if doc := s.(*ast.ImportSpec).Doc; doc != nil {
		return tf.Line(doc.Pos())
	}
	return tf.Line(s.Pos())
}

// addImports adds imports to the group that has the standard library's, or
// makes a group.
func addImports(tf *token.File, file *ast.File, add []string, drop []*ast.ImportSpec, edit func(from, to token.Pos, text string)) {
	insert := func(pos token.Pos, text string) { edit(pos, pos, text) }
	var decls []*ast.GenDecl
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			decls = append(decls, g)
		}
	}
	for _, g := range decls {
		if run := standardRun(tf, g, drop); len(run) > 0 {
			insertSorted(tf, g, run, add, insert)
			return
		}
	}
	each := func(pos token.Pos, before, after string) {
		for _, p := range add {
			insert(pos, before+strconv.Quote(p)+after)
		}
	}
	switch group := slices.IndexFunc(decls, func(g *ast.GenDecl) bool { return g.Lparen.IsValid() }); {
	case len(decls) == 0:
		each(lineEnd(tf, file.Name.End()), "\n\nimport ", "")
	case group >= 0:
		each(decls[group].Lparen+1, "\n\t", "")
		insert(decls[group].Lparen+1, "\n")
	case len(decls) == 1 && importPath(decls[0].Specs[0].(*ast.ImportSpec)) != "C":
		// A single import becomes a group.
		spec := decls[0].Specs[0].(*ast.ImportSpec)
		openGroup(decls[0], edit)
		if own := importPath(spec); isStandard(own) {
			after := slices.IndexFunc(add, func(p string) bool { return p > own })
			if after < 0 {
				after = len(add)
			}
			for _, p := range add[:after] {
				insert(spec.Pos(), strconv.Quote(p)+"\n\t")
			}
			for _, p := range add[after:] {
				insert(lineEnd(tf, spec.End()), "\n\t"+strconv.Quote(p))
			}
		} else {
			for i, p := range add {
				text := strconv.Quote(p) + "\n\t"
				if i == len(add)-1 {
					text = strconv.Quote(p) + "\n\n\t"
				}
				insert(spec.Pos(), text)
			}
		}
		closeGroup(tf, spec, edit)
	default:
		each(lineEnd(tf, decls[len(decls)-1].End()), "\nimport ", "")
	}
}

// standardRun returns the first run of specs in a group, without a blank line
// in between, that imports from the standard library. It leaves out the specs
// in drop.
func standardRun(tf *token.File, g *ast.GenDecl, drop []*ast.ImportSpec) []*ast.ImportSpec {
	if !g.Lparen.IsValid() {
		return nil
	}
	var run []*ast.ImportSpec
	standard := false
	last := 0
	for _, s := range g.Specs {
		spec := s.(*ast.ImportSpec)
		if tf.Line(spec.Pos()) > last+1 {
			if standard {
				break
			}
			run = nil
		}
		last = tf.Line(spec.End())
		if !slices.Contains(drop, spec) {
			run = append(run, spec)
			standard = standard || isStandard(importPath(spec))
		}
	}
	if !standard {
		return nil
	}
	return run
}

// insertSorted inserts imports into a run of specs, which gofmt keeps sorted.
func insertSorted(tf *token.File, g *ast.GenDecl, run []*ast.ImportSpec, add []string, insert func(token.Pos, string)) {
	for _, p := range add {
		i := 0
		for i < len(run) && importPath(run[i]) < p {
			i++
		}
		switch first := firstLine(tf, run[0]); {
		case i > 0:
			insert(lineEnd(tf, run[i-1].End()), "\n\t"+strconv.Quote(p))
		case first > tf.Line(g.Lparen):
			insert(tf.LineStart(first)-1, "\n\t"+strconv.Quote(p))
		default: // on the line of the parenthesis
			insert(run[0].Pos(), strconv.Quote(p)+"\n\t")
		}
	}
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return p
}

// isStandard reports whether an import path belongs to the standard library:
// its first element has no dot.
func isStandard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return p != "C" && !strings.Contains(first, ".")
}

// lineEnd returns the position of the line break that ends pos's line.
func lineEnd(tf *token.File, pos token.Pos) token.Pos {
	if line := tf.Line(pos); line < tf.LineCount() {
		return tf.LineStart(line+1) - 1
	}
	return token.Pos(tf.Base() + tf.Size())
}
