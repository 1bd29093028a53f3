package rules

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A fixer collects the edits of one fix in one file. It keeps the file's
// imports right: it adds what the new text needs and removes what only the
// replaced text used.
type fixer struct {
	pass  *analysis.Pass
	file  *ast.File
	src   []byte
	edits []analysis.TextEdit
	gone  []ast.Node             // replaced
	kept  map[*types.PkgName]int // uses in replaced nodes that the new text repeats
	added []string               // paths to import
	// failed is set when the new text cannot be written: there is no fix.
	failed bool
}

// newFixer returns a fixer for the file of the pass that holds pos, or nil if
// the file's text cannot be read.
func newFixer(pass *analysis.Pass, pos token.Pos) *fixer {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos < f.FileEnd {
			src, err := pass.ReadFile(pass.Fset.File(pos).Name())
			if err != nil || len(src) != int(f.FileEnd-f.FileStart) {
				return nil
			}
			return &fixer{
				pass: pass, file: f, src: src,
				kept: make(map[*types.PkgName]int),
			}
		}
	}
	return nil
}

// text returns the source of n for use in new text.
func (f *fixer) text(n ast.Node) string {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if p, ok := f.pass.TypesInfo.Uses[id].(*types.PkgName); ok {
				f.kept[p]++
			}
		}
		return true
	})
	return f.between(n.Pos(), n.End())
}

// between returns the source from one position to another.
func (f *fixer) between(from, to token.Pos) string {
	return string(f.src[from-f.file.FileStart : to-f.file.FileStart])
}

// replace puts text in the place of n.
func (f *fixer) replace(n ast.Node, text string) {
	f.gone = append(f.gone, n)
	f.edit(n.Pos(), n.End(), text)
}

// fit is replace for an expression or for statements, with the spaces that
// gofmt puts around operators in that place.
func (f *fixer) fit(n ast.Node, text string) {
	before, after := f.src[:n.Pos()-f.file.FileStart], f.src[n.End()-f.file.FileStart:]
	if whole, err := format.Source(slices.Concat(before, []byte(text), after)); err == nil {
		if whole, ok := bytes.CutPrefix(whole, before); ok {
			if whole, ok := bytes.CutSuffix(whole, after); ok {
				text = string(whole)
			}
		}
	}
	f.replace(n, text)
}

// edit puts text in the place of what is between two positions, which must
// not use an import.
func (f *fixer) edit(from, to token.Pos, text string) {
	f.edits = append(f.edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)})
}

// commented reports whether a comment lies in n, which replacing n as a whole
// would lose.
func (f *fixer) commented(n ast.Node) bool {
	for _, g := range f.file.Comments {
		if n.Pos() < g.End() && g.Pos() < n.End() {
			return true
		}
	}
	return false
}

// use returns the text that qualifies a member of a standard package at pos
// ("strconv." or, with a dot import, ""), and adds the import where the file
// has none that pos can see. Where something else has the name, the fix fails.
func (f *fixer) use(pkgPath, member string, pos token.Pos) string {
	scope := f.scope(pos)
	for _, spec := range f.file.Imports {
		p := f.pass.TypesInfo.PkgNameOf(spec)
		if p == nil || p.Imported().Path() != pkgPath {
			continue
		}
		if p.Name() == "." {
			if s, _ := scope.LookupParent(member, pos); s == f.pass.TypesInfo.Scopes[f.file] {
				f.kept[p]++
				return ""
			}
		} else if _, obj := scope.LookupParent(p.Name(), pos); obj == p {
			f.kept[p]++
			return p.Name() + "."
		}
	}
	if _, obj := scope.LookupParent(path.Base(pkgPath), pos); obj != nil {
		f.failed = true
		return ""
	}
	if !slices.Contains(f.added, pkgPath) {
		f.added = append(f.added, pkgPath)
	}
	return path.Base(pkgPath) + "."
}

// scope returns the innermost scope at pos.
func (f *fixer) scope(pos token.Pos) *types.Scope {
	fileScope := f.pass.TypesInfo.Scopes[f.file]
	if s := fileScope.Innermost(pos); s != nil {
		return s
	}
	return fileScope
}

// wrap puts header and a closing brace around a statement and indents it. It
// fails if the statement does not begin its line or others follow on its last.
func (f *fixer) wrap(stmt ast.Node, header string) bool {
	from, to := int(stmt.Pos()-f.file.FileStart), int(stmt.End()-f.file.FileStart)
	line := from
	for line > 0 && f.src[line-1] != '\n' {
		line--
	}
	indent := string(f.src[line:from])
	if strings.TrimSpace(indent) != "" {
		return false
	}
	// What follows on the line may be a comment: it stays with the statement.
	end := to
	for end < len(f.src) && f.src[end] != '\n' {
		end++
	}
	rest := strings.TrimSpace(string(f.src[to:end]))
	if rest != "" && !strings.HasPrefix(rest, "//") {
		return false
	}
	f.edit(stmt.Pos(), stmt.Pos(), header+"\n"+indent+"\t")
	// Lines inside string literals and comments are text: leave them.
	var literal []ast.Node
	ast.Inspect(stmt, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			literal = append(literal, l)
		}
		return true
	})
	for _, g := range f.file.Comments {
		for _, c := range g.List {
			literal = append(literal, c)
		}
	}
	for i := from; i < to; i++ {
		if f.src[i] != '\n' || i+1 < to && f.src[i+1] == '\n' {
			continue
		}
		at := f.file.FileStart + token.Pos(i) + 1
		if !slices.ContainsFunc(literal, func(n ast.Node) bool { return n.Pos() < at && at <= n.End()-1 }) {
			f.edit(at, at, "\t")
		}
	}
	at := f.file.FileStart + token.Pos(end)
	f.edit(at, at, "\n"+indent+"}")
	return true
}

