package rules

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

var presize = &analysis.Analyzer{
	Name: "presize",
	Doc: `give a slice or map that a loop fills its final size at once

## Why it allocates

append that runs out of capacity allocates a larger array and copies the
elements over; a slice that grows to n elements does so about log n times and
throws away as much memory as it keeps. A map grows in the same way. Where the
number of iterations is known before the loop, one allocation does.

## The rewrite

	s := []T{}                        s := make([]T, 0, len(xs))
	var s []T                         s := slices.Grow([]T(nil), len(xs))
	m := make(map[K]V)                m := make(map[K]V, len(xs))
	for _, x := range xs {            for _, x := range xs {
		s = append(s, f(x))               s = append(s, f(x))
	}                                 }

Bounds are the lengths of slices, arrays and maps that are ranged over, the
limits of counting loops, and their sum where several loops follow each other.
slices.Grow keeps a nil slice nil when there is nothing to append; where nobody
can tell an empty slice from a nil one, make takes its place.

## When it is not safe

Only a person can decide (class review) whether

  - to reserve room for appends under a condition, most of which may not happen;
  - a nil slice may become an empty one, which encoding/json writes as [] and
    not as null, when the loop is left before its first append;
  - to trust a bound that no existing data backs: a count read from input may be
    huge, and the loop may have stopped early because of it;
  - the loop shares the slice while it grows: two slices that had parted when
    append moved one of them now share their elements.

No rewrite is offered where the bound has side effects, may be changed before
the loop, or does not limit the loop.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		p := &presizer{pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex)}
		for c := range p.vars.root.Preorder((*ast.AssignStmt)(nil), (*ast.DeclStmt)(nil)) {
			if inList(c) {
				if d, ok := p.declares(c); ok {
					p.check(d)
				}
			}
		}
		return nil, nil
	},
}

type presizer struct {
	pass *analysis.Pass
	info *types.Info
	vars *varIndex
}

// A container is the declaration of an empty slice or map.
type container struct {
	at       inspector.Cursor // the statement
	v        *types.Var
	isMap    bool
	isNil    bool
	typeExpr ast.Expr
	value    ast.Expr // nil for a variable without value
}

// declares recognises the declaration of one empty slice or map.
func (p *presizer) declares(c inspector.Cursor) (container, bool) {
	d := container{at: c}
	var name *ast.Ident
	switch n := c.Node().(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
			return d, false
		}
		name, _ = n.Lhs[0].(*ast.Ident)
		d.value = n.Rhs[0]
	case *ast.DeclStmt:
		g := n.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR || g.Lparen.IsValid() || len(g.Specs) != 1 {
			return d, false
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		if len(spec.Names) != 1 || len(spec.Values) > 1 || len(spec.Values) == 1 && spec.Type != nil {
			return d, false
		}
		name, d.typeExpr = spec.Names[0], spec.Type
		if len(spec.Values) == 1 {
			d.value = spec.Values[0]
		}
	}
	if name == nil {
		return d, false
	}
	d.v, _ = p.info.Defs[name].(*types.Var)
	if d.v == nil {
		return d, false
	}
	switch d.v.Type().Underlying().(type) {
	case *types.Slice:
	case *types.Map:
		d.isMap = true
	default:
		return d, false
	}
	switch value := d.value.(type) {
	case nil:
		d.isNil = true
		return d, !d.isMap
	case *ast.CompositeLit:
		d.typeExpr = value.Type
		return d, len(value.Elts) == 0 && value.Type != nil
	case *ast.CallExpr:
		if !isBuiltin(p.info, value.Fun, "make") {
			return d, false
		}
		d.typeExpr = value.Args[0]
		if d.isMap {
			return d, len(value.Args) == 1
		}
		if len(value.Args) != 2 {
			return d, false
		}
		size, ok := intConstant(p.info, value.Args[1])
		return d, ok && size == 0
	}
	return d, false
}

// A bound is how often a loop's body runs, at most.
type bound struct {
	n     int64      // if exprs is empty
	text  string     // a Go expression that is never negative, otherwise
	exprs []ast.Expr // what text evaluates
	// data is set when existing elements back the bound, so that it cannot be
	// larger than memory.
	data bool
	// inexact is set when the body may run less often without being left.
	inexact bool
	max     bool // text calls max, which Go 1.21 brought
}

// A growth is a statement that adds elements to a container.
type growth struct {
	at     inspector.Cursor
	bound  bound
	per    int // elements a run of the body
	sites  []ast.Node
	review string // why a person must decide, or ""
}

// check reports the container if the statements after it fill it.
func (p *presizer) check(d container) {
	var fills []growth
	certain := false // something was appended before any loop
	looped := false
	for c, ok := d.at.NextSibling(); ok; c, ok = c.NextSibling() {
		if !p.vars.mentions(c.Node(), d.v) {
			continue
		}
		g, kind := p.growth(d, c, certain)
		if kind == noGrowth {
			break
		}
		g.at = c
		fills = append(fills, g)
		if kind == appendGrowth {
			certain = certain || g.bound.exprs == nil
		} else {
			looped = true
		}
	}
	if !looped {
		return
	}
	// Sizes that are not known yet at the declaration end the sum.
	n := slices.IndexFunc(fills, func(g growth) bool { return !p.movable(d, g) })
	if n < 0 {
		n = len(fills)
	}
	if slices.ContainsFunc(fills[:n], func(g growth) bool { return len(g.sites) > 0 }) {
		p.report(d, fills[:n], nil)
	} else if n == 0 && len(fills[0].sites) > 0 && !d.isMap {
		p.report(d, fills[:1], fills[0].at.Node())
	}
}

type growthKind int

const (
	noGrowth growthKind = iota
	appendGrowth
	loopGrowth
)

// growth classifies a statement that mentions the container. certain says that
// the container is known not to be empty by then.
func (p *presizer) growth(d container, c inspector.Cursor, certain bool) (growth, growthKind) {
	var g growth
	label, stmt := "", c.Node()
	if l, ok := stmt.(*ast.LabeledStmt); ok {
		label, stmt = l.Label.Name, l.Stmt
	}
	var body *ast.BlockStmt
	var ok bool
	switch n := stmt.(type) {
	case *ast.AssignStmt:
		call := p.appends(n, d.v)
		if call == nil || len(p.vars.usesIn(n, d.v)) != 2 {
			return g, noGrowth
		}
		g.per = 1
		if !call.Ellipsis.IsValid() {
			g.bound.n = int64(len(call.Args) - 1)
			return g, appendGrowth
		}
		g.bound, ok = p.lengthOf(call.Args[1])
		if !ok {
			return g, noGrowth
		}
		return g, appendGrowth
	case *ast.RangeStmt:
		body = n.Body
		if p.vars.mentions(n.X, d.v) {
			return g, noGrowth
		}
		g.bound, ok = p.rangeBound(n)
	case *ast.ForStmt:
		body = n.Body
		g.bound, ok = p.countBound(n)
	}
	if !ok {
		return g, noGrowth
	}
	exits := exitsOf(body, label)
	if d.isMap {
		for _, s := range body.List {
			if p.stores(s, d.v) {
				g.sites = append(g.sites, s)
			}
		}
		g.per = len(g.sites)
		if g.per == 0 || exits&continues != 0 {
			return g, noGrowth
		}
	} else {
		least, most, ok := p.count(body.List, d.v, &g.sites)
		if !ok || most == 0 {
			return g, noGrowth
		}
		g.per = most
		if least < most || exits&continues != 0 {
			g.review = "not every iteration appends"
		}
		if why, ok := p.otherUses(d, stmt); !ok {
			return g, noGrowth
		} else if g.review == "" {
			g.review = why
		}
		if g.review == "" && d.isNil && !certain && p.nilMatters(d.v) &&
			(exits&(breaks|jumps) != 0 || exits&returns != 0 && p.returned(body, d.v)) {
			g.review = "leaving the loop early would leave an empty slice, not a nil one"
		}
	}
	if g.review == "" && g.bound.inexact {
		g.review = "the bound may be more than is needed"
	}
	if g.review == "" && !g.bound.data && g.bound.exprs != nil && mayStop(p.info, body) {
		g.review = "the bound is a number that may be larger than what the loop gets to"
	}
	if g.review == "" && g.bound.exprs == nil && g.bound.n > 1024 && exits&(breaks|returns|jumps) != 0 {
		g.review = "the loop may stop long before its limit"
	}
	return g, loopGrowth
}

// appends returns the call if n is v = append(v, ...).
func (p *presizer) appends(n ast.Node, v *types.Var) *ast.CallExpr {
	a, ok := n.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != 1 || len(a.Rhs) != 1 || p.vars.variable(a.Lhs[0]) != v {
		return nil
	}
	call, ok := ast.Unparen(a.Rhs[0]).(*ast.CallExpr)
	if !ok || !isBuiltin(p.info, call.Fun, "append") || len(call.Args) < 2 || p.vars.variable(call.Args[0]) != v {
		return nil
	}
	return call
}

// stores reports whether n is m[k] = x.
func (p *presizer) stores(n ast.Node, m *types.Var) bool {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	ix, ok := a.Lhs[0].(*ast.IndexExpr)
	return ok && p.vars.variable(ix.X) == m && p.info.Types[ix.Index].Value == nil
}

// count returns how many elements one run of the statements appends to v, at
// least and at most. It fails if that has no bound.
func (p *presizer) count(list []ast.Stmt, v *types.Var, sites *[]ast.Node) (least, most int, ok bool) {
	for _, s := range list {
		if !p.vars.mentions(s, v) {
			continue
		}
		l, m, ok := p.countIn(s, v, sites)
		if !ok {
			return 0, 0, false
		}
		least, most = least+l, most+m
	}
	return least, most, true
}

func (p *presizer) countIn(s ast.Stmt, v *types.Var, sites *[]ast.Node) (least, most int, ok bool) {
	if call := p.appends(s, v); call != nil {
		if call.Ellipsis.IsValid() {
			return 0, 0, false
		}
		*sites = append(*sites, call)
		n := len(call.Args) - 1
		return n, n, true
	}
	branch := func(first *bool, list []ast.Stmt) bool {
		l, m, ok := p.count(list, v, sites)
		if *first {
			least, *first = l, false
		}
		least, most = min(least, l), max(most, m)
		return ok
	}
	first := true
	switch s := s.(type) {
	case *ast.BlockStmt:
		return p.count(s.List, v, sites)
	case *ast.IfStmt:
		ok := branch(&first, s.Body.List)
		switch e := s.Else.(type) {
		case nil:
			least = 0
		default:
			ok = ok && branch(&first, []ast.Stmt{e})
		}
		return least, most, ok
	case *ast.SwitchStmt:
		ok, complete := true, false
		for _, clause := range s.Body.List {
			c := clause.(*ast.CaseClause)
			complete = complete || c.List == nil
			ok = ok && branch(&first, c.Body)
			if n := len(c.Body); n > 0 {
				if b, isBranch := c.Body[n-1].(*ast.BranchStmt); isBranch && b.Tok == token.FALLTHROUGH {
					ok = false
				}
			}
		}
		if !complete || exitsOf(s.Body, "")&breaks != 0 {
			least = 0
		}
		return least, most, ok
	default:
		// Anywhere else an append has no bound.
		for _, u := range p.vars.usesIn(s, v) {
			if p.vars.access(u) == assigns {
				return 0, 0, false
			}
		}
		return 0, 0, true
	}
}

// otherUses looks at what a loop does with the slice besides appending to it.
// It fails if that makes the length unpredictable, and returns why it takes a
// person to decide.
func (p *presizer) otherUses(d container, loop ast.Node) (review string, ok bool) {
	for _, u := range p.vars.usesIn(loop, d.v) {
		if funcOf(u) != funcOf(d.at) {
			return "", false
		}
		if p.vars.access(u) == reads && isReturned(u) {
			continue // the slice grows no more
		}
		switch parent := u.Parent().Node().(type) {
		case *ast.AssignStmt:
			if p.appends(parent, d.v) != nil {
				continue
			}
			if p.vars.access(u) == assigns {
				return "", false
			}
		case *ast.CallExpr:
			if isBuiltin(p.info, parent.Fun, "len") {
				continue
			}
			if isBuiltin(p.info, parent.Fun, "append") && parent.Args[0] == u.Node() {
				if a, isAssign := u.Parent().Parent().Node().(*ast.AssignStmt); isAssign && p.appends(a, d.v) == parent {
					continue
				}
			}
		case *ast.IndexExpr:
			if parent.X == u.Node() && p.vars.access(u.Parent()) != addresses {
				continue
			}
		}
		review = "the loop also uses " + d.v.Name() + " in other ways while it grows"
	}
	return review, true
}

// returned reports whether a return in the body mentions v.
func (p *presizer) returned(body ast.Node, v *types.Var) bool {
	return slices.ContainsFunc(p.vars.usesIn(body, v), isReturned)
}

// isReturned reports whether an expression is part of a return statement of
// its function.
func isReturned(c inspector.Cursor) bool {
	for r := range c.Enclosing((*ast.ReturnStmt)(nil), (*ast.FuncLit)(nil)) {
		_, ok := r.Node().(*ast.ReturnStmt)
		return ok
	}
	return false
}

// nilMatters reports whether somebody may tell a nil slice in v from an empty
// one.
func (p *presizer) nilMatters(v *types.Var) bool {
	return slices.ContainsFunc(p.vars.uses[v], func(u inspector.Cursor) bool {
		switch parent := u.Parent().Node().(type) {
		case *ast.RangeStmt:
			return false
		case *ast.IndexExpr:
			return parent.X != u.Node()
		case *ast.AssignStmt:
			return p.appends(parent, v) == nil
		case *ast.CallExpr:
			switch {
			case isBuiltin(p.info, parent.Fun, "len"), isBuiltin(p.info, parent.Fun, "cap"), isBuiltin(p.info, parent.Fun, "copy"):
				return false
			case isBuiltin(p.info, parent.Fun, "append"):
				a, ok := u.Parent().Parent().Node().(*ast.AssignStmt)
				spread := parent.Ellipsis.IsValid() && parent.Args[0] != u.Node()
				return !spread && !(ok && p.appends(a, v) == parent)
			}
			return !ignoresNil(p.info, parent)
		}
		return true
	})
}

// ignoresNil reports whether a call treats nil and empty slices alike and
// returns neither of them.
func ignoresNil(info *types.Info, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "strings.Join", "bytes.Join", "sort.Strings", "sort.Ints", "sort.Float64s", "sort.Slice", "sort.SliceStable",
		"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Contains", "slices.Index", "slices.Max", "slices.Min":
		return true
	}
	return false
}

// rangeBound returns how often a range loop runs.
func (p *presizer) rangeBound(n *ast.RangeStmt) (bound, bool) {
	t := p.info.TypeOf(n.X)
	if t == nil {
		return bound{}, false
	}
	if _, ok := t.Underlying().(*types.Basic); ok && isInteger(t) {
		return p.number(n.X, 0)
	}
	return p.lengthOf(n.X)
}

// lengthOf returns the length of what e holds.
func (p *presizer) lengthOf(e ast.Expr) (bound, bool) {
	b := bound{exprs: []ast.Expr{e}, data: true}
	t := p.info.TypeOf(e)
	if t == nil || !p.repeatable(e) {
		return b, false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Map:
	case *types.Pointer:
		if !isArray(u.Elem()) {
			return b, false
		}
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return b, false
		}
		// A string has at most as many runes as bytes.
		b.inexact = true
	default:
		return b, false
	}
	b.text = "len(" + types.ExprString(e) + ")"
	return b, true
}

// repeatable reports whether e can be evaluated once more at no cost and with
// the same result.
func (p *presizer) repeatable(e ast.Expr) bool {
	k := keyer{info: p.info}
	return k.key(e) != "" && effectFree(p.info, e) && !contains[*ast.CompositeLit](e)
}

// countBound returns how often a counting loop runs.
func (p *presizer) countBound(n *ast.ForStmt) (bound, bool) {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return bound{}, false
	}
	i := p.vars.variable(init.Lhs[0])
	post, ok := n.Post.(*ast.IncDecStmt)
	if !ok || i == nil || p.vars.variable(post.X) != i || !types.Identical(i.Type(), types.Typ[types.Int]) {
		return bound{}, false
	}
	for _, u := range p.vars.uses[i] {
		if p.vars.access(u) != reads && !within(u.Node(), post) {
			return bound{}, false
		}
	}
	cond, ok := n.Cond.(*ast.BinaryExpr)
	if !ok || p.vars.variable(cond.X) != i {
		return bound{}, false
	}
	limit, limited := intConstant(p.info, cond.Y)
	if post.Tok == token.DEC {
		// for i := len(x) - 1; i >= 0; i--
		last, ok := ast.Unparen(init.Rhs[0]).(*ast.BinaryExpr)
		if !ok || last.Op != token.SUB || cond.Op != token.GEQ || !limited || limit != 0 {
			return bound{}, false
		}
		if one, ok := intConstant(p.info, last.Y); !ok || one != 1 {
			return bound{}, false
		}
		return p.number(last.X, 0)
	}
	first, ok := intConstant(p.info, init.Rhs[0])
	if !ok || first < 0 || p.changes(cond.Y, n) {
		return bound{}, false
	}
	switch cond.Op {
	case token.LSS:
		return p.number(cond.Y, first)
	case token.LEQ:
		if first == 0 {
			return bound{}, false
		}
		return p.number(cond.Y, first-1)
	}
	return bound{}, false
}

// changes reports whether the loop sets a variable that its limit names.
func (p *presizer) changes(limit ast.Expr, loop ast.Node) bool {
	k := keyer{info: p.info}
	k.key(limit)
	return slices.ContainsFunc(k.vars, func(v *types.Var) bool {
		return slices.ContainsFunc(p.vars.usesIn(loop, v), func(u inspector.Cursor) bool { return p.vars.access(u) == assigns })
	})
}

// number returns the bound e - less, for an integer expression.
func (p *presizer) number(e ast.Expr, less int64) (bound, bool) {
	if n, ok := intConstant(p.info, e); ok {
		return bound{n: n - less}, n-less > 0 && n < 1<<30
	}
	b := bound{exprs: []ast.Expr{e}}
	t := p.info.TypeOf(e)
	if t == nil || !p.repeatable(e) {
		return b, false
	}
	b.text = types.ExprString(e)
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return b, false
	}
	if call, isCall := ast.Unparen(e).(*ast.CallExpr); isCall && isBuiltin(p.info, call.Fun, "len") {
		b.data = true
		if less > 0 {
			b.text, b.max = fmt.Sprintf("max(%s-%d, 0)", b.text, less), true
		}
		return b, true
	}
	if less > 0 {
		return b, false // may overflow
	}
	switch {
	case types.Identical(t, types.Typ[types.Int]):
		b.text, b.max = "max("+b.text+", 0)", true
	case basic.Kind() == types.Uint8 || basic.Kind() == types.Uint16:
		b.text = "int(" + b.text + ")"
	default:
		return b, false // may overflow on some machines
	}
	return b, true
}

// movable reports whether a growth's bound has the same value at the
// container's declaration as where the growth begins, and whether computing it
// there cannot fail where the program went on before.
func (p *presizer) movable(d container, g growth) bool {
	next, ok := d.at.NextSibling()
	adjacent := ok && next == g.at
	for _, e := range g.bound.exprs {
		k := keyer{info: p.info}
		k.key(e)
		for _, v := range k.vars {
			if p.vars.isLocal(v) && v.Pos() > d.at.Node().Pos() {
				return false
			}
			if !adjacent && !p.vars.steadyBetween(v, d.at.Node().Pos(), g.at.Node().Pos()) {
				return false
			}
		}
		if !adjacent && (k.loads || len(hazardsOf(p.info, e, true)) > 0 || p.hasMap(e)) {
			return false
		}
	}
	return true
}

// hasMap reports whether e uses a map: its length changes though its variable
// does not.
func (p *presizer) hasMap(e ast.Expr) bool {
	isMap := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if t := p.info.TypeOf(e); t != nil {
				if _, ok := t.Underlying().(*types.Map); ok {
					isMap = true
				}
			}
		}
		return true
	})
	return isMap
}

// report offers to size the container for the growths: at its declaration or,
// if before is not nil, right before that statement.
func (p *presizer) report(d container, fills []growth, before ast.Node) {
	var sites []ast.Node
	var terms []string
	var exprs []ast.Expr
	constant := int64(0)
	certain, needsMax := false, false
	review := ""
	for _, g := range fills {
		sites = append(sites, g.sites...)
		exprs = append(exprs, g.bound.exprs...)
		needsMax = needsMax || g.bound.max
		if review == "" {
			review = g.review
		}
		if g.bound.exprs == nil {
			constant += g.bound.n * int64(g.per)
			certain = certain || len(g.sites) == 0 || g.review == ""
			continue
		}
		term := g.bound.text
		if g.per > 1 {
			term = strconv.Itoa(g.per) + "*" + term
		}
		terms = append(terms, term)
	}
	if constant > 0 {
		terms = append(terms, strconv.FormatInt(constant, 10))
	}
	size := gofmted(strings.Join(terms, "+"))
	kind, verb := "append", "appends"
	if d.isMap {
		kind, verb = "assignment", "assignments"
	}
	diag := analysis.Diagnostic{
		Pos: sites[0].Pos(), End: sites[0].End(),
		Category: Safe,
		Message:  fmt.Sprintf("%s grows %s step by step, though room for %s is enough and known before the loop", kind, d.v.Name(), size),
	}
	for _, s := range sites[1:] {
		diag.Related = append(diag.Related, analysis.RelatedInformation{Pos: s.Pos(), End: s.End(), Message: "these " + verb + " need no growth either"})
	}
	if review != "" {
		diag.Category = Review
		diag.Message += ": " + review
	}
	pos := d.at.Node().Pos()
	f := newFixer(p.pass, pos)
	if f == nil {
		return
	}
	modern := atLeastGo(p.pass, f.file, "go1.21")
	if needsMax && (!modern || !f.predeclared(pos, "max")) || !f.predeclared(pos, "len", "make", "int") {
		return
	}
	name := d.v.Name()
	grow := d.isNil && !certain && p.nilMatters(d.v)
	if (grow || before != nil) && !modern || f.commented(d.at.Node()) {
		return
	}
	for _, e := range exprs {
		f.text(e) // keeps the imports it uses
	}
	switch {
	case before != nil:
		if !f.startsLine(before.Pos()) {
			return
		}
		loop := before
		if l, ok := before.(*ast.LabeledStmt); ok {
			loop = l.Stmt
		}
		f.insertBefore(before, loop, name+" = "+gofmted(f.use("slices", "Grow", before.Pos())+"Grow("+name+", "+size+")"))
	case grow:
		t := f.text(d.typeExpr)
		if contains[*ast.FuncType](d.typeExpr) || contains[*ast.ChanType](d.typeExpr) {
			t = "(" + t + ")"
		}
		f.replace(d.at.Node(), name+" := "+gofmted(f.use("slices", "Grow", pos)+"Grow("+t+"(nil), "+size+")"))
	case d.isNil:
		f.replace(d.at.Node(), name+" := "+gofmted("make("+f.text(d.typeExpr)+", 0, "+size+")"))
	case d.isMap:
		f.replace(d.value, gofmted("make("+f.text(d.typeExpr)+", "+size+")"))
	default:
		f.replace(d.value, gofmted("make("+f.text(d.typeExpr)+", 0, "+size+")"))
	}
	diag.SuggestedFixes = f.done("Reserve room for " + size + " before the loop")
	if diag.SuggestedFixes != nil {
		p.pass.Report(diag)
	}
}

// gofmted formats an expression.
func gofmted(text string) string {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return text
	}
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return text
	}
	return b.String()
}
