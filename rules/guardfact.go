package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// A GuardFact is what guardedargs knows of a function that does nothing
// unless a condition holds.
type GuardFact struct {
	// Cond is the condition as a Go expression in which $0 stands for the
	// receiver, $1 for the first parameter and so on, and ${path}Name for
	// a name of the package with that import path.
	Cond string
	// Params are the indexes, from 0, of the parameters that are used only
	// where Cond holds.
	Params []int
	// Known is set when evaluating Cond only reads fields, variables and
	// parameters, so that doing it once more makes no difference.
	Known bool
	// DerefsReceiver is set when evaluating Cond dereferences the receiver.
	DerefsReceiver bool
	// Receiver is the index in Cond's terms of the value whose level is
	// read: 0 the receiver, n the nth parameter, -1 neither (a package
	// variable).
	Receiver int
	// Level is the other operand where Cond is one comparison or one call
	// with one argument: what an Enabled-like method would be asked, in
	// Cond's terms. It is empty for other conditions.
	Level string
	// Unexported lists the names in Cond that other packages cannot use,
	// each as import/path.Name.
	Unexported []string
}

// AFact marks GuardFact as an [analysis.Fact].
func (*GuardFact) AFact() {}

// String returns the condition.
func (g *GuardFact) String() string { return "guard " + g.Cond }

// ExpressibleIn reports whether code of the package can state the condition.
func (g *GuardFact) ExpressibleIn(pkgPath string) bool {
	for _, name := range g.Unexported {
		if p, _, _ := cutLast(name, "."); p != pkgPath {
			return false
		}
	}
	return true
}

// parse returns the condition with names in the place of parameters: unheap0
// for $0 and so on.
func (g *GuardFact) parse() (ast.Expr, bool) {
	var out strings.Builder
	for rest := g.Cond; ; {
		before, after, found := strings.Cut(rest, "$")
		out.WriteString(before)
		if !found {
			break
		}
		rest = after
		if strings.HasPrefix(after, "{") { // ${path}Name
			_, name, _ := strings.Cut(after, "}")
			out.WriteString("unheap.")
			rest = name
			continue
		}
		out.WriteString("unheap")
	}
	e, err := parser.ParseExpr(out.String())
	return e, err == nil
}

// certainly reports whether evaluating the condition always evaluates the nth
// parameter, or the receiver for 0.
func (g *GuardFact) certainly(n int) bool {
	e, ok := g.parse()
	name := "unheap" + strconv.Itoa(n)
	found := false
	var walk func(ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					walk(n.X)
					return false
				}
			case *ast.Ident:
				found = found || n.Name == name
			}
			return true
		})
	}
	if ok {
		walk(e)
	}
	return found
}

// A GuardFunc returns the guard of a function, or nil if none is known.
type GuardFunc func(*types.Func) *GuardFact

// Guards finds the functions that do nothing unless a condition holds, in the
// analysed package and, by facts, in those that it imports. Its result is a
// [GuardFunc]. It reports nothing; guardedargs and assertargs build on it.
var Guards = &analysis.Analyzer{
	Name:       "guards",
	Doc:        "find functions that do nothing unless a condition holds",
	FactTypes:  []analysis.Fact{new(GuardFact), new(readsFact)},
	ResultType: reflect.TypeFor[GuardFunc](),
	Run: func(pass *analysis.Pass) (any, error) {
		exportGuards(pass)
		return GuardFunc(func(fn *types.Func) *GuardFact { return guardFact(pass, fn) }), nil
	},
}

// guardFact returns the fact that is known of a function, or nil.
func guardFact(pass *analysis.Pass, fn *types.Func) *GuardFact {
	var g GuardFact
	if fn == nil || !pass.ImportObjectFact(fn.Origin(), &g) {
		return nil
	}
	return &g
}

