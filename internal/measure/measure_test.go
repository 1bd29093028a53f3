package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// target is the module whose benchmarks the tests run. Integers from 1000 on
// are boxed with one allocation of 8 bytes, small ones without.
const target = `package target

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

var (
	sink any
	data []byte
)

// BenchmarkBox makes 0.75 allocations an operation after a costly set-up
// within the timer.
func BenchmarkBox(b *testing.B) {
	for i := range 1000 {
		sink = 1000 + i
	}
	for i := range b.N {
		if i%4 != 0 {
			sink = 1000 + i
		}
	}
}

func BenchmarkLoop(b *testing.B) {
	i := 0
	for b.Loop() {
		sink = new([3]int64) // 24 bytes
		if i++; i%4 != 0 {
			sink = 1000 + i
		}
		sink = new([2]string)
		sink = new([2]string)
	}
}

func BenchmarkTimer(b *testing.B) {
	for range b.N {
		b.StopTimer()
		data = make([]byte, 100)
		b.StartTimer()
		data = make([]byte, 64)
	}
}

func BenchmarkSub(b *testing.B) {
	alloc := func(n int) func(*testing.B) {
		return func(b *testing.B) {
			for range b.N {
				for range n {
					data = make([]byte, 32)
				}
			}
		}
	}
	b.Run("a", alloc(1))
	b.Run("a", alloc(2))         // a#01
	b.Run("a/b", alloc(3))       // matched by the pattern for a
	b.Run("a b|c(d)[e]", alloc(4))
	b.Run("n-2", alloc(5))
	b.Run("", alloc(6))          // #00
	b.Run("x.y\t\\z$", alloc(7)) // x.y_\z$
	b.Run("xzy", alloc(8))
}

func BenchmarkMetric(b *testing.B) {
	for range b.N {
		data = make([]byte, 16)
	}
	b.ReportMetric(2.5, "allocs/op")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(7, "widgets/op")
	b.SetBytes(10)
}

func BenchmarkFatal(b *testing.B)  { b.Fatal("the reason") }
func BenchmarkLate(b *testing.B)   { if b.N > 1 { b.Error("only later") } }
func BenchmarkPanic(b *testing.B)  { panic("the panic") }
func BenchmarkExit(b *testing.B)   { fmt.Fprintln(os.Stderr, "bye"); os.Exit(7) }
func BenchmarkExit0(b *testing.B)  { os.Exit(0) }
func BenchmarkSkip(b *testing.B)   { b.Skip("not here") }
func BenchmarkHang(b *testing.B)   { time.Sleep(time.Hour) }
func BenchmarkFlood(b *testing.B)  { for range 1 << 17 { fmt.Print("flood of words without end ") } }

func BenchmarkPrint(b *testing.B) {
	fmt.Println("one line")
	fmt.Print("no newline")
	for range b.N {
		data = make([]byte, 48)
	}
}

func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			p := new([64]byte)
			runtime.KeepAlive(p)
			escape(p)
		}
	})
}

//go:noinline
func escape(p *[64]byte) { if p[0] != 0 { sink = p } }

// BenchmarkNoisy allocates as the clock has it.
func BenchmarkNoisy(b *testing.B) {
	for range b.N {
		for range time.Now().UnixNano() / 1000 % 7 {
			data = make([]byte, 16)
		}
	}
}

// BenchmarkEnv reports a time that does not depend on the machine's load.
func BenchmarkEnv(b *testing.B) {
	slow := os.Getenv("SLOW") != ""
	for range b.N {
		data = make([]byte, 32)
		if slow {
			data = make([]byte, 32)
		}
	}
	ns := 1000 + float64(os.Getpid()%7)
	if slow {
		ns *= 1.5
	}
	b.ReportMetric(ns, "ns/op")
}

func init() {
	for range 300 {
		data = make([]byte, 100_000) // sampled or not, at the runtime's whim
	}
}
`

