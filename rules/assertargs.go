package rules

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var assertArgs = &analysis.Analyzer{
	Name: "assertargs",
	Doc: `make an assertion's arguments only if it fails

## Why it allocates

A function of the form

	func assert(cond bool, format string, args ...any) {
		if !cond {
			panic(fmt.Sprintf(format, args...))
		}
	}

needs its arguments only when the condition is false, but each call stores them
in interfaces first, which allocates for values other than pointers and
constants.

## The rewrite

	assert(n < max, "n is %d", n)        if n >= max {
	                                         assert(false, "n is %d", n)
	                                     }

The condition is still evaluated once. It works through wrappers, across
packages, for helpers that call t.Fatalf or log, and for functions that act on
true in place of false.

## When it is not safe

The class is review where another argument calls a function or can panic, or
what the function is selected from can, since it is no longer evaluated while the
assertion holds; where the condition itself calls a function that might change
what another argument reads; and where the function is declared in a file that
other builds may leave out. There is
no rewrite for calls whose result is used and for arguments that receive from a
channel.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, Guards},
	Run: func(pass *analysis.Pass) (any, error) {
		known := pass.ResultOf[Guards].(GuardFunc)
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.ExprStmt)(nil)) {
			call, ok := ast.Unparen(c.Node().(*ast.ExprStmt).X).(*ast.CallExpr)
			if !ok || !inList(c) {
				continue
			}
			fn, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
			if !ok {
				continue
			}
			if guard := known(fn); guard != nil && boxes(pass.TypesInfo, fn.Signature(), call, guard.Params) {
				if n, negated := guard.parameter(); n > 0 && n <= len(call.Args) {
					checkAssert(pass, c, call, n-1, negated, guard.Known)
				}
			}
		}
		return nil, nil
	},
}

// checkAssert reports a call that does something only if its nth argument is
// true, or false if negated. known is that of the guard.
func checkAssert(pass *analysis.Pass, stmt inspector.Cursor, call *ast.CallExpr, n int, negated, known bool) {
	info := pass.TypesInfo
	cond := call.Args[n]
	if info.Types[cond].Value != nil {
		return // decided already
	}
	report := func(class, advice string, fixes []analysis.SuggestedFix) {
		if len(fixes) == 0 {
			class = None
		}
		pass.Report(analysis.Diagnostic{
			Pos: call.Pos(), End: call.End(), Category: class,
			Message:        "arguments of " + types.ExprString(call.Fun) + " are boxed though the condition mostly makes them useless" + advice,
			SuggestedFixes: fixes,
		})
	}
	const advice = ": test the condition in an if statement around the call"
	f := newFixer(pass, call.Pos())
	constant := "true"
	if negated {
		constant = "false"
	}
	if f == nil || f.commented(cond) || contains[*ast.FuncLit](cond) || slices.ContainsFunc(call.Args, receives) || !f.predeclared(call.Pos(), constant) {
		report(None, advice, nil)
		return
	}
	class := Safe
	for i, a := range call.Args {
		at, ok := stmt.FindNode(a)
		if i != n && (!ok || !pure(info, at, cond)) {
			class = Review
		}
	}
	if !effectFree(info, cond) || !known {
		class = Review
	}
	// What the callee is selected from is evaluated before the condition.
	fun, ok := stmt.FindNode(call.Fun)
	if !ok || !effectFree(info, call.Fun) {
		report(None, advice, nil)
		return
	}
	if !pure(info, fun, cond) {
		class = Review
	}
	text := f.text(cond)
	if negated {
		text = negate(info, cond, func(e ast.Expr) string { return f.text(e) })
	}
	text, ok = header(text)
	if !ok {
		report(None, advice, nil)
		return
	}
	f.edit(cond.Pos(), cond.End(), constant)
	if !f.wrap(stmt.Node(), "if "+text+" {") {
		report(None, advice, nil)
		return
	}
	report(class, "", f.done("Call "+types.ExprString(call.Fun)+" only if it matters"))
}

// header returns a condition as gofmt writes it in an if statement.
func header(cond string) (string, bool) {
	e, err := parser.ParseExpr(cond)
	if err != nil {
		return "", false
	}
	e = ast.Unparen(e)
	if openComposite(e) {
		e = &ast.ParenExpr{X: e}
	}
	var out strings.Builder
	if printer.Fprint(&out, token.NewFileSet(), e) != nil || strings.Contains(out.String(), "\n") {
		return "", false
	}
	return out.String(), true
}

// openComposite reports whether a composite literal is outside all brackets,
// where its brace would be taken for that of the block.
func openComposite(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			found = true
		case *ast.ParenExpr:
			return false
		case *ast.CallExpr:
			found = found || openComposite(n.Fun)
			return false
		case *ast.IndexExpr:
			found = found || openComposite(n.X)
			return false
		case *ast.SliceExpr:
			found = found || openComposite(n.X)
			return false
		}
		return !found
	})
	return found
}
