package rules

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var builder = &analysis.Analyzer{
	Name: "builder",
	Doc: `build a string that a loop appends to in a strings.Builder

## Why it allocates

A string cannot grow: every s += x copies all of s into new memory. A loop that
appends n times copies about n/2 times what it keeps.

## The rewrite

	for _, x := range xs {            var sb strings.Builder
		if s != "" {                  for _, x := range xs {
			s += ", "                     if sb.Len() != 0 {
		}                                     sb.WriteString(", ")
		s += x.name + "=" + x.val         }
	}                                     sb.WriteString(x.name)
	                                      sb.WriteString("=")
	                                      sb.WriteString(x.val)
	                                  }
	                                  s = sb.String()

Where s may hold something before the loop, that is written first. Besides s += x
the rule knows s = s + x, s = fmt.Sprintf("%s...", s, ...) and s += fmt.Sprintf(...),
which becomes fmt.Fprintf; conversions from byte slices and runes are written
without making a string. Inside the loop s may be compared to "" and its length
taken.

The analyzer stringsbuilder of x/tools changes the variable's declaration, which
needs every use to fit; this rule changes the loop alone, so that parameters,
results, variables used before the loop and tests of the length are no obstacle.

## When it is not safe

The rule leaves a loop alone if anything in it reads s in another way, if a
closure uses s, or if the loop can be left past the statement behind it with s
still needed: by goto, by a branch to an outer label, or by a return from a
function of which s is a result.

The class is review where one statement appends both the result of a call and
what that call might change.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		b := &stringBuilders{pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex), names: make(map[ast.Node][]string)}
		if p := pass.Pkg.Path(); p == "strings" || p == "runtime" {
			return nil, nil // they cannot import strings
		}
		type key struct {
			v    *types.Var
			loop ast.Node
		}
		done := make(map[key]bool)
		for c := range b.vars.root.Preorder((*ast.AssignStmt)(nil)) {
			v := b.vars.variable(c.Node().(*ast.AssignStmt).Lhs[0])
			if v == nil || b.pieces(c, v) == nil || b.vars.captured(v) || !b.private(v) {
				continue
			}
			loop, ok := b.widest(c, v)
			if ok && !done[key{v, loop.Node()}] {
				done[key{v, loop.Node()}] = true
				b.report(loop, v)
			}
		}
		return nil, nil
	},
}

type stringBuilders struct {
	pass *analysis.Pass
	info *types.Info
	vars *varIndex
	// names holds the builders of each function's fixes.
	names map[ast.Node][]string
}

// A writing is what one call writes to the builder.
type writing struct {
	method string   // WriteString, Write, WriteRune; or Fprintf, Fprint of fmt
	arg    ast.Expr // the only argument; nil for fmt's
	args   []ast.Expr
	rest   string // of a format whose first verb is gone, quoted
}

// pieces returns what a statement appends to v, or nil if it does not do just
// that.
func (b *stringBuilders) pieces(c inspector.Cursor, v *types.Var) []writing {
	a, ok := c.Node().(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || b.vars.variable(a.Lhs[0]) != v || !types.Identical(v.Type(), types.Typ[types.String]) || !inList(c) {
		return nil
	}
	switch a.Tok {
	case token.ADD_ASSIGN:
		return b.split(nil, a.Rhs[0])
	case token.ASSIGN:
		if rest, args, ok := b.formatted(a.Rhs[0], v); ok {
			return []writing{{method: "Fprintf", args: args, rest: rest}}
		}
		terms := b.terms(nil, a.Rhs[0])
		if len(terms) < 2 || b.vars.variable(terms[0]) != v {
			return nil
		}
		var list []writing
		for _, t := range terms[1:] {
			list = b.split(list, t)
		}
		return list
	}
	return nil
}

// terms lists the operands of a concatenation.
func (b *stringBuilders) terms(list []ast.Expr, e ast.Expr) []ast.Expr {
	bin, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || bin.Op != token.ADD || b.info.Types[e].Value != nil {
		return append(list, e)
	}
	return b.terms(b.terms(list, bin.X), bin.Y)
}

// split appends the pieces of a string expression. Only expressions of type
// string itself go to WriteString as they are.
func (b *stringBuilders) split(list []writing, e ast.Expr) []writing {
	for _, t := range b.terms(nil, e) {
		list = append(list, b.piece(ast.Unparen(t)))
	}
	return list
}

func (b *stringBuilders) piece(e ast.Expr) writing {
	p := writing{method: "WriteString", arg: e}
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 || b.info.Types[e].Value != nil {
		return p
	}
	if tv := b.info.Types[call.Fun]; tv.IsType() {
		switch from := b.info.TypeOf(call.Args[0]); {
		case types.Identical(from, types.NewSlice(types.Typ[types.Byte])):
			p = writing{method: "Write", arg: call.Args[0]}
		case types.Identical(from, types.Typ[types.Rune]):
			p = writing{method: "WriteRune", arg: call.Args[0]}
		}
		return p
	}
	fn := typeutil.StaticCallee(b.info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || call.Ellipsis.IsValid() {
		return p
	}
	switch fn.Name() {
	case "Sprintf", "Sprint", "Sprintln":
		return writing{method: "F" + fn.Name()[1:], args: call.Args}
	}
	return p
}

// formatted recognises fmt.Sprintf("%s...", s, ...) and returns the format
// without its first verb and the arguments that are left.
func (b *stringBuilders) formatted(e ast.Expr, v *types.Var) (rest string, args []ast.Expr, ok bool) {
	call, isCall := ast.Unparen(e).(*ast.CallExpr)
	if !isCall || len(call.Args) < 3 || call.Ellipsis.IsValid() || b.vars.variable(call.Args[1]) != v {
		return "", nil, false
	}
	fn := typeutil.StaticCallee(b.info, call)
	lit, isLit := call.Args[0].(*ast.BasicLit)
	if fn == nil || fn.FullName() != "fmt.Sprintf" || !isLit || lit.Kind != token.STRING {
		return "", nil, false
	}
	quote, text := lit.Value[:1], lit.Value[1:]
	// Explicit argument indexes count from the first.
	if !strings.HasPrefix(text, "%s") && !strings.HasPrefix(text, "%v") || strings.Contains(text, "[") {
		return "", nil, false
	}
	return quote + text[2:], call.Args[2:], true
}

// private reports whether v is seen only where its function names it: it is no
// field or package variable, nothing points to it, and no deferred call can
// recover from a panic and return it half built.
func (b *stringBuilders) private(v *types.Var) bool {
	switch v.Kind() {
	case types.LocalVar, types.ParamVar, types.ResultVar:
	default:
		return false
	}
	def, ok := b.vars.defs[v]
	if !ok {
		return false
	}
	for _, u := range b.vars.uses[v] {
		if b.vars.access(u) == addresses {
			return false
		}
	}
	fn := funcOf(def)
	if v.Kind() == types.ResultVar && contains[*ast.DeferStmt](fn.Node()) {
		return false
	}
	for s := range fn.Preorder((*ast.BranchStmt)(nil)) {
		if s.Node().(*ast.BranchStmt).Tok == token.GOTO {
			return false
		}
	}
	return true
}

// widest returns the outermost loop around a statement that appends to v in
// which v is used in no other way.
func (b *stringBuilders) widest(c inspector.Cursor, v *types.Var) (loop inspector.Cursor, ok bool) {
	for l := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		if within(b.vars.defs[v].Node(), l.Node()) || funcOf(l) != funcOf(c) || !b.fits(l, v) {
			break
		}
		loop, ok = l, true
	}
	return loop, ok
}

// fits reports whether all uses of v in a loop can be rewritten, and whether
// the loop is only left to the statement behind it while v matters.
func (b *stringBuilders) fits(loop inspector.Cursor, v *types.Var) bool {
	label, stmt := "", loop
	if l, ok := loop.Parent().Node().(*ast.LabeledStmt); ok {
		label, stmt = l.Label.Name, loop.Parent()
	}
	if !inList(stmt) {
		return false
	}
	var body *ast.BlockStmt
	switch n := loop.Node().(type) {
	case *ast.ForStmt:
		body = n.Body
	case *ast.RangeStmt:
		body = n.Body
	}
	exits := exitsOf(body, label)
	if exits&jumps != 0 || exits&returns != 0 && v.Kind() == types.ResultVar {
		return false
	}
	if l, ok := loop.Node().(*ast.ForStmt); ok && l.Cond == nil && exits&breaks == 0 {
		return false // nothing runs behind it
	}
	for _, u := range b.vars.usesIn(loop.Node(), v) {
		if !within(u.Node(), body) && !b.isTest(u) {
			return false
		}
		switch u.ParentEdgeKind() {
		case edge.AssignStmt_Lhs:
			if list := b.pieces(u.Parent(), v); list == nil || !b.simple(u.Parent(), v) {
				return false
			}
		default:
			if !b.isTest(u) && !b.isSelf(u, v) {
				return false
			}
		}
	}
	return true
}

// simple reports whether a statement that appends uses v only as what it
// appends to.
func (b *stringBuilders) simple(stmt inspector.Cursor, v *types.Var) bool {
	want := 1
	if stmt.Node().(*ast.AssignStmt).Tok == token.ASSIGN {
		want = 2
	}
	return len(b.vars.usesIn(stmt.Node(), v)) == want
}

// isSelf reports whether a use of v is the operand v of v = v + x.
func (b *stringBuilders) isSelf(u inspector.Cursor, v *types.Var) bool {
	for a := range u.Enclosing((*ast.AssignStmt)(nil), (*ast.FuncLit)(nil)) {
		return a.Node() != nil && b.pieces(a, v) != nil && b.simple(a, v) && within(u.Node(), a.Node())
	}
	return false
}

// isTest reports whether a use of a string is len(s) or a comparison with "".
func (b *stringBuilders) isTest(u inspector.Cursor) bool {
	switch n := u.Parent().Node().(type) {
	case *ast.CallExpr:
		return isBuiltin(b.info, n.Fun, "len")
	case *ast.BinaryExpr:
		other := n.Y
		if n.Y == u.Node() {
			other = n.X
		}
		v := b.info.Types[other].Value
		return (n.Op == token.EQL || n.Op == token.NEQ) && v != nil && v.Kind() == constant.String && constant.StringVal(v) == ""
	}
	return false
}

// report offers the rewrite of a loop.
func (b *stringBuilders) report(loop inspector.Cursor, v *types.Var) {
	stmt := loop
	if _, ok := loop.Parent().Node().(*ast.LabeledStmt); ok {
		stmt = loop.Parent()
	}
	n := stmt.Node()
	f := newFixer(b.pass, n.Pos())
	if f == nil || !f.startsLine(n.Pos()) {
		return
	}
	tf := b.pass.Fset.File(n.Pos())
	end := lineEnd(tf, n.End())
	if rest := strings.TrimSpace(f.between(n.End(), end)); rest != "" && !strings.HasPrefix(rest, "//") {
		return
	}
	read := false
	for _, u := range b.vars.uses[v] {
		read = read || !within(u.Node(), n) && u.ParentEdgeKind() != edge.AssignStmt_Lhs
	}
	if !read && v.Kind() == types.LocalVar {
		return // the variable would be left without a use
	}
	sb := b.name(f, loop)
	var sites []ast.Node
	class := Safe
	for _, u := range b.vars.usesIn(n, v) {
		if u.ParentEdgeKind() == edge.AssignStmt_Lhs {
			a := u.Parent()
			if b.reorders(a, v) {
				class = Review
			}
			if f.commented(a.Node()) {
				return
			}
			sites = append(sites, a.Node())
			f.replace(a.Node(), b.writes(f, a, v, sb))
		} else if b.isTest(u) {
			switch p := u.Parent().Node().(type) {
			case *ast.CallExpr:
				f.replace(p, sb+".Len()")
			case *ast.BinaryExpr:
				f.replace(p, sb+".Len() "+p.Op.String()+" 0")
			}
		}
	}
	declare := "var " + sb + " " + f.use("strings", "Builder", n.Pos()) + "Builder"
	set := " = "
	if decl, ok := b.emptyBefore(stmt, v); ok && !f.commented(decl) {
		f.replace(decl, declare)
		set = " := "
	} else {
		f.insertBefore(n, loop.Node(), declare, sb+".WriteString("+v.Name()+")")
	}
	f.edit(end, end, "\n"+f.indent(loop.Node().Pos())+v.Name()+set+sb+".String()")
	diag := analysis.Diagnostic{
		Pos: sites[0].Pos(), End: sites[0].End(), Category: class,
		Message: fmt.Sprintf("every iteration copies the whole of %s to append to it", v.Name()),
	}
	for _, s := range sites[1:] {
		diag.Related = append(diag.Related, analysis.RelatedInformation{Pos: s.Pos(), End: s.End(), Message: "so does this"})
	}
	if diag.SuggestedFixes = f.done("Build " + v.Name() + " in a strings.Builder"); diag.SuggestedFixes != nil {
		b.pass.Report(diag)
	}
}

// reorders reports whether writing the pieces of a statement one after the
// other may change what they are: Go leaves open whether a variable is read
// before or after a call in the same expression that changes it.
func (b *stringBuilders) reorders(stmt inspector.Cursor, v *types.Var) bool {
	pieces := b.pieces(stmt, v)
	if len(pieces) < 2 {
		return false
	}
	steady := steadyVars(b.info, stmt)
	calls, reads := false, false
	for _, p := range pieces {
		args := p.args
		if p.arg != nil {
			args = []ast.Expr{p.arg}
		}
		for _, a := range args {
			call, read := disorder(b.info, a, steady)
			calls, reads = calls || call, reads || read
		}
	}
	return calls && reads
}

// name returns a name for a builder that no other fix in the function uses.
func (b *stringBuilders) name(f *fixer, loop inspector.Cursor) string {
	fn := funcOf(loop).Node()
	name := f.free(loop, "sb")
	for slices.Contains(b.names[fn], name) {
		name = f.free(loop, name+"1")
	}
	b.names[fn] = append(b.names[fn], name)
	return name
}

// emptyBefore returns the declaration of v if it is the statement before
// another one and leaves v empty.
func (b *stringBuilders) emptyBefore(stmt inspector.Cursor, v *types.Var) (ast.Node, bool) {
	prev, ok := stmt.PrevSibling()
	if !ok || !within(b.vars.defs[v].Node(), prev.Node()) {
		return nil, false
	}
	isEmpty := func(e ast.Expr) bool {
		tv := b.info.Types[e]
		return tv.Value != nil && tv.Value.Kind() == constant.String && constant.StringVal(tv.Value) == ""
	}
	switch n := prev.Node().(type) {
	case *ast.AssignStmt:
		return n, len(n.Lhs) == 1 && len(n.Rhs) == 1 && isEmpty(n.Rhs[0])
	case *ast.DeclStmt:
		g := n.Decl.(*ast.GenDecl)
		if len(g.Specs) != 1 || g.Lparen.IsValid() {
			return nil, false
		}
		spec := g.Specs[0].(*ast.ValueSpec)
		return n, len(spec.Names) == 1 && (len(spec.Values) == 0 || isEmpty(spec.Values[0]))
	}
	return nil, false
}

// writes returns the calls for a statement that appends.
func (b *stringBuilders) writes(f *fixer, stmt inspector.Cursor, v *types.Var, sb string) string {
	var lines []string
	for _, p := range b.pieces(stmt, v) {
		if p.arg != nil {
			lines = append(lines, sb+"."+p.method+"("+f.text(p.arg)+")")
			continue
		}
		args := []string{"&" + sb}
		if p.rest != "" {
			args = append(args, p.rest)
		}
		for _, a := range p.args {
			args = append(args, f.text(a))
		}
		lines = append(lines, f.use("fmt", p.method, stmt.Node().Pos())+p.method+"("+strings.Join(args, ", ")+")")
	}
	if len(lines) > 1 && !f.startsLine(stmt.Node().Pos()) {
		f.failed = true
	}
	return strings.Join(lines, "\n"+f.indent(stmt.Node().Pos()))
}
