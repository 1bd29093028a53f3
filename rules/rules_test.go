package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// TestAll holds every rule to the conventions of the package comment.
func TestAll(t *testing.T) {
	seen := make(map[string]bool)
	for _, rule := range All() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			checkDoc(t, rule.Analyzer)
			dir := filepath.Join("testdata", "src", rule.Name)
			if _, err := os.Stat(dir); err != nil {
				t.Fatalf("rule %s has no fixture: add %s/%s.go and its .golden", rule.Name, dir, rule.Name)
			}
			results := analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), rule.Analyzer, rule.Name+"/...")
			fixtures, known, err := load(rule.Name)
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, r := range results {
				found += len(r.Action.Diagnostics)
				checkDiagnostics(t, r, known)
			}
			if found == 0 {
				t.Errorf("no fixture below %s makes rule %s report: add a positive case", dir, rule.Name)
			}
			checkGoldens(t, fixtures, known)
		})
		if seen[rule.Name] {
			t.Errorf("two rules are named %s", rule.Name)
		}
		seen[rule.Name] = true
	}
}

// TestOldGo runs the rules over code whose go.mod names a release that lacks
// the functions which some rewrites call. The want comments there say what is
// left.
func TestOldGo(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("testdata", "oldgo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range All() {
		if _, err := os.Stat(filepath.Join(dir, rule.Name)); err != nil {
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			analysistest.RunWithSuggestedFixes(t, dir, rule.Analyzer, "./"+rule.Name)
		})
	}
}

// checkDoc fails for a rule whose documentation is incomplete.
func checkDoc(t *testing.T, a *analysis.Analyzer) {
	t.Helper()
	title, body, _ := strings.Cut(a.Doc, "\n")
	if strings.TrimSpace(title) == "" || strings.HasPrefix(title, "#") {
		t.Errorf("rule %s: Doc does not begin with a title line", a.Name)
	}
	for _, section := range []string{"## Why it allocates", "## The rewrite", "## When it is not safe"} {
		_, text, ok := strings.Cut(body, "\n"+section+"\n")
		if !ok {
			t.Errorf("rule %s: Doc lacks the section %q", a.Name, section)
			continue
		}
		text, _, _ = strings.Cut(text, "\n## ")
		if strings.TrimSpace(text) == "" {
			t.Errorf("rule %s: Doc section %q is empty", a.Name, section)
		}
	}
}

// checkDiagnostics holds each diagnostic to its class, and each fix, on its
// own, to leaving formatted code that type-checks.
func checkDiagnostics(t *testing.T, r *analysistest.Result, known map[string]*types.Package) {
	t.Helper()
	fset := r.Action.Package.Fset
	classes := markedClasses(r)
	for _, d := range r.Action.Diagnostics {
		at := fset.Position(d.Pos)
		if want := classes[token.Position{Filename: at.Filename, Line: at.Line}]; want != "" && want != d.Category {
			t.Errorf("%s: class %s, marked as %s", at, d.Category, want)
		}
		switch {
		case !slices.Contains([]string{Safe, Review, None}, d.Category):
			t.Errorf("%s: category %q is not a class", at, d.Category)
		case d.Category == None && len(d.SuggestedFixes) > 0:
			t.Errorf("%s: class none, but there is a fix", at)
		case d.Category != None && len(d.SuggestedFixes) == 0:
			t.Errorf("%s: class %s, but there is no fix", at, d.Category)
		}
		if !d.End.IsValid() || d.End <= d.Pos {
			t.Errorf("%s: the diagnostic covers nothing", at)
		}
		for _, fix := range d.SuggestedFixes {
			fixed, err := apply(fset, fix.TextEdits)
			if err != nil {
				t.Errorf("%s: fix %q: %v", at, fix.Message, err)
				continue
			}
			for name, src := range fixed {
				checkFormatted(t, at, name, src)
			}
			if err := typeCheck(r.Action.Package, fixed, known); err != nil {
				t.Errorf("%s: fix %q alone does not compile: %v", at, fix.Message, err)
			}
		}
	}
}

// markedClasses returns the classes that the fixture demands with comments of
// the form
//
//	code // review // want `message`
func markedClasses(r *analysistest.Result) map[token.Position]string {
	classes := make(map[token.Position]string)
	for _, f := range r.Action.Package.Syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				class, _, ok := strings.Cut(strings.TrimPrefix(c.Text, "// "), " // want ")
				if ok {
					at := r.Action.Package.Fset.Position(c.Pos())
					classes[token.Position{Filename: at.Filename, Line: at.Line}] = class
				}
			}
		}
	}
	return classes
}

// checkFormatted fails if gofmt would change src, unless it would also have
// changed the file before.
func checkFormatted(t *testing.T, at token.Position, name string, src []byte) {
	t.Helper()
	old, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	if f, err := format.Source(old); err != nil || !bytes.Equal(f, old) {
		t.Errorf("%s: fixture is not gofmt-ed (%v)", name, err)
		return
	}
	f, err := format.Source(src)
	if err != nil {
		t.Errorf("%s: result does not parse: %v\n%s", at, err, src)
		return
	}
	// The column of comments at the ends of neighbouring lines is not held
	// against a fix.
	src, f = commentColumn.ReplaceAll(src, []byte(" //")), commentColumn.ReplaceAll(f, []byte(" //"))
	if !bytes.Equal(f, src) {
		t.Errorf("%s: result is not gofmt-ed:\n%s", at, firstDifference(src, f))
	}
}