// parameter returns the number of the parameter, from 1, that is all of the
// condition, and whether its value is negated; 0 for other conditions.
func (g *GuardFact) parameter() (n int, negated bool) {
	digits, negated := strings.CutPrefix(g.Cond, "!")
	if digits, ok := strings.CutPrefix(digits, "$"); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			return n, negated
		}
	}
	return 0, false
}

// A readsFact says what is known of a function that a guard may call: that its
// only statement returns a value that it computes from what it reads, or that
// it changes something, so that nobody may call it once more.
type readsFact struct {
	Writes bool
}

// AFact marks readsFact as an [analysis.Fact].
func (*readsFact) AFact() {}

func (f *readsFact) String() string {
	if f.Writes {
		return "writes"
	}
	return "reads"
}

// exportGuards finds the functions of a package that have a guard, and those
// that only read, and exports the facts. Facts build on each other, so it goes
// on until there are no new ones.
func exportGuards(pass *analysis.Pass) {
	type function struct {
		fn   *types.Func
		decl *ast.FuncDecl
	}
	var reads, guards []function
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				if fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					reads = append(reads, function{fn, decl})
				}
			}
		}
	}
	guards = slices.Clone(reads)
	for _, f := range reads {
		if r := f.fn.Signature().Results(); r.Len() == 1 && types.Identical(r.At(0).Type(), types.Typ[types.Bool]) && writes(pass, f.decl) {
			pass.ExportObjectFact(f.fn, &readsFact{Writes: true})
		}
	}
	for more := true; more; {
		more = false
		reads = slices.DeleteFunc(reads, func(f function) bool {
			if !onlyReads(pass, f.decl) {
				return false
			}
			pass.ExportObjectFact(f.fn, &readsFact{})
			more = true
			return true
		})
	}
	for more := true; more; {
		more = false
		guards = slices.DeleteFunc(guards, func(f function) bool {
			g := guardOf(pass, f.fn, f.decl)
			if g == nil {
				return false
			}
			pass.ExportObjectFact(f.fn, g)
			more = true
			return true
		})
	}
}

// onlyReads reports whether a function does nothing but return an expression
// that is known to only read.
func onlyReads(pass *analysis.Pass, decl *ast.FuncDecl) bool {
	if len(decl.Body.List) != 1 {
		return false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	for _, r := range ret.Results {
		if !readsOnly(pass, r) {
			return false
		}
	}
	return true
}

// readsOnly reports whether e has no effects, calls of functions that only
// read included.
func readsOnly(pass *analysis.Pass, e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				ok = false
			}
		case *ast.CallExpr:
			if !harmlessCall(pass.TypesInfo, n) && !readingCall(pass, n) {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// readingCall reports whether a call's function is known to only read.
func readingCall(pass *analysis.Pass, call *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	if !ok {
		return false
	}
	if fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && strings.HasPrefix(fn.Name(), "Load") {
		return true
	}
	var fact readsFact
	return pass.ImportObjectFact(fn.Origin(), &fact) && !fact.Writes
}

// writes reports whether a function visibly changes memory that is not its
// own.
func writes(pass *analysis.Pass, decl *ast.FuncDecl) bool {
	outside := func(e ast.Expr) bool {
		id := rootIdent(pass.TypesInfo, e)
		if id == nil {
			return true
		}
		obj := pass.TypesInfo.ObjectOf(id)
		return obj != nil && (obj.Pos() < decl.Pos() || obj.Pos() >= decl.End())
	}
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, outside)
		case *ast.IncDecStmt:
			found = found || outside(n.X)
		case *ast.SendStmt, *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if fn, ok := typeutil.Callee(pass.TypesInfo, n).(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" {
				found = found || !strings.HasPrefix(fn.Name(), "Load")
			}
		}
		return !found
	})
	return found
}

// callsWriter reports whether e calls a function that is known to write.
func callsWriter(pass *analysis.Pass, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			var fact readsFact
			fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
			found = found || ok && pass.ImportObjectFact(fn.Origin(), &fact) && fact.Writes
		}
		return !found
	})
	return found
}

