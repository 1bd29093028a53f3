// Package source names places in a program's source the same way everywhere.
//
// Profiles, the compiler and the type checker each write paths of their own:
// absolute, trimmed (module@version/...), vendored, in the module cache. A
// [Pos] is what they agree on: import path, base name, line and column. A
// [Tree] knows where the packages of one build live and which are the user's own.
package source

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Pos is a place in the source. Line and Col are 1-based; Col counts bytes
// and is 0 where it is unknown.
type Pos struct {
	Package string // import path; "foo_test" for an external test package
	File    string // base name
	Line    int
	Col     int
}

// String returns the position as package/file:line[:col].
func (p Pos) String() string {
	s := fmt.Sprintf("%s/%s:%d", p.Package, p.File, p.Line)
	if p.Col > 0 {
		s += fmt.Sprintf(":%d", p.Col)
	}
	return s
}

// AtLine returns p without its column: the key on which profiles, which have
// no columns, meet the compiler.
func (p Pos) AtLine() Pos { p.Col = 0; return p }

// IsTest reports whether the position is in a test file.
func (p Pos) IsTest() bool { return strings.HasSuffix(p.File, "_test.go") }

// A Package is one package of a build, as the go command lists it.
type Package struct {
	Path     string // import path, without the " [pkg.test]" of test variants
	Name     string
	Dir      string // absolute
	Standard bool
	Main     bool   // belongs to a main module (go.mod here or go.work)
	Module   string // module path; empty for the standard library
	Version  string // module version; empty for main modules
	ModDir   string // module's directory
	GoFiles  []string
	Imports  []string // import paths, tests included where asked for
}

// A Tree holds the packages of one build.
type Tree struct {
	Root string // directory that file names are relative to: the main module's

	packages map[string]*Package
	byDir    map[string]*Package
	own      []string

	mu    sync.Mutex
	lines map[string][]string // by absolute file name
}

// NewTree makes a tree of pkgs. own holds import-path patterns (a path, or a
// prefix that ends in "/...") of packages outside the main modules that count
// as the user's own.
func NewTree(root string, pkgs []Package, own []string) *Tree {
	t := &Tree{
		Root: root, own: own,
		packages: make(map[string]*Package, len(pkgs)),
		byDir:    make(map[string]*Package, len(pkgs)),
		lines:    make(map[string][]string),
	}
	for i := range pkgs {
		p := &pkgs[i]
		if _, ok := t.packages[p.Path]; !ok {
			t.packages[p.Path] = p
		}
		if _, ok := t.byDir[p.Dir]; !ok && !strings.HasSuffix(p.Path, "_test") {
			t.byDir[p.Dir] = p
		}
	}
	return t
}

// Package returns the package with the given import path, or nil.
func (t *Tree) Package(importPath string) *Package { return t.packages[importPath] }

// Packages calls yield for each package until it returns false.
func (t *Tree) Packages(yield func(*Package) bool) {
	for _, p := range t.packages {
		if !yield(p) {
			return
		}
	}
}

// Owns reports whether a package is the user's own: part of a main module or
// matched by an own pattern. The external test package of an own package is own.
func (t *Tree) Owns(importPath string) bool {
	importPath = strings.TrimSuffix(importPath, "_test")
	if p := t.packages[importPath]; p != nil && p.Main {
		return true
	}
	for _, pattern := range t.own {
		if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
			if importPath == prefix || strings.HasPrefix(importPath, prefix+"/") {
				return true
			}
		} else if importPath == pattern {
			return true
		}
	}
	return false
}

// Closure returns those of the packages that belong to main modules, and the
// packages of main modules that they import, directly or not, dependencies first.
func (t *Tree) Closure(paths []string) []string {
	var order []string
	seen := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		pkg := t.packages[path]
		if seen[path] || pkg == nil || !pkg.Main || strings.HasSuffix(path, "_test") {
			return
		}
		seen[path] = true
		for _, imp := range pkg.Imports {
			visit(imp)
		}
		order = append(order, path)
	}
	for _, path := range slices.Sorted(slices.Values(paths)) {
		visit(path)
	}
	return order
}

// Canonical returns the position for a file name as a profile or the compiler
// wrote it. pkg is the import path where the writer knows it ("main" or
// empty where it does not); a name with a directory that the tree knows wins
// over it.
func (t *Tree) Canonical(file, pkg string, line, col int) Pos {
	dir, base := filepath.Split(file)
	pos := Pos{Package: pkg, File: base, Line: line, Col: col}
	if p := t.byDir[filepath.Clean(dir)]; p != nil {
		pos.Package = p.Path
		if strings.HasSuffix(pkg, "_test") && strings.HasSuffix(base, "_test.go") {
			pos.Package = p.Path + "_test"
		}
		return pos
	}
	if pkg != "" && pkg != "main" {
		return pos
	}
	// Trimmed paths name the module, with its version, and the directory in it.
	trimmed := path.Clean(filepath.ToSlash(dir))
	if at := strings.Index(trimmed, "@"); at >= 0 {
		rest := ""
		if slash := strings.Index(trimmed[at:], "/"); slash >= 0 {
			rest = trimmed[at+slash:]
		}
		trimmed = trimmed[:at] + rest
	}
	if p := t.packages[trimmed]; p != nil {
		pos.Package = p.Path
	}
	return pos
}

// Abs returns the absolute name of the position's file, or "" for a package
// that the tree does not know.
func (t *Tree) Abs(p Pos) string {
	pkg := t.packages[p.Package]
	if pkg == nil {
		pkg = t.packages[strings.TrimSuffix(p.Package, "_test")]
	}
	if pkg == nil {
		return ""
	}
	return filepath.Join(pkg.Dir, p.File)
}

// Rel returns the slash-separated name of the position's file for people and
// patches: relative to the root inside it, else import path and base name.
func (t *Tree) Rel(p Pos) string {
	if abs := t.Abs(p); abs != "" {
		if rel, err := filepath.Rel(t.Root, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.Package, p.File)
}

// maxSourceFile bounds the files that Text reads.
const maxSourceFile = 16 << 20

// Text returns the trimmed source line at p, or "" if it cannot be read.
func (t *Tree) Text(p Pos) string {
	abs := t.Abs(p)
	if abs == "" {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lines, ok := t.lines[abs]
	if !ok {
		if info, err := os.Stat(abs); err == nil && info.Mode().IsRegular() && info.Size() <= maxSourceFile {
			if data, err := os.ReadFile(abs); err == nil {
				lines = strings.Split(string(data), "\n")
			}
		}
		t.lines[abs] = lines
	}
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[p.Line-1])
}
