package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// pure reports whether the expression at the cursor can be evaluated later,
// or not at all, with no difference but its cost: it has no effects, and
// either it cannot panic or, if it did, the program would already have
// panicked before it got there.
//
// certain holds expressions that the rewritten program still evaluates right
// before (a guard), and whose own panics therefore remain.
func pure(info *types.Info, at inspector.Cursor, certain ...ast.Expr) bool {
	e, ok := at.Node().(ast.Expr)
	if !ok || !effectFree(info, e) {
		return false
	}
	hazards := hazardsOf(info, e, true)
	if len(hazards) == 0 {
		return true
	}
	s := survivors{info: info, steady: steadyVars(info, at)}
	s.hazards = hazards
	for _, c := range certain {
		s.evaluated(c)
	}
	s.walk(at)
	return len(s.hazards) == 0
}

// effectFree reports whether evaluating e changes nothing and waits for
// nothing. It may still panic.
func effectFree(info *types.Info, e ast.Expr) bool {
	free := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // made, not run
		case *ast.CallExpr:
			if !harmlessCall(info, n) {
				free = false
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				free = false
			}
		}
		return free
	})
	return free
}

// harmlessCall reports whether a call is a conversion or a built-in function
// that only computes.
func harmlessCall(info *types.Info, call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv, ok := info.Types[fun]; ok && tv.IsType() {
		return true
	}
	b, ok := typeutil.Callee(info, call).(*types.Builtin)
	if !ok {
		return false
	}
	switch b.Name() {
	case "len", "cap", "min", "max", "real", "imag", "complex", "new", "Sizeof", "Alignof", "Offsetof":
		return true
	}
	return false
}

// A hazard is a part of an expression that can panic.
type hazard struct {
	// key is the same for two expressions that panic alike while no
	// variable in them changes; empty where there is no such key.
	key string
	// vars are the variables in key.
	vars []*types.Var
	// loads is set when key depends on memory other than vars: a field
	// behind a pointer, an element.
	loads bool
	// base and index are set for indexing.
	base, index ast.Expr
}

// deref begins the key of a dereference.
const deref = "deref"

