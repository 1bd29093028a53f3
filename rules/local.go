package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"go/version"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// varsAnalyzer indexes the uses of a package's variables for the rules that
// follow a value through its function.
var varsAnalyzer = &analysis.Analyzer{
	Name:       "unheapvars",
	Doc:        "index the uses of variables",
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	ResultType: reflect.TypeFor[*varIndex](),
	Run: func(pass *analysis.Pass) (any, error) {
		x := &varIndex{
			info: pass.TypesInfo,
			root: pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root(),
			defs: make(map[*types.Var]inspector.Cursor),
			uses: make(map[*types.Var][]inspector.Cursor),
		}
		for c := range x.root.Preorder((*ast.Ident)(nil)) {
			id := c.Node().(*ast.Ident)
			if v, ok := x.info.Defs[id].(*types.Var); ok {
				x.defs[v] = c
			} else if v, ok := x.info.Uses[id].(*types.Var); ok {
				x.uses[v] = append(x.uses[v], c)
			}
		}
		return x, nil
	},
}

// A varIndex answers questions about variables by syntax and types alone.
type varIndex struct {
	info *types.Info
	root inspector.Cursor
	defs map[*types.Var]inspector.Cursor   // declaring identifiers
	uses map[*types.Var][]inspector.Cursor // all other identifiers, in lexical order
}

// isLocal reports whether v is declared in a function's body. Parameters,
// results and receivers are not.
func (x *varIndex) isLocal(v *types.Var) bool { return v != nil && v.Kind() == types.LocalVar }

// variable returns the variable that e names, or nil.
func (x *varIndex) variable(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := x.info.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

// funcOf returns the innermost function around c.
func funcOf(c inspector.Cursor) inspector.Cursor {
	for f := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		return f
	}
	return inspector.Cursor{}
}

// captured reports whether a function literal uses v from outside.
func (x *varIndex) captured(v *types.Var) bool {
	def, ok := x.defs[v]
	return !ok || slices.ContainsFunc(x.uses[v], func(u inspector.Cursor) bool { return funcOf(u) != funcOf(def) })
}

// An access is what one use does to a variable.
type access int

const (
	reads     access = iota
	assigns          // sets the variable or a part of it
	addresses        // takes the address of it or of a part: anything may follow
)

// access classifies a use of a variable.
func (x *varIndex) access(use inspector.Cursor) access {
	c := use
	for {
		parent := c.Parent()
		switch kind, _ := c.ParentEdge(); kind {
		case edge.ParenExpr_X:
		case edge.SelectorExpr_X:
			sel := x.info.Selections[parent.Node().(*ast.SelectorExpr)]
			if sel == nil {
				return reads
			}
			if sel.Kind() == types.MethodVal {
				return x.methodAccess(sel)
			}
			if _, pointer := sel.Recv().Underlying().(*types.Pointer); pointer || promotedThroughPointer(sel) {
				return reads
			}
		case edge.IndexExpr_X:
			if !isArray(x.info.TypeOf(c.Node().(ast.Expr))) {
				return reads
			}
		case edge.SliceExpr_X:
			if isArray(x.info.TypeOf(c.Node().(ast.Expr))) {
				return addresses
			}
			return reads
		case edge.UnaryExpr_X:
			if parent.Node().(*ast.UnaryExpr).Op == token.AND {
				return addresses
			}
			return reads
		case edge.AssignStmt_Lhs, edge.IncDecStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value:
			return assigns
		case edge.RangeStmt_X:
			return reads
		default:
			return reads
		}
		c = parent
	}
}

// methodAccess says what calling a method does to its operand.
func (x *varIndex) methodAccess(sel *types.Selection) access {
	sig, ok := sel.Obj().Type().(*types.Signature)
	if !ok || sig.Recv() == nil {
		return reads
	}
	_, wantsPointer := types.Unalias(sig.Recv().Type()).(*types.Pointer)
	_, pointer := sel.Recv().Underlying().(*types.Pointer)
	if wantsPointer && !pointer && !promotedThroughPointer(sel) {
		return addresses
	}
	return reads
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// steadyBetween reports whether v surely has the same value at two positions
// of its function, the first before the second, with no loop around only one
// of them.
func (x *varIndex) steadyBetween(v *types.Var, from, to token.Pos) bool {
	def, ok := x.defs[v]
	if !ok || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
		return false
	}
	for _, u := range x.uses[v] {
		switch x.access(u) {
		case addresses:
			return false
		case assigns:
			if funcOf(u) != funcOf(def) || from <= u.Node().Pos() && u.Node().Pos() < to {
				return false
			}
		}
	}
	return true
}

// mentions reports whether n uses v.
func (x *varIndex) mentions(n ast.Node, v *types.Var) bool {
	return slices.ContainsFunc(x.uses[v], func(u inspector.Cursor) bool { return within(u.Node(), n) })
}