// typeText writes a type as it can be named at pos. It fails for types that
// cannot: unexported ones of other packages, local ones out of scope.
func (f *fixer) typeText(t types.Type, pos token.Pos) (string, bool) {
	ok := true
	scope := f.scope(pos)
	var check func(types.Type)
	check = func(t types.Type) {
		switch t := t.(type) {
		case *types.Basic:
			if t.Kind() == types.UnsafePointer || t.Info()&types.IsUntyped != 0 {
				ok = false
			} else if _, obj := scope.LookupParent(t.Name(), pos); obj == nil || obj.Parent() != types.Universe {
				ok = false
			}
		case *types.Named:
			ok = ok && f.visible(scope, t.Obj(), pos)
			for arg := range t.TypeArgs().Types() {
				check(arg)
			}
		case *types.Alias:
			ok = ok && f.visible(scope, t.Obj(), pos)
			for arg := range t.TypeArgs().Types() {
				check(arg)
			}
		case *types.TypeParam:
			ok = ok && f.visible(scope, t.Obj(), pos)
		case *types.Pointer:
			check(t.Elem())
		case *types.Slice:
			check(t.Elem())
		case *types.Array:
			check(t.Elem())
		case *types.Chan:
			check(t.Elem())
		case *types.Map:
			check(t.Key())
			check(t.Elem())
		default:
			// Literal structs, interfaces and functions are long; a
			// rewrite that has to repeat them is not an improvement.
			ok = false
		}
	}
	check(t)
	if !ok {
		return "", false
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == f.pass.Pkg {
			return ""
		}
		name := f.importName(p, pos)
		f.kept[name]++
		return name.Name()
	}), true
}

// visible reports whether a type's name means that type at pos, or can be
// qualified with an import that the file has.
func (f *fixer) visible(scope *types.Scope, obj *types.TypeName, pos token.Pos) bool {
	if obj.Pkg() == nil || obj.Pkg() == f.pass.Pkg {
		_, found := scope.LookupParent(obj.Name(), pos)
		return found == obj
	}
	return obj.Exported() && f.importName(obj.Pkg(), pos) != nil
}

// importName returns the name by which the file imports a package, if it can
// be used at pos.
func (f *fixer) importName(p *types.Package, pos token.Pos) *types.PkgName {
	for _, spec := range f.file.Imports {
		name := f.pass.TypesInfo.PkgNameOf(spec)
		if name == nil || name.Imported() != p || name.Name() == "." || name.Name() == "_" {
			continue
		}
		if _, obj := f.scope(pos).LookupParent(name.Name(), pos); obj == name {
			return name
		}
	}
	return nil
}

// done returns the fix with the edits of the file's imports, or none if it
// failed.
func (f *fixer) done(message string) []analysis.SuggestedFix {
	// A generated file would lose the fix with its next generation.
	if f.failed || ast.IsGenerated(f.file) {
		return nil
	}
	f.edits = append(f.edits, importEdits(f.pass.Fset, f.file, f.added, f.unused())...)
	sortEdits(f.edits)
	return []analysis.SuggestedFix{{Message: message, TextEdits: f.edits}}
}

// sortEdits sorts edits by position. Insertions come before what replaces the
// text behind them, and otherwise keep their order.
func sortEdits(edits []analysis.TextEdit) {
	slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.End, b.End))
	})
}

// unused returns the imports whose every use was replaced.
func (f *fixer) unused() []*ast.ImportSpec {
	uses := make(map[*types.PkgName]int)
	left := make(map[*types.PkgName]bool)
	for id, obj := range f.pass.TypesInfo.Uses {
		p, ok := obj.(*types.PkgName)
		if !ok || id.Pos() < f.file.FileStart || id.Pos() >= f.file.FileEnd {
			continue
		}
		if slices.ContainsFunc(f.gone, func(n ast.Node) bool { return n.Pos() <= id.Pos() && id.End() <= n.End() }) {
			uses[p]++
		} else {
			left[p] = true
		}
	}
	var list []*ast.ImportSpec
	for _, spec := range f.file.Imports {
		p := f.pass.TypesInfo.PkgNameOf(spec)
		// Dot imports are used without their name: leave them.
		if p != nil && p.Name() != "." && uses[p] > 0 && !left[p] && f.kept[p] == 0 {
			list = append(list, spec)
		}
	}
	return list
}
