package measure

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/unheap/unheap/finding"
)

func read(s string) *output {
	o := new(output)
	o.Write([]byte(s))
	o.end()
	return o
}

func TestOutput(t *testing.T) {
	const figures = "     100\t        12.5 ns/op\t      64 B/op\t       4 allocs/op\n"
	one := func(name string) []Result {
		return []Result{{Name: name, N: 100, Measure: finding.Measure{NsPerOp: 12.5, BytesPerOp: 64, AllocsPerOp: 4}}}
	}
	for _, tt := range []struct {
		name, in string
		want     []Result
		failed   string
	}{
		{"plain", "goos: linux\nBenchmarkX-2   \t" + figures + "PASS\n", one("BenchmarkX-2"), ""},
		{"no newline at the end", "BenchmarkX-2   \t" + strings.TrimSuffix(figures, "\n"), one("BenchmarkX-2"), ""},
		{"prints a line", "BenchmarkX-2   \thello\nworld\n" + figures, one("BenchmarkX-2"), ""},
		{"prints without newline", "BenchmarkX-2   \thello" + figures, one("BenchmarkX-2"), ""},
		{"prints a word and a tab", "BenchmarkX-2   \tx\tword" + figures, one("BenchmarkX-2"), ""},
		{"prints numbers and tabs", "BenchmarkX-2   \t7\t8" + figures, one("BenchmarkX-2"), ""},
		{"prints before its name", "warming upBenchmarkX-2   \t" + figures, one("BenchmarkX-2"), ""},
		{"prints like a benchmark", "BenchmarkX-2   \tBenchmarking is fun \tnow\nBenchmarkY\n" + figures, one("BenchmarkX-2"), ""},
		{"name within a name", "BenchmarkX/BenchmarkY-2 \t" + figures, one("BenchmarkX/BenchmarkY-2"), ""},
		{"odd name", "BenchmarkX/a=1,b:[2]_é|#01-2 \t" + figures, one("BenchmarkX/a=1,b:[2]_é|#01-2"), ""},
		{"log after", "BenchmarkX-2 \t" + figures + "--- BENCH: BenchmarkX-2\n    x_test.go:3: hi\n", one("BenchmarkX-2"), ""},
		{"figures without name", figures, nil, ""},
		{"name without figures", "BenchmarkX-2   \tfoo\n", nil, ""},
		{"no benchmem", "BenchmarkX-2 \t 100\t 12.5 ns/op\n", nil, ""},
		{"zero iterations", "BenchmarkX-2 \t" + strings.Replace(figures, "100", "0", 1), nil, ""},
		{"too many iterations", "BenchmarkX-2 \t" + strings.Replace(figures, "100", "99999999999999999999", 1), nil, ""},
		{"fails", "BenchmarkX-2   \t--- FAIL: BenchmarkX-2\n    x_test.go:3: no\nFAIL\n", nil, "BenchmarkX-2"},
		{"fails at once", "--- FAIL: BenchmarkX/a\n    x_test.go:3: no\n--- FAIL: BenchmarkX\nFAIL\n", nil, "BenchmarkX/a"},
		{"one fails", "BenchmarkA-2 \t--- FAIL: BenchmarkA-2\nBenchmarkX-2 \t" + figures, one("BenchmarkX-2"), "BenchmarkA-2"},
		{"very long line", "BenchmarkX-2   \t" + strings.Repeat("garbage ", 100_000) + figures, one("BenchmarkX-2"), ""},
		{"extra units", "BenchmarkX-2 \t 100\t 12.5 ns/op\t 3.00 MB/s\t 1.5 hits/op\t NaN odd\t 64 B/op\t 4 allocs/op\n",
			[]Result{{Name: "BenchmarkX-2", N: 100, Measure: finding.Measure{NsPerOp: 12.5, BytesPerOp: 64, AllocsPerOp: 4},
				Extra: map[string]float64{"MB/s": 3, "hits/op": 1.5}}}, ""},
		{"no time", "BenchmarkX-2 \t 100\t 64 B/op\t 4 allocs/op\n",
			[]Result{{Name: "BenchmarkX-2", N: 100, Measure: finding.Measure{BytesPerOp: 64, AllocsPerOp: 4}}}, ""},
		{"exact counters", "BenchmarkX-2 \t 100\t 12.5 ns/op\t6 B/op\t0.75 allocs/op\t600 total-B\t75 total-allocs\n",
			[]Result{{Name: "BenchmarkX-2", N: 100, Measure: finding.Measure{NsPerOp: 12.5, BytesPerOp: 6, AllocsPerOp: 0.75},
				Totals: &Totals{Bytes: 600, Allocs: 75}}}, ""},
	} {
		o := read(tt.in)
		if !reflect.DeepEqual(o.results, tt.want) || o.failed != tt.failed {
			t.Errorf("%s: got %+v, failed %q; want %+v, %q", tt.name, o.results, o.failed, tt.want, tt.failed)
		}
		// The same must come out however the pipe cuts the stream.
		cut := new(output)
		for i := range len(tt.in) {
			cut.Write([]byte{tt.in[i]})
			if len(cut.buf) > maxLine {
				t.Fatalf("%s: %d bytes kept of one line", tt.name, len(cut.buf))
			}
		}
		cut.end()
		if !reflect.DeepEqual(cut.results, tt.want) || cut.failed != tt.failed {
			t.Errorf("%s, byte by byte: got %+v, failed %q", tt.name, cut.results, cut.failed)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := new(output)
	line := []byte("BenchmarkX \t 1\t 1 ns/op\t 1 B/op\t 1 allocs/op\n")
	for range maxResults + 5 {
		o.Write(line)
	}
	if len(o.results) != maxResults || !o.many {
		t.Errorf("%d results, many = %v; want %d and true", len(o.results), o.many, maxResults)
	}
	o = read("--- FAIL: BenchmarkX\n" + strings.Repeat("why\n", maxFailure))
	if len(o.failure) > maxFailure+1 {
		t.Errorf("kept %d bytes of a failure", len(o.failure))
	}
}

func TestTrimProcs(t *testing.T) {
	for _, tt := range []struct {
		names     []string
		plausible []int
		want      []string
	}{
		{[]string{"BenchmarkX-4", "BenchmarkY/a-4"}, []int{4}, []string{"BenchmarkX", "BenchmarkY/a"}},
		{[]string{"BenchmarkX-2-4"}, []int{4}, []string{"BenchmarkX-2"}},
		{[]string{"BenchmarkX/n-2", "BenchmarkX/n-3"}, []int{1}, []string{"BenchmarkX/n-2", "BenchmarkX/n-3"}},
		{[]string{"BenchmarkX/n-2", "BenchmarkX/n-3"}, []int{2}, []string{"BenchmarkX/n-2", "BenchmarkX/n-3"}},
		{[]string{"BenchmarkX-8"}, []int{2, 8}, []string{"BenchmarkX"}},
		{[]string{"BenchmarkX"}, []int{1}, []string{"BenchmarkX"}},
		{nil, []int{2}, nil},
	} {
		var results []Result
		for _, n := range tt.names {
			results = append(results, Result{Name: n})
		}
		trimProcs(results, tt.plausible)
		var got []string
		for _, r := range results {
			got = append(got, r.Name)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v with GOMAXPROCS %v: %v, want %v", tt.names, tt.plausible, got, tt.want)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("BenchmarkX-2   \t     100\t        12.5 ns/op\t      64 B/op\t       4 allocs/op\n"), 7)
	f.Add([]byte("BenchmarkX-2 \thello\n 100\t 1 ns/op\t+Inf x\t6 B/op\t0.75 allocs/op\t600 total-B\t75 total-allocs"), 1)
	f.Add([]byte("BenchmarkX \t--- FAIL: Benchmark\n"), 3)
	f.Add([]byte("Benchmark \t\t1 B/op\t1 allocs/op"), 2)
	f.Add([]byte("\xff\x00Benchmark\t\n-1\t1 B/op\t1 allocs/op\n"), 100)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		whole, cut := read(string(data)), new(output)
		if at > 0 && at < len(data) {
			cut.Write(data[:at])
			cut.Write(data[at:])
		} else {
			cut.Write(data)
		}
		cut.end()
		if len(data) <= maxLine && !reflect.DeepEqual(whole.results, cut.results) {
			t.Errorf("cut at %d: %+v, whole: %+v", at, cut.results, whole.results)
		}
		for _, r := range whole.results {
			if r.N < 1 || !strings.HasPrefix(r.Name, "Benchmark") || strings.ContainsAny(r.Name, " \t\n") {
				t.Errorf("result %+v", r)
			}
			for unit, v := range r.Extra {
				if math.IsNaN(v) || math.IsInf(v, 0) || unit == "" {
					t.Errorf("unit %q = %v", unit, v)
				}
			}
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	var s strings.Builder
	s.WriteString("goos: linux\ngoarch: amd64\n")
	for i := range 100 {
		fmt.Fprintf(&s, "BenchmarkEncode/size=%d-8         \t  912345\t      1312 ns/op\t  43.21 MB/s\t544 B/op\t12.25 allocs/op\t496315680 total-B\t11176226 total-allocs\n", i)
	}
	data := []byte(s.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var o output
		o.Write(data)
		if len(o.results) != 100 {
			b.Fatal(len(o.results))
		}
	}
}
