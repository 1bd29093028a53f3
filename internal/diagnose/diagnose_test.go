package diagnose

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/unheap/unheap/finding"
)

// extract writes the files of a testdata archive and returns the directory.
func extract(t testing.TB, name string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, archive)
}

func write(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// diagnose runs a diagnosis outside this repository's workspace.
func diagnose(t testing.TB, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func isolate(t testing.TB) {
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
}

// at returns the finding on the line that holds text.
func at(t *testing.T, d *finding.Document, text string) *finding.Finding {
	t.Helper()
	for i := range d.Findings {
		if strings.Contains(d.Findings[i].Site.Source, text) {
			return &d.Findings[i]
		}
	}
	var have []string
	for _, f := range d.Findings {
		have = append(have, f.Site.Source)
	}
	t.Fatalf("no finding at %q; there are:\n%s", text, strings.Join(have, "\n"))
	return nil
}

func reason(f *finding.Finding) string {
	var lines []string
	for _, s := range f.Reason {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Text))
	}
	return strings.Join(lines, "\n")
}

func near(got, want, tolerance float64) bool { return got >= want-tolerance && got <= want+tolerance }

// TestIdioms diagnoses one package that allocates in many ways, each with a
// known count, kind and type.
func TestIdioms(t *testing.T) {
	isolate(t)
	d := diagnose(t, Options{Dir: extract(t, "idioms")}).Document
	for _, tt := range []struct {
		line, kind, typ string
		objects         float64
		from            finding.ReasonSource
		reason          string
	}{
		{"make([]byte, n)", finding.KindSlice, "[]uint8", 1, finding.FromFlow, "idioms.go"},
		{"keep = &node{}", finding.KindNew, "idioms.node", 1, finding.FromFlow, "keep"},
		{"record(v)", finding.KindBox, "int", 1, finding.FromFlow, "sink"},
		{"append(out, byte(i))", finding.KindAppend, "[]uint8", 0, finding.FromFlow, "append"},
		{"m[i] = i", finding.KindMapAssign, "map[int]int", 0, finding.FromFlow, "made here"},
		{"make(chan int, 4)", finding.KindChan, "chan int", 1, finding.FromKind, "always on the heap"},
		{"s + suffix", finding.KindString, "string", 1, finding.FromFlow, "s + suffix"},
		{"io.Copy(", finding.KindSlice, "[]uint8", 0, finding.FromFlow, "32 KiB buffer"},
		{"&Cell[T]{v}", finding.KindNew, "", 1, finding.FromFlow, ""},
	} {
		f := at(t, d, tt.line)
		if f.Alloc.Kind != tt.kind || tt.typ != "" && f.Alloc.Type != tt.typ {
			t.Errorf("%s: %s %s, want %s %s", tt.line, f.Alloc.Kind, f.Alloc.Type, tt.kind, tt.typ)
		}
		if tt.objects > 0 && !near(f.Alloc.ObjectsPerOp, tt.objects, 0.05) {
			t.Errorf("%s: %.3f objects an op, want %v", tt.line, f.Alloc.ObjectsPerOp, tt.objects)
		}
		if f.ReasonSource != tt.from || !strings.Contains(reason(f), tt.reason) {
			t.Errorf("%s: reason from %s:\n%s\nwant %s with %q", tt.line, f.ReasonSource, reason(f), tt.from, tt.reason)
		}
		if f.ID == "" || f.Site.Function == "" || f.Site.Line == 0 || len(f.Parts) == 0 || f.Verdict.Status != finding.Unverified {
			t.Errorf("%s: incomplete finding %+v", tt.line, f)
		}
	}
	copied := at(t, d, "io.Copy(")
	if copied.Site.File != "idioms.go" || len(copied.Leaf) == 0 || !strings.HasPrefix(copied.Leaf[0].Function, "io.") {
		t.Errorf("io.Copy is blamed on %s with leaf %v, want the user's line with io frames below", copied.Site.File, copied.Leaf)
	}
	for _, f := range d.Findings {
		if len(f.Reason) == 0 {
			t.Errorf("%s:%d has no reason", f.Site.File, f.Site.Line)
		}
		if strings.HasSuffix(f.Site.File, "_test.go") {
			t.Errorf("test code is a finding: %s:%d", f.Site.File, f.Site.Line)
		}
	}
	var test float64
	for _, b := range d.Target.Benchmarks {
		test += b.TestBytes
	}
	if test == 0 {
		t.Error("the benchmark's own allocations are nowhere")
	}
}

// TestTiny checks that objects which the profile counts a block at a time are
// shared out over the lines that make them, to the program's own total.
func TestTiny(t *testing.T) {
	isolate(t)
	d := diagnose(t, Options{Dir: extract(t, "tiny")}).Document
	two, one := at(t, d, "record(a+1000, b+1000)"), at(t, d, "record1(")
	total := d.Target.Benchmarks[0].Measure.AllocsPerOp
	if !near(total, 2.75, 0.01) {
		t.Fatalf("the benchmark makes %v objects an op, want 2.75", total)
	}
	if sum := two.Alloc.ObjectsPerOp + one.Alloc.ObjectsPerOp; !near(sum, total, 0.01) {
		t.Errorf("the lines make %v objects, the benchmark %v", sum, total)
	}
	if !two.Alloc.Estimated || !near(two.Alloc.ObjectsPerOp, 2, 0.3) || !near(one.Alloc.ObjectsPerOp, 0.75, 0.3) {
		t.Errorf("shared out as %+v and %+v, want about 2 and 0.75", two.Alloc, one.Alloc)
	}
}