// guardOf returns the guard of a function declaration, or nil.
//
// The function must do nothing at all where the condition does not hold, so
// that a caller that tests it first can leave the call out. Two shapes, which
// may follow each other, and a third that passes a callee's guard on:
//
//	if !cond { return }      if cond { ... }      callee(...)
//	...                      // nothing more
func guardOf(pass *analysis.Pass, fn *types.Func, decl *ast.FuncDecl) *GuardFact {
	g := &guardBuilder{pass: pass, sig: fn.Signature(), known: true, receiver: -1}
	for _, f := range pass.Files {
		if within(decl, f) && constrained(pass.Fset, f) {
			g.known = false // other builds may have another body
		}
	}
	body := decl.Body.List
	if len(body) > 0 && isHelper(pass.TypesInfo, body[0]) {
		body = body[1:]
	}
	for len(body) > 0 {
		n, ok := body[0].(*ast.IfStmt)
		if !ok || n.Init != nil || n.Else != nil || !leaves(pass.TypesInfo, n.Body) {
			break
		}
		if !g.add(n.Cond, true) {
			return nil
		}
		g.unguarded = append(g.unguarded, n.Body.List[0].(*ast.ReturnStmt).Results...)
		body = body[1:]
	}
	if len(body) > 0 && isReturn(body[len(body)-1]) {
		if len(body) == 1 {
			return nil
		}
		body = body[:len(body)-1]
	}
	if len(body) == 1 {
		switch n := body[0].(type) {
		case *ast.IfStmt:
			if n.Init == nil && n.Else == nil {
				g.add(n.Cond, false)
			}
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok {
				g.inherit(call)
			}
		case *ast.ReturnStmt:
			if len(n.Results) == 1 {
				if call, ok := ast.Unparen(n.Results[0]).(*ast.CallExpr); ok {
					g.inherit(call)
				}
			}
		}
	}
	if len(g.conds) == 0 {
		return nil
	}
	used := make(map[types.Object]bool)
	for _, e := range g.unguarded {
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[pass.TypesInfo.Uses[id]] = true
			}
			return true
		})
	}
	var params []int
	for i := range g.sig.Params().Len() {
		if !used[g.sig.Params().At(i)] {
			params = append(params, i)
		}
	}
	if !slices.ContainsFunc(params, func(i int) bool { return takesInterface(g.sig, i) }) {
		return nil
	}
	fact := &GuardFact{
		Cond: strings.Join(g.conds, " && "), Params: params, Known: g.known,
		DerefsReceiver: g.derefs, Receiver: g.receiver, Unexported: g.unexported,
	}
	if len(g.conds) == 1 {
		fact.Level = g.level
	}
	return fact
}

// leaves reports whether a block does nothing but return, without effects.
func leaves(info *types.Info, b *ast.BlockStmt) bool {
	if len(b.List) != 1 {
		return false
	}
	ret, ok := b.List[0].(*ast.ReturnStmt)
	if !ok {
		return false
	}
	for _, r := range ret.Results {
		if !effectFree(info, r) || len(hazardsOf(info, r, true)) > 0 {
			return false
		}
	}
	return true
}

// isHelper reports whether a statement is t.Helper(), which matters only to
// what the function itself logs.
func isHelper(info *types.Info, s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	return ok && fn.Name() == "Helper" && fn.Pkg() != nil && fn.Pkg().Path() == "testing"
}

// isReturn reports whether a statement is a bare return.
func isReturn(s ast.Stmt) bool {
	ret, ok := s.(*ast.ReturnStmt)
	return ok && len(ret.Results) == 0
}

// takesInterface reports whether passing a value to a parameter stores it in
// an interface.
func takesInterface(sig *types.Signature, i int) bool {
	t := sig.Params().At(i).Type()
	if sig.Variadic() && i == sig.Params().Len()-1 {
		s, ok := t.Underlying().(*types.Slice)
		if !ok {
			return false
		}
		t = s.Elem()
	}
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}