// hazardsOf lists what can panic in e. With all unset, it leaves out operands
// that are evaluated only under a condition.
func hazardsOf(info *types.Info, e ast.Expr, all bool) []hazard {
	var list []hazard
	add := func(kind string, operands ...ast.Expr) {
		k := keyer{info: info}
		parts := []string{kind}
		for _, o := range operands {
			parts = append(parts, k.key(o))
		}
		list = append(list, hazard{key: join(parts...), vars: k.vars, loads: k.loads})
	}
	indexing := func(base, index ast.Expr) {
		add("index", base, index)
		h := &list[len(list)-1]
		h.base, h.index = base, index
	}
	ast.Inspect(e, func(n ast.Node) bool {
		x, isExpr := n.(ast.Expr)
		if isExpr {
			if tv := info.Types[x]; tv.IsType() || tv.Value != nil {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			sel := info.Selections[n]
			if sel == nil {
				return false // qualified identifier
			}
			if sel.Kind() == types.MethodExpr {
				return false
			}
			if base, derefs := derefOf(info, n, sel); derefs {
				add(deref, base)
			} else if promotedThroughPointer(sel) {
				list = append(list, hazard{})
			}
		case *ast.StarExpr:
			add(deref, n.X)
		case *ast.IndexExpr:
			t := info.TypeOf(n.X)
			if t == nil {
				break
			}
			switch u := t.Underlying().(type) {
			case *types.Map:
				if mayHoldInterface(u.Key()) {
					indexing(n.X, n.Index)
				}
			case *types.Array:
				if info.Types[n.Index].Value == nil {
					indexing(n.X, n.Index)
				}
			case *types.Pointer:
				add(deref, n.X)
				if info.Types[n.Index].Value == nil {
					indexing(n.X, n.Index)
				}
			case *types.Signature: // instantiation
			default:
				indexing(n.X, n.Index)
			}
		case *ast.SliceExpr:
			if n.Low != nil || n.High != nil || n.Max != nil {
				add("whole", n)
			} else if _, ok := info.TypeOf(n.X).Underlying().(*types.Pointer); ok {
				add(deref, n.X)
			}
		case *ast.TypeAssertExpr:
			add("whole", n)
		case *ast.CompositeLit:
			if t := info.TypeOf(n); t != nil {
				if m, ok := t.Underlying().(*types.Map); ok && mayHoldInterface(m.Key()) {
					list = append(list, hazard{})
				}
			}
		case *ast.CallExpr:
			// A conversion from a slice to an array checks the length.
			if tv := info.Types[ast.Unparen(n.Fun)]; tv.IsType() && len(n.Args) == 1 && convertsToArray(tv.Type, info.TypeOf(n.Args[0])) {
				list = append(list, hazard{})
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LAND, token.LOR:
				if !all {
					list = append(list, hazardsOf(info, n.X, false)...)
					return false
				}
			case token.QUO, token.REM:
				if isInteger(info.TypeOf(n)) {
					if v := info.Types[n.Y].Value; v == nil || constant.Sign(v) == 0 {
						add("/", n.Y)
					}
				}
			case token.SHL, token.SHR:
				if v := info.Types[n.Y].Value; v == nil && !isUnsigned(info.TypeOf(n.Y)) {
					add("<<", n.Y)
				}
			case token.EQL, token.NEQ:
				if mayHoldInterface(info.TypeOf(n.X)) && mayHoldInterface(info.TypeOf(n.Y)) &&
					!info.Types[n.X].IsNil() && !info.Types[n.Y].IsNil() {
					list = append(list, hazard{})
				}
			}
		}
		return true
	})
	return list
}

// derefOf returns what a selector dereferences, if it does so directly.
func derefOf(info *types.Info, n *ast.SelectorExpr, sel *types.Selection) (ast.Expr, bool) {
	recv := sel.Recv().Underlying()
	_, pointer := recv.(*types.Pointer)
	switch sel.Kind() {
	case types.FieldVal:
		return n.X, pointer
	case types.MethodVal:
		if types.IsInterface(sel.Recv()) {
			return n.X, true
		}
		if pointer {
			sig := sel.Obj().Type().(*types.Signature)
			_, wantsPointer := types.Unalias(sig.Recv().Type()).(*types.Pointer)
			return n.X, !wantsPointer || len(sel.Index()) > 1
		}
	}
	return nil, false
}

// promotedThroughPointer reports whether a selector goes through an embedded
// pointer.
func promotedThroughPointer(sel *types.Selection) bool {
	t := sel.Recv()
	index := sel.Index()
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return true
		}
		t = s.Field(i).Type()
		if _, ok := t.Underlying().(*types.Pointer); ok {
			return true
		}
	}
	return false
}

// convertsToArray reports whether a conversion turns a slice into an array or
// a pointer to one.
func convertsToArray(to, from types.Type) bool {
	if from == nil {
		return true
	}
	if _, ok := from.Underlying().(*types.Slice); !ok {
		return false
	}
	switch to.Underlying().(type) {
	case *types.Array, *types.Pointer:
		return true
	}
	return false
}

// mayHoldInterface reports whether comparing values of a type may compare
// dynamic types that cannot be compared.
func mayHoldInterface(t types.Type) bool {
	if t == nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan, *types.Slice, *types.Map, *types.Signature:
		return false
	case *types.Array:
		return mayHoldInterface(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if mayHoldInterface(f.Type()) {
				return true
			}
		}
		return false
	}
	return true // interface, type parameter
}

func isInteger(t types.Type) bool { return hasBasicInfo(t, types.IsInteger) }

func isUnsigned(t types.Type) bool { return hasBasicInfo(t, types.IsUnsigned) }