var commentColumn = regexp.MustCompile(` +//`)

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: got %q, gofmt wants %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, gofmt wants %d", len(g), len(w))
}

// apply returns the contents of the files that edits change.
func apply(fset *token.FileSet, edits []analysis.TextEdit) (map[string][]byte, error) {
	type span struct {
		from, to int
		text     []byte
	}
	files := make(map[string][]span)
	for _, e := range edits {
		f := fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		files[f.Name()] = append(files[f.Name()], span{f.Offset(e.Pos), f.Offset(end), e.NewText})
	}
	out := make(map[string][]byte)
	for name, spans := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(spans, func(a, b span) int { return a.from - b.from })
		var buf bytes.Buffer
		at := 0
		for _, s := range spans {
			if s.from < at {
				return nil, fmt.Errorf("edits of %s overlap at offset %d", filepath.Base(name), s.from)
			}
			buf.Write(src[at:s.from])
			buf.Write(s.text)
			at = s.to
		}
		buf.Write(src[at:])
		out[name] = buf.Bytes()
	}
	return out, nil
}

// fixtureEnv is the environment in which analysistest loads fixtures.
func fixtureEnv() []string {
	return append(os.Environ(), "GOPATH="+analysistest.TestData(), "GO111MODULE=off", "GOWORK=off", "GOPROXY=off")
}

// added names packages that rewrites may import into a file.
var added = []string{"cmp", "context", "errors", "fmt", "io", "log/slog", "maps", "regexp", "slices", "strconv", "strings", "sync"}

// load loads a rule's fixtures and all that they may import, in one world of
// types.
func load(name string) (fixtures []*packages.Package, known map[string]*types.Package, err error) {
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedImports, Dir: analysistest.TestData(), Env: fixtureEnv()}
	fixtures, err = packages.Load(cfg, name+"/...")
	if err != nil {
		return nil, nil, err
	}
	patterns := slices.Clone(added)
	for _, p := range fixtures {
		patterns = append(patterns, p.PkgPath)
		for path := range p.Imports {
			patterns = append(patterns, path)
		}
	}
	cfg.Mode = packages.LoadTypes | packages.NeedName | packages.NeedCompiledGoFiles
	pkgs, err := packages.Load(cfg, patterns...)
	fixtures = nil
	known = make(map[string]*types.Package)
	for _, p := range pkgs {
		known[p.PkgPath] = p.Types
		if p.PkgPath == name || strings.HasPrefix(p.PkgPath, name+"/") {
			fixtures = append(fixtures, p)
		}
	}
	return fixtures, known, err
}

// typeCheck checks p with the contents of some files replaced. Imports are
// taken from known.
func typeCheck(p *packages.Package, replaced map[string][]byte, known map[string]*types.Package) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		var src any
		if text, ok := replaced[name]; ok {
			src = text
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	cfg := types.Config{
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			if q := known[path]; q != nil {
				return q, nil
			}
			return nil, fmt.Errorf("package %s is not loaded: add it to the list added", path)
		}),
	}
	if p.Module != nil {
		cfg.GoVersion = "go" + p.Module.GoVersion
	}
	_, err := cfg.Check(p.PkgPath, fset, files, nil)
	return err
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// checkGoldens type-checks every golden file, section by section, and runs
// the fixtures that are programs in both forms: they must print the same.
func checkGoldens(t *testing.T, fixtures []*packages.Package, known map[string]*types.Package) {
	t.Helper()
	for _, p := range fixtures {
		forms, err := goldenForms(p)
		if err != nil {
			t.Error(err)
			continue
		}
		var before string
		if p.Name == "main" && len(forms) > 0 {
			before = runProgram(t, p.PkgPath, nil)
			if before == "" {
				t.Errorf("fixture %s prints nothing that could be compared", p.PkgPath)
			}
		}
		for section, overlay := range forms {
			if err := typeCheck(p, overlay, known); err != nil {
				t.Errorf("%s: golden %q does not compile: %v", p.PkgPath, section, err)
				continue
			}
			if p.Name == "main" {
				if after := runProgram(t, p.PkgPath, overlay); after != before {
					t.Errorf("%s: golden %q behaves differently\nbefore:\n%s\nafter:\n%s", p.PkgPath, section, before, after)
				}
			}
		}
	}
}

// goldenForms returns the rewritten files of a package, grouped by the golden
// section they come from; "" is a golden without sections.
func goldenForms(p *packages.Package) (map[string]map[string][]byte, error) {
	forms := make(map[string]map[string][]byte)
	add := func(section, file string, data []byte) {
		if forms[section] == nil {
			forms[section] = make(map[string][]byte)
		}
		forms[section][file] = data
	}
	for _, name := range p.CompiledGoFiles {
		ar, err := txtar.ParseFile(name + ".golden")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(ar.Files) == 0 {
			add("", name, ar.Comment)
		}
		for _, f := range ar.Files {
			add(f.Name, name, f.Data)
		}
	}
	return forms, nil
}

// runProgram runs a fixture with some files replaced and returns its output.
func runProgram(t *testing.T, pkg string, replaced map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	n := 0
	for name, src := range replaced {
		n++
		file := filepath.Join(dir, fmt.Sprintf("%d.go", n))
		if err := os.WriteFile(file, src, 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[name] = file
	}
	config := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, data, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay="+config, pkg)
	cmd.Dir, cmd.Env = analysistest.TestData(), fixtureEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("go run %s: %v\n%s", pkg, err, out)
	}
	return string(out)
}
