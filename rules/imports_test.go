package rules

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestImportEdits holds the edits of import declarations in all their shapes to
// the promise that gofmt has nothing to change and that the imports are right.
func TestImportEdits(t *testing.T) {
	files := map[string]string{
		"none":      "package p\n\nfunc f() {}\n",
		"comment":   "package p // what p is\n\nfunc f() {}\n",
		"single":    "package p\n\nimport \"fmt\"\n\nfunc f() {}\n",
		"commented": "package p\n\nimport \"fmt\" // for printing\n\nfunc f() {}\n",
		"named":     "package p\n\nimport f \"fmt\"\n\nvar x = 1\n",
		"group":     "package p\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nfunc f() {}\n",
		"one":       "package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() {}\n",
		"empty":     "package p\n\nimport ()\n\nfunc f() {}\n",
		"outside":   "package p\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n)\n\nfunc f() {}\n",
		"far":       "package p\n\nimport \"example.com/a\"\n\nfunc f() {}\n",
		"mixed":     "package p\n\nimport (\n\t\"fmt\"\n\t\"os\" // for files\n\n\t\"example.com/a\"\n)\n\nfunc f() {}\n",
		"behind":    "package p\n\nimport (\n\t\"example.com/a\"\n\n\t// for text\n\t\"fmt\"\n\t\"strings\"\n)\n\nfunc f() {}\n",
		"several":   "package p\n\nimport \"fmt\"\nimport \"net\"\n\nfunc f() {}\n",
		"cgo":       "package p\n\n// #include <stdio.h>\nimport \"C\"\n\nfunc f() {}\n",
		"both":      "package p\n\n// #include <stdio.h>\nimport \"C\"\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() {}\n",
	}
	for name, src := range files {
		for _, add := range [][]string{nil, {"slices"}, {"bytes"}, {"sync", "errors"}} {
			for _, drop := range [][]string{nil, {"fmt"}, {"fmt", "strings"}, {"fmt", "os"}} {
				fset := token.NewFileSet()
				f, err := parser.ParseFile(fset, name+".go", src, parser.ParseComments)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				var specs []*ast.ImportSpec
				for _, spec := range f.Imports {
					if slices.Contains(drop, importPath(spec)) {
						specs = append(specs, spec)
					} else {
						want = append(want, importPath(spec))
					}
				}
				if len(specs) != len(drop) {
					continue
				}
				want = append(want, add...)

				edits := importEdits(fset, f, add, specs)
				sortEdits(edits)
				out, at := "", 0
				for _, e := range edits {
					from, to := int(e.Pos-f.FileStart), int(e.End-f.FileStart)
					if from < at {
						t.Errorf("%s +%v -%v: edits overlap", name, add, drop)
						break
					}
					out += src[at:from] + string(e.NewText)
					at = to
				}
				out += src[at:]
				formatted, err := format.Source([]byte(out))
				if err != nil {
					t.Errorf("%s +%v -%v: %v\n%s", name, add, drop, err, out)
					continue
				}
				if !bytes.Equal(formatted, []byte(out)) {
					t.Errorf("%s +%v -%v: gofmt changes\n%s\nto\n%s", name, add, drop, out, formatted)
				}
				g, err := parser.ParseFile(token.NewFileSet(), name+".go", out, parser.ImportsOnly)
				if err != nil {
					t.Errorf("%s +%v -%v: %v\n%s", name, add, drop, err, out)
					continue
				}
				var got []string
				for _, spec := range g.Imports {
					got = append(got, importPath(spec))
				}
				slices.Sort(got)
				slices.Sort(want)
				if strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("%s +%v -%v: imports %v, want %v\n%s", name, add, drop, got, want, out)
				}
			}
		}
	}
}
