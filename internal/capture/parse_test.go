package capture

import (
	"bytes"
	"math"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTrailer reads what this Go release writes.
func TestTrailer(t *testing.T) {
	var before, after runtime.MemStats
	var text, kept bytes.Buffer
	runtime.ReadMemStats(&before)
	if err := pprof.Lookup("heap").WriteTo(&text, 1); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if err := keepTrailer(&kept, &text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(kept.String(), "heap profile:") {
		t.Error("the profile was kept too")
	}
	m, err := parseTrailer(&kept)
	if err != nil {
		t.Fatal(err)
	}
	if m.TotalAlloc < before.TotalAlloc || m.TotalAlloc > after.TotalAlloc || m.Mallocs < before.Mallocs || m.Mallocs > after.Mallocs ||
		m.Sys < before.Sys || m.StackInuse == 0 || m.StackSys < m.StackInuse || m.NextGC == 0 || m.HeapSys == 0 {
		t.Errorf("%+v", m)
	}
}

func TestTrailerText(t *testing.T) {
	m, err := parseTrailer(strings.NewReader("heap profile: 1: 2 [3: 4] @ heap/5\n" + trailerText + "# MaxRSS = 99\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &MemStats{Alloc: 1000, TotalAlloc: 5000, Mallocs: 70, StackInuse: 12, StackSys: 34, NextGC: 4 << 20, LastGC: 17e17, NumGC: 7, GCCPUFraction: 0.25, MaxRSS: 99}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{
		"", "# TotalAlloc = 1\n", "# NumGC = 1\n",
		trailerText + "# Sys = -1\n", trailerText + "# Sys = 99999999999999999999\n", trailerText + "# Stack = 1\n",
		trailerText + "# GCCPUFraction = NaN\n", trailerText + "# GCCPUFraction = x\n", trailerText + "# GCCPUFraction = 2\n",
	} {
		if m, err := parseTrailer(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %q: %+v", bad, m)
		}
	}
	if err := keepTrailer(new(bytes.Buffer), strings.NewReader("heap profile:\n")); err == nil {
		t.Error("no error for a profile without statistics")
	}
}

func TestVars(t *testing.T) {
	const doc = `{"cmdline": ["x", "-password=secret"], "memstats": {"TotalAlloc": 5, "NumGC": 2, "GCCPUFraction": 0.5, "PauseNs": [1, 2], "BySize": [{"Size": 8}]}, "own": {"a": [1]}}`
	var kept bytes.Buffer
	if err := keepVars(&kept, strings.NewReader(doc)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(kept.String(), "secret") || strings.Contains(kept.String(), "own") {
		t.Errorf("kept %s", &kept)
	}
	m, err := parseVars(&kept)
	if err != nil || m.TotalAlloc != 5 || m.NumGC != 2 || m.GCCPUFraction != 0.5 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"memstats"`, `{"a": 1`, "null"} {
		if err := keepVars(new(bytes.Buffer), strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	for _, bad := range []string{"{}", `{"memstats": {}}`, `{"memstats": {"TotalAlloc": -1}}`, `{"memstats": 1}`, `{"memstats": {"TotalAlloc": 1, "GCCPUFraction": 2}}`} {
		if _, err := parseVars(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

const metricsText = `# HELP go_goroutines Number of goroutines.
# TYPE go_goroutines gauge
go_goroutines 12
go_info{version="go1.24.9"} 1
go_gc_duration_seconds{quantile="0"} 1.1e-05
go_gc_duration_seconds{quantile="1"} 0.2
go_gc_duration_seconds_count 44
go_memstats_alloc_bytes_total{app="a \"quoted\" one, with } in it", x="\\"} 5.5e+07 1700000000000
process_start_time_seconds 1.7e+09
http_requests_total{path="/secret"} 5
go_nan NaN
go_broken{a="b
go_broken2 x
go_broken3 1 2 3
go_gc_gomemlimit_bytes +Inf
`

func TestMetrics(t *testing.T) {
	var kept bytes.Buffer
	if err := keepMetrics(&kept, strings.NewReader(metricsText+"go_long "+strings.Repeat("1", 2*maxLine)+"\ngo_last 3")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(kept.String(), "secret") {
		t.Errorf("kept %s", &kept)
	}
	m, err := parseMetrics(&kept)
	if err != nil {
		t.Fatal(err)
	}
	want := &Metrics{GoVersion: "go1.24.9", Values: map[string]float64{
		"go_goroutines": 12, "go_info": 1, "go_gc_duration_seconds_count": 44, "go_memstats_alloc_bytes_total": 5.5e7,
		"process_start_time_seconds": 1.7e9, "go_last": 3,
	}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if err := keepMetrics(new(bytes.Buffer), strings.NewReader("other 1\n")); err == nil {
		t.Error("no error for a page without our metrics")
	}
	if _, err := parseMetrics(strings.NewReader("go_x\n")); err == nil {
		t.Error("no error for lines without a value")
	}
}

// TestHealthFigures works figures out by hand.
func TestHealthFigures(t *testing.T) {
	metrics := func(pairs ...any) *Metrics {
		m := &Metrics{Values: make(map[string]float64)}
		for i := 0; i < len(pairs); i += 2 {
			m.Values[pairs[i].(string)] = pairs[i+1].(float64)
		}
		return m
	}
	t.Run("GC CPU from two fractions", func(t *testing.T) {
		var h Health
		// 10 % of the first 100 s and 30 % of the next 10 s: (10 + 3)/110 since the start.
		start := metrics(startTime, 1000.0)
		h.gcCPU(&Snapshot{MemStats: &MemStats{NumGC: 5, LastGC: 1100e9, GCCPUFraction: 0.1}, Metrics: start},
			&Snapshot{MemStats: &MemStats{NumGC: 9, LastGC: 1110e9, GCCPUFraction: 13.0 / 110}, Metrics: start})
		between(t, "GC CPU", h.GCCPU, 0.3-1e-9, 0.3+1e-9)
		between(t, "in all", h.GCCPUTotal, 13.0/110, 13.0/110)
	})
	t.Run("GC CPU from classes", func(t *testing.T) {
		var h Health
		at := func(gc, idle, total float64) *Snapshot {
			return &Snapshot{Metrics: metrics("go_cpu_classes_gc_total_cpu_seconds_total", gc, "go_cpu_classes_gc_mark_idle_cpu_seconds_total", idle, "go_cpu_classes_total_cpu_seconds_total", total)}
		}
		h.gcCPU(at(1, 0.5, 100), at(4, 1.5, 120))
		between(t, "GC CPU", h.GCCPU, 0.1, 0.1)
	})
	t.Run("live heap from the goal", func(t *testing.T) {
		var h Health
		// L = 100 MB, R = 10 MB, GOGC 50: goal 155 MB.
		h.state(&Snapshot{MemStats: &MemStats{NextGC: 155e6, StackInuse: 10e6}, Metrics: metrics("go_gc_gogc_percent", 50.0, "go_gc_gomemlimit_bytes", float64(math.MaxInt64))})
		between(t, "live", h.LiveBytes, 100e6, 100e6)
	})
	t.Run("no live heap from a goal that the limit made", func(t *testing.T) {
		var h Health
		h.state(&Snapshot{MemStats: &MemStats{NextGC: 155e6}, Metrics: metrics("go_gc_gogc_percent", 50.0, "go_gc_gomemlimit_bytes", 200e6)})
		if h.LiveBytes.Known() || h.MemoryLimit.Value != 200e6 {
			t.Errorf("%+v", h)
		}
	})
	t.Run("GOGC off", func(t *testing.T) {
		var h Health
		h.state(&Snapshot{Metrics: metrics("go_gc_gogc_percent", float64(math.MaxUint64))})
		between(t, "GOGC", h.GOGC, -1, -1)
	})
	t.Run("another process", func(t *testing.T) {
		a, b := &Snapshot{Metrics: metrics(startTime, 1.0)}, &Snapshot{Metrics: metrics(startTime, 2.0)}
		if otherProcess(a, b) == "" || otherProcess(a, a) != "" || otherProcess(a, new(Snapshot)) != "" {
			t.Error("start times")
		}
		a, b = &Snapshot{MemStats: &MemStats{TotalAlloc: 2}}, &Snapshot{MemStats: &MemStats{TotalAlloc: 1}}
		if otherProcess(a, b) == "" || otherProcess(b, a) != "" {
			t.Error("counters")
		}
	})
}

func TestGoVersion(t *testing.T) {
	for in, want := range map[string]string{
		"go1.26.1": "go1.26.1", "go1.20": "go1.20", "go1.26rc1": "go1.26rc1", "go1.26.1 X:nogreenteagc": "go1.26.1",
		"devel go1.27-abcdef Mon": "go1.27", "go1.26.1-custom": "go1.26.1", "gccgo": "", "\x1b[2Jgo1.2": "", "go1.99999": "",
	} {
		if got := goVersion(in); got != want {
			t.Errorf("goVersion(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestBuildInfo(t *testing.T) {
	var tg Target
	var kept bytes.Buffer
	if err := keepBuild(&kept, strings.NewReader("go\tgo1.25.3\npath\texample.com/x\nbuild\t-ldflags=\"-X main.key=secret\"\nbuild\tGOOS=darwin\nbuild\tGOARCH=arm64\n")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(kept.String(), "secret") {
		t.Errorf("kept %s", &kept)
	}
	if _, err := tg.learnBuild(&kept); err != nil {
		t.Fatal(err)
	}
	if tg.GoVersion != "go1.25.3" || tg.GOOS != "darwin" || tg.GOARCH != "arm64" {
		t.Errorf("%+v", tg)
	}
	for _, bad := range []string{"", "<html>", "go\tx\n"} {
		if _, err := new(Target).learnBuild(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func FuzzTrailer(f *testing.F) {
	f.Add(trailerText)
	f.Add("# Stack = 1 / \n# GCCPUFraction = +Inf\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseTrailer(strings.NewReader(text))
		if err == nil && (math.IsNaN(m.GCCPUFraction) || math.IsInf(m.GCCPUFraction, 0)) {
			t.Errorf("%+v", m)
		}
		var kept bytes.Buffer
		if keepTrailer(&kept, strings.NewReader(text)) == nil && kept.Len() > len(text)+1 {
			t.Errorf("kept %d bytes of %d", kept.Len(), len(text))
		}
	})
}

func FuzzVars(f *testing.F) {
	f.Add(`{"a": {}, "memstats": {"TotalAlloc": 1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var kept bytes.Buffer
		if keepVars(&kept, strings.NewReader(text)) == nil {
			parseVars(&kept)
		}
	})
}

func FuzzMetrics(f *testing.F) {
	f.Add(metricsText)
	f.Add(`go_x{a="\`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseMetrics(strings.NewReader(text))
		if err != nil {
			return
		}
		// What is kept reads the same.
		var kept bytes.Buffer
		if err := keepMetrics(&kept, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		again, err := parseMetrics(&kept)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkParseMetrics(b *testing.B) {
	text := strings.Repeat("http_requests_total{path=\"/a\"} 5\n", 10_000) + metricsText
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseMetrics(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkKeepTrailer(b *testing.B) {
	text := strings.Repeat("1: 1024 [10: 10240] @ 0x47 0x48 0x49 0x4a 0x4b\n#\t0x47\tmain.f+0x1\t/src/main.go:5\n", 5000) + trailerText
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var kept bytes.Buffer
	for b.Loop() {
		kept.Reset()
		if err := keepTrailer(&kept, strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
