package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var sortSlice = &analysis.Analyzer{
	Name: "sortslice",
	Doc: `sort with slices.SortFunc in place of sort.Slice and sort.Sort

## Why it allocates

sort.Slice takes the slice as any, which copies its header to the heap, makes a
function that swaps elements by reflection, and calls a closure for less, which
holds the slice and may be on the heap too. sort.Sort takes an interface and
boxes the header likewise. slices.SortFunc is compiled for the element's type.

## The rewrite

	sort.Slice(s, func(i, j int) bool {          slices.SortFunc(s, func(a, b T) int {
		return s[i].X < s[j].X                       return cmp.Compare(a.X, b.X)
	})                                           })

Less functions that compare a field, an element or a method's result, and
chains of them (if a != b { return a < b }), are understood, in either
direction. sort.SliceStable becomes slices.SortStableFunc. sort.Sort and
sort.Stable are rewritten where the type has the usual Len, Swap and Less. The
file must be of Go 1.21 or later.

A slice of plain integers or strings in ascending order is given to slices.Sort.

Elements that compare equal end in the same order as before, also where the sort
is not stable: the sorts of both packages are made from one template
(sort/gen_sort_variants.go), ask the same questions of the same pairs and swap
the same elements, in every release since Go 1.21. No release promises an order
of equal elements, neither before the rewrite nor after.

## When it is not safe

The class is review

  - for floating-point keys: NaN compares false with < both ways, but
    cmp.Compare puts it before all numbers;
  - where less calls a method or function, which may then be called another
    number of times;
  - where Less is declared in a file that other builds may leave out;
  - for elements whose type is a type parameter.

There is no rewrite where less reads anything but the two elements.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		decls := methodDecls(pass)
		for c := range root.Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			fn := typeutil.StaticCallee(pass.TypesInfo, call)
			if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sort" || fn.Signature().Recv() != nil {
				continue
			}
			s := &sorting{pass: pass, call: call, stable: strings.Contains(fn.Name(), "Stable"), decls: decls}
			switch fn.Name() {
			case "Slice", "SliceStable":
				s.slice()
			case "Sort", "Stable":
				s.adapter()
			}
		}
		return nil, nil
	},
}

// methodDecls returns the methods that the package's files declare.
func methodDecls(pass *analysis.Pass) map[*types.Func]*ast.FuncDecl {
	m := make(map[*types.Func]*ast.FuncDecl)
	for _, f := range pass.Files {
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv != nil && decl.Body != nil {
				if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					m[fn] = decl
				}
			}
		}
	}
	return m
}

// A sorting is one call of package sort.
type sorting struct {
	pass   *analysis.Pass
	call   *ast.CallExpr
	stable bool
	decls  map[*types.Func]*ast.FuncDecl

	f    *fixer // of the call's file
	from *fixer // of the file that holds less
	// The less function: what it calls the slice and the two indexes.
	isSlice func(ast.Expr) bool
	i, j    types.Object
	elem    types.Type
	a, b    string // parameters of the new function
	class   string
}

// slice rewrites sort.Slice(s, func(i, j int) bool {...}).
func (s *sorting) slice() {
	if len(s.call.Args) != 2 {
		return
	}
	info := s.pass.TypesInfo
	x := ast.Unparen(s.call.Args[0])
	less, ok := ast.Unparen(s.call.Args[1]).(*ast.FuncLit)
	if !ok {
		return
	}
	slice, ok := info.TypeOf(x).Underlying().(*types.Slice)
	if !ok {
		return
	}
	// The closure must index the very slice: the same variable, or the same
	// fields of one.
	k := keyer{info: info}
	key := k.key(x)
	if key == "" || strings.Contains(key, "[]") {
		return
	}
	s.isSlice = func(e ast.Expr) bool {
		k := keyer{info: info}
		return k.key(e) == key
	}
	s.elem = slice.Elem()
	if !s.params(less.Type) {
		return
	}
	s.rewrite(x, less, less.Body)
}

// adapter rewrites sort.Sort(byX(s)).
func (s *sorting) adapter() {
	info := s.pass.TypesInfo
	if len(s.call.Args) != 1 {
		return
	}
	arg := ast.Unparen(s.call.Args[0])
	x := arg
	if conv, ok := arg.(*ast.CallExpr); ok && len(conv.Args) == 1 && info.Types[ast.Unparen(conv.Fun)].IsType() {
		x = conv.Args[0]
	}
	named, ok := types.Unalias(info.TypeOf(arg)).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 {
		return
	}
	slice, ok := named.Underlying().(*types.Slice)
	if !ok || !types.Identical(info.TypeOf(x).Underlying(), slice) {
		return
	}
	method := func(name string, params int) *ast.FuncDecl {
		for i := range named.NumMethods() {
			if m := named.Method(i); m.Name() == name && m.Signature().Params().Len() == params {
				return s.decls[m]
			}
		}
		return nil
	}
	length, swap, less := method("Len", 0), method("Swap", 2), method("Less", 2)
	if length == nil || swap == nil || less == nil || !s.plainLen(length) || !s.plainSwap(swap) {
		return
	}
	recv, ok := receiverOf(info, less)
	if !ok {
		return
	}
	s.isSlice = func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.Uses[id] == recv
	}
	s.elem = slice.Elem()
	if !s.params(less.Type) {
		return
	}
	s.rewrite(x, nil, less.Body)
}

// receiverOf returns the variable of a method's receiver, which must not be a
// pointer.
func receiverOf(info *types.Info, decl *ast.FuncDecl) (types.Object, bool) {
	if len(decl.Recv.List) != 1 || len(decl.Recv.List[0].Names) != 1 {
		return nil, false
	}
	v := info.Defs[decl.Recv.List[0].Names[0]]
	if v == nil {
		return nil, false
	}
	_, slice := v.Type().Underlying().(*types.Slice)
	return v, slice
}

// plainLen reports whether a method is { return len(recv) }.
func (s *sorting) plainLen(decl *ast.FuncDecl) bool {
	info := s.pass.TypesInfo
	recv, ok := receiverOf(info, decl)
	if !ok || len(decl.Body.List) != 1 {
		return false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !isBuiltin(info, call.Fun, "len") {
		return false
	}
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	return ok && info.Uses[id] == recv
}

// plainSwap reports whether a method is { r[i], r[j] = r[j], r[i] }.
func (s *sorting) plainSwap(decl *ast.FuncDecl) bool {
	info := s.pass.TypesInfo
	recv, ok := receiverOf(info, decl)
	if !ok || len(decl.Body.List) != 1 {
		return false
	}
	as, ok := decl.Body.List[0].(*ast.AssignStmt)
	if !ok || as.Tok != token.ASSIGN || len(as.Lhs) != 2 || len(as.Rhs) != 2 {
		return false
	}
	index := func(e ast.Expr) types.Object {
		x, ok := ast.Unparen(e).(*ast.IndexExpr)
		if !ok {
			return nil
		}
		base, ok1 := ast.Unparen(x.X).(*ast.Ident)
		id, ok2 := ast.Unparen(x.Index).(*ast.Ident)
		if !ok1 || !ok2 || info.Uses[base] != recv {
			return nil
		}
		return info.Uses[id]
	}
	params := paramsOf(info, decl.Type)
	if len(params) != 2 || params[0] == nil || params[1] == nil {
		return false
	}
	l0, l1, r0, r1 := index(as.Lhs[0]), index(as.Lhs[1]), index(as.Rhs[0]), index(as.Rhs[1])
	return l0 != l1 && l0 == r1 && l1 == r0 &&
		(l0 == params[0] && l1 == params[1] || l0 == params[1] && l1 == params[0])
}

// paramsOf returns the variables of a function's parameters, nil for unnamed
// ones.
func paramsOf(info *types.Info, t *ast.FuncType) []types.Object {
	var list []types.Object
	for _, field := range t.Params.List {
		if len(field.Names) == 0 {
			list = append(list, nil)
		}
		for _, name := range field.Names {
			list = append(list, info.Defs[name])
		}
	}
	return list
}

// params notes the two index parameters of the less function.
func (s *sorting) params(t *ast.FuncType) bool {
	p := paramsOf(s.pass.TypesInfo, t)
	if len(p) != 2 || p[0] == nil || p[1] == nil {
		return false
	}
	s.i, s.j = p[0], p[1]
	return true
}

// rewrite reports the call, with the fix if less can be expressed. lit is the
// function literal that less is, nil for a method.
func (s *sorting) rewrite(x ast.Expr, lit *ast.FuncLit, less *ast.BlockStmt) {
	pos := s.call.Pos()
	s.f, s.from = newFixer(s.pass, pos), newFixer(s.pass, less.Pos())
	if s.f == nil || s.from == nil || !atLeastGo(s.pass, s.f.file, "go1.21") {
		return
	}
	s.class = Safe
	if s.from.file != s.f.file && constrained(s.pass.Fset, s.from.file) {
		s.class = Review // other builds may have another Less
	}
	s.a, s.b = "a", "b"
	if _, ok := s.elem.(*types.TypeParam); ok {
		s.class = Review
	}
	elem, ok := s.f.typeText(s.elem, pos)
	if !ok || !s.f.predeclared(pos, "int") {
		return
	}
	steps, ok := s.steps(less.List)
	if !ok {
		return
	}
	name := "SortFunc"
	if s.stable {
		name = "SortStableFunc"
	}
	signature := "func(" + s.a + ", " + s.b + " " + elem + ") int"
	natural := steps[0].text == "cmp.Compare(a, b)" && s.class == Safe && hasBasicInfo(s.elem, types.IsOrdered)
	switch {
	case natural && !s.f.commented(s.call):
		name = "Sort"
		s.f = newFixer(s.pass, pos) // without cmp
		s.f.fit(s.call, s.f.use("slices", name, pos)+name+"("+s.f.text(x)+")")
	case lit != nil:
		// In its place, so that comments stay.
		s.f.replace(s.call.Fun, s.f.use("slices", name, pos)+name)
		s.f.replace(lit.Type, signature)
		for _, step := range steps {
			if s.f.commented(step.result) || step.cond != nil && s.f.commented(step.cond) {
				return
			}
			if step.cond == nil {
				s.f.replace(step.result, step.text)
				continue
			}
			s.f.replace(step.cond, "c := "+step.text+"; c != 0")
			s.f.replace(step.result, "c")
		}
	default:
		var body strings.Builder
		for _, step := range steps {
			if step.cond == nil {
				body.WriteString("\treturn " + step.text + "\n")
			} else {
				body.WriteString("\tif c := " + step.text + "; c != 0 {\n\t\treturn c\n\t}\n")
			}
		}
		text := " " + strings.TrimSpace(body.String()) + " })"
		if len(steps) > 1 {
			text = "\n" + body.String() + "})"
		}
		text = s.f.use("slices", name, pos) + name + "(" + s.f.text(x) + ", " + signature + " {" + text
		s.f.fit(s.call, strings.ReplaceAll(text, "\n", "\n"+s.f.indent(pos)))
	}
	fixes := s.f.done("Sort with slices." + name)
	class := s.class
	if len(fixes) == 0 {
		class = None
	}
	s.pass.Report(analysis.Diagnostic{
		Pos: s.call.Pos(), End: s.call.End(), Category: class,
		Message:        types.ExprString(s.call.Fun) + " boxes the slice and swaps by reflection or an interface",
		SuggestedFixes: fixes,
	})
}

// A step is one comparison of a less function.
type step struct {
	cond   ast.Expr // a != b, nil for the last
	result ast.Expr // a < b
	text   string   // the same as a three-way comparison
}

// steps translates the statements of a less function:
//
//	if a != b { return a < b }   any number of times, then   return a < b
func (s *sorting) steps(list []ast.Stmt) ([]step, bool) {
	var steps []step
	for n, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.ReturnStmt:
			if n != len(list)-1 || len(stmt.Results) != 1 {
				return nil, false
			}
			text, _, ok := s.compare(stmt.Results[0])
			return append(steps, step{nil, stmt.Results[0], text}), ok
		case *ast.IfStmt:
			cond, ok := ast.Unparen(stmt.Cond).(*ast.BinaryExpr)
			if !ok || cond.Op != token.NEQ || stmt.Init != nil || stmt.Else != nil || len(stmt.Body.List) != 1 {
				return nil, false
			}
			ret, ok := stmt.Body.List[0].(*ast.ReturnStmt)
			if !ok || len(ret.Results) != 1 {
				return nil, false
			}
			text, operands, ok := s.compare(ret.Results[0])
			if !ok {
				return nil, false
			}
			// The test must be of what is then compared.
			x, _, ok1 := s.side(cond.X)
			y, _, ok2 := s.side(cond.Y)
			if !ok1 || !ok2 || !(x == operands[0] && y == operands[1] || x == operands[1] && y == operands[0]) {
				return nil, false
			}
			// == tells apart times that Compare does not.
			if b, ok := ast.Unparen(ret.Results[0]).(*ast.BinaryExpr); !ok || b.Op != token.LSS && b.Op != token.GTR {
				return nil, false
			}
			if mayBeNaN(s.pass.TypesInfo.TypeOf(cond.X)) {
				s.class = Review
			}
			steps = append(steps, step{stmt.Cond, ret.Results[0], text})
		default:
			return nil, false
		}
	}
	return nil, false
}

// compare translates a less expression into a three-way comparison, and
// returns the texts of its operands.
func (s *sorting) compare(e ast.Expr) (text string, operands [2]string, ok bool) {
	info := s.pass.TypesInfo
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return s.compareTimes(call)
	}
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok {
		return "", operands, false
	}
	x, y := b.X, b.Y
	switch b.Op {
	case token.LSS:
	case token.GTR:
		x, y = y, x
	default:
		return "", operands, false // <= is no strict order
	}
	// strings.Compare(x, y) < 0 says it already.
	if tv := info.Types[b.Y]; tv.Value != nil && tv.Value.ExactString() == "0" {
		call, ok := ast.Unparen(b.X).(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return "", operands, false
		}
		fn := typeutil.StaticCallee(info, call)
		if fn == nil || fn.FullName() != "strings.Compare" && fn.FullName() != "bytes.Compare" && fn.FullName() != "cmp.Compare" {
			return "", operands, false
		}
		x, y = call.Args[0], call.Args[1]
		if b.Op == token.GTR {
			x, y = y, x
		}
		left, right, ok := s.sides(x, y)
		if !ok {
			return "", operands, false
		}
		pkg := s.f.use(fn.Pkg().Path(), "Compare", s.call.Pos())
		return pkg + "Compare(" + left + ", " + right + ")", [2]string{left, right}, true
	}
	left, right, ok := s.sides(x, y)
	if !ok {
		return "", operands, false
	}
	t := info.TypeOf(x)
	if mayBeNaN(t) {
		s.class = Review
	}
	if !hasBasicInfo(t, types.IsOrdered) {
		return "", operands, false
	}
	return s.f.use("cmp", "Compare", s.call.Pos()) + "Compare(" + left + ", " + right + ")", [2]string{left, right}, true
}

// compareTimes translates t.Before(u) and t.After(u).
func (s *sorting) compareTimes(call *ast.CallExpr) (text string, operands [2]string, ok bool) {
	fn := typeutil.StaticCallee(s.pass.TypesInfo, call)
	sel, isSel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if fn == nil || !isSel || len(call.Args) != 1 {
		return "", operands, false
	}
	x, y := sel.X, call.Args[0]
	switch fn.FullName() {
	case "(time.Time).Before":
	case "(time.Time).After":
		x, y = y, x
	default:
		return "", operands, false
	}
	left, right, ok := s.sides(x, y)
	if !ok {
		return "", operands, false
	}
	return left + ".Compare(" + right + ")", [2]string{left, right}, true
}

// sides translates the two operands of a comparison, which must be the same
// expression of one element and of the other.
func (s *sorting) sides(x, y ast.Expr) (left, right string, ok bool) {
	left, first, ok1 := s.side(x)
	right, second, ok2 := s.side(y)
	if !ok1 || !ok2 || first == second {
		return "", "", false
	}
	// Swapping the elements' names must turn one side into the other.
	if s.shape(x) != s.shape(y) {
		return "", "", false
	}
	return left, right, true
}

// side translates an expression of one element: s[i].X to a.X. It tells which
// of the two indexes it uses.
func (s *sorting) side(e ast.Expr) (text string, index types.Object, ok bool) {
	info := s.pass.TypesInfo
	ok = true
	var out strings.Builder
	at := e.Pos()
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			if !s.isSlice(n.X) {
				return true
			}
			id, isIdent := ast.Unparen(n.Index).(*ast.Ident)
			if !isIdent || info.Uses[id] != s.i && info.Uses[id] != s.j || index != nil && index != info.Uses[id] {
				ok = false
				return false
			}
			index = info.Uses[id]
			out.WriteString(s.from.between(at, n.Pos()))
			if index == s.i {
				out.WriteString(s.a)
			} else {
				out.WriteString(s.b)
			}
			at = n.End()
			return false
		case *ast.Ident:
			// Fields, methods, and package-level names that mean the same
			// where the new function is; nothing else of less.
			switch obj := info.Uses[n].(type) {
			case nil:
				ok = false
			case *types.PkgName:
				if _, found := s.f.scope(s.call.Pos()).LookupParent(n.Name, s.call.Pos()); found != obj {
					ok = false
				}
			case *types.TypeName, *types.Const, *types.Builtin, *types.Func, *types.Var:
				if !isMember(obj) {
					_, isVar := obj.(*types.Var)
					_, found := s.f.scope(s.call.Pos()).LookupParent(n.Name, s.call.Pos())
					qualified := obj.Pkg() != nil && obj.Pkg() != s.pass.Pkg
					if isVar || !qualified && found != obj {
						ok = false
					}
				}
			}
		case *ast.CallExpr:
			if !harmlessCall(info, n) {
				s.class = Review
			}
		case *ast.FuncLit, *ast.CompositeLit:
			ok = false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW || n.Op == token.AND {
				ok = false
			}
		}
		return ok
	})
	if !ok || index == nil {
		return "", nil, false
	}
	out.WriteString(s.from.between(at, e.End()))
	if s.from.file == s.f.file {
		s.f.text(e) // what it imports stays in use
	}
	text = out.String()
	return text, index, !strings.Contains(text, "\n") && (text == s.a || text == s.b || !s.clashes(e))
}

// clashes reports whether an expression uses the names of the new function's
// parameters for something else.
func (s *sorting) clashes(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Name == s.a || id.Name == s.b || id.Name == "c") {
			if obj := s.pass.TypesInfo.Uses[id]; obj != nil && obj != s.i && obj != s.j && !isMember(obj) && !s.isSlice(id) {
				found = true
			}
		}
		return !found
	})
	return found
}

// shape returns the text of an expression with the two indexes made equal.
func (s *sorting) shape(e ast.Expr) string {
	var out strings.Builder
	at := e.Pos()
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := s.pass.TypesInfo.Uses[id]; obj != nil && (obj == s.i || obj == s.j) {
				out.WriteString(s.from.between(at, id.Pos()) + "$")
				at = id.End()
			}
		}
		return true
	})
	return out.String() + s.from.between(at, e.End())
}
