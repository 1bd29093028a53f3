package recognise

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/unheap/unheap/internal/source"
)

// A BuilderUse is where a strings.Builder that grows at some line gives its
// memory away.
type BuilderUse struct {
	Builder string     // the variable's name
	Call    source.Pos // of its String method: the opening parenthesis
	// Returned is set when the function returns the string.
	Returned bool
}

// BuilderResult finds the String call on the builder that is written to at a
// line, in the same function.
func (p *Program) BuilderResult(at source.Pos) (BuilderUse, bool) {
	pkg, file := p.File(at)
	if file == nil {
		return BuilderUse{}, false
	}
	var builder types.Object
	var from token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || builder != nil || p.Fset.Position(n.Pos()).Line > at.Line || p.Fset.Position(n.End()).Line < at.Line {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && p.Fset.Position(call.Lparen).Line == at.Line {
			if obj := builderOf(pkg.TypesInfo, call); obj != nil {
				builder, from = obj, call.Pos()
				return false
			}
		}
		return true
	})
	if builder == nil {
		return BuilderUse{}, false
	}
	path, _ := astutil.PathEnclosingInterval(file, from, from)
	for _, n := range path {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			continue
		}
		var use BuilderUse
		ast.Inspect(body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || use.Builder != "" {
				return use.Builder == ""
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "String" && builderOf(pkg.TypesInfo, call) == builder {
				around, _ := astutil.PathEnclosingInterval(file, call.Pos(), call.End())
				use = BuilderUse{Builder: builder.Name(), Call: p.position(pkg, call.Lparen)}
				for _, n := range around {
					if _, ok := n.(*ast.ReturnStmt); ok {
						use.Returned = true
					}
				}
			}
			return true
		})
		return use, use.Builder != ""
	}
	return BuilderUse{}, false
}

// builderOf returns the strings.Builder variable whose method is called, or nil.
func builderOf(info *types.Info, call *ast.CallExpr) types.Object {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return nil
	}
	obj := info.ObjectOf(id)
	if obj == nil {
		return nil
	}
	t := obj.Type()
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if named, ok := t.(*types.Named); ok && named.Obj().Name() == "Builder" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "strings" {
		return obj
	}
	return nil
}
