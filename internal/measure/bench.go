package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ListOptions say which benchmarks to run and for how long.
type ListOptions struct {
	// Bench is the -test.bench pattern; empty means all. See [LeafPattern]
	// for one benchmark.
	Bench string
	// Time is how long each benchmark runs; 0 means one second. N, if not 0,
	// is a fixed number of iterations instead.
	Time time.Duration
	N    int
	// CPUProfile, if not empty, is the absolute name of the file that takes
	// the CPU profile of the whole run.
	CPUProfile string
}

// List runs a test binary's benchmarks, no tests, and returns the results of
// the leaf benchmarks in the order in which they ran.
//
// When a benchmark fails, List returns the results of the others with the
// [*Error]; when the program crashes or is stopped, those that came before.
func List(ctx context.Context, v Variant, o ListOptions) ([]Result, error) {
	args := []string{}
	if o.CPUProfile != "" {
		args = append(args, "-test.cpuprofile="+o.CPUProfile)
	}
	bench := o.Bench
	if bench == "" {
		bench = "."
	}
	benchtime := "1s"
	switch {
	case o.N > 0:
		benchtime = strconv.Itoa(o.N) + "x"
	case o.Time > 0:
		benchtime = o.Time.String()
	}
	args = append(args, "-test.bench="+bench, "-test.benchtime="+benchtime)
	return start(ctx, v, o.Bench, nil, args...)
}

// LeafPattern returns the -test.bench pattern that matches the benchmark of
// that full name and, where it has any, its sub-benchmarks.
func LeafPattern(name string) string {
	elems := strings.Split(name, "/")
	for i, e := range elems {
		elems[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return strings.Join(elems, "/")
}

// runLeaf runs exactly one leaf benchmark for n iterations.
func runLeaf(ctx context.Context, v Variant, name string, n int, env []string, args ...string) (Result, error) {
	args = append(args, "-test.benchtime="+strconv.Itoa(n)+"x")
	r, err := leaf(ctx, v, name, env, args...)
	if err == nil && r.N != n {
		err = &Error{Kind: Unreadable, Variant: v.Name, Package: v.Binary.Package, Benchmark: name,
			Detail: fmt.Sprintf("it was asked for %d iterations and reported %d", n, r.N)}
	}
	return r, err
}

// leaf runs exactly one leaf benchmark.
func leaf(ctx context.Context, v Variant, name string, env []string, args ...string) (Result, error) {
	pattern := LeafPattern(name)
	// A benchmark "a" may stand beside one named "a/b", which the pattern
	// matches too: skip all that is deeper.
	args = append(args, "-test.bench="+pattern, "-test.skip="+pattern+"/.*")
	results, err := start(ctx, v, name, env, args...)
	if err != nil {
		return Result{}, err
	}
	// A name may itself end in "-2", which trimProcs then took for the suffix.
	if len(results) != 1 || !isLeaf(name, results[0].Name) && !isLeaf(results[0].Name, name) {
		names := make([]string, 0, 4)
		for _, r := range results[:min(len(results), cap(names))] {
			names = append(names, r.Name)
		}
		return Result{}, &Error{Kind: Unreadable, Variant: v.Name, Package: v.Binary.Package, Benchmark: name,
			Detail: fmt.Sprintf("%d results where one was expected: %s", len(results), strings.Join(names, ", "))}
	}
	results[0].Name = name
	return results[0], nil
}

// start runs a test binary for its benchmarks; what names them in errors. The
// results' names are without the -GOMAXPROCS suffix as far as can be told.
func start(ctx context.Context, v Variant, what string, env []string, args ...string) ([]Result, error) {
	args = append([]string{"-test.run=^$", "-test.benchmem", "-test.paniconexit0"}, args...)
	cmd := v.Binary.Command(ctx, append(slices.Clone(v.Env), env...), args...)
	var out output
	stderr := new(stderrTail)
	cmd.Stdout, cmd.Stderr = &out, stderr
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well, but left a child behind that holds its output open
	}
	out.end()
	procs := plausibleProcs(v.Env)
	trimProcs(out.results, procs)
	fail := &Error{Variant: v.Name, Package: v.Binary.Package, Benchmark: what, Err: err}
	if last := cmp.Or(out.failed, out.pending); last != "" {
		r := []Result{{Name: last}}
		trimProcs(r, procs)
		fail.Benchmark = r[0].Name
	}
	crash, crashed := stderr.crash()
	switch {
	case ctx.Err() != nil:
		fail.Kind, fail.Err = Interrupted, ctx.Err()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			fail.Kind = TimedOut
		}
	case err != nil && crashed:
		fail.Kind, fail.Detail = Panicked, crash
	case out.failed != "":
		fail.Kind, fail.Detail = Failed, strings.TrimRight(string(out.failure), "\n")
	case err != nil:
		fail.Kind, fail.Detail = Exited, lines(stderr.buf, 12)
	case out.many:
		fail.Kind, fail.Detail = Unreadable, fmt.Sprintf("more than %d results", maxResults)
	case len(out.results) == 0:
		fail.Kind, fail.Detail = NotFound, lines(stderr.buf, 4)
	default:
		return out.results, nil
	}
	return out.results, fail
}

// plausibleProcs returns the values that GOMAXPROCS may have in a child
// process with env added to its environment, likeliest first.
func plausibleProcs(env []string) []int {
	if p, err := strconv.Atoi(lookup(env, "GOMAXPROCS")); err == nil && p > 0 {
		return []int{p}
	}
	// Releases before Go 1.25 do not heed CPU limits of containers.
	return []int{runtime.GOMAXPROCS(0), runtime.NumCPU()}
}

// lookup returns the variable's value in this process's environment with env
// added; the last setting counts.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return os.Getenv(name)
}

// maxStderr bounds what is kept of a test binary's standard error.
const maxStderr = 64 << 10

// stderrTail keeps the last maxStderr bytes written to it.
type stderrTail struct{ buf []byte }

func (t *stderrTail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if extra := len(t.buf) - maxStderr; extra > maxStderr {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(p), nil
}

// crash returns the first lines of the last words of a program that the
// runtime ended.
func (t *stderrTail) crash() (string, bool) {
	for _, word := range []string{"panic: ", "fatal error: ", "unexpected fault address ", "SIG"} {
		if i := bytes.Index(t.buf, []byte(word)); i == 0 || i > 0 && t.buf[i-1] == '\n' {
			return lines(t.buf[i:], 12), true
		}
	}
	return "", false
}

// lines returns at most the first n lines of text and 2 KiB, trimmed.
func lines(text []byte, n int) string {
	text = text[:min(len(text), 2<<10)]
	all := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), "\n")
	return strings.Join(all[:min(n, len(all))], "\n")
}
