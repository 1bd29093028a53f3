package compiler

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/source"
)

const (
	pkgA   = "example.com/m/a"
	pkgLog = "example.com/m/log"
)

// Reasons by function of testdata/flows.txtar.
var reasons = map[string]string{
	"Box": `
a/a.go: m.Key is boxed: passed to Debug2 as ~val any~
log/log.go: val is passed to WithField as ~value any~
log/log.go: value is stored in an element of e.fields, which outlives the call`,
	"Inline": `
a/a.go: m.Key is boxed: passed to log.Info2 as ~val any~
log/log.go: val is passed to WithField as ~value any~
log/log.go: value is stored in an element of e.fields, which outlives the call`,
	"Const": `
a/a.go: "text" is boxed (a constant, which costs nothing at run time): passed to Debug2 as ~val any~
log/log.go: val is passed to WithField as ~value any~
log/log.go: value is stored in an element of e.fields, which outlives the call`,
	"Moved": `
a/a.go: variable x is moved to the heap
a/a.go: &x is stored in package variable P, which outlives the call`,
	"Counter": `
a/a.go: variable n is moved to the heap
a/a.go: n is captured by reference by the func literal
a/a.go: the func literal is returned to the caller, so it must outlive this call
a/a.go: the func literal is allocated on the heap: returned to the caller, so it must outlive this call`,
	"GoLit":  "\na/a.go: the func literal is allocated on the heap: started as a goroutine, which may outlive the call",
	"GoCall": "\na/a.go: the call's arguments are packed on the heap: started as a goroutine, which may outlive the call",
	"DeferLoop": `
a/a.go: the func literal is allocated on the heap: deferred in a loop, so that the number of deferred calls is not known at compile time`,
	"Large": "\na/a.go: make([]byte, 1048576) is allocated on the heap: too large for the stack",
	"Outer": `
a/a.go: &Msg{...} is allocated on the heap
a/a.go: &Msg{...} is returned by leaf
a/a.go: the result of leaf is returned by mid
a/a.go: m is returned to the caller, so it must outlive this call`,
	"Generic": `
log/log.go: make([]string, n, n + 8) is allocated on the heap
a/a.go: make([]string, n, n + 8) is returned by log.Make[string]
a/a.go: the result of log.Make[string] is returned to the caller, so it must outlive this call`,
	"MethodValue": "\na/a.go: the method value m.Meth is allocated on the heap: returned to the caller, so it must outlive this call",
	"Bytes":       "\na/a.go: []byte(s) is copied to the heap: returned to the caller, so it must outlive this call",
	"BoxedString": `
a/a.go: string(b) is boxed: stored in package variable Sink, which outlives the call
a/a.go: string(b) is copied to the heap: boxed, then stored in package variable Sink, which outlives the call`,
	"Iface": `
a/a.go: variable arr is moved to the heap
a/a.go: arr[:] is passed to w.Write, which is only known at run time (an interface or function value): the compiler must assume that it is kept`,
	"Call": `
a/a.go: variable one is moved to the heap
a/a.go: &one is passed to f, which keeps it as far as the compiler can tell`,
	"Format": "\na/a.go: n is boxed: passed to fmt.Sprintf, which keeps it as far as the compiler can tell",
	"Send": `
a/a.go: variable v is moved to the heap
a/a.go: &v is sent on channel c, whose receiver may keep it`,
	"Loop": "\na/a.go: new(int) is allocated on the heap: assigned to p, which lives longer: it is declared outside the loop or func literal",
	"Named": `
a/a.go: variable n is moved to the heap
a/a.go: &n is assigned to result res, so it must outlive this call`,
	"Store": "\na/a.go: n is boxed: stored in an element of m, which outlives the call",
	"Panic": "\na/a.go: n is boxed: passed to panic, which may carry it out of the call",
	"Wrap": `
a/a.go: variable n is moved to the heap: &n is put into &struct { p *int }{...}
a/a.go: &struct { p *int }{...} is returned to the caller, so it must outlive this call
a/a.go: &struct { p *int }{...} is allocated on the heap: returned to the caller, so it must outlive this call`,
	"Recursive": `
a/a.go: variable y is moved to the heap
a/a.go: &y is passed to pass as ~p *int~
a/a.go: p is stored in package variable P, which outlives the call`,
	"Variadic": `
a/a.go: variable z is moved to the heap
a/a.go: &z is passed to Keep as ~all ...*int~
a/a.go: all is boxed, then stored in package variable Sink, which outlives the call
a/a.go: the slice of variadic arguments is allocated on the heap: passed to Keep as ~all ...*int~
a/a.go: all is boxed, then stored in package variable Sink, which outlives the call`,
	"Append": `
a/a.go: variable w is moved to the heap
a/a.go: &w is appended to xs, whose elements may be on the heap
a/a.go: append(xs, &w) grows its slice on the heap: returned to the caller, so it must outlive this call`,
	"Method": `
a/a.go: variable q is moved to the heap
a/a.go: &q is passed to set as ~p *int~
a/a.go: p is stored in s.slot, which outlives the call`,
	"Through": `
a/a.go: variable t is moved to the heap
a/a.go: &t is passed to same as ~p *int~
a/a.go: the result of same is stored in package variable Sink, which outlives the call`,
	"ReturnThrough": `
a/a.go: variable o is moved to the heap
a/a.go: &o is passed to same as ~p *int~
a/a.go: the result of same is returned to the caller, so it must outlive this call`,
	"Give": `
a/a.go: variable g is moved to the heap
a/a.go: &g is passed to Take, which is only known at run time (an interface or function value): the compiler must assume that it is kept`,
	"Known": `
a/a.go: variable k is moved to the heap
a/a.go: &k is passed to taker.Take as ~p *int~
a/a.go: p is stored in package variable P, which outlives the call`,
	"ViaClosure": `
a/a.go: variable h is moved to the heap
a/a.go: &h is returned by ViaClosure.func1
a/a.go: the result of ViaClosure.func1 is returned to the caller, so it must outlive this call`,
	"(*Logger).WithField": `
log/log.go: &Entry{...} is allocated on the heap
log/log.go: e is returned to the caller, so it must outlive this call
log/log.go: map[string]any{} is allocated on the heap: put into &Entry{...}
log/log.go: e is returned to the caller, so it must outlive this call`,
}