// build compiles the target once for all tests, with exact counters or without.
func build(tb testing.TB, exact bool) Variant {
	tb.Helper()
	b := builds[exact]
	b.once.Do(func() { b.binary, b.err = compile(tb, exact) })
	if b.err != nil {
		tb.Fatal(b.err)
	}
	return Variant{Name: "before", Binary: b.binary}
}

var (
	builds   = map[bool]*built{false: {}, true: {}}
	buildDir string
)

type built struct {
	once   sync.Once
	binary *run.TestBinary
	err    error
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "measure-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func compile(tb testing.TB, exact bool) (*run.TestBinary, error) {
	dir := filepath.Join(buildDir, fmt.Sprint(exact))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	for name, data := range map[string]string{"go.mod": "module example.test/target\n\ngo 1.26\n", "target_test.go": target} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			return nil, err
		}
	}
	var opts run.BuildOptions
	if exact {
		file, content, ok := ExactCounters(goroot(tb))
		if !ok {
			return nil, errors.New("no exact counters for this toolchain")
		}
		scratch := &run.Scratch{Dir: dir}
		var err error
		if opts.Overlay, err = scratch.WriteOverlay(map[string][]byte{file: content}); err != nil {
			return nil, err
		}
	}
	g := run.Go{Dir: dir, Env: []string{"GOWORK=off", "GOFLAGS="}}
	b, _, err := g.BuildTest(context.Background(), &source.Package{Path: "example.test/target", Dir: dir}, filepath.Join(dir, "target.test"), opts)
	return b, err
}

func goroot(tb testing.TB) string {
	tb.Helper()
	vars, err := (&run.Go{Dir: tb.TempDir(), Env: []string{"GOWORK=off"}}).Variables(context.Background(), "GOROOT")
	if err != nil {
		tb.Fatal(err)
	}
	return vars["GOROOT"]
}

func find(tb testing.TB, results []Result, name string) Result {
	tb.Helper()
	i := slices.IndexFunc(results, func(r Result) bool { return r.Name == name })
	if i < 0 {
		tb.Fatalf("no result for %s in %+v", name, results)
	}
	return results[i]
}

func TestList(t *testing.T) {
	v := build(t, true)
	results, err := List(t.Context(), v, ListOptions{Bench: "Box|Sub|Metric|Print", N: 100})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range results {
		names = append(names, r.Name)
		if r.N != 100 || r.Totals == nil {
			t.Errorf("%s: N = %d, totals %v; want 100 and totals", r.Name, r.N, r.Totals)
		}
	}
	want := []string{"BenchmarkBox", "BenchmarkSub/a", "BenchmarkSub/a#01", "BenchmarkSub/a/b", "BenchmarkSub/a_b|c(d)[e]",
		"BenchmarkSub/n-2", "BenchmarkSub/#00", `BenchmarkSub/x.y_\z$`, "BenchmarkSub/xzy", "BenchmarkMetric", "BenchmarkPrint"}
	if !slices.Equal(names, want) {
		t.Errorf("names\n%q, want\n%q", names, want)
	}
	// 1,000 boxes of set-up and 75 of 100 operations, give or take the runtime's own.
	if r := find(t, results, "BenchmarkBox"); math.Abs(r.AllocsPerOp-10.75) > 0.1 {
		t.Errorf("BenchmarkBox: %v allocs/op, want 10.75", r.AllocsPerOp)
	}
	r := find(t, results, "BenchmarkMetric")
	if r.AllocsPerOp != 2.5 || r.NsPerOp != 0 || r.Extra["widgets/op"] != 7 || r.Extra["MB/s"] <= 0 || r.Totals.Allocs < 100 {
		t.Errorf("BenchmarkMetric: %+v", r)
	}
}

func TestListCPUProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	results, err := List(t.Context(), build(t, false), ListOptions{Bench: LeafPattern("BenchmarkLoop"), Time: 10 * time.Millisecond, CPUProfile: file})
	if err != nil || len(results) != 1 || results[0].NsPerOp <= 0 {
		t.Fatalf("%+v, %v", results, err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("CPU profile: %v, %v", info, err)
	}
}

