package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// A Go runs the go command in one directory, with one environment and one set
// of build flags.
type Go struct {
	Dir   string   // absolute
	Env   []string // added to this process's, as "GOFLAGS=-mod=mod"
	Flags []string // build flags for list, build and test, as "-tags=integration"
}

// Command returns `go args...` as a command.
func (g *Go) Command(ctx context.Context, args ...string) *exec.Cmd {
	return Command(ctx, g.Dir, g.Env, "go", args...)
}

// Variables returns the named settings of `go env`.
func (g *Go) Variables(ctx context.Context, names ...string) (map[string]string, error) {
	out, err := Output(g.Command(ctx, append([]string{"env", "-json"}, names...)...))
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("no go command found: install Go from https://go.dev/dl and put it on PATH")
	}
	if err != nil {
		return nil, err
	}
	vars := make(map[string]string)
	return vars, json.Unmarshal(out, &vars)
}

// listed is what `go list -json` says of one package.
type listed struct {
	ImportPath, Name, Dir, ForTest string
	Standard, DepOnly              bool
	Module                         *struct {
		Path, Version, Dir string
		Main               bool
	}
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Imports                   []string
	Error                     *struct{ Err string }
}

// MainModules returns the directories of the main modules: one, or those of the
// workspace.
func (g *Go) MainModules(ctx context.Context) ([]string, error) {
	out, err := Output(g.Command(ctx, "list", "-m", "-f", "{{.Dir}}"))
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

// A Listing is the answer to one [Go.List].
type Listing struct {
	Matched  []string         // import paths that the patterns name, in the go command's order
	Tested   []string         // those of Matched with test files
	Packages []source.Package // Matched and all they depend on, test dependencies included
}

// List lists the packages that the patterns match, with all their
// dependencies, those of their tests included.
func (g *Go) List(ctx context.Context, patterns ...string) (*Listing, error) {
	args := append([]string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Name,Dir,ForTest,Standard,DepOnly,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,Error"}, g.Flags...)
	out, err := Output(g.Command(ctx, append(append(args, "--"), patterns...)...))
	if err != nil {
		return nil, err
	}
	l := new(Listing)
	seen := make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if !p.DepOnly && p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") {
			if p.Error != nil {
				return nil, fmt.Errorf("package %s: %s", p.ImportPath, strings.TrimSpace(p.Error.Err))
			}
			l.Matched = append(l.Matched, p.ImportPath)
			if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
				l.Tested = append(l.Tested, p.ImportPath)
			}
		}
		// A test variant is the same source as the plain package.
		path, _, _ := strings.Cut(p.ImportPath, " ")
		if seen[path] || strings.HasSuffix(path, ".test") {
			continue
		}
		seen[path] = true
		for i, imp := range p.Imports {
			p.Imports[i], _, _ = strings.Cut(imp, " ")
		}
		sp := source.Package{Path: path, Name: p.Name, Dir: p.Dir, Standard: p.Standard,
			GoFiles: append(p.GoFiles, p.CgoFiles...), Imports: p.Imports}
		if p.Module != nil {
			sp.Main, sp.Module, sp.Version, sp.ModDir = p.Module.Main, p.Module.Path, p.Module.Version, p.Module.Dir
		}
		l.Packages = append(l.Packages, sp)
	}
	if len(l.Matched) == 0 {
		return nil, fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
	}
	return l, nil
}

// BuildOptions are what one build adds to the flags of its Go.
type BuildOptions struct {
	Overlay string   // overlay file, or ""
	GCFlags []string // values of -gcflags, each pattern=flags
}

func (o BuildOptions) args() []string {
	var args []string
	if o.Overlay != "" {
		args = append(args, "-overlay="+o.Overlay)
	}
	for _, f := range o.GCFlags {
		args = append(args, "-gcflags="+f)
	}
	return args
}

// A TestBinary is a package's compiled tests.
type TestBinary struct {
	Package string
	Path    string // of the executable
	Dir     string // the package's directory, where tests expect to run
}

// BuildTest compiles the tests of one package to the file out. It returns what
// the compiler printed beside the binary. A package without tests is an error.
func (g *Go) BuildTest(ctx context.Context, pkg *source.Package, out string, o BuildOptions) (*TestBinary, []byte, error) {
	args := append([]string{"test", "-c", "-o", out}, g.Flags...)
	args = append(append(args, o.args()...), pkg.Path)
	_, stderr, err := Combined(g.Command(ctx, args...))
	if err != nil {
		return nil, stderr, err
	}
	if _, err := os.Stat(out); err != nil {
		return nil, stderr, fmt.Errorf("package %s has no test files", pkg.Path)
	}
	return &TestBinary{Package: pkg.Path, Path: out, Dir: pkg.Dir}, stderr, nil
}

// Command returns the test binary with the given arguments as a command in its
// package's directory.
func (b *TestBinary) Command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	return Command(ctx, b.Dir, env, b.Path, args...)
}
