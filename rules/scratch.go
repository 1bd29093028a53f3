package rules

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var scratch = &analysis.Analyzer{
	Name: "scratch",
	Doc: `take a call's scratch buffer from a pool

## Why it allocates

A buffer that a function makes, fills and forgets lives on the stack only if its
size is a constant of at most 64 KiB and the compiler can see every use. Passed
to a method of an interface, such as io.Reader, or made in a size that is known
only at run time, it goes to the heap with every call.

## The rewrite

	buf := make([]byte, n)            buf, pooled := scratchBuffer(n)
	                                  defer scratchBufferPool.Put(pooled)

The function scratchBuffer and its sync.Pool are added to the package. It clears
the buffer, as make does, so that no data of an earlier call shows.

The report covers the make expression. Whether the buffer stays in the function
can be proved by making it with a small constant size instead: the compiler must
then say that it does not escape, or escapes only into the calls named here.

## When it is not safe

The buffer must not be used after the function returns. The rule follows it
through slicing, indexing, copying and known functions of the standard library,
and gives up at anything else: other calls, closures, goroutines, fields,
results.

A person has to decide (class review) where the buffer goes to a Read or Write
method, directly or through io.ReadFull and the like: the contracts of io.Reader
and io.Writer forbid to keep it, but an implementation may break them.
`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, varsAnalyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		s := &scratches{
			pass: pass, info: pass.TypesInfo, vars: pass.ResultOf[varsAnalyzer].(*varIndex),
			buffer: newHelpers(pass, helperFunc{base: "scratchBuffer", text: scratchText, also: []string{"Pool"}}),
		}
		for c := range s.vars.root.Preorder((*ast.AssignStmt)(nil)) {
			s.check(c)
		}
		return nil, nil
	},
}

const scratchText = "// NAMEPool holds the buffers of NAME.\n" +
	"var NAMEPool sync.Pool\n" +
	"\n" +
	"// NAME returns n zero bytes, and what to put back into NAMEPool after use.\n" +
	"func NAME(n int) (buf []byte, pooled *[]byte) {\n" +
	"\tp, _ := NAMEPool.Get().(*[]byte)\n" +
	"\tif p == nil || cap(*p) < n {\n" +
	"\t\tfresh := make([]byte, n)\n" +
	"\t\treturn fresh, &fresh\n" +
	"\t}\n" +
	"\tbuf = (*p)[:n:n]\n" +
	"\tclear(buf)\n" +
	"\treturn buf, p\n" +
	"}"

// maxStackMake is the size in bytes up to which the compiler keeps on the stack
// what make returns, if it does not escape (ir.MaxImplicitStackVarSize).
const maxStackMake = 64 << 10

type scratches struct {
	pass   *analysis.Pass
	info   *types.Info
	vars   *varIndex
	buffer *helpers
}

// check reports a statement that makes a scratch buffer.
func (s *scratches) check(c inspector.Cursor) {
	n := c.Node().(*ast.AssignStmt)
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || !inList(c) {
		return
	}
	call, ok := n.Rhs[0].(*ast.CallExpr)
	if !ok || !isBuiltin(s.info, call.Fun, "make") || len(call.Args) < 2 ||
		!types.Identical(s.info.TypeOf(call), types.NewSlice(types.Typ[types.Byte])) {
		return
	}
	size, empty := call.Args[1], false
	if len(call.Args) == 3 {
		if v := s.info.Types[size].Value; v == nil || v.ExactString() != "0" {
			return
		}
		size, empty = call.Args[2], true
	}
	v := s.vars.variable(n.Lhs[0])
	if v == nil || !s.once(c) {
		return
	}
	use := s.keeps(v, make(map[*types.Var]bool))
	if use == keeps {
		return
	}
	if n, ok := intConstant(s.info, size); ok && n <= maxStackMake && use == staysLocal {
		return // on the stack already
	}
	diag := analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(), Category: Safe,
		Message: "scratch buffer " + v.Name() + " is made anew for every call",
	}
	if use == staysByContract {
		diag.Category = Review
		diag.Message += ": it goes to Read or Write methods, which must not keep it"
	}
	if diag.SuggestedFixes = s.fix(c, v, size, empty); diag.SuggestedFixes != nil {
		s.pass.Report(diag)
	}
}