func TestListOneProc(t *testing.T) {
	v := build(t, false)
	v.Env = []string{"GOMAXPROCS=1"}
	results, err := List(t.Context(), v, ListOptions{Bench: "Sub/^n-2$", N: 2})
	if err != nil || len(results) != 1 || results[0].Name != "BenchmarkSub/n-2" {
		t.Errorf("with GOMAXPROCS=1: %+v, %v; want BenchmarkSub/n-2", results, err)
	}
}

func TestErrors(t *testing.T) {
	v := build(t, false)
	for _, tt := range []struct {
		bench     string
		kind      Kind
		benchmark string
		says      string
	}{
		{"^BenchmarkFatal$", Failed, "BenchmarkFatal", "the reason"},
		{"^BenchmarkLate$", Failed, "BenchmarkLate", "only later"},
		{"^BenchmarkPanic$", Panicked, "BenchmarkPanic", "panic: the panic"},
		{"^BenchmarkExit$", Exited, "BenchmarkExit", "bye"},
		{"^BenchmarkExit0$", Panicked, "BenchmarkExit0", "unexpected call to os.Exit(0)"},
		{"^BenchmarkSkip$", NotFound, "BenchmarkSkip", "check the pattern"},
		{"^BenchmarkNoSuch$", NotFound, "BenchmarkNoSuch", "check the pattern"},
		{"[", Exited, "[", "missing closing ]"},
	} {
		results, err := List(t.Context(), v, ListOptions{Bench: tt.bench, N: 2})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, %v; want an *Error", tt.bench, results, err)
			continue
		}
		if e.Kind != tt.kind || strings.Trim(e.Benchmark, "^$") != tt.benchmark || !strings.Contains(e.Error(), tt.says) {
			t.Errorf("%s: kind %d, benchmark %q: %v; want kind %d, %q, %q", tt.bench, e.Kind, e.Benchmark, e, tt.kind, tt.benchmark, tt.says)
		}
		if e.Package != "example.test/target" || e.Variant != "before" {
			t.Errorf("%s: package %q, variant %q", tt.bench, e.Package, e.Variant)
		}
	}
}

func TestErrorKeepsOtherResults(t *testing.T) {
	results, err := List(t.Context(), build(t, false), ListOptions{Bench: "Box|Fatal|Print", N: 2})
	var e *Error
	if !errors.As(err, &e) || e.Kind != Failed || e.Benchmark != "BenchmarkFatal" {
		t.Errorf("error %v, want that BenchmarkFatal failed", err)
	}
	find(t, results, "BenchmarkBox")
	find(t, results, "BenchmarkPrint")
}