// usesIn returns the uses of v in n.
func (x *varIndex) usesIn(n ast.Node, v *types.Var) []inspector.Cursor {
	var in []inspector.Cursor
	for _, u := range x.uses[v] {
		if within(u.Node(), n) {
			in = append(in, u)
		}
	}
	return in
}

// within reports whether n lies in outer.
func within(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// inList reports whether a statement stands in a list of statements, so that
// others can be put before and after it.
func inList(c inspector.Cursor) bool {
	switch c.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
		return true
	}
	return false
}

// An exit is a set of ways to leave the body of a loop before its end.
type exit int

const (
	continues exit = 1 << iota // to the next iteration
	breaks                     // to behind the loop
	returns                    // out of the function
	jumps                      // to a label outside, or to any by goto
)

// exitsOf lists how the body of a loop, which may carry a label, can be left
// other than by panics and by calls that do not return.
func exitsOf(body *ast.BlockStmt, label string) exit {
	var found exit
	inner := make(map[string]bool)
	ast.Inspect(body, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok {
			inner[l.Label.Name] = true
		}
		return true
	})
	var walk func(n ast.Node, ownBreak, ownContinue bool)
	walk = func(n ast.Node, ownBreak, ownContinue bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				walk(m, true, true)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				walk(m, true, ownContinue)
				return false
			case *ast.ReturnStmt:
				found |= returns
			case *ast.BranchStmt:
				switch {
				case m.Tok == token.GOTO:
					found |= jumps
				case m.Label != nil && inner[m.Label.Name]:
				case m.Label != nil && m.Label.Name == label:
					if m.Tok == token.BREAK {
						found |= breaks
					} else {
						found |= continues
					}
				case m.Label != nil:
					found |= jumps
				case m.Tok == token.BREAK && !ownBreak:
					found |= breaks
				case m.Tok == token.CONTINUE && !ownContinue:
					found |= continues
				}
			}
			return true
		})
	}
	walk(body, false, false)
	return found
}

// mayStop reports whether running n may panic, wait for ever or leave n before
// its end, for all that can be seen without following calls.
func mayStop(info *types.Info, n ast.Node) bool {
	stop := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt:
			stop = true
		case *ast.CallExpr:
			b, ok := typeutil.Callee(info, n).(*types.Builtin)
			if !harmlessCall(info, n) && !(ok && b.Name() == "append") {
				stop = true
			}
		case ast.Expr:
			if len(hazardsOf(info, n, true)) > 0 {
				stop = true
			}
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
				stop = true
			}
		}
		return !stop
	})
	return stop
}

// intConstant returns the value of a constant integer expression.
func intConstant(info *types.Info, e ast.Expr) (int64, bool) {
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(v)
}

// isBuiltin reports whether e names the predeclared function.
func isBuiltin(info *types.Info, e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = info.Uses[id].(*types.Builtin)
	return ok
}

// predeclared reports whether names have their predeclared meaning at pos.
func (f *fixer) predeclared(pos token.Pos, names ...string) bool {
	scope := f.scope(pos)
	return !slices.ContainsFunc(names, func(name string) bool {
		_, obj := scope.LookupParent(name, pos)
		return obj == nil || obj.Parent() != types.Universe
	})
}

// free returns a name like the wanted one that means nothing in the function
// around c and in the scopes around it.
func (f *fixer) free(c inspector.Cursor, name string) string {
	fn := c
	for e := range c.Enclosing((*ast.FuncDecl)(nil)) {
		fn = e
	}
	used := make(map[string]bool)
	ast.Inspect(fn.Node(), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for try := name; ; try += "1" {
		if _, obj := f.scope(c.Node().Pos()).LookupParent(try, token.NoPos); obj == nil && !used[try] {
			return try
		}
	}
}

// atLeastGo reports whether the file's language version is v ("go1.21") or
// later, or is not known.
func atLeastGo(pass *analysis.Pass, file *ast.File, v string) bool {
	have := pass.TypesInfo.FileVersions[file]
	if have == "" {
		have = pass.Pkg.GoVersion()
	}
	return have == "" || version.Compare(have, v) >= 0
}

// indent returns the white space at the start of pos's line.
func (f *fixer) indent(pos token.Pos) string {
	tf := f.pass.Fset.File(pos)
	line := f.between(tf.LineStart(tf.Line(pos)), pos)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// startsLine reports whether nothing but white space is before pos in its line.
func (f *fixer) startsLine(pos token.Pos) bool {
	tf := f.pass.Fset.File(pos)
	return strings.TrimSpace(f.between(tf.LineStart(tf.Line(pos)), pos)) == ""
}

// insertBefore puts statements before one that starts its line; its own
// indentation is that of n, which may be a part of it behind a label.
func (f *fixer) insertBefore(stmt, n ast.Node, lines ...string) {
	tf := f.pass.Fset.File(stmt.Pos())
	at := tf.LineStart(tf.Line(stmt.Pos()))
	indent := f.indent(n.Pos())
	f.edit(at, at, indent+strings.Join(lines, "\n"+indent)+"\n")
}
