package rules

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var sprint = &analysis.Analyzer{
	Name: "sprint",
	Doc: `write plain strings, numbers and booleans without fmt

## Why it allocates

fmt takes its operands as any. Each value that is not a pointer or a constant is
copied to the heap to be put there, the slice that holds them may follow it, and
then comes the result. For a plain string or number that is all avoidable.

## The rewrite

	fmt.Sprintf("%d", n)              strconv.Itoa(n)
	fmt.Sprintf("%s:%d", host, port)  host + ":" + strconv.Itoa(port)
	fmt.Sprint(ok)                    strconv.FormatBool(ok)
	fmt.Sprintf("%s", s)              s
	fmt.Errorf("closed")              errors.New("closed")
	fmt.Fprintf(&b, "%s=", key)       b.WriteString(key)
	                                  b.WriteString("=")

It knows the verbs s, d, v, t, x and q without flags, for strings, integers and
booleans, and writers of type strings.Builder and bytes.Buffer. Types with a
Format method are left alone, and so are types with an Error or String method
unless the verb is d or t. The imports follow.

## When it is not safe

The text is the same in every case. The class is review where one operand is a
call that might change another operand, which fmt may have read before.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			fn := typeutil.StaticCallee(pass.TypesInfo, call)
			if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || fn.Signature().Recv() != nil || call.Ellipsis.IsValid() {
				continue
			}
			p := &printing{pass: pass, c: c, call: call, name: fn.Name()}
			switch p.name {
			case "Sprint", "Sprintf", "Sprintln", "Errorf":
				p.asString()
			case "Fprint", "Fprintf", "Fprintln":
				p.asWrites()
			}
		}
		return nil, nil
	},
}

// A printing is one call of a function of fmt.
type printing struct {
	pass *analysis.Pass
	c    inspector.Cursor
	call *ast.CallExpr
	name string
	f    *fixer
}

// A piece is a part of the text that a call makes: literal text, or an operand.
type piece struct {
	text string
	arg  ast.Expr
	verb byte
}

// report reports the call.
func (p *printing) report(class string, fixes []analysis.SuggestedFix) {
	if len(fixes) == 0 {
		class = None
	}
	p.pass.Report(analysis.Diagnostic{
		Pos: p.call.Pos(), End: p.call.End(), Category: class,
		Message:        "fmt." + p.name + " boxes operands that need no formatting",
		SuggestedFixes: fixes,
	})
}

// asString rewrites a call that returns its text.
func (p *printing) asString() {
	kind, _ := p.c.ParentEdge()
	switch kind {
	case edge.ExprStmt_X, edge.GoStmt_Call, edge.DeferStmt_Call:
		return // the result is thrown away
	}
	pieces, ok := p.pieces(p.call.Args)
	if !ok {
		return
	}
	if p.f = newFixer(p.pass, p.call.Pos()); p.f == nil || p.loose() {
		return
	}
	constant := true
	var parts []string
	for _, piece := range pieces {
		constant = constant && piece.arg == nil
		text, ok := p.expr(piece)
		if !ok {
			return
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		parts = []string{`""`}
	}
	text := strings.Join(parts, " + ")
	switch {
	case p.name == "Errorf":
		text = p.f.use("errors", "New", p.call.Pos()) + "New(" + text + ")"
	case kind == edge.IndexExpr_X, kind == edge.SliceExpr_X, kind == edge.BinaryExpr_X, kind == edge.BinaryExpr_Y, kind == edge.CaseClause_List:
		if constant {
			return // a constant there may be an error: an index out of range, two equal cases
		}
		if kind == edge.IndexExpr_X || kind == edge.SliceExpr_X {
			if e, err := parser.ParseExpr(text); err != nil || !primary(e) {
				text = "(" + text + ")"
			}
		}
	}
	p.f.fit(p.call, text)
	p.report(p.class(pieces), p.f.done("Write the text without fmt"))
}

// asWrites rewrites a call that writes its text to a buffer, of which nobody
// wants to know the result.
func (p *printing) asWrites() {
	if len(p.call.Args) < 2 || p.c.ParentEdgeKind() != edge.ExprStmt_X || !inList(p.c.Parent()) {
		return
	}
	info := p.pass.TypesInfo
	if !isBuffer(info.TypeOf(p.call.Args[0])) || !effectFree(info, p.call.Args[0]) {
		return
	}
	pieces, ok := p.pieces(p.call.Args[1:])
	if !ok || len(pieces) == 0 {
		return
	}
	if p.f = newFixer(p.pass, p.call.Pos()); p.f == nil || p.loose() || !p.f.startsLine(p.call.Pos()) {
		return
	}
	w := ast.Unparen(p.call.Args[0])
	buffer := ""
	if amp, ok := w.(*ast.UnaryExpr); ok {
		w = ast.Unparen(amp.X)
	}
	switch w.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		buffer = p.f.text(w)
	default:
		return
	}
	var lines []string
	for _, piece := range pieces {
		// Between two writes an operand is evaluated, which fmt would have
		// done before the first.
		if piece.arg != nil && len(pieces) > 1 {
			at, ok := p.c.FindNode(piece.arg)
			if !ok || !pure(info, at, p.call.Args[0]) || mayReadBuffer(info, piece.arg) {
				return
			}
		}
		text, ok := p.expr(piece)
		if !ok {
			return
		}
		lines = append(lines, buffer+".WriteString("+text+")")
	}
	p.f.fit(p.call, strings.Join(lines, "\n"+p.f.indent(p.call.Pos())))
	p.report(Safe, p.f.done("Write the text without fmt"))
}

// disorder tells whether an operand has effects, and whether it has none but
// reads what the effects of another one may change.
func disorder(info *types.Info, e ast.Expr, steady func(*types.Var) bool) (calls, reads bool) {
	if info.Types[e].Value != nil {
		return false, false
	}
	if !effectFree(info, e) {
		return true, false
	}
	k := keyer{info: info}
	return false, k.key(e) == "" || k.loads || slices.ContainsFunc(k.vars, func(v *types.Var) bool { return !steady(v) })
}

// primary reports whether an expression can be indexed without parentheses.
func primary(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr:
		return false
	}
	return true
}

// mayReadBuffer reports whether an expression reads the elements of a byte
// slice, which may be those that a buffer writes to.
func mayReadBuffer(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if t := info.TypeOf(e); t != nil {
				_, slice := t.Underlying().(*types.Slice)
				found = found || slice
			}
		}
		return !found
	})
	return found
}

// shifts reports whether an expression shifts an untyped constant by a number
// that is none: its type depends on where it stands.
func shifts(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.SHL || b.Op == token.SHR) && info.Types[b].Value == nil && info.Types[b.X].Value != nil {
			found = true
		}
		return !found
	})
	return found
}

// class returns the class of a rewrite that may change the order in which
// operands are evaluated. Go fixes the order of calls, but leaves open whether
// a variable is read before or after a call that changes it.
func (p *printing) class(pieces []piece) string {
	info := p.pass.TypesInfo
	steady := steadyVars(info, p.c)
	calls, reads := false, false
	for _, piece := range pieces {
		if piece.arg != nil {
			call, read := disorder(info, piece.arg, steady)
			calls, reads = calls || call, reads || read
		}
	}
	if calls && reads {
		return Review
	}
	return Safe
}

// loose reports whether the call holds a comment, which would be lost.
func (p *printing) loose() bool { return p.f.commented(p.call) }

// isBuffer reports whether writing to a type cannot fail.
func isBuffer(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case "strings.Builder", "bytes.Buffer":
		return true
	}
	return false
}

// pieces splits what a call prints.
func (p *printing) pieces(args []ast.Expr) ([]piece, bool) {
	info := p.pass.TypesInfo
	var list []piece
	literal := func(s string) {
		if n := len(list); n > 0 && list[n-1].arg == nil {
			list[n-1].text += s
		} else if s != "" {
			list = append(list, piece{text: s})
		}
	}
	// Constants become part of the text around them.
	add := func(a ast.Expr, verb byte) {
		tv := info.Types[a]
		_, basic := tv.Type.(*types.Basic)
		switch {
		case basic && tv.Value != nil && tv.Value.Kind() == constant.String && (verb == 's' || verb == 'v'):
			literal(constant.StringVal(tv.Value))
		case basic && tv.Value != nil && isInteger(tv.Type) && (verb == 'd' || verb == 'v'):
			literal(constant.ToInt(tv.Value).ExactString())
		default:
			list = append(list, piece{arg: a, verb: verb})
		}
	}
	if !strings.HasSuffix(p.name, "f") {
		line := strings.HasSuffix(p.name, "ln")
		for i, a := range args {
			// Sprint puts a space between operands when neither is a
			// string, Sprintln always.
			if i > 0 && (line || !isString(info.TypeOf(a)) && !isString(info.TypeOf(args[i-1]))) {
				literal(" ")
			}
			add(a, 'v')
		}
		if line {
			literal("\n")
		}
		return list, len(args) > 0
	}
	if len(args) == 0 {
		return nil, false
	}
	tv := info.Types[args[0]]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return nil, false
	}
	format, args := constant.StringVal(tv.Value), args[1:]
	for {
		before, after, found := strings.Cut(format, "%")
		literal(before)
		if !found {
			return list, len(args) == 0
		}
		if after == "" {
			return nil, false
		}
		switch after[0] {
		case '%':
			literal("%")
		case 's', 'd', 'v', 't', 'q', 'x':
			if len(args) == 0 {
				return nil, false
			}
			add(args[0], after[0])
			args = args[1:]
		default: // flags, widths, other verbs
			return nil, false
		}
		format = after[1:]
	}
}

func isString(t types.Type) bool { return hasBasicInfo(t, types.IsString) }

// expr returns a string expression for a piece, or false where fmt does more
// than Go's own conversions.
func (p *printing) expr(piece piece) (string, bool) {
	if piece.arg == nil {
		return quote(piece.text), true
	}
	t := p.pass.TypesInfo.TypeOf(piece.arg)
	if t == nil {
		return "", false
	}
	_, named := types.Unalias(t).(*types.Named)
	b, ok := t.Underlying().(*types.Basic)
	if !ok || named && formats(t, piece.verb) {
		return "", false
	}
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return "", false
	}
	text := p.f.text(piece.arg)
	convert := func(to types.BasicKind) (string, bool) {
		if b.Kind() == to && !named {
			return text, true
		}
		name := types.Typ[to].Name()
		if shifts(p.pass.TypesInfo, piece.arg) {
			return "", false
		}
		if b.Kind() == types.UntypedInt || b.Kind() == types.UntypedRune || b.Kind() == types.UntypedString || b.Kind() == types.UntypedBool {
			return text, true
		}
		return name + "(" + text + ")", p.f.predeclared(p.call.Pos(), name)
	}
	number := func(base string) (string, bool) {
		pkg := func(member string) string { return p.f.use("strconv", member, p.call.Pos()) + member }
		switch {
		case b.Info()&types.IsUnsigned != 0:
			x, ok := convert(types.Uint64)
			return pkg("FormatUint") + "(" + x + ", " + base + ")", ok
		case base == "10" && (b.Kind() == types.Int || b.Kind() == types.UntypedInt):
			x, ok := convert(types.Int)
			return pkg("Itoa") + "(" + x + ")", ok
		default:
			x, ok := convert(types.Int64)
			return pkg("FormatInt") + "(" + x + ", " + base + ")", ok
		}
	}
	info := b.Info()
	switch {
	case info&types.IsString != 0:
		x, ok := convert(types.String)
		switch piece.verb {
		case 's', 'v':
			return x, ok
		case 'q':
			return p.f.use("strconv", "Quote", p.call.Pos()) + "Quote(" + x + ")", ok
		}
	case info&types.IsInteger != 0 && b.Kind() != types.UnsafePointer:
		switch piece.verb {
		case 'd', 'v':
			return number("10")
		case 'x':
			return number("16")
		}
	case info&types.IsBoolean != 0:
		if piece.verb == 't' || piece.verb == 'v' {
			x, ok := convert(types.Bool)
			return p.f.use("strconv", "FormatBool", p.call.Pos()) + "FormatBool(" + x + ")", ok
		}
	}
	return "", false
}

// formats reports whether fmt calls a method of a value of type t for a verb.
func formats(t types.Type, verb byte) bool {
	methods := types.NewMethodSet(t)
	has := func(name string) bool {
		for m := range methods.Methods() {
			if m.Obj().Name() == name {
				return true
			}
		}
		return false
	}
	if has("Format") {
		return true
	}
	return verb != 'd' && verb != 't' && (has("Error") || has("String"))
}

// quote writes a string literal, between back quotes where that reads better.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
