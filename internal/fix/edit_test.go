package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unheap/unheap/internal/recognise"
)

func TestMerge(t *testing.T) {
	at := func(start, end int, text string) recognise.Edit {
		return recognise.Edit{File: "a.go", Start: start, End: end, New: []byte(text)}
	}
	for _, tt := range []struct {
		name string
		a, b []recognise.Edit
		n    int
		ok   bool
	}{
		{"apart", []recognise.Edit{at(0, 5, "x")}, []recognise.Edit{at(5, 9, "y")}, 2, true},
		{"overlapping", []recognise.Edit{at(0, 6, "x")}, []recognise.Edit{at(5, 9, "y")}, 0, false},
		{"same replacement", []recognise.Edit{at(0, 6, "x")}, []recognise.Edit{at(0, 6, "y")}, 0, false},
		{"same edit", []recognise.Edit{at(3, 3, "import")}, []recognise.Edit{at(3, 3, "import")}, 1, true},
		{"two insertions", []recognise.Edit{at(3, 3, "a")}, []recognise.Edit{at(3, 3, "b")}, 2, true},
		{"insertion inside", []recognise.Edit{at(0, 6, "x")}, []recognise.Edit{at(3, 3, "b")}, 0, false},
		{"other file", []recognise.Edit{at(0, 6, "x")}, []recognise.Edit{{File: "b.go", Start: 0, End: 6}}, 2, true},
		{"nothing", nil, []recognise.Edit{at(0, 6, "x")}, 1, true},
	} {
		got, ok := merge(tt.a, tt.b)
		if ok != tt.ok || ok && len(got) != tt.n {
			t.Errorf("%s: %d edits, %v; want %d, %v", tt.name, len(got), ok, tt.n, tt.ok)
		}
	}
}

func TestContentsTidiesImports(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	src := "package a\n\nimport \"fmt\"\n\nfunc F(n, m int) (string, string) {\n\treturn fmt.Sprint(n), fmt.Sprint(m)\n}\n"
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	// Each of two fixes replaces one call and adds the import; together they
	// leave fmt unused.
	imp := strings.Index(src, "\"fmt\"") + len("\"fmt\"")
	var all []recognise.Edit
	for _, arg := range []string{"n", "m"} {
		start := strings.Index(src, "fmt.Sprint("+arg)
		edits, ok := merge(all, []recognise.Edit{
			{File: name, Start: imp, End: imp, New: []byte("\nimport \"strconv\""), Import: true},
			{File: name, Start: start, End: start + len("fmt.Sprint"), New: []byte("strconv.Itoa")},
		})
		if !ok {
			t.Fatal("the fixes do not merge")
		}
		all = edits
	}
	got, err := contents(all)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got[name])
	if strings.Contains(text, "fmt") || strings.Count(text, "\"strconv\"") != 1 || !strings.Contains(text, "return strconv.Itoa(n), strconv.Itoa(m)") {
		t.Errorf("got:\n%s", text)
	}
	patch, err := diff(dir, got)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(patch, "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ ") {
		t.Errorf("patch:\n%s", patch)
	}
}

// TestContentsJoinsImports merges two fixes that each replace the only import.
func TestContentsJoinsImports(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	src := "package a\n\nimport \"fmt\"\n\nfunc F(n int, s []string) (string, string) {\n\treturn fmt.Sprint(n), fmt.Sprint(s)\n}\n"
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	spec := strings.Index(src, "\"fmt\"")
	fix := func(old, new, path string) []recognise.Edit {
		at := strings.Index(src, old)
		return []recognise.Edit{
			{File: name, Start: spec, End: spec + len("\"fmt\""), New: []byte("(\n\t\"fmt\"\n\t\"" + path + "\"\n)"), Import: true},
			{File: name, Start: at, End: at + len(old), New: []byte(new)},
		}
	}
	edits, ok := merge(fix("fmt.Sprint(n)", "strconv.Itoa(n)", "strconv"), fix("fmt.Sprint(s)", "strings.Join(s, \" \")", "strings"))
	if !ok {
		t.Fatal("import edits count as a conflict")
	}
	got, err := contents(edits)
	if err != nil {
		t.Fatal(err)
	}
	want := "package a\n\nimport (\n\t\"strconv\"\n\t\"strings\"\n)\n\nfunc F(n int, s []string) (string, string) {\n\treturn strconv.Itoa(n), strings.Join(s, \" \")\n}\n"
	if string(got[name]) != want {
		t.Errorf("got:\n%s", got[name])
	}
}

func TestContentsRefusesStaleEdits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := contents([]recognise.Edit{{File: name, Start: 100, End: 200}})
	if err == nil || !strings.Contains(err.Error(), "run again") {
		t.Errorf("err = %v", err)
	}
}

func TestDiffStaysInTheModule(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "x.go")
	if err := os.WriteFile(outside, []byte("package x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := diff(filepath.Join(dir, "module"), map[string][]byte{outside: []byte("package y\n")}); err == nil {
		t.Error("no error for a file outside the module")
	}
}

func TestChangedLines(t *testing.T) {
	got := changedLines([]byte("a\nb\nc\nd\n"), []byte("a\nif x {\n\tb\n}\nc\nd\n"))
	for n, want := range map[int]bool{1: false, 2: true, 3: true, 4: true, 5: false, 6: false} {
		if got[n] != want {
			t.Errorf("line %d changed: %v, want %v", n, got[n], want)
		}
	}
}