// A guardBuilder puts a function's guard together.
type guardBuilder struct {
	pass       *analysis.Pass
	sig        *types.Signature
	conds      []string
	known      bool
	derefs     bool
	receiver   int
	level      string
	unexported []string
	unguarded  []ast.Expr // what is evaluated whether the condition holds or not
}

// add takes a condition of the function itself; negated if what follows runs
// where it does not hold.
func (g *guardBuilder) add(cond ast.Expr, negated bool) bool {
	// Other calls are allowed, but then known is not set.
	if contains[*ast.FuncLit](cond) || receives(cond) || callsWriter(g.pass, cond) {
		return false
	}
	ok := true
	text := func(e ast.Expr) string {
		s, fine := g.template(e)
		ok = ok && fine
		return s
	}
	s := text(cond)
	if negated {
		s = negateOperand(g.pass.TypesInfo, cond, text)
	} else if b, isBinary := cond.(*ast.BinaryExpr); isBinary && b.Op == token.LOR {
		s = "(" + s + ")"
	}
	if !ok {
		return false
	}
	g.conds = append(g.conds, s)
	g.unguarded = append(g.unguarded, cond)
	g.known = g.known && readsOnly(g.pass, cond)
	if recv := g.sig.Recv(); recv != nil && len(g.conds) == 1 {
		for _, h := range hazardsOf(g.pass.TypesInfo, cond, false) {
			if len(h.vars) == 1 && h.vars[0] == recv && !h.loads && strings.HasPrefix(h.key, "("+deref+" ") {
				g.derefs = true
			}
		}
	}
	g.subject(cond)
	return true
}

// subject notes whose level the condition reads, and what it is compared to.
func (g *guardBuilder) subject(cond ast.Expr) {
	cond = ast.Unparen(cond)
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		cond = ast.Unparen(not.X)
	}
	var holder, level ast.Expr
	switch e := cond.(type) {
	case *ast.BinaryExpr:
		if _, comparison := opposite[e.Op]; !comparison {
			g.receiver = g.root(cond)
			return
		}
		holder, level = e.X, e.Y
		if g.root(holder) < 0 {
			holder, level = level, holder
		}
	case *ast.CallExpr:
		holder = e.Fun
		if len(e.Args) > 0 {
			level = e.Args[len(e.Args)-1]
		}
	default:
		holder = cond
	}
	g.receiver = g.root(holder)
	if level != nil {
		g.level, _ = g.template(level)
	}
}

// root returns the index of the parameter that e selects from, 0 for the
// receiver, or -1.
func (g *guardBuilder) root(e ast.Expr) int {
	index := -1
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && index < 0 {
			index = g.param(g.pass.TypesInfo.Uses[id])
		}
		return index < 0
	})
	return index
}

// param returns 0 for the receiver, n for the nth parameter, or -1.
func (g *guardBuilder) param(obj types.Object) int {
	if obj == nil {
		return -1
	}
	if obj == g.sig.Recv() {
		return 0
	}
	for i := range g.sig.Params().Len() {
		if obj == g.sig.Params().At(i) {
			return i + 1
		}
	}
	return -1
}

