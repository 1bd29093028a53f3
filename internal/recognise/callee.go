package recognise

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/unheap/unheap/internal/source"
)

// Param says which parameter an argument becomes: for the call at a position,
// as the compiler writes it (its opening parenthesis), and an argument's text,
// it returns the declared parameter's position and the callee's name. Calls
// through interfaces and function values have no one callee and give false.
func (p *Program) Param(call source.Pos, arg string) (param source.Pos, callee string, ok bool) {
	pkg, file := p.File(call)
	if file == nil {
		return source.Pos{}, "", false
	}
	expr := p.callAt(pkg, file, call)
	if expr == nil {
		return source.Pos{}, "", false
	}
	fn := typeutil.StaticCallee(pkg.TypesInfo, expr)
	if fn == nil {
		return source.Pos{}, "", false
	}
	fn = fn.Origin()
	sig := fn.Signature()
	v := receiver(sig, expr, arg)
	if v == nil {
		i := argument(sig, expr, arg)
		if i < 0 {
			return source.Pos{}, "", false
		}
		v = sig.Params().At(i)
	}
	if !v.Pos().IsValid() || fn.Pkg() == nil {
		return source.Pos{}, "", false
	}
	at := p.Fset.PositionFor(v.Pos(), false)
	return source.Pos{Package: fn.Pkg().Path(), File: filepath.Base(at.Filename), Line: at.Line, Col: at.Column},
		funcName(fn), true
}

// callAt returns the call whose opening parenthesis is at pos; where columns
// do not help, the only call on the line.
func (p *Program) callAt(pkg *packages.Package, file *ast.File, pos source.Pos) *ast.CallExpr {
	tf := p.Fset.File(file.FileStart)
	if pos.Line < 1 || pos.Line > tf.LineCount() {
		return nil
	}
	from := tf.LineStart(pos.Line)
	to := token.Pos(tf.Base() + tf.Size())
	if pos.Line < tf.LineCount() {
		to = tf.LineStart(pos.Line + 1)
	}
	var exact, only *ast.CallExpr
	calls := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || exact != nil || n.End() < from || n.Pos() >= to {
			return false
		}
		if c, ok := n.(*ast.CallExpr); ok && from <= c.Lparen && c.Lparen < to {
			if at := p.position(pkg, c.Lparen); at.Col == pos.Col || p.position(pkg, c.Pos()).Col == pos.Col {
				exact = c
			}
			only = c
			calls++
		}
		return true
	})
	if exact == nil && calls == 1 {
		return only
	}
	return exact
}

// receiver returns the receiver variable if arg is the text of the call's receiver.
func receiver(sig *types.Signature, call *ast.CallExpr, arg string) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if ok && sig.Recv() != nil && same(types.ExprString(sel.X), arg) {
		return sig.Recv()
	}
	return nil
}

// argument returns the index of the parameter that the argument with the given
// text is passed to, or -1.
func argument(sig *types.Signature, call *ast.CallExpr, arg string) int {
	n := sig.Params().Len()
	if n == 0 {
		return -1
	}
	if sig.Variadic() && strings.HasPrefix(arg, "... argument") {
		return n - 1
	}
	for i, a := range call.Args {
		if same(types.ExprString(a), arg) {
			return min(i, n-1)
		}
	}
	if len(call.Args) == 1 {
		return 0
	}
	return -1
}

// same compares two renderings of an expression: the compiler and go/types
// space and parenthesise differently.
func same(a, b string) bool {
	clean := strings.NewReplacer(" ", "", "(", "", ")", "").Replace
	return clean(a) == clean(b)
}

func funcName(fn *types.Func) string {
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = types.TypeString(recv.Type(), func(*types.Package) string { return "" }) + "." + name
		if strings.HasPrefix(name, "*") {
			name = "(" + strings.Replace(name, ".", ").", 1)
		}
	}
	return fn.Pkg().Name() + "." + name
}
