package rules

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var guardedArgs = &analysis.Analyzer{
	Name: "guardedargs",
	Doc: `test a callee's guard before making its arguments

## Why it allocates

A function that takes any gets its arguments in interfaces. Storing a value
other than a pointer or a constant there allocates, and so does the slice of
variadic arguments if it escapes. It happens at the call, before the callee
finds that its level is off and does nothing:

	func (l *Logger) Debug(msg string, args ...any) {
		if l.Level < DebugLevel {
			return
		}
		...
	}

## The rewrite

The callee's own condition, in the caller's terms, goes around the call:

	l.Debug("hit", n)        if l.Level >= DebugLevel {
	                             l.Debug("hit", n)
	                         }

The condition is found in the callee's source, also through wrappers and across
packages. log/slog and loggers with methods like those of logrus
(IsLevelEnabled), zap (Level().Enabled) and klog (V(n).Enabled) are known by
their methods. A receiver that is the result of a call is kept in a variable.

## When it is not safe

The class is safe only if the remaining arguments have no effects and cannot
panic, or would certainly have panicked before, and the condition only reads
fields, variables and parameters. It is review if

  - an argument calls a function, which no longer runs while the level is off;
  - the guard's function is declared in a file that other builds may leave out;
  - the condition asks code that cannot be seen: an interface's method, or the
    handler behind a slog.Logger, which is then asked twice while the level is on.

There is no rewrite for arguments that receive from a channel, and none where
the condition reads what the caller's package cannot name.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, Guards},
	Run: func(pass *analysis.Pass) (any, error) {
		known := pass.ResultOf[Guards].(GuardFunc)
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.ExprStmt)(nil)) {
			if call, ok := ast.Unparen(c.Node().(*ast.ExprStmt).X).(*ast.CallExpr); ok && inList(c) {
				checkGuarded(pass, known, c, call)
			}
		}
		return nil, nil
	},
}

// checkGuarded reports a call whose arguments are boxed before the callee's
// guard is tested.
func checkGuarded(pass *analysis.Pass, known GuardFunc, stmt inspector.Cursor, call *ast.CallExpr) {
	fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
	if !ok {
		return
	}
	guard := slogGuard(fn)
	trusts := guard != nil
	if guard == nil {
		guard = known(fn)
	}
	if guard == nil {
		guard = shapeGuard(fn)
	}
	if guard == nil {
		return
	}
	if n, _ := guard.parameter(); n > 0 {
		return // see assertargs
	}
	if !boxes(pass.TypesInfo, fn.Signature(), call, guard.Params) {
		return
	}
	report := func(class, message string, fixes []analysis.SuggestedFix) {
		if len(fixes) == 0 {
			class = None
		}
		pass.Report(analysis.Diagnostic{Pos: call.Pos(), End: call.End(), Category: class, Message: message, SuggestedFixes: fixes})
	}
	what := "arguments of " + fn.Name() + " are boxed before it tests its guard"
	// Advice alone is worth giving only for what looks like a logger, not for
	// any function that begins with a test.
	log := fn.Signature().Variadic()
	if !guard.ExpressibleIn(pass.Pkg.Path()) {
		if !log {
			return
		}
		report(None, what+", which reads unexported "+shortNames(guard.Unexported)+": give it an Enabled method to ask first", nil)
		return
	}
	for _, a := range call.Args {
		if receives(a) {
			report(None, what+": receive from the channel in a statement of its own, then test the guard first", nil)
			return
		}
	}
	g := &guardedCall{pass: pass, stmt: stmt, call: call, fn: fn, guard: guard, trusts: trusts}
	cond, class := g.condition()
	if cond == "" {
		if !log {
			return
		}
		report(None, what+": test it in an if statement around the call", nil)
		return
	}
	if g.tested(cond) {
		return
	}
	header := "if " + cond + " {"
	if g.hoisted != "" {
		header = "if " + g.hoisted + " := " + g.f.text(g.recv) + "; " + cond + " {"
		g.f.edit(g.recv.Pos(), g.recv.End(), g.hoisted)
	}
	if !g.f.wrap(stmt.Node(), header) {
		report(None, what+": put the call on a line of its own, then test the guard first", nil)
		return
	}
	report(class, what, g.f.done("Call "+fn.Name()+" only if its guard holds"))
}

// A guardedCall is a call for which the guard is to be written.
type guardedCall struct {
	pass  *analysis.Pass
	stmt  inspector.Cursor
	call  *ast.CallExpr
	fn    *types.Func
	guard *GuardFact
	// trusts is set where the guard only passes arguments on, so that one of
	// another type may stand for a parameter.
	trusts  bool
	f       *fixer
	recv    ast.Expr
	hoisted string // variable that keeps the receiver
}

// condition returns the guard in the caller's terms and the class of the
// rewrite, or "" if it cannot be written.
func (g *guardedCall) condition() (cond, class string) {
	info := g.pass.TypesInfo
	g.f = newFixer(g.pass, g.call.Pos())
	if g.f == nil || len(g.call.Args) == 1 && isTuple(info.TypeOf(g.call.Args[0])) {
		return "", None
	}
	sig := g.fn.Signature()
	texts := make(map[int]string)
	class = Review
	if g.guard.Known {
		class = Safe
	}
	var certain []ast.Expr
	if sel, ok := ast.Unparen(g.call.Fun).(*ast.SelectorExpr); ok && info.Selections[sel] != nil {
		text, ok := g.receiver(sel, info.Selections[sel])
		if !ok {
			return "", None
		}
		texts[0] = text
		if g.hoisted == "" && g.guard.certainly(0) {
			certain = append(certain, sel.X)
			_, wantsPointer := types.Unalias(sig.Recv().Type()).(*types.Pointer)
			if g.guard.DerefsReceiver || !wantsPointer {
				if _, pointer := info.TypeOf(sel.X).Underlying().(*types.Pointer); pointer {
					certain = append(certain, &ast.StarExpr{X: sel.X})
				}
			}
		}
	} else if _, ok := ast.Unparen(g.call.Fun).(*ast.SelectorExpr); !ok {
		if _, ok := ast.Unparen(g.call.Fun).(*ast.Ident); !ok {
			return "", None // an instantiation or a method expression in parentheses
		}
	}
	for i, a := range g.call.Args {
		if !strings.Contains(g.guard.Cond, "$"+strconv.Itoa(i+1)) {
			continue
		}
		// The argument is evaluated twice. Its type must be the
		// parameter's, or the condition may mean something else.
		if i >= sig.Params().Len() || sig.Variadic() && i == sig.Params().Len()-1 || !effectFree(info, a) {
			return "", None
		}
		if !g.trusts && !standsFor(info, a, sig.Params().At(i).Type()) || info.Types[a].IsNil() {
			return "", None
		}
		texts[i+1] = operand(ast.Unparen(a), g.f.text(ast.Unparen(a)))
		if g.guard.certainly(i + 1) {
			certain = append(certain, a)
		}
	}
	// What the guard does not evaluate for certain may no longer panic.
	if fun, ok := g.stmt.FindNode(g.call.Fun); g.hoisted == "" && (!ok || !pure(info, fun, certain...)) {
		class = Review
	}
	for i, a := range g.call.Args {
		if _, substituted := texts[i+1]; substituted && g.guard.certainly(i+1) {
			continue
		}
		at, ok := g.stmt.FindNode(a)
		if !ok || !pure(info, at, certain...) {
			class = Review
		}
	}
	cond, ok := substitute(g.guard.Cond, texts)
	if !ok || !g.predeclared() {
		return "", None
	}
	cond, ok = g.qualify(cond)
	if !ok || g.f.failed || slices.ContainsFunc(g.f.added, func(p string) bool { return path.Base(p) == g.hoisted }) {
		return "", None
	}
	cond, ok = header(cond)
	if !ok {
		return "", None
	}
	return cond, class
}

// predeclared reports whether the predeclared names in the guard mean the same
// at the call.
func (g *guardedCall) predeclared() bool {
	e, ok := g.guard.parse()
	if !ok {
		return false
	}
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			ast.Inspect(sel.X, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				same = same && (!ok || types.Universe.Lookup(id.Name) == nil || g.f.predeclared(g.call.Pos(), id.Name))
				return same
			})
			return false
		}
		id, ok := n.(*ast.Ident)
		same = same && (!ok || types.Universe.Lookup(id.Name) == nil || g.f.predeclared(g.call.Pos(), id.Name))
		return same
	})
	return same
}

// standsFor reports whether a condition on a parameter of type want means the
// same for an argument in its place. A nil pointer is not nil once it is in an
// interface, and an untyped constant does not divide like a parameter.
func standsFor(info *types.Info, arg ast.Expr, want types.Type) bool {
	tv := info.Types[arg]
	if tv.Type == nil || tv.IsNil() {
		return false
	}
	if tv.Value != nil && !hasBasicInfo(want, types.IsInteger|types.IsString|types.IsBoolean) {
		return false
	}
	if types.Identical(tv.Type, want) {
		return true
	}
	return isInterfaceValue(tv.Type) && isInterfaceValue(want)
}

// isInterfaceValue reports whether values of a type are interfaces, those of
// type parameters not being sure to be.
func isInterfaceValue(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}

// receiver returns the text that stands for the callee's receiver.
func (g *guardedCall) receiver(sel *ast.SelectorExpr, s *types.Selection) (string, bool) {
	if s.Kind() != types.MethodVal {
		return "", false
	}
	// A promoted method: name the embedded field it belongs to, since the
	// outer type may have a field that hides one of the guard's.
	path := ""
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return "", false
		}
		field := st.Field(i)
		if !field.Exported() && field.Pkg() != g.pass.Pkg {
			return "", false
		}
		path += "." + field.Name()
		t = field.Type()
	}
	// A guard that uses the receiver other than to select from it must see
	// its very type.
	_, pointer := t.Underlying().(*types.Pointer)
	_, wantsPointer := types.Unalias(g.fn.Signature().Recv().Type()).(*types.Pointer)
	if pointer != wantsPointer && !types.IsInterface(t) && !onlySelected(g.guard.Cond) {
		return "", false
	}
	if !effectFree(g.pass.TypesInfo, sel.X) {
		if path != "" || receives(sel.X) {
			return "", false
		}
		g.recv = sel.X
		g.hoisted = g.f.free(g.stmt, "log")
		return g.hoisted, true
	}
	x := ast.Unparen(sel.X)
	return operand(x, g.f.text(x)) + path, true
}

// onlySelected reports whether each $0 of a template is followed by a dot.
func onlySelected(template string) bool {
	return strings.Count(template, "$0") == strings.Count(template, "$0.")
}

// qualify writes the package-level names of a template for the caller's file.
func (g *guardedCall) qualify(cond string) (string, bool) {
	for {
		before, rest, found := strings.Cut(cond, "${")
		if !found {
			return cond, true
		}
		pkgPath, rest, _ := strings.Cut(rest, "}")
		n := strings.IndexFunc(rest, func(r rune) bool { return !isIdentRune(r) })
		if n < 0 {
			n = len(rest)
		}
		name, rest := rest[:n], rest[n:]
		if pkgPath == g.pass.Pkg.Path() {
			if _, obj := g.f.scope(g.call.Pos()).LookupParent(name, g.call.Pos()); obj == nil || obj.Parent() != g.pass.Pkg.Scope() {
				return "", false // something local has that name
			}
			cond = before + name + rest
			continue
		}
		if !importable(g.pass.Pkg, pkgPath) {
			return "", false
		}
		cond = before + g.f.use(pkgPath, name, g.call.Pos()) + name + rest
	}
}

// importable reports whether a package may import another that it depends on,
// perhaps through others, under the last element of its path.
func importable(from *types.Package, pkgPath string) bool {
	if isStandard(pkgPath) && !strings.Contains(pkgPath, "internal") && (pkgPath == "context" || pkgPath == "log/slog") {
		return true
	}
	// The part before "internal" must be a prefix of the importer's path.
	parts := strings.Split(pkgPath, "/")
	if i := slices.Index(parts, "internal"); i >= 0 {
		parent := strings.Join(parts[:i], "/")
		if i > 0 && from.Path() != parent && !strings.HasPrefix(from.Path(), parent+"/") || i == 0 {
			return false
		}
	}
	seen := make(map[*types.Package]bool)
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		for _, q := range p.Imports() {
			if seen[q] {
				continue
			}
			seen[q] = true
			if q.Path() == pkgPath {
				return q
			}
			if r := find(q); r != nil {
				return r
			}
		}
		return nil
	}
	p := find(from)
	return p != nil && p.Name() != "main" && (p.Name() == path.Base(pkgPath) || slices.Contains(from.Imports(), p))
}

func isIdentRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
}

// tested reports whether the call is already under the guard: in an if
// statement with the condition, or after a return where it does not hold.
func (g *guardedCall) tested(cond string) bool {
	want, err := parser.ParseExpr(cond)
	if err != nil {
		return false
	}
	holds := conjuncts(want)
	met := func(e ast.Expr) bool {
		for _, c := range conjuncts(e) {
			holds = slices.DeleteFunc(holds, func(h ast.Expr) bool { return sameTest(h, c) })
		}
		return len(holds) == 0
	}
	info := g.pass.TypesInfo
	for c := g.stmt; ; c = c.Parent() {
		parent := c.Parent()
		switch n := parent.Node().(type) {
		case nil, *ast.FuncDecl, *ast.File:
			return false
		case *ast.IfStmt:
			if c.Node() == n.Body && met(n.Cond) {
				return true
			}
		}
		if !inList(c) {
			continue
		}
		for prev, ok := c.PrevSibling(); ok; prev, ok = prev.PrevSibling() {
			n, ok := prev.Node().(*ast.IfStmt)
			if !ok || n.Else != nil || !terminates(info, n.Body) {
				continue
			}
			text := negateOperand(info, n.Cond, func(e ast.Expr) string { return types.ExprString(e) })
			if e, err := parser.ParseExpr(text); err == nil && met(e) {
				return true
			}
		}
	}
}

// conjuncts returns the operands of a chain of &&.
func conjuncts(e ast.Expr) []ast.Expr {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.LAND {
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	}
	return []ast.Expr{e}
}

// sameTest reports whether two conditions are the same text, or ask the same
// method the same level, whatever the context.
func sameTest(a, b ast.Expr) bool {
	if types.ExprString(a) == types.ExprString(b) {
		return true
	}
	x, ok1 := a.(*ast.CallExpr)
	y, ok2 := b.(*ast.CallExpr)
	return ok1 && ok2 && len(x.Args) == 2 && len(y.Args) == 2 &&
		types.ExprString(x.Fun) == types.ExprString(y.Fun) && types.ExprString(x.Args[1]) == types.ExprString(y.Args[1])
}

// boxes reports whether a call stores a value in an interface for one of the
// given parameters in a way that may allocate.
func boxes(info *types.Info, sig *types.Signature, call *ast.CallExpr, params []int) bool {
	for i, a := range call.Args {
		p := min(i, sig.Params().Len()-1)
		if p < 0 || !slices.Contains(params, p) || !takesInterface(sig, p) {
			continue
		}
		if sig.Variadic() && p == sig.Params().Len()-1 && call.Ellipsis.IsValid() {
			continue // the caller's own slice
		}
		if boxAllocates(info, a) {
			return true
		}
	}
	return false
}

// boxAllocates reports whether storing e in an interface may allocate.
func boxAllocates(info *types.Info, e ast.Expr) bool {
	tv := info.Types[e]
	if tv.Type == nil || tv.Value != nil || tv.IsNil() {
		return false // constants are boxed at compile time
	}
	if _, ok := types.Unalias(tv.Type).(*types.TypeParam); ok {
		return true
	}
	switch u := tv.Type.Underlying().(type) {
	case *types.Interface, *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Tuple:
		return false // no box, or the value is the pointer
	case *types.Struct:
		return u.NumFields() > 0
	case *types.Array:
		return u.Len() > 0
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int8, types.Uint8, types.UnsafePointer:
			return false // single bytes come from a table of the runtime
		}
	}
	return true
}

func isTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// shortNames writes import/path.Name as Name.
func shortNames(names []string) string {
	var list []string
	for _, n := range names {
		_, name, _ := cutLast(n, ".")
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// slogGuard returns the guard of the logging functions of log/slog. They ask
// the logger's handler, which may be anything: never Known.
func slogGuard(fn *types.Func) *GuardFact {
	if fn.Pkg() == nil || fn.Pkg().Path() != "log/slog" {
		return nil
	}
	const pkg = "${log/slog}"
	logger := pkg + "Default()"
	if recv := fn.Signature().Recv(); recv != nil {
		if p, ok := recv.Type().(*types.Pointer); !ok || p.Elem().(*types.Named).Obj().Name() != "Logger" {
			return nil
		}
		logger = "$0"
	}
	name, withContext := strings.CutSuffix(fn.Name(), "Context")
	ctx, level, first := "${context}Background()", pkg+"Level"+name, 0
	if withContext {
		ctx, first = "$1", 1
	}
	switch name {
	case "Debug", "Info", "Warn", "Error":
	case "Log":
		ctx, level, first = "$1", "$2", 2
	default:
		return nil
	}
	return &GuardFact{
		Cond:   logger + ".Enabled(" + ctx + ", " + level + ")",
		Params: []int{first, first + 1}, Level: level,
	}
}

// shapeGuard returns the guard of a logger's method by the methods that its
// type has, for loggers whose source shows none. It trusts names and
// signatures: never Known.
func shapeGuard(fn *types.Func) *GuardFact {
	sig := fn.Signature()
	if sig.Recv() == nil || fn.Pkg() == nil || !sig.Variadic() || sig.Results().Len() > 0 {
		return nil
	}
	var params []int
	for i := range sig.Params().Len() {
		params = append(params, i)
	}
	recv := sig.Recv().Type()
	method := func(t types.Type, name string) *types.Signature {
		obj, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), name)
		if m, ok := obj.(*types.Func); ok {
			return m.Signature()
		}
		return nil
	}
	isBool := func(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

	// klog: V(n) yields a value that knows whether it is on.
	if s := method(recv, "Enabled"); s != nil && s.Params().Len() == 0 && s.Results().Len() == 1 && isBool(s.Results().At(0).Type()) {
		return &GuardFact{Cond: "$0.Enabled()", Params: params}
	}
	level := levelOf(fn.Name())
	if level == "" {
		return nil
	}
	levelConst := func(t types.Type) bool {
		c, ok := fn.Pkg().Scope().Lookup(level).(*types.Const)
		return ok && types.Identical(c.Type(), t) && c.Val().Kind() == constant.Int
	}
	text := "${" + fn.Pkg().Path() + "}" + level
	oneLevel := func(s *types.Signature) bool {
		return s != nil && s.Params().Len() == 1 && s.Results().Len() == 1 &&
			isBool(s.Results().At(0).Type()) && levelConst(s.Params().At(0).Type())
	}
	// logrus
	if oneLevel(method(recv, "IsLevelEnabled")) {
		return &GuardFact{Cond: "$0.IsLevelEnabled(" + text + ")", Params: params, Level: text}
	}
	// zap
	if s := method(recv, "Level"); s != nil && s.Params().Len() == 0 && s.Results().Len() == 1 &&
		oneLevel(method(s.Results().At(0).Type(), "Enabled")) {
		return &GuardFact{Cond: "$0.Level().Enabled(" + text + ")", Params: params, Level: text}
	}
	return nil
}

// levelOf returns the name of the constant for the level that a logging
// method is named for. Fatal and Panic are not among them: they do more than
// log.
func levelOf(method string) string {
	for _, level := range []string{"Trace", "Debug", "Info", "Warning", "Warn", "Error"} {
		if rest, ok := strings.CutPrefix(method, level); ok {
			switch rest {
			case "", "f", "ln", "w":
				if level == "Warning" {
					level = "Warn"
				}
				return level + "Level"
			}
		}
	}
	return ""
}