// once reports whether a statement runs at most once in a call of its
// function, so that a deferred call next to it does too.
func (s *scratches) once(c inspector.Cursor) bool {
	fn := funcOf(c)
	if !fn.Valid() {
		return false
	}
	for l := range c.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		if fn.Contains(l) {
			return false
		}
	}
	for b := range fn.Preorder((*ast.BranchStmt)(nil)) {
		if b.Node().(*ast.BranchStmt).Tok == token.GOTO {
			return false
		}
	}
	return true
}

// fix returns the fix that takes the buffer from the pool.
func (s *scratches) fix(c inspector.Cursor, v *types.Var, size ast.Expr, empty bool) []analysis.SuggestedFix {
	n := c.Node().(*ast.AssignStmt)
	f := newFixer(s.pass, n.Pos())
	if f == nil || f.commented(n) || !f.startsLine(n.Pos()) || !atLeastGo(s.pass, f.file, "go1.21") {
		return nil
	}
	text := f.text(size)
	t, _ := s.info.TypeOf(size).Underlying().(*types.Basic)
	switch {
	case t == nil:
		return nil
	case s.info.Types[size].Value != nil:
		if t.Kind() != types.Int && t.Info()&types.IsUntyped == 0 {
			text = "int(" + text + ")"
		}
	case types.Identical(s.info.TypeOf(size), types.Typ[types.Int]):
	case t.Kind() == types.Uint8 || t.Kind() == types.Uint16 || t.Kind() == types.Int8 || t.Kind() == types.Int16 || t.Kind() == types.Int32 || t.Kind() == types.Int:
		text = "int(" + text + ")"
	default:
		return nil // may not fit into an int
	}
	name := s.buffer.name(f)
	pooled := f.free(c, "pooled")
	end := lineEnd(s.pass.Fset.File(n.Pos()), n.End())
	if rest := strings.TrimSpace(f.between(n.End(), end)); rest != "" && !strings.HasPrefix(rest, "//") {
		return nil
	}
	f.edit(n.Lhs[0].End(), n.Lhs[0].End(), ", "+pooled)
	f.replace(n.Rhs[0], gofmted(name+"("+text+")"))
	indent := "\n" + f.indent(n.Pos())
	lines := indent + "defer " + name + "Pool.Put(" + pooled + ")"
	if empty {
		lines += indent + v.Name() + " = " + v.Name() + "[:0]"
	}
	f.edit(end, end, lines)
	f.declare(n.Pos(), name, []string{s.buffer.missing(name)}, "sync")
	if !f.predeclared(n.Pos(), "int") {
		return nil
	}
	return f.done("Take the buffer from a pool")
}

// A fate is what becomes of a buffer's memory after the uses of a variable.
type fate int

const (
	staysLocal      fate = iota // nothing else refers to it after the function returns
	staysByContract             // nothing does if all Read and Write methods keep their contract
	keeps                       // something may
)

// keeps follows the memory that v refers to.
func (s *scratches) keeps(v *types.Var, seen map[*types.Var]bool) fate {
	if seen[v] {
		return staysLocal
	}
	seen[v] = true
	if !s.vars.isLocal(v) || s.vars.captured(v) {
		return keeps
	}
	worst := staysLocal
	for _, u := range s.vars.uses[v] {
		worst = max(worst, s.use(u, seen))
	}
	return worst
}

// use follows the memory that an expression, a slice, refers to.
func (s *scratches) use(c inspector.Cursor, seen map[*types.Var]bool) fate {
	parent := c.Parent()
	kind, i := c.ParentEdge()
	switch kind {
	case edge.ParenExpr_X:
		return s.use(parent, seen)
	case edge.SliceExpr_X:
		return s.use(parent, seen)
	case edge.IndexExpr_X:
		if s.vars.access(parent) == addresses {
			return keeps
		}
		return staysLocal
	case edge.RangeStmt_X, edge.AssignStmt_Lhs, edge.ExprStmt_X:
		return staysLocal
	case edge.BinaryExpr_X, edge.BinaryExpr_Y:
		return staysLocal // comparison with nil
	case edge.AssignStmt_Rhs:
		a := parent.Node().(*ast.AssignStmt)
		if len(a.Lhs) != len(a.Rhs) {
			return keeps
		}
		if id, ok := a.Lhs[i].(*ast.Ident); ok && id.Name == "_" {
			return staysLocal
		}
		if v := s.vars.variable(a.Lhs[i]); v != nil {
			return s.keeps(v, seen)
		}
	case edge.CallExpr_Args:
		return s.argument(parent, i, seen)
	}
	return keeps
}

