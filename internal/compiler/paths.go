package compiler

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// paths turns the file names that the compiler prints into places. It
// remembers its answers.
type paths struct {
	tree  *source.Tree
	known map[pathKey]source.Pos
}

type pathKey struct{ file, pkg string }

func newPaths(tree *source.Tree) *paths {
	return &paths{tree: tree, known: make(map[pathKey]source.Pos)}
}

// pos returns the place of a file, which may be absolute, trimmed to import
// path and base name, or relative to wherever the go command ran. compiling is the
// import path of the package that was compiled.
func (p *paths) pos(file, compiling string, line, col int) source.Pos {
	key := pathKey{file, compiling}
	pos, ok := p.known[key]
	if !ok {
		pos = p.find(file, compiling)
		p.known[key] = pos
	}
	pos.Line, pos.Col = line, col
	return pos
}

func (p *paths) find(file, compiling string) source.Pos {
	base := filepath.Base(file)
	if strings.HasPrefix(base, "<") || base == "__unnamed__" || base == "." {
		return source.Pos{Package: compiling, File: base} // no real file
	}
	pos := p.tree.Canonical(file, "", 0, 0)
	if pos.Package == "" && !filepath.IsAbs(file) {
		pos.Package = p.bySuffix(file, compiling)
	}
	if pos.Package == "" {
		pos.Package = compiling
	}
	// The files of an external test package lie beside those it tests.
	if under, ok := strings.CutSuffix(compiling, "_test"); ok && pos.Package == under && pos.IsTest() {
		if x := p.tree.Package(compiling); x == nil || slices.Contains(x.GoFiles, base) {
			pos.Package = compiling
		}
	}
	return pos
}

// bySuffix finds the package whose directory ends in the given relative
// file's, the compiled package first.
func (p *paths) bySuffix(file, compiling string) string {
	dir := path.Dir(path.Clean(filepath.ToSlash(file)))
	for strings.HasPrefix(dir, "../") || dir == ".." {
		dir = strings.TrimPrefix(strings.TrimPrefix(dir, ".."), "/")
	}
	ends := func(pkg *source.Package) bool {
		return pkg != nil && dir != "" && dir != "." && strings.HasSuffix(filepath.ToSlash(pkg.Dir), "/"+dir)
	}
	own := p.tree.Package(compiling)
	if own == nil {
		own = p.tree.Package(strings.TrimSuffix(compiling, "_test"))
	}
	if dir == "" || dir == "." || ends(own) {
		return compiling
	}
	best := ""
	for pkg := range p.tree.Packages {
		// Test variants share a directory with the package they test.
		if ends(pkg) && (best == "" || pkg.Path < best) {
			best = pkg.Path
		}
	}
	return best
}
