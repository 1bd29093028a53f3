package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var addrEscape = &analysis.Analyzer{
	Name: "addrescape",
	Doc: `copy a variable where it is shared instead of moving it to the heap

## Why it allocates

A variable whose address may outlive its function is moved to the heap as a
whole, and allocated where it is declared: also when the address is taken only
on a path that is hardly ever run. A closure counts as taking the address unless
the compiler can copy the variable into it, which it does only for variables of
at most 128 bytes that are not assigned to after their declaration, other than in
straight-line code before the first capture.

## The rewrite

On a path that ends the function, the rest of which uses a copy:

	if err != nil {                   if err != nil {
		return report(&req)               req := req
	}                                     return report(&req)
	                                  }

And for closures in a loop, which capture a variable that was set before:

	for _, w := range workers {       for _, w := range workers {
		go func() { w.do(limit) }()       limit := limit
	}                                     go func() { w.do(limit) }()
	                                  }

## When it is not safe

A copy may be used only where nobody can tell it from the original. The rule
asks that a path ends by returning or panicking, that it runs at most once, and
that every address of the variable is taken on such paths; or that no
assignment can follow the closure that captures the variable and that nothing
else has its address. Results with names, variables that hold locks, and
functions with goto are left alone.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		a := &addressTaken{pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex)}
		for c := range a.vars.root.Preorder((*ast.Ident)(nil)) {
			if v, ok := a.info.Defs[c.Node().(*ast.Ident)].(*types.Var); ok && a.movable(v) {
				if !a.endingPaths(v) {
					a.closuresInLoops(v)
				}
			}
		}
		return nil, nil
	},
}

// maxByValue is the size in bytes up to which closures capture by value (see
// flowClosure in cmd/compile/internal/escape).
const maxByValue = 128

type addressTaken struct {
	pass *analysis.Pass
	info *types.Info
	vars *varIndex
}

// movable reports whether v is a variable that may be copied at all.
func (a *addressTaken) movable(v *types.Var) bool {
	if v.Name() == "_" || v.Kind() != types.LocalVar && v.Kind() != types.ParamVar || holdsLock(v.Type(), 0) {
		return false
	}
	fn := funcOf(a.vars.defs[v])
	if !fn.Valid() {
		return false
	}
	for s := range fn.Preorder((*ast.BranchStmt)(nil)) {
		if s.Node().(*ast.BranchStmt).Tok == token.GOTO {
			return false
		}
	}
	return true
}

// holdsLock reports whether values of a type must not be copied: they have
// Lock and Unlock methods on their address, or a part that has.
func holdsLock(t types.Type, depth int) bool {
	if depth > 10 {
		return true
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true // nothing is known
	}
	if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, "Lock"); obj != nil {
		if _, isPointer := t.Underlying().(*types.Pointer); !isPointer && !types.IsInterface(t) {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if holdsLock(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return holdsLock(u.Elem(), depth+1)
	}
	return false
}

// endingPaths reports v if its address is taken only on paths that end the
// function.
func (a *addressTaken) endingPaths(v *types.Var) bool {
	def := a.vars.defs[v]
	byReference := a.size(v) > maxByValue
	for _, u := range a.vars.uses[v] {
		byReference = byReference || a.vars.access(u) != reads
	}
	paths := make(map[ast.Node]inspector.Cursor)
	var order []ast.Node
	outside, leaves := false, false
	for _, u := range a.vars.uses[v] {
		lit := funcOf(u) != funcOf(def)
		if a.vars.access(u) != addresses && !(lit && byReference) {
			if _, ok := a.endingPath(u, v); !ok {
				outside = true
			}
			continue
		}
		path, ok := a.endingPath(u, v)
		if !ok {
			return false
		}
		leaves = leaves || a.leaves(u, v)
		if _, ok := paths[path.Node()]; !ok {
			paths[path.Node()] = path
			order = append(order, path.Node())
		}
	}
	// A path within another one shares its copy: what an address taken in the
	// outer path points to must be what the inner path changes.
	order = slices.DeleteFunc(order, func(n ast.Node) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(paths)), func(outer ast.Node) bool { return n != outer && within(n, outer) })
	})
	if len(order) == 0 || !outside || !leaves {
		return false // nothing is shared, or there is no other path to spare
	}
	f := newFixer(a.pass, def.Node().Pos())
	if f == nil {
		return false
	}
	diag := a.diagnostic(v, "is moved to the heap for a path that ends the function")
	for _, n := range order {
		body := bodyOf(n)
		if a.declares(n, v.Name()) || !f.startsLine(body[0].Pos()) {
			return false
		}
		f.insertBefore(body[0], body[0], v.Name()+" := "+v.Name())
		diag.Related = append(diag.Related, analysis.RelatedInformation{Pos: body[0].Pos(), End: body[0].End(), Message: "here"})
	}
	diag.SuggestedFixes = f.done("Share a copy of " + v.Name() + " there")
	if diag.SuggestedFixes == nil {
		return false
	}
	a.pass.Report(diag)
	return true
}

func (a *addressTaken) size(v *types.Var) int64 {
	if hasTypeParam(v.Type()) {
		return maxByValue + 1
	}
	return a.pass.TypesSizes.Sizeof(v.Type())
}

// hasTypeParam reports whether the size of a type depends on type arguments.
func hasTypeParam(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return u.TypeArgs().Len() > 0 || u.TypeParams().Len() > 0
	case *types.Array:
		return hasTypeParam(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasTypeParam(f.Type()) {
				return true
			}
		}
	}
	return false
}

// declares reports whether a block declares a name itself, or may.
func (a *addressTaken) declares(block ast.Node, name string) bool {
	scope := a.info.Scopes[block]
	return scope == nil || scope.Lookup(name) != nil
}

// endingPath returns the innermost branch around a use that ends v's function
// and has no other way out.
func (a *addressTaken) endingPath(u inspector.Cursor, v *types.Var) (inspector.Cursor, bool) {
	def := a.vars.defs[v]
	for c := range u.Enclosing((*ast.BlockStmt)(nil), (*ast.CaseClause)(nil)) {
		if within(def.Node(), c.Node()) {
			break
		}
		body := bodyOf(c.Node())
		if funcOf(c) != funcOf(def) || len(body) == 0 || !within(u.Node(), &ast.BlockStmt{Lbrace: body[0].Pos(), List: body, Rbrace: body[len(body)-1].End()}) {
			continue
		}
		switch c.ParentEdgeKind() {
		case edge.IfStmt_Body, edge.IfStmt_Else, edge.BlockStmt_List:
		default:
			continue
		}
		block := &ast.BlockStmt{List: body}
		if _, jumps := body[len(body)-1].(*ast.BranchStmt); !jumps && terminates(a.info, block) && exitsOf(block, "")&^returns == 0 {
			return c, true
		}
	}
	return inspector.Cursor{}, false
}

// bodyOf returns the statements of a block or case clause.
func bodyOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	}
	return nil
}

// leaves reports whether a use that takes v's address lets it go: it is passed
// on, or part of a closure that is.
func (a *addressTaken) leaves(u inspector.Cursor, v *types.Var) bool {
	if funcOf(u) != funcOf(a.vars.defs[v]) {
		return a.outlives(a.literal(u, v))
	}
	for c := range u.Enclosing((*ast.UnaryExpr)(nil), (*ast.SliceExpr)(nil)) {
		return a.passedOn(c)
	}
	return false
}

// literal returns the outermost function literal around a use of v that does
// not hold v's declaration.
func (a *addressTaken) literal(u inspector.Cursor, v *types.Var) inspector.Cursor {
	var lit inspector.Cursor
	for l := range u.Enclosing((*ast.FuncLit)(nil)) {
		if within(a.vars.defs[v].Node(), l.Node()) {
			break
		}
		lit = l
	}
	return lit
}

// outlives reports whether a function literal may be called after its function
// returns, as far as the compiler can tell.
func (a *addressTaken) outlives(lit inspector.Cursor) bool {
	if lit.ParentEdgeKind() == edge.CallExpr_Fun {
		return lit.Parent().ParentEdgeKind() == edge.GoStmt_Call
	}
	return a.passedOn(lit)
}

// passedOn reports whether an expression's value goes where the compiler must
// expect it to stay.
func (a *addressTaken) passedOn(c inspector.Cursor) bool {
	switch kind, _ := c.ParentEdge(); kind {
	case edge.ParenExpr_X:
		return a.passedOn(c.Parent())
	case edge.ReturnStmt_Results, edge.SendStmt_Value, edge.CompositeLit_Elts, edge.KeyValueExpr_Value:
		return true
	case edge.CallExpr_Args:
		call := c.Parent().Node().(*ast.CallExpr)
		switch fn := typeutil.Callee(a.info, call).(type) {
		case *types.Builtin:
			return fn.Name() == "append" || fn.Name() == "panic"
		case *types.Func:
			if fn.Pkg() != nil {
				switch fn.Pkg().Path() {
				case "sort", "slices", "strings", "bytes", "maps":
					return false // these call and forget
				}
			}
			return !types.IsInterface(fn.Type()) && fn.FullName() != "(*sync.Once).Do"
		}
		return !a.info.Types[ast.Unparen(call.Fun)].IsType()
	case edge.AssignStmt_Rhs:
		for _, l := range c.Parent().Node().(*ast.AssignStmt).Lhs {
			if v := a.vars.variable(l); v == nil || v.Kind() == types.PackageVar {
				return true
			}
		}
	}
	return false
}

// closuresInLoops reports v if closures in a loop capture it by reference
// though it keeps its value from there on.
func (a *addressTaken) closuresInLoops(v *types.Var) {
	def := a.vars.defs[v]
	if a.size(v) > maxByValue {
		return
	}
	var literals []inspector.Cursor
	var last token.Pos // of the last assignment
	if loop, ok := a.header(v); ok {
		// From Go 1.22 on each iteration has its own variable.
		for _, file := range a.pass.Files {
			if within(loop, file) && !atLeastGo(a.pass, file, "go1.22") {
				return
			}
		}
		last = v.Pos()
	}
	for _, u := range a.vars.uses[v] {
		switch a.vars.access(u) {
		case addresses:
			return
		case assigns:
			if funcOf(u) != funcOf(def) {
				return
			}
			last = max(last, u.Node().Pos())
		}
		if funcOf(u) != funcOf(def) {
			lit := a.literal(u, v)
			if funcOf(lit.Parent()) != funcOf(def) {
				return
			}
			if n := len(literals); n == 0 || literals[n-1] != lit {
				literals = append(literals, lit)
			}
		}
	}
	if len(literals) == 0 || !last.IsValid() {
		return
	}
	// Without a loop around the first closure the compiler sees by itself
	// that no assignment follows.
	loop, ok := outermostLoop(literals[0], v)
	if !ok || last >= loop.Node().Pos() {
		return
	}
	f := newFixer(a.pass, def.Node().Pos())
	if f == nil {
		return
	}
	diag := a.diagnostic(v, "is moved to the heap, because closures in a loop capture it and it was assigned to before")
	blocks := make(map[ast.Node]bool) // that have the copy
	for _, lit := range literals {
		if !a.outlives(lit) {
			continue
		}
		stmt, ok := statement(lit)
		l, inLoop := outermostLoop(lit, v)
		if !ok || !inLoop || l.Node().Pos() < last {
			return
		}
		block := stmt.Parent().Node()
		if blocks[block] {
			continue // a statement before this one brought it
		}
		blocks[block] = true
		if a.declares(block, v.Name()) || !f.startsLine(stmt.Node().Pos()) {
			return
		}
		f.insertBefore(stmt.Node(), stmt.Node(), v.Name()+" := "+v.Name())
		diag.Related = append(diag.Related, analysis.RelatedInformation{Pos: lit.Node().Pos(), End: lit.Node().End(), Message: "captured here"})
	}
	if len(blocks) == 0 {
		return
	}
	if diag.SuggestedFixes = f.done("Let closures capture a copy of " + v.Name()); diag.SuggestedFixes != nil {
		a.pass.Report(diag)
	}
}

// header returns the loop whose header declares v.
func (a *addressTaken) header(v *types.Var) (ast.Node, bool) {
	def := a.vars.defs[v]
	switch def.ParentEdgeKind() {
	case edge.RangeStmt_Key, edge.RangeStmt_Value:
		return def.Parent().Node(), true
	case edge.AssignStmt_Lhs:
		if def.Parent().ParentEdgeKind() == edge.ForStmt_Init {
			return def.Parent().Parent().Node(), true
		}
	}
	return nil, false
}

// outermostLoop returns the outermost loop around c that does not hold v's
// declaration.
func outermostLoop(c inspector.Cursor, v *types.Var) (loop inspector.Cursor, ok bool) {
	for l := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		if l.Node().Pos() <= v.Pos() && v.Pos() < l.Node().End() {
			break
		}
		loop, ok = l, true
	}
	return loop, ok
}

// statement returns the statement in a list that an expression belongs to.
func statement(c inspector.Cursor) (inspector.Cursor, bool) {
	for ; c.Valid() && c.Node() != nil; c = c.Parent() {
		if _, ok := c.Node().(ast.Stmt); ok {
			return c, inList(c)
		}
	}
	return c, false
}

// diagnostic returns the report of a variable that could stay on the stack.
func (a *addressTaken) diagnostic(v *types.Var, why string) analysis.Diagnostic {
	id := a.vars.defs[v].Node()
	return analysis.Diagnostic{
		Pos: id.Pos(), End: id.End(), Category: Safe,
		Message: fmt.Sprintf("%s %s", v.Name(), why),
	}
}
