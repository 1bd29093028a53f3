// Command practice runs unheap on public modules that nobody here wrote, in
// the state in which they are published plus some benchmarks of ours, and
// prints the table of docs/real-modules.md.
//
//	go run ./internal/practice [-only NAME] [-budget 5m] [-keep DIR]
//
// The modules come from the module proxy and are copied to a scratch
// directory; none of their code is part of this repository.
package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/run"
)

// A module is one public module at one version.
type module struct {
	path, version string
	packages      []string
	// bench is the file in testdata with benchmarks of ours that are added to
	// the published ones, which may cover little or allocate nothing; dir is
	// the directory of the module that it goes to.
	bench, dir string
}

func modules() []module {
	here := []string{"."}
	return []module{
		{"github.com/BurntSushi/toml", "v1.6.0", here, "", ""},
		{"github.com/yuin/goldmark", "v1.8.7", here, "goldmark", "."},
		{"github.com/tidwall/gjson", "v1.20.0", here, "gjson", "."},
		{"github.com/expr-lang/expr", "v1.17.8", here, "expr", "."},
		{"github.com/yuin/gopher-lua", "v1.1.2", here, "gopher-lua", "."},
		{"github.com/hashicorp/hcl/v2", "v2.25.0", []string{"./hclsyntax"}, "hcl", "hclsyntax"},
	}
}

//go:embed testdata/*.txt
var benchmarks embed.FS

func main() {
	only := flag.String("only", "", "run the modules whose path contains `TEXT`")
	budget := flag.Duration("budget", 5*time.Minute, "for the trials of one module")
	keep := flag.String("keep", "", "write each module's JSON document to `DIR`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := table(ctx, *only, *budget, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "practice:", err)
		os.Exit(1)
	}
}

func table(ctx context.Context, only string, budget time.Duration, keep string) (err error) {
	scratch, err := run.NewScratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	exe := filepath.Join(scratch.Dir, "unheap")
	if _, err := run.Output(run.Command(ctx, "", nil, "go", "build", "-o", exe, "./cmd/unheap")); err != nil {
		return err
	}
	fmt.Println("| module | benchmarks | findings | bytes explained by flow | by any reason | with kind | with type | accepted fixes | wall time |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, m := range modules() {
		if !strings.Contains(m.path, only) {
			continue
		}
		started := time.Now()
		doc, err := fixModule(ctx, exe, scratch, m, budget)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Printf("| %s %s | failed: %v |\n", m.path, m.version, err)
			continue
		}
		fmt.Println(row(m, doc, time.Since(started)))
		if keep != "" {
			if err := write(keep, m, doc); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(dir string, m module, doc *finding.Document) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(m.path, "/", "_")+".json"))
	if err != nil {
		return err
	}
	return errors.Join(doc.Write(f), f.Close())
}

// fixModule runs unheap fix on a fresh copy of a module.
func fixModule(ctx context.Context, exe string, scratch *run.Scratch, m module, budget time.Duration) (*finding.Document, error) {
	dir, err := scratch.Fresh("module")
	if err != nil {
		return nil, err
	}
	out, err := run.Output(run.Command(ctx, dir, []string{"GOWORK=off"}, "go", "mod", "download", "-json", m.path+"@"+m.version))
	if err != nil {
		return nil, err
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return nil, err
	}
	to := filepath.Join(dir, filepath.Base(m.path))
	if err := run.CopyTree(to, info.Dir); err != nil {
		return nil, err
	}
	if m.bench != "" {
		text, err := benchmarks.ReadFile("testdata/" + m.bench + "_bench_test.go.txt")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(to, m.dir, "unheap_bench_test.go"), text, 0o666); err != nil {
			return nil, err
		}
	}
	args := append([]string{"fix", "-C", to, "--format", "json", "--budget", budget.String()}, m.packages...)
	out, err = run.Output(run.Command(ctx, dir, []string{"GOWORK=off"}, exe, args...))
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	doc, readErr := finding.Read(bytes.NewReader(out))
	if readErr != nil {
		if err != nil {
			return nil, err
		}
		return nil, readErr
	}
	return doc, nil
}

// row formats one module's row of the table. Shares are of the bytes that the
// module's own lines allocate, each benchmark weighing the same.
func row(m module, doc *finding.Document, wall time.Duration) string {
	var all, flow, any, kind, typ float64
	var fixes []string
	seen := make(map[string]bool)
	for _, f := range doc.Findings {
		for _, p := range f.Parts {
			b := p.Alloc.BytesShare
			all += b
			if p.ReasonSource == finding.FromFlow {
				flow += b
			}
			if len(p.Reason) > 0 {
				any += b
			}
			if p.Alloc.Kind != "" {
				kind += b
			}
			if p.Alloc.Type != "" {
				typ += b
			}
		}
		for _, x := range f.Fixes {
			if v := x.Verdict; v != nil && v.Status == finding.Accepted && !seen[x.Diff] {
				seen[x.Diff] = true
				fixes = append(fixes, fmt.Sprintf("%s (%s): %.4g → %.4g allocs/op, %.3g → %.3g B/op, %.2fx",
					x.Rule, x.Class, v.Before.AllocsPerOp, v.After.AllocsPerOp, v.Before.BytesPerOp, v.After.BytesPerOp, v.Ratio))
			}
		}
	}
	share := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x/max(all, 1e-12)) }
	return fmt.Sprintf("| %s %s | %d | %d | %s | %s | %s | %s | %d: %s | %s |", m.path, m.version, len(doc.Target.Benchmarks), len(doc.Findings),
		share(flow), share(any), share(kind), share(typ), len(fixes), strings.Join(fixes, "; "), wall.Round(time.Second))
}