// template writes an expression in a [GuardFact]'s terms.
func (g *guardBuilder) template(e ast.Expr) (string, bool) {
	ok := true
	var out strings.Builder
	src, err := g.pass.ReadFile(g.pass.Fset.File(e.Pos()).Name())
	if err != nil {
		return "", false
	}
	tf := g.pass.Fset.File(e.Pos())
	at := tf.Offset(e.Pos())
	end := tf.Offset(e.End())
	if end > len(src) {
		return "", false
	}
	replace := func(n ast.Node, text string) {
		out.Write(src[at:tf.Offset(n.Pos())])
		out.WriteString(text)
		at = tf.Offset(n.End())
	}
	hide := func(obj types.Object) {
		if !obj.Exported() && obj.Pkg() != nil {
			if name := obj.Pkg().Path() + "." + obj.Name(); !slices.Contains(g.unexported, name) {
				g.unexported = append(g.unexported, name)
			}
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if strings.Contains(n.Value, "$") {
				ok = false
			}
		case *ast.SelectorExpr:
			if id, isIdent := n.X.(*ast.Ident); isIdent {
				if p, isPkg := g.pass.TypesInfo.Uses[id].(*types.PkgName); isPkg {
					replace(n, "${"+p.Imported().Path()+"}"+n.Sel.Name)
					return false
				}
			}
		case *ast.Ident:
			obj := g.pass.TypesInfo.Uses[n]
			switch i := g.param(obj); {
			case obj == nil:
				ok = false
			case i >= 0:
				replace(n, "$"+strconv.Itoa(i))
			case isMember(obj):
				hide(obj)
			case obj.Parent() == g.pass.Pkg.Scope():
				hide(obj)
				replace(n, "${"+g.pass.Pkg.Path()+"}"+n.Name)
			case obj.Parent() != types.Universe:
				ok = false // a local variable, or a dot import
			}
		case *ast.CompositeLit, *ast.FuncLit, *ast.KeyValueExpr:
			ok = false
		}
		return ok
	})
	out.Write(src[at:end])
	s := out.String()
	if strings.Contains(s, "\n") || strings.Contains(s, "/*") {
		return "", false
	}
	return s, ok
}

// isMember reports whether an object is a field or a method.
func isMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	}
	return false
}

// inherit takes over the guard of a function that this one does nothing but
// call. The parameters that become the callee's guarded ones stay guarded.
func (g *guardBuilder) inherit(call *ast.CallExpr) {
	fn, ok := typeutil.Callee(g.pass.TypesInfo, call).(*types.Func)
	if !ok {
		return
	}
	inner := guardFact(g.pass, fn)
	if inner == nil {
		return
	}
	args, ok := argumentsOf(g.pass.TypesInfo, call)
	if !ok {
		return
	}
	sub := *g // template adds to unexported; keep that only on success
	texts := make(map[int]string)
	for i, a := range args {
		if a == nil || !strings.Contains(inner.Cond, "$"+strconv.Itoa(i)) {
			continue
		}
		text, ok := sub.template(a)
		if !ok {
			return
		}
		if i > 0 && (i > fn.Signature().Params().Len() || !standsFor(g.pass.TypesInfo, a, fn.Signature().Params().At(i-1).Type())) {
			return
		}
		texts[i] = operand(a, text)
	}
	cond, ok := substitute(inner.Cond, texts)
	if !ok {
		return
	}
	if n, negated := inner.parameter(); n > 0 {
		cond = texts[n]
		if negated {
			cond = negateOperand(g.pass.TypesInfo, args[n], func(e ast.Expr) string {
				text, fine := sub.template(e)
				ok = ok && fine
				return text
			})
		}
		if !ok {
			return
		}
	}
	unguarded := g.unguarded
	known := inner.Known
	for i, a := range args {
		if a == nil {
			continue
		}
		if !effectFree(g.pass.TypesInfo, a) {
			// The wrapper's caller would no longer run it.
			if !readsOnly(g.pass, a) {
				known = false
			}
		}
		if i > 0 && slices.Contains(inner.Params, min(i, fn.Signature().Params().Len())-1) {
			if _, plain := ast.Unparen(a).(*ast.Ident); plain || g.pass.TypesInfo.Types[a].Value != nil {
				continue
			}
			if len(hazardsOf(g.pass.TypesInfo, a, true)) > 0 {
				known = false
			}
			continue
		}
		unguarded = append(unguarded, a)
	}
	*g = sub
	g.conds = append(g.conds, cond)
	g.known = g.known && known
	g.unguarded = unguarded
	g.level, _ = substitute(inner.Level, texts)
	for _, name := range inner.Unexported {
		if !slices.Contains(g.unexported, name) {
			g.unexported = append(g.unexported, name)
		}
	}
	g.receiver = -1
	if inner.Receiver >= 0 && inner.Receiver < len(args) && args[inner.Receiver] != nil {
		g.receiver = g.root(args[inner.Receiver])
		if inner.DerefsReceiver && inner.Receiver == 0 && len(g.conds) == 1 {
			id, ok := ast.Unparen(args[0]).(*ast.Ident)
			g.derefs = ok && g.param(g.pass.TypesInfo.Uses[id]) == 0
		}
	}
}