// TestLayouts diagnoses modules laid out in every way that Go knows.
func TestLayouts(t *testing.T) {
	isolate(t)
	dir := extract(t, "layouts")
	for _, tt := range []struct {
		name string
		o    Options
		line string
		file string
	}{
		{"workspace", Options{Dir: filepath.Join(dir, "work", "a")}, "make([]int, n+len(b.Name))", "a.go"},
		{"workspace, other module", Options{Dir: filepath.Join(dir, "work", "a")}, "append([]byte(nil), s...)", "b/b.go"},
		{"vendor", Options{Dir: filepath.Join(dir, "vendored")}, "dep.Make(n)", "v.go"},
		{"build tag", Options{Dir: filepath.Join(dir, "tagged"), Tags: "special"}, "make([]int64, n)", "special.go"},
		{"external test package", Options{Dir: filepath.Join(dir, "external")}, "make([]uint16, n)", "e.go"},
		{"own dependency", Options{Dir: filepath.Join(dir, "vendored"), Own: []string{"example.com/dep/..."}}, "make([]int32, n)", "dep.go"},
		{"package main", Options{Dir: filepath.Join(dir, "command")}, "make([]float32, n)", "main.go"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := diagnose(t, tt.o).Document
			f := at(t, d, tt.line)
			if !strings.HasSuffix(f.Site.File, tt.file) {
				t.Errorf("in %s, want %s", f.Site.File, tt.file)
			}
			if !near(f.Alloc.ObjectsPerOp, 1, 0.01) || f.ReasonSource != finding.FromFlow {
				t.Errorf("%v objects, reason from %s: %s", f.Alloc.ObjectsPerOp, f.ReasonSource, reason(f))
			}
		})
	}
}

func TestErrors(t *testing.T) {
	isolate(t)
	dir := extract(t, "layouts")
	for _, tt := range []struct {
		name  string
		o     Options
		want  string
		usage bool
	}{
		{"no directory", Options{Dir: filepath.Join(dir, "none")}, "is not a directory", true},
		{"no module", Options{Dir: os.TempDir()}, "is not in a Go module", true},
		{"bad pattern", Options{Dir: filepath.Join(dir, "external"), Bench: "("}, "not a regular expression", true},
		{"no benchmark", Options{Dir: filepath.Join(dir, "external"), Bench: "Nothing"}, "no benchmarks match", true},
		{"no tests", Options{Dir: filepath.Join(dir, "vendored"), Patterns: []string{"example.com/dep"}}, "no test files", true},
		{"no package", Options{Dir: filepath.Join(dir, "external"), Patterns: []string{"./nothing"}}, "nothing", false},
		{"does not build", Options{Dir: filepath.Join(dir, "broken")}, "does not build: ./b.go:3", false},
		{"benchmark fails", Options{Dir: filepath.Join(dir, "failing")}, "BenchmarkFails failed", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Run(t.Context(), tt.o)
			if err == nil {
				r.Close()
				t.Fatal("no error")
			}
			var usage *UsageError
			if errors.As(err, &usage) != tt.usage || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("err = %v (usage %v), want %q (usage %v)", err, errors.As(err, &usage), tt.want, tt.usage)
			}
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	isolate(t)
	d := diagnose(t, Options{Dir: filepath.Join(extract(t, "layouts"), "quiet")}).Document
	if len(d.Findings) != 0 || len(d.Target.Benchmarks) != 1 {
		t.Errorf("%d findings, %d benchmarks; want none, one", len(d.Findings), len(d.Target.Benchmarks))
	}
}

// manySites writes a module with n lines that allocate.
func manySites(b *testing.B, n int) string {
	var code, test strings.Builder
	code.WriteString("package many\n\nvar Sink any\n")
	test.WriteString("package many\n\nimport \"testing\"\n\nfunc BenchmarkMany(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n")
	for i := range n {
		fmt.Fprintf(&code, "\n//go:noinline\nfunc F%d(n int) { Sink = make([]byte, n+%d) }\n", i, i)
		fmt.Fprintf(&test, "\t\tF%d(i & 7)\n", i)
	}
	test.WriteString("\t}\n}\n")
	return write(b, &txtar.Archive{Files: []txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/many\n\ngo 1.24\n")},
		{Name: "many.go", Data: []byte(code.String())},
		{Name: "many_test.go", Data: []byte(test.String())},
	}})
}

// BenchmarkJoin joins 300 sites with the compiler's records and the rules'
// matches, and ranks them: all of diagnosis that is not another program's time.
func BenchmarkJoin(b *testing.B) {
	isolate(b)
	r := diagnose(b, Options{Dir: manySites(b, 300)})
	if len(r.Document.Findings) < 300 {
		b.Fatalf("%d findings", len(r.Document.Findings))
	}
	b.ReportAllocs()
	for b.Loop() {
		again := &Result{Tree: r.Tree, Matches: r.Matches, Document: &finding.Document{}}
		again.assemble(attribute(r.Tree, r.evidence.runs), r.evidence)
	}
}
