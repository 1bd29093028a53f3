package recognise

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// A Program is a set of packages of the main module, parsed and type-checked.
// What they import from elsewhere is known by its export data.
type Program struct {
	Fset     *token.FileSet
	Packages []*packages.Package // dependencies first
	byPath   map[string]*packages.Package
	overlay  map[string][]byte
}

// Load type-checks the own packages that paths name and those of the main
// module that they depend on. overlay holds contents, by absolute file name,
// that stand in for files on disk.
func Load(ctx context.Context, g *run.Go, tree *source.Tree, paths []string, overlay map[string][]byte) (*Program, error) {
	roots := tree.Closure(paths)
	p := &Program{Fset: token.NewFileSet(), byPath: make(map[string]*packages.Package), overlay: overlay}
	if len(roots) == 0 {
		return p, nil
	}
	cfg := &packages.Config{
		Context: ctx, Dir: g.Dir, Fset: p.Fset, Overlay: overlay, BuildFlags: g.Flags,
		Mode: packages.LoadSyntax | packages.NeedModule,
		Env:  run.Command(ctx, g.Dir, g.Env, "go").Env,
	}
	loaded, err := packages.Load(cfg, roots...)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", strings.Join(paths, " "), err)
	}
	for _, pkg := range loaded {
		p.byPath[pkg.PkgPath] = pkg
	}
	for _, pkg := range loaded {
		if len(pkg.Errors) > 0 {
			return nil, fmt.Errorf("package %s does not type-check: %v", pkg.PkgPath, pkg.Errors[0])
		}
		// Facts travel between the loaded packages only: what lies outside
		// the module is known by export data, which holds no bodies.
		for path := range pkg.Imports {
			if p.byPath[path] == nil {
				delete(pkg.Imports, path)
			} else {
				pkg.Imports[path] = p.byPath[path]
			}
		}
	}
	for _, path := range roots {
		if pkg := p.byPath[path]; pkg != nil {
			p.Packages = append(p.Packages, pkg)
		}
	}
	return p, nil
}

// Package returns the loaded package with the given import path, or nil.
func (p *Program) Package(path string) *packages.Package { return p.byPath[path] }

// File returns the syntax of the file at pos, or nil.
func (p *Program) File(pos source.Pos) (*packages.Package, *ast.File) {
	pkg := p.byPath[pos.Package]
	if pkg == nil {
		return nil, nil
	}
	for _, f := range pkg.Syntax {
		if filepath.Base(p.Fset.File(f.FileStart).Name()) == pos.File {
			return pkg, f
		}
	}
	return nil, nil
}

// position returns the place of a token position.
func (p *Program) position(pkg *packages.Package, pos token.Pos) source.Pos {
	at := p.Fset.PositionFor(pos, false)
	return source.Pos{Package: pkg.PkgPath, File: filepath.Base(at.Filename), Line: at.Line, Col: at.Column}
}
