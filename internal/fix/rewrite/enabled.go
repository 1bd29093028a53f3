// Package rewrite makes the candidates that one package's rule cannot: those
// that change a callee in another package of the module together with its
// callers.
package rewrite

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/unheap/unheap/internal/recognise"
)

// Enabled prepares a callee whose guard reads an unexported level for callers
// that want to ask first: it adds a method Enabled to the type that holds the
// level and makes the callee use it. The rule guardedargs, run on the result,
// then finds a guard that callers can state, and rewrites the call.
//
// match is one of guardedargs without a fix. The guard must be a comparison of
// a field of the receiver, or of a parameter, with a constant.
func Enabled(p *recognise.Program, match *recognise.Match) ([]recognise.Edit, bool) {
	pkg, file := p.File(match.Spans[0].Pos)
	if file == nil {
		return nil, false
	}
	fn := calleeAt(p, pkg, file, match)
	if fn == nil || fn.Pkg() == nil || fn.Pkg() == pkg.Types {
		return nil, false
	}
	home := p.Package(fn.Pkg().Path())
	if home == nil {
		return nil, false
	}
	decl := declaration(home, fn)
	if decl == nil || decl.Body == nil || len(decl.Body.List) == 0 {
		return nil, false
	}
	first, ok := decl.Body.List[0].(*ast.IfStmt)
	if !ok || first.Init != nil {
		return nil, false
	}
	g := levelGuard(home, decl, ast.Unparen(first.Cond))
	if g == nil {
		return nil, false
	}
	return g.edits(p)
}

// calleeAt returns the function that the call at the match's place calls.
func calleeAt(p *recognise.Program, pkg *packages.Package, file *ast.File, match *recognise.Match) *types.Func {
	want := match.Spans[0].Pos
	var fn *types.Func
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || fn != nil {
			return fn == nil
		}
		if at := p.Fset.PositionFor(call.Pos(), false); at.Line == want.Line && at.Column == want.Col {
			fn = typeutil.StaticCallee(pkg.TypesInfo, call)
		}
		return true
	})
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// declaration returns the function's declaration in its own package. The
// caller's package may know fn by export data, so names decide.
func declaration(home *packages.Package, fn *types.Func) *ast.FuncDecl {
	for _, f := range home.Syntax {
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Name.Name == fn.Name() {
				if obj, ok := home.TypesInfo.Defs[decl.Name].(*types.Func); ok && obj.FullName() == fn.FullName() {
					return decl
				}
			}
		}
	}
	return nil
}

// A guard is a callee's comparison of a field with a constant level.
type guard struct {
	home   *packages.Package
	cond   *ast.BinaryExpr
	root   *ast.Ident // receiver or parameter whose field is read
	field  string
	level  ast.Expr
	swaps  bool // the level is on the left
	named  *types.Named
	spec   *ast.GenDecl // declares named
	typ    string       // of the level, as the package writes it
	method string
}

// levelGuard recognises the condition of a guard.
func levelGuard(home *packages.Package, decl *ast.FuncDecl, cond ast.Expr) *guard {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	switch b.Op {
	case token.GEQ, token.LEQ, token.GTR, token.LSS, token.EQL, token.NEQ:
	default:
		return nil
	}
	info := home.TypesInfo
	g := &guard{home: home, cond: b, method: "Enabled"}
	value := b.X
	g.level = b.Y
	if info.Types[b.X].Value != nil {
		value, g.level, g.swaps = b.Y, b.X, true
	}
	sel, ok := ast.Unparen(value).(*ast.SelectorExpr)
	if !ok || info.Types[g.level].Value == nil {
		return nil
	}
	g.root, ok = ast.Unparen(sel.X).(*ast.Ident)
	if !ok || !isParameter(info, decl, g.root) {
		return nil
	}
	g.field = sel.Sel.Name
	if s := info.Selections[sel]; s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
		return nil
	}
	t := info.TypeOf(g.root)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() != home.Types || named.TypeParams().Len() > 0 {
		return nil
	}
	if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, home.Types, g.method); obj != nil {
		return nil // the type has a meaning for that name already
	}
	g.named = named
	// The level's type must be one that the package can write without an import.
	written := true
	g.typ = types.TypeString(info.TypeOf(value), func(p *types.Package) string {
		written = written && p == home.Types
		return ""
	})
	if !written {
		return nil
	}
	for _, f := range home.Syntax {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if ok && gen.Tok == token.TYPE && gen.Pos() <= named.Obj().Pos() && named.Obj().Pos() < gen.End() {
				g.spec = gen
			}
		}
	}
	if g.spec == nil {
		return nil
	}
	return g
}

// isParameter reports whether id is the receiver or a parameter of decl.
func isParameter(info *types.Info, decl *ast.FuncDecl, id *ast.Ident) bool {
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok {
		return false
	}
	lists := []*ast.FieldList{decl.Recv, decl.Type.Params}
	for _, l := range lists {
		if l != nil && l.Pos() <= v.Pos() && v.Pos() < l.End() {
			return true
		}
	}
	return false
}

// edits adds the method behind the type's declaration, with the same text for
// every callee that it serves, and uses it in this one.
func (g *guard) edits(p *recognise.Program) ([]recognise.Edit, bool) {
	test := fmt.Sprintf("x.%s %s level", g.field, g.cond.Op)
	if g.swaps {
		test = fmt.Sprintf("level %s x.%s", g.cond.Op, g.field)
	}
	method := fmt.Sprintf("\n\n// %s reports whether what has the given level is to be done.\nfunc (x *%s) %s(level %s) bool { return %s }",
		g.method, g.named.Obj().Name(), g.method, g.typ, test)
	typeFile, callee := p.Fset.File(g.spec.End()), p.Fset.File(g.cond.Pos())
	if typeFile == nil || callee == nil {
		return nil, false
	}
	edits := []recognise.Edit{
		{File: typeFile.Name(), Start: typeFile.Offset(g.spec.End()), End: typeFile.Offset(g.spec.End()), New: []byte(method)},
		{File: callee.Name(), Start: callee.Offset(g.cond.Pos()), End: callee.Offset(g.cond.End()),
			New: []byte(fmt.Sprintf("%s.%s(%s)", g.root.Name, g.method, types.ExprString(g.level)))},
	}
	slices.SortStableFunc(edits, func(a, b recognise.Edit) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start))
	})
	return edits, true
}
