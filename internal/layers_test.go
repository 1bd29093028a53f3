package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/unheap/unheap"

// layers is the house's import order, leaves first: a package imports only
// packages of the layers before its own. A name stands for the packages below
// it too. Those of one row do not import each other.
var layers = [][]string{
	{"finding", "gctrace", "rules", "docs", "internal/gcmodel", "internal/source"},
	{"internal/run"},
	{"internal/compiler", "internal/binary", "internal/profile", "internal/recognise"},
	{"internal/capture"},
	{"internal/measure"},
	{"internal/diagnose"},
	{"internal/fix", "internal/tune"},
	{"internal/history", "internal/rowsgen", "internal/lab", "internal/casebook", "internal/practice"},
	{"internal/report"},
	{"internal/web"},
	{"cmd", "internal/practice"},
}

// light says what the public packages may depend on, beside the standard
// library: those who import them pay for it.
var light = map[string][]string{
	"finding": nil,
	"gctrace": nil,
	"rules": {
		"golang.org/x/tools/go/analysis",
		"golang.org/x/tools/go/ast",
		"golang.org/x/tools/go/types",
		"golang.org/x/tools/internal",
	},
}

// vague are the package names that say nothing about what is in them.
var vague = []string{"base", "common", "helper", "helpers", "misc", "shared", "util", "utils"}

// A pkg is what the go command lists of one package.
type pkg struct {
	ImportPath, Name string
	Standard         bool
	Imports, Deps    []string
}

func TestLayers(t *testing.T) {
	pkgs := list(t, "..", "./...")
	if len(pkgs) == 0 {
		t.Fatal("go list finds no packages of the module")
	}
	standard := make(map[string]bool)
	for _, p := range list(t, "..", "std") {
		standard[p.ImportPath] = true
	}
	for _, problem := range problems(pkgs, standard) {
		t.Error(problem)
	}
}

func TestRootHoldsOnlyDoc(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if filepath.Base(f) != "doc.go" {
			t.Errorf("%s is at the module's root: only doc.go belongs there, move it to a package", filepath.Base(f))
		}
	}
	if len(files) == 0 {
		t.Error("doc.go is missing at the module's root")
	}
}

func TestMemHasNoDependencies(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json", filepath.Join("..", "mem", "go.mod")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if mod.Module.Path != module+"/mem" {
		t.Errorf("mem/go.mod is of module %q", mod.Module.Path)
	}
	for _, r := range mod.Require {
		t.Errorf("mem/go.mod requires %s: users' programs import mem, so it must not depend on anything", r.Path)
	}
}

// problems returns a sentence for each package or import that breaks the
// house's rules.
func problems(pkgs []pkg, standard map[string]bool) []string {
	var out []string
	for _, p := range pkgs {
		name := inModule(p.ImportPath)
		if slices.Contains(vague, p.Name) || slices.Contains(vague, path.Base(name)) {
			out = append(out, fmt.Sprintf("package %s is named for nothing: name it after what it provides", name))
		}
		own := layerOf(name)
		if own < 0 && name != "" && name != "internal" {
			out = append(out, fmt.Sprintf("package %s has no layer: give it one in internal/layers_test.go and in the design", name))
			continue
		}
		for _, imp := range p.Imports {
			if imp != module && !strings.HasPrefix(imp, module+"/") {
				continue
			}
			target := inModule(imp)
			if l := layerOf(target); l < 0 || l > own || l == own && element(name) != element(target) {
				out = append(out, fmt.Sprintf("%s imports %s, which is not in a layer below it: turn the dependency round or move what both need to a lower layer", name, target))
			}
		}
		for public, allowed := range light {
			if !within(name, public) {
				continue
			}
			for _, dep := range p.Deps {
				if !standard[dep] && !within(dep, p.ImportPath) && !slices.ContainsFunc(allowed, func(a string) bool { return within(dep, a) }) {
					out = append(out, fmt.Sprintf("public package %s depends on %s, which is not on its list in internal/layers_test.go: whoever imports it would pay for that", name, dep))
				}
			}
		}
	}
	return out
}

// inModule returns an import path relative to the module, "" for its root.
func inModule(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

// within reports whether name is dir or below it.
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// layerOf returns the row of layers that holds a package, -1 for none.
func layerOf(name string) int {
	return slices.IndexFunc(layers, func(row []string) bool { return elementIn(row, name) != "" })
}

// element returns the name in layers that a package stands under.
func element(name string) string {
	for _, row := range layers {
		if e := elementIn(row, name); e != "" {
			return e
		}
	}
	return ""
}

func elementIn(row []string, name string) string {
	for _, e := range row {
		if within(name, e) {
			return e
		}
	}
	return ""
}

// list returns the packages that a pattern matches. What a package imports can
// be told even where it does not compile.
func list(t *testing.T, dir, pattern string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Name,Standard,Imports,Deps", pattern)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pattern, err)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestProblems shows that each rule can be broken.
func TestProblems(t *testing.T) {
	at := func(name string) string { return module + "/" + name }
	standard := map[string]bool{"fmt": true}
	for _, tt := range []struct {
		what string
		pkg  pkg
		want string // in the one problem; empty: none
	}{
		{"downwards", pkg{ImportPath: at("internal/fix"), Imports: []string{at("internal/diagnose"), at("finding"), "fmt"}}, ""},
		{"upwards", pkg{ImportPath: at("internal/run"), Imports: []string{at("internal/fix")}}, "internal/run imports internal/fix"},
		{"sideways", pkg{ImportPath: at("internal/compiler"), Imports: []string{at("internal/binary")}}, "internal/compiler imports internal/binary"},
		{"to its own part", pkg{ImportPath: at("internal/history"), Imports: []string{at("internal/history/sqlite")}}, ""},
		{"part to its whole", pkg{ImportPath: at("internal/history/sqlite"), Imports: []string{at("internal/history")}}, ""},
		{"the root", pkg{ImportPath: at("cmd/unheap"), Imports: []string{module}}, "cmd/unheap imports "},
		{"no layer", pkg{ImportPath: at("internal/stray")}, "internal/stray has no layer"},
		{"similar name", pkg{ImportPath: at("findings")}, "findings has no layer"},
		{"vague", pkg{ImportPath: at("internal/run/util")}, "internal/run/util is named for nothing"},
		{"vague name", pkg{ImportPath: at("internal/run/x"), Name: "helpers"}, "internal/run/x is named for nothing"},
		{"light", pkg{ImportPath: at("finding"), Deps: []string{"fmt"}}, ""},
		{"heavy", pkg{ImportPath: at("finding"), Deps: []string{"fmt", "golang.org/x/tools/go/analysis"}}, "finding depends on golang.org/x/tools/go/analysis"},
		{"allowed", pkg{ImportPath: at("rules"), Deps: []string{"golang.org/x/tools/go/analysis/passes/inspect"}}, ""},
		{"heavy rule", pkg{ImportPath: at("rules/ruleset"), Deps: []string{"golang.org/x/tools/go/packages"}}, "rules/ruleset depends on golang.org/x/tools/go/packages"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			got := problems([]pkg{tt.pkg}, standard)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("problems = %q, want none", got)
			case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("problems = %q, want one with %q", got, tt.want)
			}
		})
	}
}