// argumentsOf returns what stands for the receiver (index 0, nil for a
// function) and the parameters of a call. It fails for method expressions,
// promoted methods and calls with multi-valued arguments.
func argumentsOf(info *types.Info, call *ast.CallExpr) ([]ast.Expr, bool) {
	args := []ast.Expr{nil}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := info.Selections[sel]; s != nil {
			if s.Kind() != types.MethodVal || len(s.Index()) != 1 {
				return nil, false
			}
			args[0] = sel.X
		}
	}
	if len(call.Args) == 1 {
		if _, ok := info.TypeOf(call.Args[0]).(*types.Tuple); ok {
			return nil, false
		}
	}
	return append(args, call.Args...), true
}

// substitute puts texts in the place of a template's parameters.
func substitute(template string, texts map[int]string) (string, bool) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(template, "$")
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		if strings.HasPrefix(after, "{") {
			out.WriteByte('$')
			template = after
			continue
		}
		n := 0
		for n < len(after) && '0' <= after[n] && after[n] <= '9' {
			n++
		}
		i, err := strconv.Atoi(after[:n])
		text, ok := texts[i]
		if err != nil || !ok {
			return "", false
		}
		out.WriteString(text)
		template = after[n:]
	}
}

// operand returns text, which is that of e, so that it can be an operand of
// any operator.
func operand(e ast.Expr, text string) string {
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.FuncLit, *ast.CompositeLit:
		return "(" + text + ")"
	}
	return text
}

// receives reports whether e receives from a channel.
func receives(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
			found = true
		}
		return !found
	})
	return found
}

// negate returns the opposite of a condition, readably. text returns the text
// of its parts.
func negate(info *types.Info, e ast.Expr, text func(ast.Expr) string) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return negate(info, e.X, text)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return text(ast.Unparen(e.X))
		}
	case *ast.BinaryExpr:
		if e.Op == token.LOR {
			return negateOperand(info, e.X, text) + " && " + negateOperand(info, e.Y, text)
		}
		op, ok := opposite[e.Op]
		ordered := e.Op != token.EQL && e.Op != token.NEQ
		if ok && (!ordered || !mayBeNaN(info.TypeOf(e.X))) {
			return text(e.X) + " " + op + " " + text(e.Y)
		}
		return "!(" + text(e) + ")"
	}
	return "!" + text(e)
}

// negateOperand is negate for an operand of &&.
func negateOperand(info *types.Info, e ast.Expr, text func(ast.Expr) string) string {
	if not, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && not.Op == token.NOT {
		if b, ok := ast.Unparen(not.X).(*ast.BinaryExpr); ok && b.Op == token.LOR {
			return "(" + text(b) + ")"
		}
	}
	return negate(info, e, text)
}

// opposite holds for each comparison the one that holds where it does not,
// but for NaN.
var opposite = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==",
	token.LSS: ">=", token.GEQ: "<",
	token.GTR: "<=", token.LEQ: ">",
}

// mayBeNaN reports whether values of a type may compare false both ways.
func mayBeNaN(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return !ok || b.Info()&types.IsFloat != 0
}

// cutLast is [strings.Cut] at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
