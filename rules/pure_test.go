package rules

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ast/inspector"
)

func TestPure(t *testing.T) {
	const head = `package p
type N struct { X, Y int; Next *N; S []int; E }
type E struct{ *F }
type F struct{ Deep int }
func (n *N) M() int { return n.X }
func (n N) V() int { return n.X }
var global *N
func call(...any) int { return 0 }
func use(any) {}
func f(p, q *N, s []int, m map[string]int, mi map[any]int, i, j int, v N, x, y any, c chan int, arr [4]int, t [2]string) {
`
	for _, test := range []struct {
		body string
		want bool
	}{
		{`use(i + 1)`, true},
		{`use(v.X)`, true},
		{`use(len(s))`, true},
		{`use(float64(i))`, true},
		{`use(func() { call() })`, true},
		{`use(m["a"])`, true},
		{`use(arr[2])`, true},
		{`use(i / 2)`, true},
		{`use(x != nil)`, true},
		{`use(t[0] + "x")`, true},

		{`use(call())`, false},
		{`use(v.V())`, false},
		{`use(<-c)`, false},
		{`use(p.X)`, false},
		{`use(*p)`, false},
		{`use(s[i])`, false},
		{`use(s[1:])`, false},
		{`use(mi[x])`, false},
		{`use(arr[i])`, false},
		{`use(i / j)`, false},
		{`use(1 << i)`, false},
		{`use(x == y)`, false},
		{`use(x.(int))`, false},
		{`use([2]int(s))`, false},
		{`use(v.Deep)`, false},
		{`use(p.V)`, false},

		// Evaluated before.
		{`_ = p.X; use(p.Y)`, true},
		{`_ = *p; use(p.Y)`, true},
		{`call(p.X); use(p.Y)`, true},
		{`_ = s[i]; use(s[i])`, true},
		{`_ = s[i]; call(); use(s[i])`, true},
		{`_ = s[i]; use(s[j])`, false},
		{`_ = s[i]; i++; use(s[i])`, false},
		{`_ = s[i]; func() { i++ }(); use(s[i])`, false},
		{`_ = p.X; p = q; use(p.X)`, false},
		{`_ = p.X; r := &p; *r = nil; use(p.X)`, false},
		{`_ = p.Next.X; use(p.Next.X)`, true},
		{`_ = p.Next.X; call(); use(p.Next.X)`, false},
		{`_ = p.Next.X; q.Next = nil; use(p.Next.X)`, false},
		{`_ = global.X; use(global.X)`, true},
		{`_ = global.X; call(); use(global.X)`, false},
		{`_ = i > 0 && p.X > 0; use(p.X)`, false},
		{`_ = func() int { return p.X }; use(p.X)`, false},
		{`if i > 0 { _ = p.X }; use(p.X)`, false},
		{`if p.X > 0 { use(p.Y) }`, true},
		{`if p.X > 0 { call() } else { use(p.Y) }`, true},
		{`if p.X > 0 { call(); return }; use(p.Y)`, true},
		{`for range p.S { use(p.Y) }`, true},
		{`for { use(p.Y) ; _ = p.X }`, false},
		{`_ = p.X; for { use(p.Y) }`, true},
		{`_ = p.Next.X; for { use(p.Next.X); p.Next = nil }`, false},
		{`switch p.X { case 1: use(p.Y) }`, true},
		{`switch { case p.X > 1: use(1); case i > 1: use(p.Y) }`, false},
		{`_ = p.X; func() { use(p.Y) }()`, false},
		{`goto L; _ = p.X; L: use(p.X)`, false},
		{`L: _ = p.X; if i > 0 { goto L }; use(p.X)`, false},
		{`_ = p.M; use(p.X)`, false},
		{`_ = p.Next.X; call(call(), func() { use(1) }, p.Next); use(p.Next.X)`, false},

		// Known not to be nil.
		{`if p != nil { use(p.Y) }`, true},
		{`if p == nil { return }; use(p.Y)`, true},
		{`if p == nil || i > 0 { return }; use(p.Y)`, true},
		{`if p == nil && i > 0 { return }; use(p.Y)`, false},
		{`if p != nil && i > 0 { use(p.Y) }`, true},
		{`if p != nil || i > 0 { use(p.Y) }`, false},
		{`if p == nil { call() } else { use(p.Y) }`, true},
		{`if !(p == nil) { use(p.Y) }`, true},
		{`if global != nil && call() > 0 { use(global.Y) }`, false},
		{`if p != nil { p = nil; use(p.Y) }`, false},
		{`r := &N{}; call(r); use(r.X)`, true},
		{`r := new(N); use(r.X)`, true},
		{`r := new(N); r = nil; use(r.X)`, false},

		// Within the bounds of a range loop.
		{`for k := range s { call(); use(s[k]) }`, true},
		{`for k := range s { s = s[:0]; use(s[k]) }`, false},
		{`for k := range s { k++; use(s[k]) }`, false},
		{`for k := range m { use(s[len(k)]) }`, false},
		{`for k := range p.S { use(p.S[k]) }`, false},
		{`for k := range arr { use(arr[k]) }`, true},
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "p.go", head+test.body+"\n}\n", parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		info := newInfo()
		cfg := types.Config{Importer: importer.Default(), Error: func(error) {}} // unused labels and variables do no harm
		cfg.Check("p", fset, []*ast.File{file}, info)
		n := 0
		for c := range inspector.New([]*ast.File{file}).Root().Preorder((*ast.CallExpr)(nil)) {
			call := c.Node().(*ast.CallExpr)
			if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != "use" {
				continue
			}
			arg, _ := c.FindNode(call.Args[0])
			if types.ExprString(call.Args[0]) == "1" {
				continue
			}
			n++
			if got := pure(info, arg); got != test.want {
				t.Errorf("pure = %v, want %v: %s", got, test.want, test.body)
			}
		}
		if n != 1 {
			t.Errorf("%d calls of use: %s", n, test.body)
		}
	}
}

// newInfo returns type information to be filled by the type checker.
func newInfo() *types.Info {
	return &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Instances:  make(map[*ast.Ident]types.Instance),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Implicits:  make(map[ast.Node]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:     make(map[ast.Node]*types.Scope),
	}
}
