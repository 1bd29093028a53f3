package diagnose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unheap/unheap/internal/binary"
	"github.com/unheap/unheap/internal/measure"
	"github.com/unheap/unheap/internal/profile"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"

	"github.com/unheap/unheap/finding"
)

// plainTime is how long each benchmark runs for its time and the CPU profile.
const plainTime = 250 * time.Millisecond

// A benchRun is one leaf benchmark with what it allocates.
type benchRun struct {
	Package string
	Name    string
	finding.Measure
	// Plain is the result at normal speed, from which later runs take their
	// iteration counts.
	Plain   measure.Result
	Counts  *measure.Counts // nil for a benchmark that does not allocate
	samples []profile.Sample
	allocs  []binary.Alloc // of samples
}

// collected is the evidence of one run over the packages under test.
type collected struct {
	runs     []*benchRun
	cpu      []profile.Sample
	binaries map[string]*run.TestBinary // by package
	warnings []string
}

// collect builds each package's tests once, runs its benchmarks plainly for
// their time and the CPU profile, and counts what each allocates.
func collect(ctx context.Context, o Options, g *run.Go, scratch *run.Scratch, tree *source.Tree, tested []string, overlay string) (*collected, error) {
	c := &collected{binaries: make(map[string]*run.TestBinary)}
	warned := make(map[string]bool)
	warn := func(text string) {
		if !warned[text] {
			warned[text] = true
			c.warnings = append(c.warnings, text)
		}
	}
	for i, path := range tested {
		o.progress("building tests", i, len(tested))
		dir, err := scratch.Fresh("test")
		if err != nil {
			return nil, err
		}
		bin, _, err := g.BuildTest(ctx, tree.Package(path), filepath.Join(dir, "test.exe"), run.BuildOptions{Overlay: overlay})
		if err != nil {
			return nil, buildError(path, err)
		}
		c.binaries[path] = bin
		o.progress("running benchmarks", i, len(tested))
		cpuFile := filepath.Join(dir, "cpu")
		v := measure.Variant{Name: "", Binary: bin}
		results, err := measure.List(ctx, v, measure.ListOptions{Bench: o.Bench, Time: plainTime, CPUProfile: cpuFile})
		if err != nil {
			var me *measure.Error
			if errors.As(err, &me) && me.Kind == measure.NotFound {
				continue
			}
			if len(results) == 0 {
				return nil, err
			}
			warn(firstLine(err))
		}
		if _, err := os.Stat(cpuFile); err == nil {
			if p, err := profile.ReadFile(cpuFile); err != nil {
				warn(fmt.Sprintf("CPU profile of %s: %v", path, err))
			} else if s, err := profile.Samples(p, tree, 1, "samples"); err == nil {
				c.cpu = append(c.cpu, s...)
			}
		}
		exe, err := binary.Open(bin.Path)
		if err != nil {
			warn(fmt.Sprintf("kinds and types of allocations are unknown: %v", err))
		}
		for j, r := range results {
			o.progress("counting allocations of "+r.Name, j, len(results))
			run, err := count(ctx, v, r, dir, tree, exe)
			if err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				warn(fmt.Sprintf("%s left out: %s", r.Name, firstLine(err)))
				continue
			}
			run.Package = path
			if run.Counts != nil {
				for _, w := range run.Counts.Warnings {
					warn(r.Name + ": " + w)
				}
			}
			c.runs = append(c.runs, run)
		}
		if exe != nil {
			exe.Close()
		}
	}
	return c, nil
}

// count finds what one leaf benchmark allocates.
func count(ctx context.Context, v measure.Variant, r measure.Result, dir string, tree *source.Tree, exe *binary.File) (*benchRun, error) {
	b := &benchRun{Name: r.Name, Measure: r.Measure, Plain: r}
	if r.AllocsPerOp == 0 && r.BytesPerOp == 0 {
		return b, nil
	}
	profiles, err := os.MkdirTemp(dir, "count")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(profiles)
	b.Counts, err = measure.Count(ctx, v, r, measure.CountOptions{Dir: profiles})
	if err != nil {
		return nil, err
	}
	b.Measure = b.Counts.Measure
	low, err := profile.ReadFile(b.Counts.Low)
	if err != nil {
		return nil, err
	}
	high, err := profile.ReadFile(b.Counts.High)
	if err != nil {
		return nil, err
	}
	b.samples, err = profile.Delta(low, high, float64(b.Counts.Ops), tree, "alloc_objects", "alloc_space")
	if err != nil {
		return nil, err
	}
	// Less than one object in a thousand operations is the test framework's,
	// the scheduler's or a pool's, and noise.
	b.samples = slices.DeleteFunc(b.samples, func(s profile.Sample) bool {
		return s.Values[0] < 1e-3 && s.Values[1] < 1e-4*b.BytesPerOp || s.Values[0] < 0 || s.Values[1] < 0
	})
	b.allocs = make([]binary.Alloc, len(b.samples))
	for i := range b.samples {
		b.allocs[i] = allocation(&b.samples[i], exe)
	}
	return b, nil
}

// allocation names the kind and type of a sample's allocation.
func allocation(s *profile.Sample, exe *binary.File) binary.Alloc {
	var a binary.Alloc
	if exe != nil && s.Address != 0 {
		addr, ok := s.Address, true
		if m := s.Mapping; m != nil {
			addr, ok = exe.Adjust(addr, m.Start, m.Limit, m.Offset)
		}
		if ok {
			a, _ = exe.At(addr)
		}
	}
	if a.Kind == "" {
		a.Kind = runtimeKind(s.Runtime)
	}
	return a
}

// buildError turns a failed build into one line.
func buildError(pkg string, err error) error {
	var re *run.Error
	if errors.As(err, &re) {
		if line := re.FirstLine(); line != "" {
			return fmt.Errorf("package %s does not build: %s", pkg, line)
		}
	}
	return fmt.Errorf("package %s does not build: %w", pkg, err)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
