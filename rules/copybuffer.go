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
    package io, and sees other data in it later. With io.Copy it would also do
    so, from the second piece of 32 KiB on.
  - Hiding ReadFrom or WriteTo of a file or connection gives up sendfile, splice
    and copy_file_range, with which the kernel copies faster (class review).
    Where the destination is a hash, nothing is given up.
  - Without the null device, errors of a device that could not be opened are
    not seen when copying (class review, unless the error is checked).
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		p := &copyBuffers{
			pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex),
			names: make(map[*ast.File]string),
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
	// names are those of the helper functions that this pass adds, one a
	// file, so that all fixes of a package can be applied together.
	names map[*ast.File]string
}

// check reports a call that copies with a buffer of its own.
func (p *copyBuffers) check(c inspector.Cursor) {
	call := c.Node().(*ast.CallExpr)
	fn := typeutil.StaticCallee(p.info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "io" || call.Ellipsis.IsValid() {
		return
	}
	switch name := fn.Name(); {
	case name == "Copy" && len(call.Args) == 2:
	case name == "CopyN" && len(call.Args) == 3:
	case name == "CopyBuffer" && len(call.Args) == 3 && p.info.Types[call.Args[2]].IsNil():
	default:
		return
	}
	dst, src := call.Args[0], call.Args[1]
	diag := analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(), Category: Safe,
		Message: "io." + fn.Name() + " allocates a buffer of 32 KiB for every call",
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
	if fn.Name() != "CopyN" && p.implements(src, "WriterTo") { // CopyN wraps its source
		// Only these fall back to a buffer of their own.
		if !p.isNamed(src, "os", "File") && !p.isNamed(src, "net", "TCPConn") && !p.isNamed(src, "net", "UnixConn") {
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
	if diag.Category == Review {
		diag.Message += ", unless the kernel copies; the rewrite gives that up"
	}
	if diag.SuggestedFixes = p.pooled(c, fn.Name(), hideDst, hideSrc); diag.SuggestedFixes != nil {
		p.pass.Report(diag)
	}
}

func (p *copyBuffers) report(diag analysis.Diagnostic) {
	if diag.SuggestedFixes != nil {
		p.pass.Report(diag)
	}
}

// pooled returns the fix that copies through a pooled buffer.
func (p *copyBuffers) pooled(c inspector.Cursor, name string, hideDst, hideSrc bool) []analysis.SuggestedFix {
	call := c.Node().(*ast.CallExpr)
	f := newFixer(p.pass, call.Pos())
	if f == nil || f.commented(call) || !f.predeclared(f.file.Name.Pos(), "any", "byte", "make") {
		return nil
	}
	helper, found := p.helper(f)
	if _, obj := f.scope(call.Pos()).LookupParent(helper, call.Pos()); obj != nil && obj.Parent() != p.pass.Pkg.Scope() {
		return nil // shadowed
	}
	io := f.use("io", "Copy", call.Pos())
	text := func(e ast.Expr, hide bool, iface string) string {
		if hide {
			return "struct{ " + io + iface + " }{" + f.text(e) + "}"
		}
		return f.text(e)
	}
	dst, src := text(call.Args[0], hideDst, "Writer"), text(call.Args[1], hideSrc, "Reader")
	if name == "CopyN" {
		return p.pooledN(f, c, helper, found, dst, src)
	}
	f.replace(call, helper+"("+dst+", "+src+")")
	if !found {
		p.addHelper(f, helper, "")
	}
	return f.done("Copy through a pooled buffer")
}

// pooledN returns the fix for io.CopyN, which adds one more function.
func (p *copyBuffers) pooledN(f *fixer, c inspector.Cursor, helper string, found bool, dst, src string) []analysis.SuggestedFix {
	call := c.Node().(*ast.CallExpr)
	name := helper + "N"
	text := strings.NewReplacer("NAME", name, "COPY", helper).Replace(copyNHelper)
	have := p.declared(name, text)
	if obj := p.pass.Pkg.Scope().Lookup(name); obj != nil && !have {
		return nil
	}
	if _, obj := f.scope(call.Pos()).LookupParent(name, call.Pos()); obj != nil && obj.Parent() != p.pass.Pkg.Scope() {
		return nil
	}
	f.replace(call, name+"("+dst+", "+src+", "+f.text(call.Args[2])+")")
	if have {
		text = ""
	}
	if found {
		p.add(f, text)
	} else {
		p.addHelper(f, helper, text)
	}
	return f.done("Copy through a pooled buffer")
}

// The helpers, in which NAME, POOL and COPY stand for names. They use no
// package but io and sync.
const (
	copyPool = "// POOL holds the buffers of NAME.\n" +
		"var POOL = sync.Pool{New: func() any { return new([32 << 10]byte) }}\n"
	copyHelper = "// NAME is io.Copy with a buffer from a pool.\n" +
		"func NAME(dst io.Writer, src io.Reader) (int64, error) {\n" +
		"\tbuf := POOL.Get().(*[32 << 10]byte)\n" +
		"\tdefer POOL.Put(buf)\n" +
		"\treturn io.CopyBuffer(dst, src, buf[:])\n" +
		"}\n"
	copyNHelper = "// NAME is io.CopyN with a buffer from a pool.\n" +
		"func NAME(dst io.Writer, src io.Reader, n int64) (int64, error) {\n" +
		"\twritten, err := COPY(dst, io.LimitReader(src, n))\n" +
		"\tif written < n && err == nil {\n" +
		"\t\terr = io.EOF\n" +
		"\t}\n" +
		"\tif written == n {\n" +
		"\t\terr = nil\n" +
		"\t}\n" +
		"\treturn written, err\n" +
		"}\n"
)

// helper returns the name of the copying function for a file, and whether the
// package already has it.
func (p *copyBuffers) helper(f *fixer) (name string, found bool) {
	const base = "pooledCopy"
	if p.declared(base, strings.NewReplacer("NAME", base, "POOL", base+"Buffers").Replace(copyHelper)) {
		return base, true
	}
	if name, ok := p.names[f.file]; ok {
		return name, false
	}
	name = base
	taken := func(name string) bool {
		for _, n := range []string{name, name + "N", name + "Buffers"} {
			if p.pass.Pkg.Scope().Lookup(n) != nil {
				return true
			}
		}
		for _, other := range p.names {
			if other == name {
				return true
			}
		}
		return false
	}
	for i := 2; taken(name); i++ {
		name = base + string(rune('0'+i%10))
		if i > 9 {
			return "", false
		}
	}
	p.names[f.file] = name
	return name, false
}

// declared reports whether the package has a function with this very text in a
// file that is always built.
func (p *copyBuffers) declared(name, text string) bool {
	obj := p.pass.Pkg.Scope().Lookup(name)
	if obj == nil {
		return false
	}
	f := newFixer(p.pass, obj.Pos())
	if f == nil || constrained(p.pass.Fset, f.file) {
		return false
	}
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && p.info.Defs[fn.Name] == obj {
			_, body, _ := strings.Cut(text, "\n")
			return f.between(fn.Pos(), fn.End())+"\n" == body
		}
	}
	return false
}

// addHelper adds the copying function, its pool and more text to the file.
func (p *copyBuffers) addHelper(f *fixer, name, more string) {
	r := strings.NewReplacer("NAME", name, "POOL", name+"Buffers")
	text := r.Replace(copyPool) + "\n" + r.Replace(copyHelper)
	if more != "" {
		text += "\n" + more
	}
	f.use("sync", "Pool", f.file.Name.Pos())
	p.add(f, text)
}

// add appends declarations to the file.
func (p *copyBuffers) add(f *fixer, text string) {
	if text == "" {
		return
	}
	// Their own use of io and sync must be that of the file.
	for _, name := range []string{"io", "sync"} {
		if f.use(name, "Copy", f.file.Name.Pos()) != name+"." {
			f.failed = true
		}
	}
	last := f.file.Decls[len(f.file.Decls)-1]
	end := f.lineEnd(last.End())
	f.edit(end, end, "\n\n"+strings.TrimSuffix(text, "\n"))
}

// constrained reports whether a file is left out of some builds, or of all
// that are not tests.
func constrained(fset *token.FileSet, file *ast.File) bool {
	name := fset.File(file.FileStart).Name()
	name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".go")
	if strings.Contains(name, "_") {
		return true // perhaps for a system, an architecture or tests
	}
	for _, g := range file.Comments {
		if g.Pos() > file.Package {
			break
		}
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "// +build") {
				return true
			}
		}
	}
	return false
}

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
	for _, u := range p.vars.uses[v] {
		switch {
		case p.vars.access(u) != reads:
			return "", false
		case funcOf(u) != funcOf(at):
			class = Review
		case p.closes(u):
		case u.ParentEdgeKind() == edge.CallExpr_Args:
		default:
			return "", false // seek, stat and the like
		}
	}
	if funcOf(def) != funcOf(at) || !p.errorChecked(def.Parent(), p.vars.variable(assign.Lhs[1])) {
		class = Review
	}
	return class, true
}