// hasBasicInfo reports whether a type's underlying type is basic and has the
// property. Type parameters count as having each but unsignedness.
func hasBasicInfo(t types.Type, property types.BasicInfo) bool {
	if t == nil {
		return property != types.IsUnsigned
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return property != types.IsUnsigned
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&property != 0
}

// A keyer writes expressions in a form that two of the same meaning share.
type keyer struct {
	info  *types.Info
	vars  []*types.Var
	loads bool
}

// key returns the expression's form, or "" if it is none of variables,
// fields, elements, dereferences, arithmetic and constants.
func (k *keyer) key(e ast.Expr) string {
	e = ast.Unparen(e)
	if tv := k.info.Types[e]; tv.Value != nil {
		return tv.Value.ExactString()
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := k.info.ObjectOf(e).(*types.Var)
		if !ok {
			return ""
		}
		k.vars = append(k.vars, v)
		return fmt.Sprintf("%s@%d", v.Name(), v.Pos())
	case *ast.SelectorExpr:
		sel := k.info.Selections[e]
		if sel == nil {
			if v, ok := k.info.Uses[e.Sel].(*types.Var); ok {
				k.vars = append(k.vars, v)
				return v.Pkg().Path() + "." + v.Name()
			}
			return ""
		}
		if sel.Kind() != types.FieldVal {
			return ""
		}
		if sel.Indirect() {
			k.loads = true
		}
		return join(k.key(e.X), ".", e.Sel.Name)
	case *ast.StarExpr:
		k.loads = true
		return join("*", k.key(e.X))
	case *ast.IndexExpr:
		k.loads = true
		return join(k.key(e.X), "[]", k.key(e.Index))
	case *ast.SliceExpr:
		parts := []string{k.key(e.X)}
		for _, b := range []ast.Expr{e.Low, e.High, e.Max} {
			parts = append(parts, ":")
			if b != nil {
				parts = append(parts, k.key(b))
			}
		}
		return join(parts...)
	case *ast.BinaryExpr:
		return join(k.key(e.X), e.Op.String(), k.key(e.Y))
	case *ast.UnaryExpr:
		if e.Op == token.ARROW || e.Op == token.AND {
			return ""
		}
		return join(e.Op.String(), k.key(e.X))
	case *ast.TypeAssertExpr:
		if e.Type == nil {
			return ""
		}
		return join(k.key(e.X), ".()", types.TypeString(k.info.TypeOf(e.Type), nil))
	case *ast.CallExpr:
		// len(x) and conversions of numbers change only with their operand.
		if len(e.Args) == 1 && harmlessCall(k.info, e) && isInteger(k.info.TypeOf(e)) {
			return join(types.ExprString(e.Fun), k.key(e.Args[0]))
		}
	}
	return ""
}

// join puts parts together; a part without a form leaves the whole without.
func join(parts ...string) string {
	if slices.Contains(parts, "") {
		return ""
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// steadyVars returns the local variables of the function declaration around
// the cursor that keep the value they are declared with: nothing assigns to
// them, or to a part of them, and nothing takes their address.
func steadyVars(info *types.Info, at inspector.Cursor) func(*types.Var) bool {
	var decl ast.Node
	for c := range at.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		decl = c.Node() // the outermost comes last
	}
	if decl == nil {
		return func(*types.Var) bool { return false }
	}
	changed := make(map[types.Object]bool)
	change := func(e ast.Expr) {
		if id := rootIdent(info, e); id != nil {
			changed[info.ObjectOf(id)] = true
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && info.Defs[id] != nil {
					continue
				}
				change(l)
			}
		case *ast.IncDecStmt:
			change(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				change(n.Key)
				if n.Value != nil {
					change(n.Value)
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				change(n.X)
			}
		case *ast.SliceExpr: // of an array: its elements become shared
			if _, ok := info.TypeOf(n.X).Underlying().(*types.Array); ok {
				change(n.X)
			}
		case *ast.SelectorExpr: // x.M with a pointer receiver takes &x
			if sel := info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
				sig := sel.Obj().Type().(*types.Signature)
				_, wantsPointer := types.Unalias(sig.Recv().Type()).(*types.Pointer)
				if _, has := sel.Recv().Underlying().(*types.Pointer); wantsPointer && !has {
					change(n.X)
				}
			}
		}
		return true
	})
	return func(v *types.Var) bool {
		return !changed[v] && decl.Pos() <= v.Pos() && v.Pos() < decl.End()
	}
}

// rootIdent returns the variable that e is, or is a part of.
func rootIdent(info *types.Info, e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			sel := info.Selections[x]
			if sel == nil || sel.Indirect() {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			if _, ok := info.TypeOf(x.X).Underlying().(*types.Array); !ok {
				return nil
			}
			e = x.X
		default:
			return nil
		}
	}
}

// survivors are the hazards of an expression for which no earlier, certain
// evaluation was found yet.
type survivors struct {
	info    *types.Info
	hazards []hazard
	steady  func(*types.Var) bool
	// clobbered is set once the walk has gone back over code that may write
	// memory: from there on only steady variables keep their value.
	clobbered bool
}