func TestReasons(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	r := m.diagnose([]string{pkgA, pkgLog}, m.builds("", "test", "./a"))
	if w := r.Warnings(); len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
	syntactic := m.params()
	param := func(call source.Pos, arg string) (source.Pos, string, bool) {
		at, fn, ok := syntactic(call, arg)
		if !ok && strings.Contains(m.tree.Text(call), "w.Write(arr[:])") {
			return source.Pos{}, "w.Write", true // as a type checker would find
		}
		return at, fn, ok
	}
	got := make(map[string]string)
	for _, rec := range r.Records() {
		if rec.Code == Escape && !rec.Outer().IsTest() {
			steps := r.Explain(rec, param, m.tree)
			got[rec.Func] += format(steps)
			if steps[0].Line != rec.Pos().Line {
				t.Errorf("%s: the first step is on line %d, the allocation on %d", rec.Func, steps[0].Line, rec.Pos().Line)
			}
		}
	}
	for fn, want := range reasons {
		want = strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "~", "`") + "\n"
		if diff := cmp.Diff(want, got[fn]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", fn, diff)
		}
	}
	// A size that is only known at run time: the compiler does not call it an escape.
	sized := r.AtLine(m.at("a/a.go", "b := make([]byte, n)"))
	if len(sized) != 1 || sized[0].Code != Stays || sized[0].Kind != finding.KindSlice {
		t.Errorf("make([]byte, n): %+v", sized)
	}
}

func TestChains(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	r := m.diagnose([]string{pkgA, pkgA + "_test"}, m.builds("", "test", "./a"))
	leaf, mid, outer := m.at("a/a.go", "return &Msg{n: n} }"), m.at("a/a.go", "return leaf(n + 1)"), m.at("a/a.go", "m := mid(n)")
	in, out := m.at("a/a_test.go", "Outer(1)"), m.at("a/x_test.go", "a.Outer(2)")
	out.Package += "_test"
	for _, chain := range [][]source.Pos{{leaf}, {mid, leaf}, {outer, mid, leaf}, {in, outer, mid, leaf}, {out, outer, mid, leaf}} {
		if rec := only(t, r.At(chain)); rec.Pos().AtLine() != leaf || rec.Partial {
			t.Errorf("%v: %+v", chain, rec)
		}
	}
	for _, chain := range [][]source.Pos{nil, {outer}, {outer, leaf}, {leaf, mid}} {
		if got := subjects(r.At(chain), Escape); len(got) > 0 {
			t.Errorf("%v: %q, want nothing", chain, got)
		}
	}
	if got := len(r.AtLine(leaf)); got != 5 {
		t.Errorf("%d records on the allocating line, want one for each chain", got)
	}
	// What the external test inlines from the package's own test files belongs
	// to the package.
	export := m.at("a/a_test.go", "func Export")
	x := m.at("a/x_test.go", "a.Export(3)")
	x.Package += "_test"
	if rec := only(t, r.At([]source.Pos{x, export})); rec.Pos().Package != pkgA {
		t.Errorf("%v", rec.Chain)
	}
}

