package report

import (
	"math"
	"testing"

	"github.com/unheap/unheap/finding"
)

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{share(0.123), "12.3 %"},
		{share(1), "100.0 %"},
		{share(0), "0.0 %"},
		{share(0.0004), "<0.1 %"},
		{share(1.1), "?"},
		{share(math.NaN()), "?"},
		{count(3.75), "3.75"},
		{count(3.5), "3.5"},
		{count(0), "0"},
		{count(0.001), "<0.01"},
		{count(126097), "126,097"},
		{count(1659922.4), "1,659,922"},
		{count(1e18), "1e+18"},
		{count(math.Inf(1)), "?"},
		{size(0), "0 B"},
		{size(64), "64 B"},
		{size(41.5), "41.5 B"},
		{size(1023), "1,023 B"},
		{size(32768), "32.0 KiB"},
		{size(36032), "35.2 KiB"},
		{size(1024*1024 - 1), "1.00 MiB"},
		{size(10 << 20), "10.0 MiB"},
		{size(50e9), "46.6 GiB"},
		{duration(40.5), "40.5 ns"},
		{duration(202), "202 ns"},
		{duration(999.7), "1.00 µs"},
		{duration(1834.2), "1.83 µs"},
		{duration(31.2e6), "31.2 ms"},
		{duration(9e12), "9,000 s"},
		{factor(4.98), "5.0"},
		{factor(1.02), "1.02"},
		{factor(9.96), "10"},
		{factor(1999), "1,999"},
		{probability(0.00001), "p<0.001"},
		{probability(0.0123), "p=0.012"},
		{probability(math.NaN()), "p=?"},
		{arrow("64 B", "0 B"), "64 -> 0 B"},
		{arrow("2.00 KiB", "0 B"), "2.00 -> 0 KiB"},
		{arrow("2.00 KiB", "64 B"), "2.00 KiB -> 64 B"},
		{arrow("0 B", "2.00 KiB"), "0 -> 2.00 KiB"},
		{plural(1, "finding"), "1 finding"},
		{plural(1200, "finding"), "1,200 findings"},
		{function("log/slog.(*Logger).Debug"), "slog.(*Logger).Debug"},
		{function("main.Map[go.shape.int,a/b.T]"), "main.Map[go.shape.int,a/b.T]"},
		{short("(*Loader[go.shape.string]).Load"), "(*Loader[…]).Load"},
		{short("Map[go.shape.[]uint8]"), "Map[…]"},
		{kind(finding.Alloc{Kind: finding.KindString, Type: "string"}), "string"},
		{kind(finding.Alloc{Kind: finding.KindGo, Type: "runtime.g"}), "goroutine"},
		{kind(finding.Alloc{}), "unknown kind"},
		{kind(finding.Alloc{Type: "[]int"}), "[]int"},
		{allocation(finding.Alloc{Kind: finding.KindNew, Type: "T", ObjectsPerOp: 1, BytesPerOp: 2048}, "second"), "new T, 1 object and 2.00 KiB a second"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestDeciding(t *testing.T) {
	site := finding.Site{File: "a/b.go", Line: 7}
	boxed := finding.Step{File: "a/b.go", Line: 7, Text: "n is boxed"}
	kept := finding.Step{File: "fmt/print.go", Line: 240, Text: "it is kept"}
	copies := finding.Step{Text: "fmt.Sprintf copies"}
	for _, tt := range []struct {
		reason []finding.Step
		want   string
	}{
		{nil, ""},
		{[]finding.Step{boxed}, "n is boxed"},
		{[]finding.Step{boxed, kept}, "n is boxed; it is kept (print.go:240)"},
		{[]finding.Step{copies, boxed, kept}, "fmt.Sprintf copies"},
	} {
		if got := deciding(&finding.Finding{Site: site, Reason: tt.reason}); got != tt.want {
			t.Errorf("deciding(%v) = %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func TestHealth(t *testing.T) {
	d := &finding.Document{Health: &finding.Health{GCCPUShare: 0.12, AllocBytesPerS: 3 << 20, CyclesPerS: 4, LiveBytes: 1 << 30, Verdict: "busy"}}
	if got, want := health(d), "12.0 % of CPU in GC, 3.00 MiB/s allocated, 4 cycles/s, 1.00 GiB live, busy"; got != want {
		t.Errorf("health = %q, want %q", got, want)
	}
	d = &finding.Document{Health: &finding.Health{AllocBytesPerS: 1024, Verdict: "fine"}, Warnings: []string{"fine"}}
	if got, want := health(d), "1.00 KiB/s allocated"; got != want {
		t.Errorf("health = %q, want %q", got, want)
	}
	if got := health(&finding.Document{}); got != "" {
		t.Errorf("health of nothing = %q", got)
	}
}

// Nothing is called faster that its interval does not tell from unchanged.
func TestSpeed(t *testing.T) {
	for _, tt := range []struct {
		v    finding.Verdict
		want string
	}{
		{finding.Verdict{Ratio: 4.9, RatioLow: 4.6, RatioHigh: 5.1, P: 0.0001}, "4.9x faster (4.6-5.1, p<0.001)"},
		{finding.Verdict{Ratio: 0.5, RatioLow: 0.4, RatioHigh: 0.625, P: 0.002}, "2.0x slower (1.60-2.5, p=0.002)"},
		{finding.Verdict{Ratio: 1.2, RatioLow: 0.9, RatioHigh: 1.5, P: 0.2}, "time unchanged (0.90-1.50, p=0.200)"},
		{finding.Verdict{Ratio: 3}, "3.0x faster (no interval: too few samples)"},
		{finding.Verdict{}, "time not compared"},
		{finding.Verdict{Ratio: math.NaN()}, "time not compared"},
	} {
		if got := speed(&tt.v); got != tt.want {
			t.Errorf("speed(%+v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

// A fix that serves several findings counts once; totals are the benchmarks on
// which all fixes were measured together.
func TestSummary(t *testing.T) {
	accepted := func(diff string) finding.Finding {
		return finding.Finding{Fixes: []finding.Fix{{Class: finding.Safe, Diff: diff, Verdict: &finding.Verdict{Status: finding.Accepted}}}}
	}
	d := &finding.Document{Findings: []finding.Finding{accepted("a"), accepted("b"), accepted("b"), accepted("c"), accepted("d")}}
	outcome := &finding.Verdict{Before: &finding.Measure{AllocsPerOp: 9}, After: &finding.Measure{AllocsPerOp: 2}}
	d.Target.Benchmarks = []finding.Benchmark{{Name: "BenchmarkX"}, {Name: "BenchmarkY", Outcome: outcome}, {Name: "BenchmarkZ", Outcome: &finding.Verdict{}}}
	s := newSummary(d)
	if len(s.totals) != 1 || s.totals[0].Name != "BenchmarkY" {
		t.Errorf("totals = %+v, want BenchmarkY's", s.totals)
	}
	if got, want := s.outcome(), "fixes: 4 accepted"; got != want {
		t.Errorf("outcome = %q, want %q", got, want)
	}
}
