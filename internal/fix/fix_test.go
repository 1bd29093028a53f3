package fix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/recognise"
	"github.com/unheap/unheap/rules"
)

const joinSource = `package join

import "fmt"

// Rare is set by nobody's test.
var Rare bool

// Squares returns the squares of 0 to n-1.
func Squares(n int) []int {
	var out []int
	for i := range n {
		out = append(out, i*i)
	}
	return out
}

// Label names n.
func Label(n int) string {
	if Rare {
		return "rare"
	}
	return fmt.Sprintf("%d", n)
}
`

const joinTest = `package join

import "testing"

func TestSquares(t *testing.T) {
	got := Squares(4)
	if len(got) != 4 || got[3] != 9 {
		t.Errorf("got %v", got)
	}
}

func TestLabel(t *testing.T) {
	if got := Label(1234); got != "1234" {
		t.Errorf("got %q", got)
	}
}

var sink int

func BenchmarkSquares(b *testing.B) {
	for b.Loop() {
		sink = len(Squares(100)) + len(Label(12345))
	}
}
`

// module writes a module and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files["go.mod"] = "module example.com/join\n\ngo 1.24\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	return dir
}

// bench diagnoses the module and makes a workbench for hand-made candidates.
func bench(t *testing.T, dir string) *workbench {
	t.Helper()
	o := Options{Options: diagnose.Options{Dir: dir}, Rounds: 6}
	d, err := diagnose.Run(t.Context(), o.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	w, err := newWorkbench(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// replace makes a candidate that replaces texts of join.go: old, new, old, new.
func replace(t *testing.T, dir string, expect rules.Expectation, pairs ...string) *candidate {
	t.Helper()
	name := filepath.Join(dir, "join.go")
	src := read(t, name)
	c := &candidate{match: &recognise.Match{Rule: "test", Expect: expect}, class: finding.Safe, findings: []int{0}}
	for i := 0; i < len(pairs); i += 2 {
		at := strings.Index(src, pairs[i])
		if at < 0 {
			t.Fatalf("no %q", pairs[i])
		}
		c.fix.Edits = append(c.fix.Edits, recognise.Edit{File: name, Start: at, End: at + len(pairs[i]), New: []byte(pairs[i+1])})
	}
	return c
}

func TestOracles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures")
	}
	dir := module(t, map[string]string{"join.go": joinSource, "join_test.go": joinTest})
	w := bench(t, dir)
	const decl = "var out []int"
	for _, tt := range []struct {
		name   string
		c      *candidate
		oracle string
		why    string
	}{
		{"does not compile", replace(t, dir, rules.NothingNew, decl, "out := make([]int, 0, n, n)"), "build", "join.go"},
		{"escape stays", replace(t, dir, rules.EscapeGone, decl, "var out = []int(nil)"), "compiler", "still escapes"},
		{"no gain", replace(t, dir, rules.NothingNew, decl, "out := []int(nil)"), "allocs", "as much as before"},
		{"more allocations", replace(t, dir, rules.NothingNew, "i*i)", "len(fmt.Sprint(i))+i*i-len(fmt.Sprint(i)))"), "allocs", "instead of"},
		{"wrong result", replace(t, dir, rules.NothingNew, decl, "out := make([]int, 1, n+1)"), "tests", "TestSquares fails"},
		{"vet complains", replace(t, dir, rules.NothingNew, decl, "out := make([]int, 0, n)\n\tif n < 0 {\n\t\tfmt.Sprint(n)\n\t}"), "vet", "Sprint"},
		{"slower", replace(t, dir, rules.NothingNew, decl, "out := make([]int, 0, n)\n\tfor i := range 20000 {\n\t\tif i < n-2000 {\n\t\t\tpanic(i)\n\t\t}\n\t}"), "time", "slower"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := w.try(t.Context(), tt.c)
			if err != nil {
				t.Fatal(err)
			}
			if v.Status != finding.Rejected || v.Oracle != tt.oracle || !strings.Contains(v.Why, tt.why) {
				t.Errorf("got %s by %q: %s; want rejected by %q: %s", v.Status, v.Oracle, v.Why, tt.oracle, tt.why)
			}
		})
	}
	if len(w.accepted) > 0 {
		t.Fatal("a rejected candidate was kept")
	}

	good := replace(t, dir, rules.NothingNew, decl, "out := make([]int, 0, n)")
	v, err := w.try(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if v.Status != finding.Accepted || !v.Covered || v.After.AllocsPerOp >= v.Before.AllocsPerOp || good.class != finding.Safe {
		t.Fatalf("good fix: %+v", v)
	}
	w.record(good, v)
	if f := w.d.Document.Findings[0]; f.Verdict.Status != finding.Accepted || len(f.Fixes) == 0 || !strings.HasPrefix(f.Fixes[len(f.Fixes)-1].Diff, "diff --git a/join.go") {
		t.Errorf("recorded: %+v", f)
	}
	v, err = w.try(t.Context(), replace(t, dir, rules.NothingNew, decl, "out := make([]int, 0, n+0)"))
	if err != nil || v.Oracle != "merge" {
		t.Errorf("overlapping fix: %+v, %v", v, err)
	}

	// A fix whose new lines no test runs is measured, and left for review.
	blind := replace(t, dir, rules.NothingNew,
		"	return fmt.Sprintf(\"%d\", n)", "	if n == 12345 {\n\t\treturn \"12345\"\n\t}\n\treturn fmt.Sprintf(\"%d\", n)")
	v, err = w.try(t.Context(), blind)
	if err != nil {
		t.Fatal(err)
	}
	if v.Status != finding.Accepted || v.Covered || blind.class != finding.Review || !strings.Contains(v.Why, "no test runs join.go:") {
		t.Errorf("uncovered fix: %+v, class %s", v, blind.class)
	}
	if len(w.keep) != len(good.fix.Edits) {
		t.Errorf("the combined patch holds %d edits, want the covered fix's only", len(w.keep))
	}
	if err := w.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if doc := w.d.Document; !strings.Contains(doc.Combined, "make([]int, 0, n)") || strings.Contains(doc.Combined, "12345") || doc.Target.Benchmarks[0].Outcome == nil {
		t.Errorf("combined patch:\n%s\noutcome %+v", doc.Combined, doc.Target.Benchmarks[0].Outcome)
	}
	if got := read(t, filepath.Join(dir, "join.go")); got != joinSource {
		t.Error("the user's file was written")
	}
}

func TestTestsFailBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures")
	}
	dir := module(t, map[string]string{"join.go": joinSource,
		"join_test.go": strings.Replace(joinTest, "got[3] != 9", "got[3] != 10", 1)})
	doc, err := Run(t.Context(), Options{Options: diagnose.Options{Dir: dir}})
	if err == nil || !strings.Contains(err.Error(), "TestSquares fails") || !strings.Contains(err.Error(), "nothing can be proved") {
		t.Errorf("err = %v", err)
	}
	if doc == nil || len(doc.Findings) == 0 {
		t.Fatal("the diagnosis is lost")
	}
	for _, f := range doc.Findings {
		if f.Verdict.Status != finding.Unverified {
			t.Errorf("a finding is %s", f.Verdict.Status)
		}
	}
}

func TestInterrupted(t *testing.T) {
	dir := module(t, map[string]string{"join.go": joinSource, "join_test.go": joinTest})
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Options: diagnose.Options{Dir: dir, Progress: func(stage string, _, _ int) {
		if strings.HasPrefix(stage, "trying") || strings.HasPrefix(stage, "counting") && testing.Short() {
			cancel()
		}
	}}}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "unheap-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("scratch left behind: %v %v", left, err)
	}
	if got := read(t, filepath.Join(dir, "join.go")); got != joinSource {
		t.Error("the user's file was written")
	}
}