// argument follows a slice that is a call's i-th argument.
func (s *scratches) argument(c inspector.Cursor, i int, seen map[*types.Var]bool) fate {
	call := c.Node().(*ast.CallExpr)
	if c.ParentEdgeKind() == edge.GoStmt_Call {
		return keeps
	}
	if tv := s.info.Types[ast.Unparen(call.Fun)]; tv.IsType() {
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return staysLocal // a copy
		}
		return keeps
	}
	switch fn := typeutil.Callee(s.info, call).(type) {
	case *types.Builtin:
		switch fn.Name() {
		case "len", "cap", "copy", "clear":
			return staysLocal
		case "append":
			if i == 0 {
				return s.use(c, seen)
			}
			if call.Ellipsis.IsValid() {
				return staysLocal
			}
		}
	case *types.Func:
		return calleeKeeps(fn, i)
	}
	return keeps
}

// calleeKeeps tells what a known function does with the memory of its i-th
// argument, a byte slice.
func calleeKeeps(fn *types.Func, i int) fate {
	sig := fn.Signature()
	if sig.Recv() != nil {
		return methodKeeps(fn, sig)
	}
	if fn.Pkg() == nil {
		return keeps
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case "io":
		switch {
		case name == "ReadFull" && i == 1, name == "ReadAtLeast" && i == 1, name == "CopyBuffer" && i == 2:
			return staysByContract
		}
	case "crypto/rand":
		if name == "Read" { // of a Reader that may be replaced
			return staysByContract
		}
	case "encoding/binary":
		switch name {
		case "PutUvarint", "PutVarint", "Uvarint", "Varint":
			return staysLocal
		}
	case "encoding/hex":
		switch name {
		case "Encode", "Decode", "EncodeToString", "Dump":
			return staysLocal
		}
	case "bytes", "unicode/utf8", "crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512", "hash/crc32", "hash/crc64", "hash/adler32":
		// Those that return no memory can keep none.
		for r := range sig.Results().Variables() {
			switch u := r.Type().Underlying().(type) {
			case *types.Basic:
			case *types.Array:
				if _, ok := u.Elem().Underlying().(*types.Basic); !ok {
					return keeps
				}
			default:
				return keeps
			}
		}
		if sig.Results().Len() > 0 {
			return staysLocal
		}
	}
	return keeps
}

// methodKeeps tells the same of a method.
func methodKeeps(fn *types.Func, sig *types.Signature) fate {
	recv := sig.Recv().Type()
	switch fn.Name() {
	case "Read", "Write", "ReadAt", "WriteAt":
		if !readsOrWrites(sig) {
			return keeps
		}
		if isNamed(recv, "os", "File") || isNamed(recv, "net", "TCPConn", "UDPConn", "UnixConn") ||
			isNamed(recv, "bytes", "Buffer", "Reader") || isNamed(recv, "strings", "Reader", "Builder") {
			return staysLocal
		}
		return staysByContract
	}
	switch {
	case strings.HasPrefix(fn.Name(), "Append"):
		return keeps // returns it
	case isNamed(recv, "encoding/binary", "littleEndian", "bigEndian", "nativeEndian"):
		return staysLocal
	case isNamed(recv, "encoding/base64", "Encoding"), isNamed(recv, "encoding/base32", "Encoding"):
		switch fn.Name() {
		case "Encode", "Decode", "EncodeToString":
			return staysLocal
		}
	}
	return keeps
}

// readsOrWrites reports whether a method has the form of those of io.Reader,
// io.Writer, io.ReaderAt and io.WriterAt.
func readsOrWrites(sig *types.Signature) bool {
	params, results := sig.Params(), sig.Results()
	return params.Len() >= 1 && params.Len() <= 2 && results.Len() == 2 &&
		types.Identical(params.At(0).Type(), types.NewSlice(types.Typ[types.Byte])) &&
		(params.Len() == 1 || types.Identical(params.At(1).Type(), types.Typ[types.Int64])) &&
		types.Identical(results.At(0).Type(), types.Typ[types.Int]) &&
		types.Identical(results.At(1).Type(), types.Universe.Lookup("error").Type())
}