// closes reports whether a use of a file is that of a deferred Close.
func (p *copyBuffers) closes(u inspector.Cursor) bool {
	sel, ok := u.Parent().Node().(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Close" {
		return false
	}
	call := u.Parent().Parent()
	return call.ParentEdgeKind() == edge.DeferStmt_Call
}

// opensNull reports whether a call opens the null device for writing.
func (p *copyBuffers) opensNull(call *ast.CallExpr) bool {
	fn := typeutil.StaticCallee(p.info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "os" || len(call.Args) == 0 {
		return false
	}
	name := p.info.Types[call.Args[0]].Value
	if name == nil || name.Kind() != constant.String || constant.StringVal(name) != os.DevNull && constant.StringVal(name) != "/dev/null" {
		return false
	}
	switch fn.Name() {
	case "Create":
		return true
	case "OpenFile":
		flags, ok := constant.Int64Val(constant.ToInt(p.info.Types[call.Args[1]].Value))
		return ok && flags&int64(os.O_WRONLY|os.O_RDWR) != 0
	}
	return false
}

// errorChecked reports whether the statement after an assignment leaves when
// the error that it set is not nil.
func (p *copyBuffers) errorChecked(assign inspector.Cursor, err *types.Var) bool {
	next, ok := assign.NextSibling()
	if !ok || err == nil {
		return false
	}
	s, ok := next.Node().(*ast.IfStmt)
	if !ok || s.Init != nil || !terminates(s.Body) {
		return false
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	return ok && cond.Op == token.NEQ && p.vars.variable(cond.X) == err && p.info.Types[cond.Y].IsNil()
}
