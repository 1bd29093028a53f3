package compiler

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// A module is a Go module on disk and what the compiler says of it.
type module struct {
	t       *testing.T
	dir     string
	cmd     *run.Go
	scratch *run.Scratch
	tree    *source.Tree
}

// newModule writes the files of a txtar archive in testdata and lists the
// packages that match the patterns.
func newModule(t *testing.T, archive string, patterns ...string) *module {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	ar, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := run.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { scratch.Close() })
	m := &module{t: t, dir: filepath.Join(scratch.Dir, "src"), scratch: scratch}
	for _, f := range ar.Files {
		name := filepath.Join(m.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m.cmd = &run.Go{Dir: m.dir, Env: []string{"GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local"}}
	list, err := m.cmd.List(t.Context(), patterns...)
	if err != nil {
		t.Fatal(err)
	}
	m.tree = source.NewTree(m.dir, list.Packages, nil)
	return m
}

// builds returns the function that Diagnose calls to run `go args...`.
func (m *module) builds(overlay string, args ...string) func(context.Context, []string) ([]byte, error) {
	return func(ctx context.Context, gcflags []string) ([]byte, error) {
		all := append([]string{}, args[0])
		if args[0] == "test" {
			all = append(all, "-c")
		}
		all = append(all, "-o", filepath.Join(m.scratch.Dir, "out"))
		if overlay != "" {
			all = append(all, "-overlay="+overlay)
		}
		for _, f := range gcflags {
			all = append(all, "-gcflags="+f)
		}
		_, stderr, err := run.Combined(m.cmd.Command(ctx, append(all, args[1:]...)...))
		return stderr, err
	}
}

func (m *module) diagnose(pkgs []string, build func(context.Context, []string) ([]byte, error)) *Report {
	m.t.Helper()
	r, err := Diagnose(m.t.Context(), m.scratch, m.tree, pkgs, build)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// at returns the place of the only line of a file that holds the text.
func (m *module) at(file, text string) source.Pos {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(file)))
	if err != nil {
		m.t.Fatal(err)
	}
	found := 0
	for i, line := range strings.Split(string(data), "\n") {
		if strings.Contains(line, text) {
			if found > 0 {
				m.t.Fatalf("%s: %q is on lines %d and %d", file, text, found, i+1)
			}
			found = i + 1
		}
	}
	if found == 0 {
		m.t.Fatalf("%s: no line holds %q", file, text)
	}
	return source.Pos{Package: path.Join("example.com/m", path.Dir(file)), File: path.Base(file), Line: found}
}

// subjects returns the subjects of the records with the given code.
func subjects(records []*Record, code Code) []string {
	var out []string
	for _, r := range records {
		if r.Code == code {
			out = append(out, r.Subject)
		}
	}
	return out
}

// only returns the one Escape record among records.
func only(t *testing.T, records []*Record) *Record {
	t.Helper()
	var out *Record
	for _, r := range records {
		if r.Code != Escape {
			continue
		}
		if out != nil {
			t.Fatalf("more than one escape: %v", subjects(records, Escape))
		}
		out = r
	}
	if out == nil {
		t.Fatal("no escape")
	}
	return out
}

// format renders a reason one step a line.
func format(steps []finding.Step) string {
	var b strings.Builder
	for _, s := range steps {
		if s.File != "" {
			b.WriteString(s.File + ": ")
		}
		b.WriteString(s.Text + "\n")
	}
	return b.String()
}

// params resolves calls by syntax alone: names of functions are unique in the
// test modules.
func (m *module) params() ParamFunc {
	m.t.Helper()
	fset := token.NewFileSet()
	files := make(map[source.Pos]*ast.File)
	funcs := make(map[string]*ast.FuncDecl)
	methods := make(map[string]*ast.FuncDecl) // of interfaces
	place := func(p token.Pos) source.Pos {
		at := fset.Position(p)
		return m.tree.Canonical(at.Filename, "", at.Line, at.Column)
	}
	for pkg := range m.tree.Packages {
		if !pkg.Main {
			continue
		}
		names, err := filepath.Glob(filepath.Join(pkg.Dir, "*.go"))
		if err != nil {
			m.t.Fatal(err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				m.t.Fatal(err)
			}
			at := place(file.Package)
			files[source.Pos{Package: at.Package, File: at.File}] = file
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					funcs[n.Name.Name] = n
				case *ast.InterfaceType:
					for _, f := range n.Methods.List {
						if typ, ok := f.Type.(*ast.FuncType); ok {
							methods[f.Names[0].Name] = &ast.FuncDecl{Name: f.Names[0], Type: typ}
						}
					}
				}
				return true
			})
		}
	}
	return func(call source.Pos, arg string) (source.Pos, string, bool) {
		file := files[source.Pos{Package: call.Package, File: call.File}]
		if file == nil {
			return source.Pos{}, "", false
		}
		var found *ast.CallExpr
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && place(c.Lparen) == call {
				found = c
			}
			return found == nil
		})
		if found == nil {
			return source.Pos{}, "", false
		}
		name, recv := "", ""
		switch fun := found.Fun.(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			name, recv = fun.Sel.Name, types.ExprString(fun.X)
		}
		fn := methods[name]
		if fn == nil {
			fn = funcs[name]
		}
		if fn == nil {
			return source.Pos{}, "", false
		}
		if fn.Recv != nil && recv == arg {
			return place(fn.Recv.List[0].Names[0].Pos()), name, true
		}
		i := slices.IndexFunc(found.Args, func(e ast.Expr) bool { return types.ExprString(e) == arg })
		if arg == variadic {
			i = 1 << 20
		}
		for _, field := range fn.Type.Params.List {
			for _, id := range field.Names {
				if _, rest := field.Type.(*ast.Ellipsis); i == 0 || rest && i > 0 {
					return place(id.Pos()), name, true
				}
				i--
			}
		}
		return source.Pos{}, "", false
	}
}
