package recognise

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/unheap/unheap/internal/source"
)

// MapMakers returns the places where the map that grows at a line is made:
// make calls and literals that initialise or are assigned to the same variable
// or field. Where none is found, because the map came from elsewhere, the
// places are those that make a map of the same type in the loaded packages,
// and sure is false.
func (p *Program) MapMakers(at source.Pos) (places []source.Pos, sure bool) {
	pkg, file := p.File(at)
	if file == nil {
		return nil, false
	}
	var target ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || target != nil || p.Fset.Position(n.Pos()).Line > at.Line || p.Fset.Position(n.End()).Line < at.Line {
			return false
		}
		var left []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			left = n.Lhs
		case *ast.IncDecStmt:
			left = []ast.Expr{n.X}
		}
		for _, e := range left {
			if ix, ok := ast.Unparen(e).(*ast.IndexExpr); ok && isMap(pkg.TypesInfo.TypeOf(ix.X)) {
				target = ix.X
			}
		}
		return true
	})
	if target == nil {
		return nil, false
	}
	typ := pkg.TypesInfo.TypeOf(target)
	object := variable(pkg.TypesInfo, target)
	var same []source.Pos
	for _, q := range p.Packages {
		for _, f := range q.Syntax {
			p.eachMaker(q, f, func(e ast.Expr, to types.Object) {
				if !types.Identical(q.TypesInfo.TypeOf(e), typ) {
					return
				}
				pos := p.position(q, e.Pos())
				same = append(same, pos)
				if object != nil && to == object {
					places = append(places, pos)
				}
			})
		}
	}
	if len(places) > 0 {
		return places, true
	}
	return same, false
}

// eachMaker calls f for each expression of the file that makes a map, with the
// variable or field that it is given to, nil if to none by name.
func (p *Program) eachMaker(pkg *packages.Package, file *ast.File, f func(ast.Expr, types.Object)) {
	given := make(map[ast.Expr]types.Object)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, e := range n.Rhs {
					given[ast.Unparen(e)] = variable(pkg.TypesInfo, n.Lhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, e := range n.Values {
					given[ast.Unparen(e)] = pkg.TypesInfo.ObjectOf(n.Names[i])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				given[ast.Unparen(n.Value)] = pkg.TypesInfo.ObjectOf(key)
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && id.Name == "make" && isMap(pkg.TypesInfo.TypeOf(n)) {
				f(n, given[n])
			}
		case *ast.CompositeLit:
			if isMap(pkg.TypesInfo.TypeOf(n)) {
				f(n, given[n])
			}
		}
		return true
	})
}

// variable returns the variable or field that an expression names, or nil.
func variable(info *types.Info, e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return info.ObjectOf(e)
	case *ast.SelectorExpr:
		return info.ObjectOf(e.Sel)
	}
	return nil
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}
