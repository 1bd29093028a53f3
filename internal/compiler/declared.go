package compiler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/unheap/unheap/internal/source"
)

// maxSource bounds the source files that are parsed for declarations.
const maxSource = 16 << 20

// declarations remembers the parameters and results of source files.
type declarations struct {
	mu    sync.Mutex
	files map[string]*declared // by absolute name
}

// declared is what one file declares.
type declared struct {
	params  map[[2]int]string // "name type" by line and column of the name
	results []namedResult
	methods map[string]bool // names of methods of declared types
	fields  map[string]bool // names of struct fields
}

type namedResult struct {
	from, to int // lines of the function
	name     string
}

func (d *declarations) of(name string) *declared {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.files[name]; ok {
		return f
	}
	if d.files == nil {
		d.files = make(map[string]*declared)
	}
	f := parseDeclared(name)
	d.files[name] = f
	return f
}

func parseDeclared(name string) *declared {
	d := &declared{
		params:  make(map[[2]int]string),
		methods: make(map[string]bool),
		fields:  make(map[string]bool),
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return d
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if file == nil {
		return d
	}
	add := func(fields *ast.FieldList) {
		if fields == nil {
			return
		}
		for _, field := range fields.List {
			for _, id := range field.Names {
				at := fset.PositionFor(id.Pos(), false)
				d.params[[2]int{at.Line, at.Column}] = id.Name + " " + types.ExprString(field.Type)
			}
		}
	}
	function := func(n ast.Node, typ *ast.FuncType) {
		add(typ.Params)
		if typ.Results == nil {
			return
		}
		from, to := fset.PositionFor(n.Pos(), false).Line, fset.PositionFor(n.End(), false).Line
		for _, field := range typ.Results.List {
			for _, id := range field.Names {
				d.results = append(d.results, namedResult{from, to, id.Name})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				d.methods[n.Name.Name] = true
			}
			add(n.Recv)
			function(n, n.Type)
		case *ast.FuncLit:
			function(n, n.Type)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				if typ, ok := m.Type.(*ast.FuncType); ok {
					add(typ.Params)
				}
			}
		case *ast.StructType:
			for _, field := range n.Fields.List {
				for _, id := range field.Names {
					d.fields[id.Name] = true
				}
			}
		}
		return true
	})
	return d
}

// declared returns the declaration of the parameter at a place as
// "name type", or "" where there is none.
func (e *explainer) declared(param source.Pos) string {
	if param.Line == 0 {
		return ""
	}
	file := e.tree.Abs(param)
	if file == "" {
		return ""
	}
	return e.r.decls.of(file).params[[2]int{param.Line, param.Col}]
}

// isNamedResult reports whether the function around pos has a result of the
// given name.
func (e *explainer) isNamedResult(pos source.Pos, name string) bool {
	file := e.tree.Abs(pos)
	if file == "" {
		return false
	}
	for _, r := range e.r.decls.of(file).results {
		if r.name == name && r.from <= pos.Line && pos.Line <= r.to {
			return true
		}
	}
	return false
}

// isMethod reports whether the record's subject, a selector, can only be a
// method value: its package declares a method of that name, and no field.
func (e *explainer) isMethod(rec *Record) bool {
	i := strings.LastIndexByte(rec.Subject, '.')
	if i < 0 || !identifier.MatchString(rec.Subject[i+1:]) {
		return false
	}
	name := rec.Subject[i+1:]
	pkg := e.tree.Package(rec.Pos().Package)
	if pkg == nil {
		return false
	}
	method := false
	for _, file := range pkg.GoFiles {
		d := e.r.decls.of(filepath.Join(pkg.Dir, file))
		if d.fields[name] {
			return false
		}
		method = method || d.methods[name]
	}
	return method
}
