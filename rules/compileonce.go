package rules

import (
	"go/ast"
	"go/constant"
	"go/format"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var compileOnce = &analysis.Analyzer{
	Name: "compileonce",
	Doc: `compile constant regular expressions and templates once

## Why it allocates

Compiling a pattern parses it and builds a program and its machines: some dozens
of allocations for a short regular expression, more for a template. In a
function that happens at each call, for the same constant.

## The rewrite

	func valid(s string) bool {                   var validRE = regexp.MustCompile("^[a-z]+$")
		re := regexp.MustCompile("^[a-z]+$")
		return re.MatchString(s)                  func valid(s string) bool {
	}                                                 re := validRE
	                                                  return re.MatchString(s)
	                                              }

regexp.MatchString and regexp.Match with a constant pattern, and
template.Must(template.New("name").Parse("text")) of text/template and
html/template, likewise. Regular expressions and parsed templates may be used by
many goroutines at once. The pattern is compiled during the analysis, so that
one that would panic when the program starts is never moved; regexp.Compile with
such a pattern cannot fail, and its error becomes nil.

## When it is not safe

The class is review where

  - the value is returned, stored or passed on, since others might change it
    (Longest);
  - the call is regexp.Compile, whose error handling becomes dead code;
  - package variables are initialised by calls that might run the function
    before the new variable is set, in an order the compiler cannot see.

There is no rewrite where the value is changed (Longest, Funcs, Delims, another
Parse), in init, in a main that runs it once, and inside sync.Once and
sync.OnceValue, which have solved it already. Compiling moves to the program's
start: put the variable behind sync.OnceValue where that counts.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		k := &compiling{pass: pass, info: pass.TypesInfo, taken: make(map[string]bool), hidden: hiddenInit(pass)}
		for c := range root.Preorder((*ast.CallExpr)(nil)) {
			k.check(c, c.Node().(*ast.CallExpr))
		}
		return nil, nil
	},
}

// maxPattern bounds the patterns that are compiled during the analysis, in
// bytes.
const maxPattern = 16 << 10

type compiling struct {
	pass   *analysis.Pass
	info   *types.Info
	taken  map[string]bool // names given to new variables
	hidden bool            // see hiddenInit
}

// A compilation is a call that compiles a constant.
type compilation struct {
	decl   string // initial value of the variable, "" for the call's own text
	use    string // what follows the variable in the call's place
	suffix string // of the variable's name
	fails  bool   // the call also returns an error
	value  bool   // the call's result is the compiled value
	class  string
}

// check reports a call that compiles a constant each time its function runs.
func (k *compiling) check(c inspector.Cursor, call *ast.CallExpr) {
	fn := typeutil.StaticCallee(k.info, call)
	if fn == nil || fn.Pkg() == nil || call.Ellipsis.IsValid() {
		return
	}
	decl := k.function(c)
	if decl == nil {
		return
	}
	f := newFixer(k.pass, call.Pos())
	if f == nil {
		return
	}
	var comp compilation
	switch fn.FullName() {
	case "regexp.MustCompile", "regexp.MustCompilePOSIX":
		comp = compilation{suffix: "RE", value: true, class: Safe}
	case "regexp.Compile", "regexp.CompilePOSIX":
		must := "Must" + fn.Name()
		comp = compilation{
			decl:   f.use("regexp", must, call.Pos()) + must + "(",
			suffix: "RE", value: true, fails: true, class: Review,
		}
	case "regexp.MatchString", "regexp.Match":
		comp = compilation{
			decl:   f.use("regexp", "MustCompile", call.Pos()) + "MustCompile(",
			suffix: "RE", fails: true, class: Safe,
		}
	case "text/template.Must", "html/template.Must":
		comp = compilation{suffix: "Template", value: true, class: Safe}
	default:
		return
	}
	if len(call.Args) == 0 || !k.compiles(fn, call) || !k.global(call.Args[0]) {
		return
	}
	if comp.decl != "" {
		comp.decl += f.text(call.Args[0]) + ")"
	} else {
		comp.decl = f.text(call)
	}
	if !comp.value {
		comp.use = "." + fn.Name() + "(" + f.text(call.Args[1]) + ")"
	}
	kind, _ := c.ParentEdge()
	if comp.fails {
		assign, ok := c.Parent().Node().(*ast.AssignStmt)
		if !ok || kind != edge.AssignStmt_Rhs || len(assign.Rhs) != 1 || len(assign.Lhs) != 2 || !f.predeclared(call.Pos(), "error", "nil") {
			return
		}
		comp.use += ", error(nil)"
	}
	if comp.value {
		changed, passed := k.uses(c)
		switch {
		case changed:
			return
		case passed:
			comp.class = Review
		}
	}
	if k.hidden {
		comp.class = Review
	}
	name := k.name(f, decl, comp.suffix)
	at := decl.Pos()
	if decl.Doc != nil {
		at = decl.Doc.Pos()
	}
	text, err := format.Source([]byte("var " + name + " = " + comp.decl))
	if err != nil {
		return
	}
	f.edit(at, at, string(text)+"\n\n")
	f.replace(call, name+comp.use)
	fixes := f.done("Compile it once, in a package variable")
	if len(fixes) == 0 {
		comp.class = None
	}
	k.pass.Report(analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(), Category: comp.class,
		Message:        types.ExprString(call.Fun) + " compiles the same constant each time",
		SuggestedFixes: fixes,
	})
}

// function returns the declaration of the function that a call runs in, or nil
// if it does not run there time and again.
func (k *compiling) function(c inspector.Cursor) *ast.FuncDecl {
	loop := false
	for e := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil), (*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.CallExpr)(nil)) {
		switch n := e.Node().(type) {
		case *ast.FuncDecl:
			plain := n.Recv == nil && (n.Name.Name == "init" || n.Name.Name == "main" && k.pass.Pkg.Name() == "main")
			if plain && !loop {
				return nil
			}
			return n
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			loop = true
		case *ast.CallExpr:
			if fn := typeutil.StaticCallee(k.info, n); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync" && strings.Contains(fn.FullName(), "Once") {
				return nil
			}
		}
	}
	return nil // in the initial value of a package variable
}

// compiles reports whether what a call compiles is constant and in order.
func (k *compiling) compiles(fn *types.Func, call *ast.CallExpr) bool {
	if fn.Name() == "Must" {
		name, text, ok := k.template(call.Args[0])
		if !ok {
			return false
		}
		_, err := template.New(name).Parse(text)
		return err == nil
	}
	pattern, ok := k.constant(call.Args[0])
	if !ok {
		return false
	}
	compile := regexp.Compile
	if strings.HasSuffix(fn.Name(), "POSIX") {
		compile = regexp.CompilePOSIX
	}
	_, err := compile(pattern)
	return err == nil
}

// template returns the constants of template.New(name).Parse(text).
func (k *compiling) template(e ast.Expr) (name, text string, ok bool) {
	parse, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(parse.Args) != 1 {
		return "", "", false
	}
	sel, ok := ast.Unparen(parse.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Parse" {
		return "", "", false
	}
	create, ok := ast.Unparen(sel.X).(*ast.CallExpr)
	if !ok || len(create.Args) != 1 {
		return "", "", false
	}
	fn := typeutil.StaticCallee(k.info, create)
	if fn == nil || fn.FullName() != "text/template.New" && fn.FullName() != "html/template.New" {
		return "", "", false
	}
	name, ok1 := k.constant(create.Args[0])
	text, ok2 := k.constant(parse.Args[0])
	return name, text, ok1 && ok2
}

// constant returns the value of a constant string.
func (k *compiling) constant(e ast.Expr) (string, bool) {
	tv := k.info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", false
	}
	s := constant.StringVal(tv.Value)
	return s, len(s) <= maxPattern
}

// global reports whether e means the same outside the function.
func (k *compiling) global(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		id, isIdent := n.(*ast.Ident)
		if !isIdent {
			return ok
		}
		obj := k.info.Uses[id]
		if obj == nil || isMember(obj) {
			return ok
		}
		if _, pkg := obj.(*types.PkgName); pkg || obj.Pkg() != k.pass.Pkg {
			return ok
		}
		ok = ok && obj.Parent() == k.pass.Pkg.Scope()
		return ok
	})
	return ok
}

// uses tells whether the compiled value is changed after it was made, and
// whether it gets to where that cannot be seen.
func (k *compiling) uses(c inspector.Cursor) (changed, passed bool) {
	kind, index := c.ParentEdge()
	switch parent := c.Parent().Node().(type) {
	case *ast.SelectorExpr:
		return mutates(parent.Sel.Name), c.Parent().ParentEdgeKind() != edge.CallExpr_Fun
	case *ast.AssignStmt:
		if kind != edge.AssignStmt_Rhs || index >= len(parent.Lhs) {
			return false, true
		}
		id, ok := parent.Lhs[index].(*ast.Ident)
		if !ok {
			return false, true
		}
		return k.usesOf(c, k.info.ObjectOf(id))
	case *ast.ValueSpec:
		if index >= len(parent.Names) {
			return false, true
		}
		return k.usesOf(c, k.info.Defs[parent.Names[index]])
	}
	return false, true
}

// usesOf is uses for a value that is kept in a variable.
func (k *compiling) usesOf(c inspector.Cursor, obj types.Object) (changed, passed bool) {
	v, ok := obj.(*types.Var)
	if !ok || v.Parent() == k.pass.Pkg.Scope() {
		return false, obj != nil && obj.Name() != "_"
	}
	for decl := range c.Enclosing((*ast.FuncDecl)(nil)) {
		for use := range decl.Preorder((*ast.Ident)(nil)) {
			if k.info.Uses[use.Node().(*ast.Ident)] != v {
				continue
			}
			switch parent := use.Parent().Node().(type) {
			case *ast.SelectorExpr:
				changed = changed || mutates(parent.Sel.Name)
				passed = passed || use.Parent().ParentEdgeKind() != edge.CallExpr_Fun
			case *ast.AssignStmt:
				passed = passed || use.ParentEdgeKind() == edge.AssignStmt_Rhs
			case *ast.BinaryExpr: // compared with nil
			default:
				passed = true
			}
		}
	}
	return changed, passed
}

// mutates reports whether a method of a regular expression or template may
// change it, or hand out something that does: all but those known not to.
func mutates(method string) bool {
	switch method {
	case "Execute", "ExecuteTemplate", "Name", "DefinedTemplates",
		"String", "NumSubexp", "SubexpNames", "SubexpIndex", "LiteralPrefix", "Split", "Expand", "ExpandString", "MarshalText", "AppendText":
		return false
	}
	return !strings.HasPrefix(method, "Match") && !strings.HasPrefix(method, "Find") && !strings.HasPrefix(method, "ReplaceAll")
}

// name returns a name for the new variable that is free in the package and in
// the function.
func (k *compiling) name(f *fixer, decl *ast.FuncDecl, suffix string) string {
	r, size := utf8.DecodeRuneInString(decl.Name.Name)
	base := string(unicode.ToLower(r)) + decl.Name.Name[size:] + suffix
	used := func(name string) bool {
		if k.taken[name] || k.pass.Pkg.Scope().Lookup(name) != nil || types.Universe.Lookup(name) != nil {
			return true
		}
		// An import or a local name of any file would hide it or clash.
		for _, file := range k.pass.Files {
			if scope := k.info.Scopes[file]; scope != nil && scope.Lookup(name) != nil {
				return true
			}
		}
		found := false
		ast.Inspect(decl, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
		return found
	}
	name := base
	for i := 2; used(name); i++ {
		name = base + strconv.Itoa(i)
	}
	k.taken[name] = true
	return name
}

// hiddenInit reports whether a package variable is initialised by a call that
// may run methods or functions of the package unknown to the compiler, which
// orders the initialisation by the references it can see.
func hiddenInit(pass *analysis.Pass) bool {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, e := range v.Values {
					if runsHidden(pass, e) {
						return true
					}
				}
			}
		}
	}
	return false
}

// runsHidden is hiddenInit for one initial value.
func runsHidden(pass *analysis.Pass, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // made, and called only by a call that is looked at
		case *ast.CallExpr:
			if harmlessCall(pass.TypesInfo, n) {
				return true
			}
			fn := typeutil.StaticCallee(pass.TypesInfo, n)
			if fn == nil {
				_, builtin := typeutil.Callee(pass.TypesInfo, n).(*types.Builtin)
				found = found || !builtin
				return !found
			}
			if fn.Pkg() == pass.Pkg {
				found = true
				return false
			}
			if fn.Pkg() != nil && fn.Pkg().Path() == "sync" {
				return true // OnceValue and its like run nothing yet
			}
			for _, a := range n.Args {
				if t := pass.TypesInfo.TypeOf(a); t == nil || carriesCode(pass.Pkg, t, 0) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// carriesCode reports whether a value of a type may lead to functions or
// methods of a package.
func carriesCode(pkg *types.Package, t types.Type, depth int) bool {
	if depth > 8 {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if named.Obj().Pkg() != pkg {
			// Another package's type may hold ours only by an interface
			// or a function, which it got in a call that is looked at.
			return false
		}
		if named.NumMethods() > 0 {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return false
	case *types.Pointer:
		return carriesCode(pkg, u.Elem(), depth+1)
	case *types.Slice:
		return carriesCode(pkg, u.Elem(), depth+1)
	case *types.Array:
		return carriesCode(pkg, u.Elem(), depth+1)
	case *types.Map:
		return carriesCode(pkg, u.Key(), depth+1) || carriesCode(pkg, u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if carriesCode(pkg, f.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true // functions, interfaces, channels
}