// walk goes back from the cursor over what the function certainly evaluated
// before.
func (s *survivors) walk(at inspector.Cursor) {
	for c := at; len(s.hazards) > 0; c = c.Parent() {
		parent := c.Parent()
		if !parent.Valid() {
			return
		}
		kind, _ := c.ParentEdge()
		switch kind {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			s.walkBack(c)
			if kind == edge.CommClause_Body {
				s.clobbered = true // received from a channel
			}
		case edge.IfStmt_Body, edge.IfStmt_Else:
			n := parent.Node().(*ast.IfStmt)
			s.clobber(n.Cond)
			s.condition(n.Cond, kind == edge.IfStmt_Body)
			s.header(n.Init, n.Cond)
		case edge.ForStmt_Body:
			n := parent.Node().(*ast.ForStmt)
			if n.Cond != nil {
				s.clobber(n.Cond)
				s.condition(n.Cond, true)
				s.evaluated(n.Cond)
			}
			s.clobber(n.Body)
			if n.Post != nil {
				s.clobber(n.Post)
			}
			s.header(n.Init, nil)
		case edge.RangeStmt_Body:
			n := parent.Node().(*ast.RangeStmt)
			s.inRange(n)
			s.clobber(n.Body)
			s.clobbered = s.clobbered || n.Tok == token.ASSIGN || rangesOverCalls(s.info, n)
			s.header(nil, n.X)
		case edge.SwitchStmt_Body:
			n := parent.Node().(*ast.SwitchStmt)
			// The case expressions ran in between.
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					s.clobber(e)
				}
			}
			s.header(n.Init, n.Tag)
		case edge.TypeSwitchStmt_Body:
			s.clobbered = true
		case edge.FuncDecl_Body, edge.FuncLit_Body:
			return
		default:
			// What the other operands do may come in between.
			for child := range parent.Children() {
				if child != c {
					s.clobber(child.Node())
				}
			}
		}
	}
}

// walkBack goes over the statements before the cursor's in its list.
func (s *survivors) walkBack(c inspector.Cursor) {
	if hasLabel(c.Node()) {
		return // a goto may come from anywhere
	}
	for prev, ok := c.PrevSibling(); ok; prev, ok = prev.PrevSibling() {
		stmt, isStmt := prev.Node().(ast.Stmt)
		if !isStmt || hasLabel(stmt) {
			return
		}
		switch n := stmt.(type) {
		case *ast.IfStmt:
			if n.Else == nil && terminates(s.info, n.Body) && !contains[*ast.LabeledStmt](n.Body) {
				s.clobber(n.Cond)
				s.condition(n.Cond, false) // went on: the condition was false
				s.header(n.Init, n.Cond)
				continue
			}
			s.clobber(stmt)
			s.header(n.Init, n.Cond)
		case *ast.ForStmt:
			s.clobber(stmt)
			s.header(n.Init, n.Cond)
		case *ast.RangeStmt:
			s.clobber(stmt)
			s.header(nil, n.X)
		case *ast.SwitchStmt:
			s.clobber(stmt)
			s.header(n.Init, n.Tag)
		case *ast.ExprStmt:
			s.clobber(stmt)
			s.evaluated(n.X)
		case *ast.AssignStmt:
			s.assigned(n)
			s.clobber(stmt)
			for _, e := range n.Rhs {
				s.evaluated(e)
			}
			for _, e := range n.Lhs {
				s.evaluated(e)
			}
		case *ast.IncDecStmt:
			s.clobber(stmt)
			s.evaluated(n.X)
		case *ast.SendStmt:
			s.clobber(stmt)
			s.evaluated(n.Chan)
			s.evaluated(n.Value)
		case *ast.DeclStmt:
			s.clobber(stmt)
			if g, ok := n.Decl.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, e := range v.Values {
							s.evaluated(e)
						}
					}
				}
			}
		default:
			s.clobber(stmt)
		}
	}
}

// header takes account of a statement's init statement and the expression
// that follows it.
func (s *survivors) header(init ast.Stmt, e ast.Expr) {
	if e != nil {
		s.clobber(e)
		s.evaluated(e)
	}
	switch init := init.(type) {
	case nil:
	case *ast.AssignStmt:
		s.assigned(init)
		s.clobber(init)
		for _, e := range init.Rhs {
			s.evaluated(e)
		}
	default:
		s.clobber(init)
	}
}

// evaluated drops the hazards that evaluating e would already have met.
func (s *survivors) evaluated(e ast.Expr) {
	met := make(map[string]bool)
	for _, h := range hazardsOf(s.info, e, false) {
		met[h.key] = true
	}
	s.drop(func(h hazard) bool { return h.key != "" && met[h.key] })
}

// drop removes the hazards for which done holds and whose variables still
// have the value they had at the point that the walk has reached.
func (s *survivors) drop(done func(hazard) bool) {
	s.hazards = slices.DeleteFunc(s.hazards, func(h hazard) bool { return s.current(h) && done(h) })
}

