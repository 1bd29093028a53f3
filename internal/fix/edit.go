package fix

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/imports"

	"github.com/unheap/unheap/internal/recognise"
)

// merge returns the union of two sets of edits to the same originals, or false
// where they touch the same bytes outside the imports. Insertions at one place
// are kept in order; the same edit made twice counts once.
func merge(a, b []recognise.Edit) ([]recognise.Edit, bool) {
	out := slices.Clone(a)
	for _, e := range b {
		if !slices.ContainsFunc(a, func(d recognise.Edit) bool { return equalEdit(d, e) }) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(x, y recognise.Edit) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Start, y.Start), cmp.Compare(x.End, y.End))
	})
	return out, !overlap(slices.DeleteFunc(slices.Clone(out), func(e recognise.Edit) bool { return e.Import }))
}

// overlap reports whether two of the sorted edits touch the same bytes.
func overlap(edits []recognise.Edit) bool {
	for i := 1; i < len(edits); i++ {
		p, q := edits[i-1], edits[i]
		if p.File == q.File && (q.Start < p.End || q.Start == p.Start && q.End == p.End && p.Start < p.End) {
			return true
		}
	}
	return false
}

func equalEdit(a, b recognise.Edit) bool {
	return a.File == b.File && a.Start == b.Start && a.End == b.End && bytes.Equal(a.New, b.New)
}

// contents applies edits to the files on disk and returns the new contents by
// file name.
func contents(edits []recognise.Edit) (map[string][]byte, error) {
	out := make(map[string][]byte)
	for len(edits) > 0 {
		name := edits[0].File
		n := 0
		for n < len(edits) && edits[n].File == name {
			n++
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = editFile(name, src, edits[:n]); err != nil {
			return nil, err
		}
		edits = edits[n:]
	}
	return out, nil
}

// editFile applies the edits of one file. The import edits of one fix are right
// as they are; those of several may not fit together, and then the imports that
// they ask for are added one by one.
func editFile(name string, src []byte, edits []recognise.Edit) ([]byte, error) {
	if !overlap(edits) {
		text, err := splice(name, src, edits)
		if err != nil {
			return nil, err
		}
		if tidy, err := tidyImports(name, text); err == nil {
			return tidy, nil
		}
	}
	var body []recognise.Edit
	var add []string
	for _, e := range edits {
		if !e.Import {
			body = append(body, e)
			continue
		}
		for _, quoted := range importPath.FindAllString(string(e.New), -1) {
			if path, err := strconv.Unquote(quoted); err == nil {
				add = append(add, path)
			}
		}
	}
	text, err := splice(name, src, body)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("the rewrite does not parse: %w", err)
	}
	for _, path := range add {
		astutil.AddImport(fset, file, path)
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, file); err != nil {
		return nil, err
	}
	return tidyImports(name, b.Bytes())
}

// importPath matches the paths in the text of an import edit.
var importPath = regexp.MustCompile(`"[^"\n]+"`)

// splice replaces the edits' ranges of src.
func splice(name string, src []byte, edits []recognise.Edit) ([]byte, error) {
	var b bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(src) {
			return nil, fmt.Errorf("%s changed while it was examined: run again", name)
		}
		b.Write(src[at:e.Start])
		b.Write(e.New)
		at = e.End
	}
	b.Write(src[at:])
	return b.Bytes(), nil
}

// tidyImports mends the imports of a file to which several fixes were applied:
// each is complete in itself, but two may add the same import, or together
// remove its last use. Other files are left as they are.
func tidyImports(name string, src []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		key := path
		blank := false
		if spec.Name != nil {
			key = spec.Name.Name + " " + path
			blank = spec.Name.Name == "_" || spec.Name.Name == "."
		}
		if seen[key] || !blank && path != "C" && !astutil.UsesImport(file, path) {
			return imports.Process(name, src, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8})
		}
		seen[key] = true
	}
	return src, nil
}

// diff returns the unified diff from the files on disk to contents, with names
// relative to root as git apply expects them.
func diff(root string, contents map[string][]byte) (string, error) {
	var names []string
	for name := range contents {
		names = append(names, name)
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, name := range names {
		old, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || !filepath.IsLocal(rel) {
			return "", fmt.Errorf("%s lies outside the module at %s", name, root)
		}
		rel = filepath.ToSlash(rel)
		if d := udiff.Unified("a/"+rel, "b/"+rel, string(old), string(contents[name])); d != "" {
			fmt.Fprintf(&b, "diff --git a/%s b/%s\n%s", rel, rel, d)
		}
	}
	return b.String(), nil
}