func TestNoBinary(t *testing.T) {
	v := Variant{Name: "gone", Binary: &run.TestBinary{Package: "p", Path: filepath.Join(t.TempDir(), "none.test"), Dir: t.TempDir()}}
	_, err := List(t.Context(), v, ListOptions{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want one that is os.ErrNotExist", err)
	}
}

func TestFloodIsBounded(t *testing.T) {
	results, err := List(t.Context(), build(t, false), ListOptions{Bench: "^BenchmarkFlood$", N: 2})
	if err != nil || len(results) != 1 || results[0].Name != "BenchmarkFlood" {
		t.Errorf("%+v, %v; want one result", results, err)
	}
}

// A child that hangs must be gone when the call returns.
func TestStop(t *testing.T) {
	v := build(t, false)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := List(ctx, v, ListOptions{Bench: "^BenchmarkHang$", N: 2})
	var e *Error
	if !errors.As(err, &e) || e.Kind != TimedOut || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want a timeout", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = Compare(ctx, []Variant{v, {Name: "after", Binary: v.Binary}}, []string{"BenchmarkHang"}, CompareOptions{})
	if !errors.As(err, &e) || e.Kind != Interrupted || !run.Interrupted(ctx, err) {
		t.Errorf("%v, want an interruption", err)
	}
	if out, err := exec.Command("pgrep", "-f", v.Binary.Path).Output(); err == nil {
		t.Errorf("processes still run: %s", out)
	}
}

func TestCount(t *testing.T) {
	v := build(t, true)
	for _, tt := range []struct {
		name          string
		bytes, allocs float64
	}{
		{"BenchmarkBox", 6, 0.75},
		{"BenchmarkLoop", 94, 3.75}, // 24 + 3/4 of 8 + twice 32
		{"BenchmarkTimer", 64, 1},   // what is made with the timer stopped does not count
		{"BenchmarkSub/a", 32, 1},
		{"BenchmarkSub/a#01", 64, 2},
		{"BenchmarkSub/a/b", 96, 3},
		{"BenchmarkSub/a_b|c(d)[e]", 128, 4},
		{"BenchmarkSub/n-2", 160, 5},
		{"BenchmarkSub/#00", 192, 6},
		{`BenchmarkSub/x.y_\z$`, 224, 7},
		{"BenchmarkMetric", 16, 1}, // the counters, not what the benchmark says
		{"BenchmarkPrint", 48, 1},
		{"BenchmarkParallel", 64, 1},
	} {
		results, err := List(t.Context(), v, ListOptions{Bench: LeafPattern(tt.name), N: 1000})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Count(t.Context(), v, find(t, results, tt.name), CountOptions{Budget: 50 * time.Millisecond, Dir: t.TempDir()})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if c.Measure.BytesPerOp != tt.bytes || c.Measure.AllocsPerOp != tt.allocs || !c.Exact() || len(c.Warnings) > 0 {
			t.Errorf("%s: %+v, want exactly %v B/op, %v allocs/op", tt.name, c, tt.bytes, tt.allocs)
		}
		if c.Measure.NsPerOp != find(t, results, tt.name).NsPerOp {
			t.Errorf("%s: %v ns/op, want that of the plain run", tt.name, c.Measure.NsPerOp)
		}
		for _, name := range []string{c.Low, c.High} {
			if info, err := os.Stat(name); err != nil || info.Size() == 0 {
				t.Errorf("%s: profile %q: %v", tt.name, name, err)
			}
		}
	}
}

// The profiles tell what one operation allocates, and nothing of init.
func TestCountProfiles(t *testing.T) {
	v := build(t, true)
	for _, tt := range []struct {
		name    string
		objects float64
		bytes   float64
	}{
		{"BenchmarkSub/a#01", 2, 64},
		{"BenchmarkLoop", 3 + 0.75/2, 24 + 64 + 6}, // tiny objects count by blocks of two
		{"BenchmarkTimer", 2, 64 + 112},            // with the timer stopped, too
	} {
		c, err := Count(t.Context(), v, Result{Name: tt.name}, CountOptions{Budget: 20 * time.Millisecond, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		var objects, bytes float64
		for file, sign := range map[string]float64{c.Low: -1, c.High: 1} {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := profile.Parse(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Sample {
				inTarget := false
				for _, l := range s.Location {
					for _, line := range l.Line {
						if strings.HasPrefix(line.Function.Name, "example.test/target.init") {
							t.Errorf("%s: allocation of init in %s", tt.name, file)
						}
						inTarget = inTarget || strings.HasPrefix(line.Function.Name, "example.test/target.Benchmark")
					}
				}
				if inTarget {
					objects += sign * float64(s.Value[0])
					bytes += sign * float64(s.Value[1])
				}
			}
		}
		// A few objects of the runtime's own (see background) may have been
		// made below the benchmark's frame: 0.004 objects and 0.3 bytes an
		// operation were seen on a busy machine.
		if objects, bytes := objects/float64(c.Ops), bytes/float64(c.Ops); !near(objects, tt.objects, 0.02) || !near(bytes, tt.bytes, 1) {
			t.Errorf("%s: profiles differ by %v objects and %v bytes an operation, want %v and %v", tt.name, objects, bytes, tt.objects, tt.bytes)
		}
	}
}

func TestCountNoisy(t *testing.T) {
	v := build(t, true)
	c, err := Count(t.Context(), v, Result{Name: "BenchmarkNoisy"}, CountOptions{Budget: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if c.AllocsExact || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "differ between repeats") {
		t.Errorf("%+v, want counts that are not exact and say so", c)
	}
	if c.Low != "" || c.High != "" {
		t.Errorf("profiles %q, %q without a directory", c.Low, c.High)
	}
}

func TestCountWithoutExactCounters(t *testing.T) {
	v := build(t, false)
	c, err := Count(t.Context(), v, Result{Name: "BenchmarkLoop"}, CountOptions{Budget: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if c.Measure.AllocsPerOp != 3 || c.Exact() || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "rounded down") {
		t.Errorf("%+v, want 3 allocs/op, not exact, with a warning", c)
	}
}

func TestCountErrors(t *testing.T) {
	v := build(t, true)
	var e *Error
	if _, err := Count(t.Context(), v, Result{Name: "BenchmarkSub"}, CountOptions{}); !errors.As(err, &e) || e.Kind != NotFound {
		t.Errorf("parent of benchmarks: %v, want NotFound", err)
	}
	if _, err := Count(t.Context(), v, Result{Name: "BenchmarkBox"}, CountOptions{Dir: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v, want os.ErrNotExist", err)
	}
}

func TestIterations(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		perOp float64
		n, k  int
	}{
		{0, 100_000, 11},
		{1, 100_000, 11},
		{1e3, 20_000, 11},
		{1e6, 20, 11},
		{12e6, 2, 11},
		{30e6, 2, 4},
		{50e6, 2, 3},
		{1e12, 2, 3},
	} {
		if n, k := iterations(300*ms, tt.perOp); n != tt.n || k != tt.k {
			t.Errorf("%v ns/op: N = %d, k = %d; want %d, %d", tt.perOp, n, k, tt.n, tt.k)
		}
	}
}

func TestShortest(t *testing.T) {
	for _, tt := range []struct{ v, slack, want float64 }{
		{1.9999, 4e-4, 2}, {0.75005, 4e-4, 0.75}, {3.75, 0, 3.75}, {1.0 / 3, 0, 1.0 / 3}, {1234.5, 0.12, 1234.5}, {0, 0, 0}, {248.0056, 0.05, 248},
	} {
		if got := shortest(tt.v, tt.slack); got != tt.want {
			t.Errorf("shortest(%v, %v) = %v, want %v", tt.v, tt.slack, got, tt.want)
		}
	}
}

func TestCompare(t *testing.T) {
	before := build(t, true)
	after := Variant{Name: "after", Binary: before.Binary, Env: []string{"SLOW=1"}}
	twin := Variant{Name: "twin", Binary: before.Binary}
	const name = "BenchmarkEnv"
	var done, total int
	table, err := Compare(t.Context(), []Variant{before, after, twin}, []string{name, "BenchmarkMetric"}, CompareOptions{
		RunTime: 2 * time.Millisecond, CountBudget: 20 * time.Millisecond, Rounds: 6, Seed: 1,
		Progress: func(d, n int) {
			if d != done+1 {
				t.Errorf("progress went from %d to %d", done, d)
			}
			done, total = d, n
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != total || total == 0 {
		t.Errorf("progress ended at %d of %d", done, total)
	}
	if c := table.Find("after", name, UnitTime); c == nil || c.Verdict != Worse || c.Exact || !near(c.Ratio, 1/1.5, 0.01) || c.Low > c.Ratio || c.High < c.Ratio || !near(c.P, 2.0/924, 1e-12) || c.PAdjusted < c.P {
		t.Errorf("time, after: %+v, want worse", c)
	}
	if c := table.Find("after", name, UnitAllocs); c == nil || c.Verdict != Worse || !c.Exact || c.Before != 1 || c.After != 2 || c.Ratio != 0.5 {
		t.Errorf("allocs, after: %+v, want exactly 1 to 2", c)
	}
	if c := table.Find("twin", name, UnitTime); c == nil || c.Verdict != Same || c.Exact || c.Low > c.Ratio || c.High < c.Ratio {
		t.Errorf("time, twin: %+v, want the same", c)
	}
	for _, unit := range []string{UnitAllocs, UnitBytes} {
		if c := table.Find("twin", name, unit); c == nil || c.Verdict != Same || !c.Exact || c.Before != c.After || c.P != 0 {
			t.Errorf("%s, twin: %+v, want exactly the same", unit, c)
		}
	}
	if c := table.Find("twin", "BenchmarkMetric", UnitTime); c != nil {
		t.Errorf("a benchmark that reports no time was compared: %+v", c)
	}
	b, a := table.Measures("after", name)
	if !near(b.NsPerOp, 1003, 4) || !near(a.NsPerOp, 1505, 6) || b.AllocsPerOp != 1 || a.AllocsPerOp != 2 || b.BytesPerOp != 32 || a.BytesPerOp != 64 {
		t.Errorf("measures %+v, %+v", b, a)
	}
	widgets := 0
	for _, s := range table.Samples {
		if len(s.Values) != 6 {
			t.Errorf("%+v: want six values", s)
		}
		if s.Unit == "widgets/op" {
			widgets++
		}
	}
	if widgets != 3 {
		t.Errorf("%d samples of widgets/op, want one a variant", widgets)
	}
}

func TestCompareErrors(t *testing.T) {
	v := build(t, true)
	twin := Variant{Name: "twin", Binary: v.Binary}
	for _, tt := range []struct {
		variants   []Variant
		benchmarks []string
		says       string
	}{
		{[]Variant{v}, []string{"BenchmarkBox"}, "two variants"},
		{[]Variant{v, twin}, nil, "a benchmark"},
		{[]Variant{v, v}, []string{"BenchmarkBox"}, `named "before"`},
		{[]Variant{v, twin}, []string{"BenchmarkFatal"}, "the reason"},
		{[]Variant{v, twin}, []string{"BenchmarkNoSuch"}, "no result for benchmark BenchmarkNoSuch"},
	} {
		if _, err := Compare(t.Context(), tt.variants, tt.benchmarks, CompareOptions{RunTime: time.Millisecond}); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%d variants, %q: %v, want %q", len(tt.variants), tt.benchmarks, err, tt.says)
		}
	}
}

func TestOrderRotates(t *testing.T) {
	x := experiment{variants: make([]Variant, 3)}
	first := make(map[int]int)
	for round := range 6 {
		first[x.order(round)[0]]++
	}
	for i := range 3 {
		if first[i] != 2 {
			t.Errorf("variant %d came first in %d of 6 rounds, want 2", i, first[i])
		}
	}
}

func TestCompareCounts(t *testing.T) {
	exact := func(v, slack float64) figure { return figure{value: v, exact: true, slack: slack} }
	whole := func(v float64) figure { return figure{value: v, whole: true} }
	for _, tt := range []struct {
		before, after figure
		want          Verdict
		ok            bool
	}{
		{exact(4, 0), exact(3.75, 0), Better, true},
		{exact(0, 0), exact(0.001, 1e-4), Worse, true},
		{exact(0, 0), exact(0, 0), Same, true},
		{exact(2, 1e-3), exact(2.0005, 1e-3), Same, true},
		{whole(4), whole(3), Better, true},
		{whole(3), whole(4), Worse, true},
		{whole(3), whole(3), Inconclusive, true}, // 3.9 and 3.1, perhaps
		{whole(4096), whole(4096), Same, true},
		{whole(0), whole(0), Inconclusive, true},
		{exact(4, 0), figure{value: 3}, "", false},
		{figure{value: 4}, figure{value: 3}, "", false},
		{exact(4, 0), whole(3), "", false},
	} {
		var c Comparison
		if ok := c.count(tt.before, tt.after, 0.02); ok != tt.ok || c.Verdict != tt.want {
			t.Errorf("%+v, %+v: %q, %v; want %q, %v", tt.before, tt.after, c.Verdict, ok, tt.want, tt.ok)
		}
		if c.Low > c.Ratio || c.High < c.Ratio || math.IsNaN(c.Ratio) {
			t.Errorf("%+v, %+v: interval %+v", tt.before, tt.after, c.Interval)
		}
	}
}
