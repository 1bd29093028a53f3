package rules

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var copybuffer = &analysis.Analyzer{
	Name: "copybuffer",
	Doc: `copy streams through a pooled buffer

## Why it allocates

io.Copy allocates a buffer of 32 KiB for every call, unless the source has a
WriteTo method or the destination a ReadFrom method that does the copying. Of
those, the methods of *os.File and of network connections still allocate the
same buffer wherever the kernel cannot move the data by itself.

## The rewrite

A function pooledCopy takes the place of io.Copy; it calls io.CopyBuffer with a
buffer from a sync.Pool that it shares with the package's other copies. io.CopyN
and io.CopyBuffer with a nil buffer are replaced alike. A file or connection
that would ignore the buffer hides its method:

	pooledCopy(struct{ io.Writer }{f}, src)

Where the destination is the null device, io.Discard takes its place.

## When it is not safe

  - A Reader or Writer that keeps the buffer it is given breaks the contracts of
    package io, and sees other data in it later. With io.Copy it does so only
    from the second piece of 32 KiB on, so that it may never have been noticed
    (class review, unless both ends are files, connections, buffers or hashes of
    the standard library).
  - Hiding ReadFrom or WriteTo of a file or connection gives up sendfile, splice
    and copy_file_range, with which the kernel copies faster (class review).
    Where the destination is a hash, nothing is given up.
  - io.Discard reads in pieces of 8 KiB, not of 32 KiB.
  - Without the null device, errors of a device that could not be opened are
    not seen when copying (class review, unless the error is checked).
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		p := &copyBuffers{
			pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex),
			copy: newHelpers(pass, helperFunc{base: "pooledCopy", text: copyText, also: []string{"N", "Buffers"}}),
		}
		for c := range p.vars.root.Preorder((*ast.CallExpr)(nil)) {
			p.check(c)
		}
		return nil, nil
	},
}

type copyBuffers struct {
	pass *analysis.Pass
	info *types.Info
	vars *varIndex
	copy *helpers
}

// check reports a call that copies with a buffer of its own.
func (p *copyBuffers) check(c inspector.Cursor) {
	call := c.Node().(*ast.CallExpr)
	if !isIOCopy(p.info, call) {
		return
	}
	name := typeutil.StaticCallee(p.info, call).Name()
	if name == "CopyN" {
		// io.CopyN allocates no more than it is asked to copy.
		if v := p.info.Types[call.Args[2]].Value; v != nil && constant.Compare(v, token.LSS, constant.MakeInt64(1024)) {
			return
		}
	}
	dst, src := call.Args[0], call.Args[1]
	diag := analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(), Category: Safe,
		Message: "io." + name + " allocates a buffer of up to 32 KiB for every call",
	}
	if class, ok := p.nullDevice(dst, c); ok {
		f := newFixer(p.pass, call.Pos())
		if f == nil {
			return
		}
		diag.Category = class
		diag.Message += ", only to write to the null device"
		if class == Review {
			diag.Message += ": the device's errors will not be seen"
		}
		// The variable is still used: closing it is one of its uses.
		f.replace(dst, f.use("io", "Discard", dst.Pos())+"Discard")
		diag.SuggestedFixes = f.done("Write to io.Discard")
		p.report(diag)
		return
	}
	if p.isDiscard(dst) {
		return
	}
	hideDst, hideSrc := false, false
	if name != "CopyN" && p.implements(src, "WriterTo") { // CopyN wraps its source
		// Only these fall back to a buffer of their own.
		if !p.isNamed(src, "os", "File") && !p.isNamed(src, "net", "TCPConn") {
			return
		}
		hideSrc = true
		if !p.isNamed(dst, "hash", "Hash", "Hash32", "Hash64") {
			diag.Category = Review
		}
	}
	if p.implements(dst, "ReaderFrom") {
		if !p.isNamed(dst, "os", "File") && !p.isNamed(dst, "net", "TCPConn") {
			return
		}
		hideDst = true
		diag.Category = Review
	}
	switch {
	case diag.Category == Review:
		diag.Message += ", unless the kernel copies; the rewrite gives that up"
	case !p.forgets(dst) || !p.forgets(src):
		// io.Copy gives a stream of less than 32 KiB a buffer that nobody
		// else ever writes to: what keeps it works by luck.
		diag.Category = Review
		diag.Message += "; nothing must keep a pooled one"
	}
	diag.SuggestedFixes = p.pooled(c, name, hideDst, hideSrc)
	p.report(diag)
}

// isIOCopy reports whether a call copies with a buffer that package io makes.
func isIOCopy(info *types.Info, call *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "io" {
		return false
	}
	switch fn.Name() {
	case "Copy":
		return len(call.Args) == 2
	case "CopyN":
		return len(call.Args) == 3
	case "CopyBuffer":
		return len(call.Args) == 3 && info.Types[call.Args[2]].IsNil()
	}
	return false
}

// report reports a diagnostic that has a fix.
func (p *copyBuffers) report(diag analysis.Diagnostic) {
	if diag.SuggestedFixes != nil {
		p.pass.Report(diag)
	}
}

// pooled returns the fix that copies through a pooled buffer.
func (p *copyBuffers) pooled(c inspector.Cursor, name string, hideDst, hideSrc bool) []analysis.SuggestedFix {
	call := c.Node().(*ast.CallExpr)
	f := newFixer(p.pass, call.Pos())
	if f == nil || f.commented(call) || !atLeastGo(p.pass, f.file, "go1.18") { // any
		return nil
	}
	text := func(e ast.Expr, hide bool, iface string) string {
		if hide {
			return "struct{ " + f.use("io", iface, call.Pos()) + iface + " }{" + f.text(e) + "}"
		}
		return f.text(e)
	}
	args := text(call.Args[0], hideDst, "Writer") + ", " + text(call.Args[1], hideSrc, "Reader")
	helper := p.copy.name(f)
	texts := []string{p.copy.missing(helper)}
	if name == "CopyN" {
		exactly := helperFunc{base: helper + "N", text: strings.ReplaceAll(copyNText, "COPY", helper)}
		n, found := exactly.in(p.pass)
		if !found && p.pass.Pkg.Scope().Lookup(n) != nil {
			return nil
		}
		if !found {
			texts = append(texts, exactly.render(n))
		}
		args += ", " + f.text(call.Args[2])
		helper = n
	}
	f.replace(call, helper+"("+args+")")
	f.declare(call.Pos(), helper, texts, "io", "sync")
	return f.done("Copy through a pooled buffer")
}

// The functions that fixes add. NAME stands for their name, COPY for that of
// the first.
const (
	copyText = "// NAMEBuffers holds the buffers of NAME.\n" +
		"var NAMEBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}\n" +
		"\n" +
		"// NAME is io.Copy with a buffer from a pool.\n" +
		"func NAME(dst io.Writer, src io.Reader) (int64, error) {\n" +
		"\tbuf := NAMEBuffers.Get().(*[32 << 10]byte)\n" +
		"\tdefer NAMEBuffers.Put(buf)\n" +
		"\treturn io.CopyBuffer(dst, src, buf[:])\n" +
		"}"
	copyNText = "// NAME is io.CopyN with a buffer from a pool.\n" +
		"func NAME(dst io.Writer, src io.Reader, n int64) (int64, error) {\n" +
		"\twritten, err := COPY(dst, io.LimitReader(src, n))\n" +
		"\tif written < n && err == nil {\n" +
		"\t\terr = io.EOF\n" +
		"\t}\n" +
		"\tif written == n {\n" +
		"\t\terr = nil\n" +
		"\t}\n" +
		"\treturn written, err\n" +
		"}"
)

// isDiscard reports whether e is io.Discard, whose ReadFrom has a pool.
func (p *copyBuffers) isDiscard(e ast.Expr) bool {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return false
	}
	v, ok := p.info.Uses[id].(*types.Var)
	return ok && v.Pkg() != nil && v.Name() == "Discard" && (v.Pkg().Path() == "io" || v.Pkg().Path() == "io/ioutil")
}

// implements reports whether e's static type has the method of an interface
// of package io.
func (p *copyBuffers) implements(e ast.Expr, iface string) bool {
	for _, imp := range p.pass.Pkg.Imports() {
		if imp.Path() == "io" {
			if t := imp.Scope().Lookup(iface); t != nil {
				return types.Implements(p.info.TypeOf(e), t.Type().Underlying().(*types.Interface))
			}
		}
	}
	return true // nothing is known: leave the call alone
}

// isNamed reports whether e's type is one of the named types of a package, or
// a pointer to one.
func (p *copyBuffers) isNamed(e ast.Expr, pkg string, names ...string) bool {
	return isNamed(p.info.TypeOf(e), pkg, names...)
}

func isNamed(t types.Type, pkg string, names ...string) bool {
	if t == nil {
		return false
	}
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && slices.Contains(names, n.Obj().Name())
}

// forgets reports whether a reader or writer is of a type that is known not to
// keep the buffer it is given.
func (p *copyBuffers) forgets(e ast.Expr) bool {
	return p.isNamed(e, "os", "File") || p.isNamed(e, "net", "TCPConn", "UnixConn") || p.isNamed(e, "hash", "Hash", "Hash32", "Hash64") ||
		p.isNamed(e, "bytes", "Buffer", "Reader") || p.isNamed(e, "strings", "Builder", "Reader")
}

// nullDevice reports whether e is a variable that holds the null device, opened
// for writing in the same function, and how far io.Discard can stand for it.
func (p *copyBuffers) nullDevice(e ast.Expr, at inspector.Cursor) (class string, ok bool) {
	v := p.vars.variable(e)
	if !p.vars.isLocal(v) || !p.isNamed(e, "os", "File") {
		return "", false
	}
	def := p.vars.defs[v]
	assign, ok := def.Parent().Node().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || len(assign.Rhs) != 1 || def.Node() != assign.Lhs[0] {
		return "", false
	}
	open, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr)
	if !ok || !p.opensNull(open) {
		return "", false
	}
	class = Safe
	closed := false
	for _, u := range p.vars.uses[v] {
		if p.vars.access(u) != reads {
			return "", false
		}
		if closes, deferred := p.closes(u); closes {
			closed = true
			if !deferred || funcOf(u) != funcOf(at) {
				class = Review // perhaps closed by the time of the copy
			}
			continue
		}
		if kind, i := u.ParentEdge(); kind != edge.CallExpr_Args || i != 0 || !isIOCopy(p.info, u.Parent().Node().(*ast.CallExpr)) {
			return "", false // seek, stat and the like
		}
	}
	if !closed {
		return "", false // the variable would be left without a use
	}
	if funcOf(def) != funcOf(at) || !p.errorChecked(def.Parent(), p.vars.variable(assign.Lhs[1])) {
		class = Review
	}
	return class, true
}

// closes reports whether a use of a file is that of a Close, and whether that
// is deferred.
func (p *copyBuffers) closes(u inspector.Cursor) (closes, deferred bool) {
	sel, ok := u.Parent().Node().(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Close" || u.Parent().ParentEdgeKind() != edge.CallExpr_Fun {
		return false, false
	}
	return true, u.Parent().Parent().ParentEdgeKind() == edge.DeferStmt_Call
}

// opensNull reports whether a call opens the null device for writing.
func (p *copyBuffers) opensNull(call *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(p.info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "os" || len(call.Args) == 0 {
		return false
	}
	name := p.info.Types[call.Args[0]].Value
	if name == nil || name.Kind() != constant.String || constant.StringVal(name) != "/dev/null" && !p.isDevNull(call.Args[0]) {
		return false
	}
	switch fn.Name() {
	case "Create":
		return true
	case "OpenFile":
		value := p.info.Types[call.Args[1]].Value
		if value == nil || value.Kind() != constant.Int {
			return false
		}
		flags, ok := constant.Int64Val(value)
		return ok && flags&int64(os.O_WRONLY|os.O_RDWR) != 0
	}
	return false
}

// isDevNull reports whether e is os.DevNull, whose value depends on the system.
func (p *copyBuffers) isDevNull(e ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	c, ok := p.info.Uses[sel.Sel].(*types.Const)
	return ok && c.Pkg() != nil && c.Pkg().Path() == "os" && c.Name() == "DevNull"
}

// errorChecked reports whether the statement after an assignment leaves when
// the error that it set is not nil.
func (p *copyBuffers) errorChecked(assign inspector.Cursor, err *types.Var) bool {
	next, ok := assign.NextSibling()
	if !ok || err == nil {
		return false
	}
	s, ok := next.Node().(*ast.IfStmt)
	if !ok || s.Init != nil || !terminates(p.info, s.Body) {
		return false
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	return ok && cond.Op == token.NEQ && p.vars.variable(cond.X) == err && p.info.Types[cond.Y].IsNil()
}
