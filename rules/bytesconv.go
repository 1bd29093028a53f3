package rules

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var bytesConv = &analysis.Analyzer{
	Name: "bytesconv",
	Doc: `call the function for the type at hand instead of converting the argument

## Why it allocates

string(b) and []byte(s) copy their operand, on the heap if it is longer than 32
bytes or goes to a method of an interface. Packages strings and bytes have the
same functions for both types, and writers have methods for both.

## The rewrite

	strings.Contains(string(b), "x")    bytes.Contains(b, []byte("x"))
	sb.WriteString(string(b))           sb.Write(b)
	bw.Write([]byte(s))                 bw.WriteString(s)
	w.Write([]byte(s))                  io.WriteString(w, s)

The compiler does not copy constants that []byte converts for a function that
only reads them.

## When it is not safe

  - A bytes.Buffer that is given a part of its own contents moves them while it
    reads them; and a bufio.Writer may pass the slice on to the writer below it.
    Both are for a person to decide (class review).
  - io.WriteString calls the WriteString method of a writer that has one, and so
    does a bufio.Writer with the writer below it. It has to do the same as Write
    (class review).
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		b := &conversions{pass: pass, info: pass.TypesInfo}
		in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
		for c := range in.Root().Preorder((*ast.CallExpr)(nil)) {
			b.check(c.Node().(*ast.CallExpr))
		}
		return nil, nil
	},
}

type conversions struct {
	pass *analysis.Pass
	info *types.Info
}

// check reports a call with an argument that need not be converted.
func (b *conversions) check(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	fn, isFunc := typeutil.Callee(b.info, call).(*types.Func)
	if !ok || !isFunc || fn.Pkg() == nil || len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return
	}
	f := newFixer(b.pass, call.Pos())
	if f == nil || f.commented(call) {
		return
	}
	class, message := Safe, ""
	var at ast.Expr
	if fn.Signature().Recv() == nil {
		at, message = b.search(f, call, fn)
	} else {
		selection := b.info.Selections[sel]
		if selection == nil || selection.Kind() != types.MethodVal || len(selection.Index()) != 1 || len(call.Args) != 1 {
			return // a type around the writer may have methods of its own
		}
		at, class, message = b.write(f, call, sel, fn)
	}
	if at == nil {
		return
	}
	if fixes := f.done(message); fixes != nil {
		b.pass.Report(analysis.Diagnostic{
			Pos: at.Pos(), End: at.End(), Category: class,
			Message:        "the argument is copied to convert it, though " + fn.Name() + " exists for its own type",
			SuggestedFixes: fixes,
		})
	}
}

// search rewrites a call of a function of package strings.
func (b *conversions) search(f *fixer, call *ast.CallExpr, fn *types.Func) (at ast.Expr, message string) {
	if fn.Pkg().Path() != "strings" || len(call.Args) != 2 {
		return nil, ""
	}
	data := b.converted(call.Args[0], toString)
	if data == nil || !effectFree(b.info, call.Args[1]) {
		return nil, ""
	}
	arg := ""
	switch fn.Name() {
	case "Compare", "Contains", "Count", "EqualFold", "HasPrefix", "HasSuffix", "Index", "LastIndex":
		if other := b.converted(call.Args[1], toString); other != nil {
			arg = f.text(other)
		} else if b.info.Types[call.Args[1]].Value != nil && f.predeclared(call.Pos(), "byte") {
			arg = "[]byte(" + f.text(call.Args[1]) + ")"
		} else {
			return nil, ""
		}
	case "ContainsAny", "ContainsRune", "IndexAny", "IndexByte", "IndexRune", "LastIndexAny", "LastIndexByte":
		arg = f.text(call.Args[1])
	default:
		return nil, ""
	}
	f.replace(call, f.use("bytes", fn.Name(), call.Pos())+fn.Name()+"("+f.text(data)+", "+arg+")")
	return call.Args[0], "Call bytes." + fn.Name()
}

// write rewrites a call of a writer's method.
func (b *conversions) write(f *fixer, call *ast.CallExpr, sel *ast.SelectorExpr, fn *types.Func) (at ast.Expr, class, message string) {
	arg := call.Args[0]
	switch fn.FullName() {
	case "(*strings.Builder).WriteString":
		class = Safe
	case "(*bytes.Buffer).WriteString", "(*bufio.Writer).WriteString":
		class = Review
	case "(*bufio.Writer).Write", "(*os.File).Write":
		s := b.converted(arg, toBytes)
		if s == nil {
			return nil, "", ""
		}
		class = Safe
		if isNamed(fn.Signature().Recv().Type(), "bufio", "Writer") {
			class = Review // may call WriteString of the writer below
		}
		f.edit(sel.Sel.Pos(), sel.Sel.End(), "WriteString")
		f.replace(arg, f.text(s))
		return arg, class, "Call WriteString"
	default:
		s := b.converted(arg, toBytes)
		if s == nil || fn.Name() != "Write" || !types.IsInterface(b.info.TypeOf(sel.X)) || !readsOrWrites(fn.Signature()) {
			return nil, "", ""
		}
		f.replace(call, f.use("io", "WriteString", call.Pos())+"WriteString("+f.text(sel.X)+", "+f.text(s)+")")
		return arg, Review, "Call io.WriteString"
	}
	data := b.converted(arg, toString)
	if data == nil {
		return nil, "", ""
	}
	f.edit(sel.Sel.Pos(), sel.Sel.End(), "Write")
	f.replace(arg, f.text(data))
	return arg, class, "Call Write"
}

// A direction is that of a conversion between strings and byte slices.
type direction int

const (
	toString direction = iota
	toBytes
)

// converted returns the operand of a conversion between exactly string and
// []byte, or nil if e is none.
func (b *conversions) converted(e ast.Expr, d direction) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !b.info.Types[ast.Unparen(call.Fun)].IsType() {
		return nil
	}
	ends := []types.Type{types.Typ[types.String], types.NewSlice(types.Typ[types.Byte])}
	if d == toBytes {
		slices.Reverse(ends)
	}
	from := types.Default(b.info.TypeOf(call.Args[0]))
	if !types.Identical(b.info.TypeOf(call), ends[0]) || !types.Identical(from, ends[1]) {
		return nil
	}
	return call.Args[0]
}