// current reports whether a hazard's operands have not changed since the
// point that the walk has reached.
func (s *survivors) current(h hazard) bool {
	if !s.clobbered {
		return true
	}
	return !h.loads && !slices.ContainsFunc(h.vars, func(v *types.Var) bool { return !s.steady(v) })
}

// condition drops dereferences of what a condition that came out as held says
// is not nil.
func (s *survivors) condition(cond ast.Expr, held bool) {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			s.condition(e.X, !held)
		}
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.LAND && held, e.Op == token.LOR && !held:
			s.condition(e.X, held)
			s.condition(e.Y, held)
		case e.Op == token.NEQ && held, e.Op == token.EQL && !held:
			x := e.X
			if s.info.Types[e.X].IsNil() {
				x = e.Y
			} else if !s.info.Types[e.Y].IsNil() {
				return
			}
			s.notNil(x)
		}
	}
}

// notNil drops the dereferences of x.
func (s *survivors) notNil(x ast.Expr) {
	if t := s.info.TypeOf(x); t == nil || types.IsInterface(t) {
		return // a method value of an interface holding a nil pointer may still panic
	}
	k := keyer{info: s.info}
	if key := k.key(x); key != "" {
		s.drop(func(h hazard) bool { return h.key == join(deref, key) })
	}
}

// assigned drops the dereferences of variables that an assignment sets to a
// new value's address.
func (s *survivors) assigned(n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, r := range n.Rhs {
		fresh := false
		switch r := ast.Unparen(r).(type) {
		case *ast.UnaryExpr:
			fresh = r.Op == token.AND
		case *ast.CallExpr:
			b, ok := typeutil.Callee(s.info, r).(*types.Builtin)
			fresh = ok && b.Name() == "new"
		}
		if fresh {
			if id, ok := n.Lhs[i].(*ast.Ident); ok && s.info.Defs[id] != nil {
				s.notNil(id)
			}
		}
	}
}

// inRange drops indexing by the key of a range loop over the same operand,
// whose length is that of a variable that keeps its value.
func (s *survivors) inRange(n *ast.RangeStmt) {
	id, ok := n.Key.(*ast.Ident)
	if !ok || s.info.Defs[id] == nil {
		return
	}
	operand, ok := ast.Unparen(n.X).(*ast.Ident)
	if !ok {
		return
	}
	v, ok := s.info.ObjectOf(operand).(*types.Var)
	key, _ := s.info.Defs[id].(*types.Var)
	if !ok || key == nil || !s.steady(v) || !s.steady(key) {
		return
	}
	switch u := v.Type().Underlying().(type) {
	case *types.Slice, *types.Array:
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return
		}
	default:
		return
	}
	same := func(e ast.Expr, v *types.Var) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && s.info.ObjectOf(id) == v
	}
	s.hazards = slices.DeleteFunc(s.hazards, func(h hazard) bool {
		return h.base != nil && same(h.base, v) && same(h.index, key)
	})
}

// rangesOverCalls reports whether a range loop runs other code between its
// iterations.
func rangesOverCalls(info *types.Info, n *ast.RangeStmt) bool {
	t := info.TypeOf(n.X)
	if t == nil {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Basic, *types.Map, *types.Pointer:
		return false
	}
	return true
}

// clobber notes whether running n may change a variable or memory.
func (s *survivors) clobber(n ast.Node) {
	if s.clobbered {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if !harmlessCall(s.info, n) {
				s.clobbered = true
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); !ok || id.Name != "_" && s.info.Defs[id] == nil {
					s.clobbered = true
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN || rangesOverCalls(s.info, n) {
				s.clobbered = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				s.clobbered = true
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.SelectStmt:
			s.clobbered = true
		}
		return !s.clobbered
	})
}

// hasLabel reports whether a statement carries a label.
func hasLabel(n ast.Node) bool {
	_, ok := n.(*ast.LabeledStmt)
	return ok
}

// terminates reports whether control does not run off a block's end. It knows
// the plain forms: return, panic, break, continue, goto.
func terminates(info *types.Info, b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := last.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		b, ok := typeutil.Callee(info, call).(*types.Builtin)
		return ok && b.Name() == "panic"
	}
	return false
}

// contains reports whether a node of type N is in the tree at n.
func contains[N ast.Node](n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(N); ok {
			found = true
		}
		return !found
	})
	return found
}