// All commands write their log to a directory "main", under names that may
// be the same.
func TestCommands(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	if err := os.Mkdir(filepath.Join(m.scratch.Dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-trimpath"}} {
		build := m.builds("", append(append([]string{"build"}, flags...), "./cmd/...")...)
		r := m.diagnose([]string{"example.com/m/cmd/tool", "example.com/m/cmd/other"}, build)
		for file, v := range map[string]string{"cmd/tool/main.go": "v := 4", "cmd/other/main.go": "u := 5"} {
			rec := only(t, r.AtLine(m.at(file, v)))
			if !rec.Moved || rec.Func != "main" || rec.Package != "example.com/m/"+filepath.Dir(file) {
				t.Errorf("%v: %+v", flags, rec)
			}
		}
		if w := r.Warnings(); len(w) > 0 {
			t.Errorf("warnings: %q", w)
		}
	}
}

func TestStandardLibrary(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	r := m.diagnose([]string{"io", pkgA, "errors"}, m.builds("", "test", "./a"))
	var makes []*Record
	for _, rec := range r.Records() {
		if rec.Outer().Package == "io" && rec.Outer().File == "io.go" && rec.Code != Leak && strings.HasPrefix(rec.Subject, "make([]byte, ") {
			makes = append(makes, rec)
		}
	}
	if len(makes) == 0 {
		t.Fatalf("nothing known of the buffers of package io; warnings: %q", r.Warnings())
	}
	for _, rec := range makes {
		if rec.Code == Escape && len(r.Explain(rec, nil, m.tree)) == 0 {
			t.Errorf("no reason for %v", rec.Chain)
		}
	}
}

func TestDiagnoseFailures(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	overlay, err := m.scratch.WriteOverlay(map[string][]byte{filepath.Join(m.dir, "a", "a.go"): []byte("package a\n\nvar x int = \"no\"\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Diagnose(t.Context(), m.scratch, m.tree, []string{pkgA}, m.builds(overlay, "build", "./a")); err == nil || !strings.Contains(err.Error(), "a.go:3") {
		t.Errorf("a build that fails: error %v", err)
	}
	stop := errors.New("stop")
	if _, err := Diagnose(t.Context(), m.scratch, m.tree, []string{pkgA}, func(context.Context, []string) ([]byte, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
	// A package that the build does not reach.
	r := m.diagnose([]string{pkgA, "example.com/m/cmd/tool"}, m.builds("", "build", "./a"))
	if w := r.Warnings(); len(w) != 1 || !strings.Contains(w[0], "example.com/m/cmd/tool") {
		t.Errorf("warnings: %q, want one about the package that was not built", w)
	}
	// Positions are those of the original file.
	src, err := os.ReadFile(filepath.Join(m.dir, "a", "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	overlay, err = m.scratch.WriteOverlay(map[string][]byte{filepath.Join(m.dir, "a", "a.go"): src})
	if err != nil {
		t.Fatal(err)
	}
	if rec := only(t, m.diagnose([]string{pkgA}, m.builds(overlay, "build", "./a")).AtLine(m.at("a/a.go", "x := 3"))); !rec.Moved {
		t.Errorf("%+v", rec)
	}
}

func TestCompare(t *testing.T) {
	m := newModule(t, "flows.txtar", "./...")
	name := filepath.Join(m.dir, "a", "a.go")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pkgs := []string{pkgA, pkgLog}
	before := m.diagnose(pkgs, m.builds("", "test", "./a"))
	change := func(pairs ...string) Change {
		t.Helper()
		text := string(src)
		for i := 0; i < len(pairs); i += 2 {
			if strings.Count(text, pairs[i]) != 1 {
				t.Fatalf("%q is not in the file once", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		overlay, err := m.scratch.WriteOverlay(map[string][]byte{name: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return Compare(before, m.diagnose(pkgs, m.builds(overlay, "test", "./a")))
	}
	check := func(name string, c Change, gone, added, copies []string) {
		t.Helper()
		list := func(records []*Record) []string {
			var out []string
			for _, r := range records {
				out = append(out, r.Func+": "+r.Subject)
			}
			slices.Sort(out)
			return out
		}
		if diff := cmp.Diff([][]string{gone, added, copies}, [][]string{list(c.Gone), list(c.New), list(c.Copies)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("lines move", change("package a\n", "package a\n\n// A comment.\n\n"), nil, nil, nil)
	c := change("P = &x", "_ = &x", "b := make([]byte, 1<<20)", "b := make([]byte, 1<<10)")
	check("gone", c, []string{"Large: make([]byte, 1048576)", "Moved: x"}, nil, nil)
	if moved := only(t, before.AtLine(m.at("a/a.go", "x := 3"))); !c.Removed(moved) {
		t.Error("Removed does not know the variable that is gone")
	}
	if stays := only(t, before.AtLine(m.at("a/a.go", "new(int)"))); c.Removed(stays) {
		t.Error("Removed says that new(int) is gone")
	}
	check("new", change("P = &x", "P = &x; y := 5; Sink = &y"), nil, []string{"Moved: y"}, nil)
	check("a second one like it", change("P = &x", "P = &x\n\t{\n\t\tx := 4\n\t\tP = &x\n\t}"), nil, []string{"Moved: x"}, nil)
	check("another caller inlines it", change("var pool sync.Pool", "func Again() *Msg { return mid(7) }\n\nvar pool sync.Pool"), nil, nil, []string{"Again: &Msg{...}"})
	check("a func literal before another", change("return func() int { n++; return n }",
		"func() { println(n) }()\n\treturn func() int { n++; return n }"), nil, nil, nil)
	check("a constant is boxed", change("P = &x", "P = &x; Sink = \"free\""), nil, nil, nil)
}
