package rules

import (
	"go/ast"
	"go/build"
	"go/token"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A helperFunc is a function that fixes add to a package, with the variables
// that it needs.
type helperFunc struct {
	base string   // the name, if it is free
	text string   // the declarations, with NAME for the name; the function comes last
	also []string // what is put behind the name for the other declarations
}

// render returns the declarations for a name.
func (h helperFunc) render(name string) string { return strings.ReplaceAll(h.text, "NAME", name) }

// in returns the function's usual name, and whether the package already has
// it, from an earlier fix, in a file that is always built.
func (h helperFunc) in(pass *analysis.Pass) (name string, found bool) {
	obj := pass.Pkg.Scope().Lookup(h.base)
	if obj == nil {
		return h.base, false
	}
	f := newFixer(pass, obj.Pos())
	if f == nil || constrained(pass.Fset, f.file) {
		return h.base, false
	}
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && pass.TypesInfo.Defs[fn.Name] == obj {
			return h.base, strings.HasSuffix(h.render(h.base), "\n"+f.between(fn.Pos(), fn.End()))
		}
	}
	return h.base, false
}

// helpers hands out names for one helper function, one a file, so that each
// fix of a package is complete and all can be applied together.
type helpers struct {
	pass  *analysis.Pass
	fn    helperFunc
	found bool // the package has it under its usual name
	names map[*ast.File]string
}

func newHelpers(pass *analysis.Pass, fn helperFunc) *helpers {
	_, found := fn.in(pass)
	return &helpers{pass: pass, fn: fn, found: found, names: make(map[*ast.File]string)}
}

// name returns the name of the function for the fixer's file.
func (h *helpers) name(f *fixer) string {
	if h.found {
		return h.fn.base
	}
	name, ok := h.names[f.file]
	for i := 2; !ok; i++ {
		if name = h.fn.base; i > 2 {
			name += strconv.Itoa(i - 1)
		}
		ok = !h.taken(name)
	}
	h.names[f.file] = name
	return name
}

func (h *helpers) taken(name string) bool {
	for _, suffix := range append([]string{""}, h.fn.also...) {
		if h.pass.Pkg.Scope().Lookup(name+suffix) != nil {
			return true
		}
	}
	for _, other := range h.names {
		if other == name {
			return true
		}
	}
	return false
}

// missing returns the declarations that a fix which calls the function has to
// add, or "".
func (h *helpers) missing(name string) string {
	if h.found {
		return ""
	}
	return h.fn.render(name)
}

// declare adds declarations, of which those that are empty are left out, to the
// end of the file. They use packages by their own names. The fix fails if they
// cannot, or if name means something else at pos.
func (f *fixer) declare(pos token.Pos, name string, texts []string, packages ...string) {
	pkg := f.pass.Pkg.Scope()
	if _, obj := f.scope(pos).LookupParent(name, pos); obj != nil && obj.Parent() != pkg {
		f.failed = true
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return
	}
	top := f.file.Name.Pos()
	if !f.predeclared(top, "any", "byte", "cap", "clear", "error", "int", "int64", "make", "new", "nil") {
		f.failed = true
	}
	for _, p := range packages {
		if f.use(p, "", top) != p+"." {
			f.failed = true
		}
	}
	// The line of the last declaration may go on with a comment.
	end := f.file.Decls[len(f.file.Decls)-1].End()
	if i := strings.IndexByte(f.between(end, f.file.FileEnd), '\n'); i >= 0 {
		end += token.Pos(i)
	} else {
		end = f.file.FileEnd
	}
	// One edit each, so that fixes which add the same one share it.
	for _, text := range texts {
		f.edit(end, end, "\n\n"+text)
	}
}

// constrained reports whether a file may be left out of some builds.
func constrained(fset *token.FileSet, file *ast.File) bool {
	name := fset.File(file.FileStart).Name()
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if strings.HasSuffix(name, "_test.go") {
		return true
	}
	// A name for one system or architecture does not match an unknown one.
	unknown := build.Context{GOOS: "unknown", GOARCH: "unknown", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	if match, err := unknown.MatchFile(".", name); !match || err != nil {
		return true
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
