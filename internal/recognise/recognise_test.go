package recognise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

const mainSource = `package app

import (
	"sort"
	"strings"

	"example.com/app/log"
)

type cache struct{ byName map[string]int }

func newCache() *cache { return &cache{byName: make(map[string]int)} }

func (c *cache) add(name string) { c.byName[name] = len(name) }

func fill(m map[int]bool) { m[1] = true }

func Fill() { fill(map[int]bool{}) }

func Join(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w)
	}
	return b.String()
}

func Tell(l *log.Logger, n int) {
	l.Print("n", n)
	log.Printf("%d", n, l)
	var any interface{ Print(string, ...any) } = l
	any.Print("x")
}

func Sort(s []int) { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }
`

const logSource = `package log

type Logger struct{ last []any }

func (l *Logger) Print(msg string, args ...any) { l.last = args }

func Printf(format string, args ...any) {}
`

// load writes the module and type-checks it.
func load(t *testing.T, overlay map[string]string) (*Program, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.24\n", "app.go": mainSource, "log/log.go": logSource} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g := &run.Go{Dir: dir, Env: []string{"GOWORK=off", "GOFLAGS="}}
	listing, err := g.List(t.Context(), "./...")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for name, text := range overlay {
		files[filepath.Join(dir, name)] = []byte(text)
	}
	p, err := Load(t.Context(), g, source.NewTree(dir, listing.Packages, nil), []string{"example.com/app"}, files)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

// find returns the place of a text in app.go, col bytes into it.
func find(t *testing.T, text string, col int) source.Pos {
	t.Helper()
	i := strings.Index(mainSource, text)
	if i < 0 {
		t.Fatalf("no %q", text)
	}
	i += col
	return source.Pos{Package: "example.com/app", File: "app.go",
		Line: 1 + strings.Count(mainSource[:i], "\n"), Col: i - strings.LastIndex(mainSource[:i], "\n")}
}

func TestParam(t *testing.T) {
	p, _ := load(t, nil)
	for _, tt := range []struct {
		call, arg, callee string
		line, col         int
		ok                bool
	}{
		{`("n", n)`, "l", "log.(*Logger).Print", 5, 7, true},
		{`("n", n)`, "... argument", "log.(*Logger).Print", 5, 36, true},
		{`("n", n)`, "n", "log.(*Logger).Print", 5, 36, true},
		{`("%d", n, l)`, "l", "log.Printf", 7, 28, true},
		{`("x")`, "x", "", 0, 0, false}, // through an interface
	} {
		param, callee, ok := p.Param(find(t, tt.call, 0), tt.arg)
		if ok != tt.ok || callee != tt.callee || param.Line != tt.line || param.Col != tt.col {
			t.Errorf("Param(%s, %s) = %v, %s, %v; want %d:%d, %s, %v", tt.call, tt.arg, param, callee, ok, tt.line, tt.col, tt.callee, tt.ok)
		}
	}
}

func TestMapMakers(t *testing.T) {
	p, _ := load(t, nil)
	places, sure := p.MapMakers(find(t, "c.byName[name] =", 0))
	if want := find(t, "make(map[string]int)", 0); len(places) != 1 || places[0] != want || !sure {
		t.Errorf("field: %v, %v; want %v", places, sure, want)
	}
	places, sure = p.MapMakers(find(t, "m[1] = true", 0))
	if want := find(t, "map[int]bool{}", 0); len(places) != 1 || places[0] != want || sure {
		t.Errorf("parameter: %v, %v; want %v by its type", places, sure, want)
	}
	if places, _ := p.MapMakers(find(t, "b.WriteString", 0)); places != nil {
		t.Errorf("no map: %v", places)
	}
}

func TestBuilderResult(t *testing.T) {
	p, _ := load(t, nil)
	use, ok := p.BuilderResult(find(t, "b.WriteString(w)", 0))
	if want := find(t, "b.String()", len("b.String")); !ok || use.Builder != "b" || !use.Returned || use.Call != want {
		t.Errorf("%+v, %v; want the call at %v", use, ok, want)
	}
	if _, ok := p.BuilderResult(find(t, "l.Print(", 0)); ok {
		t.Error("a logger is no builder")
	}
}

// TestOverlay checks that rules read the text that stands in for a file: a fix
// made of the disk's text at the overlay's offsets would be garbage.
func TestOverlay(t *testing.T) {
	moved := strings.Replace(mainSource, "type cache", "// Cache is a type.\n// It has a long comment.\ntype cache", 1)
	p, dir := load(t, map[string]string{"app.go": moved})
	matches, warnings, err := p.Matches()
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	for _, m := range matches {
		if m.Rule != "sortslice" {
			continue
		}
		text := moved
		for i := len(m.Fixes[0].Edits) - 1; i >= 0; i-- {
			e := m.Fixes[0].Edits[i]
			if e.File != filepath.Join(dir, "app.go") {
				t.Errorf("edit of %s", e.File)
			}
			text = text[:e.Start] + string(e.New) + text[e.End:]
		}
		if !strings.Contains(text, "func Sort(s []int) { slices.Sort(s) }") {
			t.Errorf("the fix gives:\n%s", text)
		}
		return
	}
	t.Errorf("sortslice found nothing among %d matches", len(matches))
}
