package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/gctrace"
)

// readTrace reads a sample of package gctrace.
func readTrace(t *testing.T, name string) *Trace {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "gctrace", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gctrace.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return &Trace{Tool: finding.Tool{Name: "unheap", Version: "test"}, Name: name, Report: r}
}

func traceText(t *testing.T, text Text, tr *Trace) string {
	t.Helper()
	var b strings.Builder
	if err := text.Trace(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTraceText(t *testing.T) {
	for _, tt := range []struct {
		file string
		want []string // regular expressions
	}{
		{"server-and-compilers.txt", []string{
			`16 GC cycles in 25 lines, 6 headers`,
			`(?m)^ +0 +9 +4 +8\.63 s +12\.2 s +351 MiB  too much live data to mark$`,
			`not known  …\S*redigo/redis`,
			`(?m)^process 0: lines of Go 1\.6-1\.17, gc 45 to 53, 4 processors$`,
			`GC CPU is 18\.0 % of 4 processors \(threshold 5 %\)`,
			`(?m)^  live heap +[▁-█]+  up to 351 MiB$`,
			`note +only 9 cycles`,
			`5 of 6 processes in short: --all`,
		}},
		{"game-server.txt", []string{
			`(?m)^ +1 +1 +1 +401 ms +401 ms +107 MiB`,
			`(?m)^ +2 +1 +6 +32\.0 ms +32\.0 ms to 187 ms +37\.0 MiB`,
			`process 1 to process 2: 13 to 1 by wall time, between 2\.1 and 13 to 1 by thread`,
			`(?m)^  thread time +401 ms +from one thread`,
			`not known\. lines of this format`,
		}},
		{"go1.26.8.txt", []string{`33 numbers missing`, `not known\. GC CPU is 4\.2 %`, `33\s+of 44 cycles are missing`}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := traceText(t, Text{Lines: 40}, readTrace(t, tt.file))
			for _, want := range tt.want {
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("no match for %s in\n%s", want, got)
				}
			}
		})
	}
}

// Every width holds, all samples are shown, and --all shows every process.
func TestTraceFits(t *testing.T) {
	files, err := filepath.Glob("../../gctrace/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no samples", err)
	}
	for _, f := range files {
		tr := readTrace(t, filepath.Base(f))
		for _, width := range []int{24, 40, 60, 80, 100, 300} {
			got := traceText(t, Text{Width: width}, tr)
			for l := range strings.Lines(got) {
				if n := columns(strings.TrimSuffix(l, "\n")); n > width {
					t.Errorf("%s: %d columns, want at most %d: %q", f, n, width, l)
				}
			}
			if n := strings.Count(got, "\nprocess ") - strings.Count(got, "\nprocess  cycles"); n < len(tr.Report.Processes) {
				t.Errorf("%s: %d of %d processes are shown", f, n, len(tr.Report.Processes))
			}
		}
	}
}

// What is in a log reaches no terminal as a command to it.
func TestTraceHostile(t *testing.T) {
	tr := readTrace(t, "server-and-compilers.txt")
	attack := "\x1b[2Jx\u202e\x00\u0085<script>"
	tr.Name = attack
	for i := range tr.Report.Processes {
		tr.Report.Processes[i].Package = attack
	}
	var doc, chart bytes.Buffer
	if err := TraceJSON(&doc, tr); err != nil {
		t.Fatal(err)
	}
	if err := Chart(&chart, &tr.Report.Processes[0]); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{traceText(t, Text{}, tr), doc.String(), chart.String()} {
		for _, bad := range []string{"\x1b", "\u202e", "\x00", "\u0085"} {
			if strings.Contains(got, bad) {
				t.Errorf("%q is in the output", bad)
			}
		}
	}
	if strings.Contains(chart.String(), "<script>") {
		t.Error("markup of a log is in the chart")
	}
}

func TestTraceJSON(t *testing.T) {
	var b bytes.Buffer
	if err := TraceJSON(&b, readTrace(t, "server-and-compilers.txt")); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Schema    int
		Counts    gctrace.Counts
		Processes []struct {
			Process  int
			Summary  gctrace.Summary
			Timeline gctrace.Timeline
			Health   finding.Health
			Reasons  []string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	p := doc.Processes[0]
	if doc.Schema != finding.Schema || doc.Counts.Cycles != 16 || len(doc.Processes) != 6 || p.Summary.Cycles != 9 ||
		len(p.Timeline.Buckets) == 0 || p.Health.Verdict == "" || len(p.Reasons) == 0 {
		t.Errorf("document = %+v", doc)
	}
}

func TestTraceCSV(t *testing.T) {
	log, err := os.ReadFile("../../gctrace/testdata/server-and-compilers.txt")
	if err != nil {
		t.Fatal(err)
	}
	for process, want := range map[int]int{-1: 16, 0: 9, 5: 2, 99: 0} {
		var b bytes.Buffer
		n, err := TraceCSV(&b, bytes.NewReader(log), process)
		if err != nil || n != int64(want) {
			t.Fatalf("process %d: %d rows, %v, want %d", process, n, err, want)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if want > 0 {
			want++ // the header
		}
		if len(rows) != want {
			t.Errorf("process %d: %d records, want %d", process, len(rows), want)
		}
	}
}

// A cycle that outlasts its bucket weighs on those that it runs through, and no share exceeds 1.
func TestCPUShares(t *testing.T) {
	tl := &gctrace.Timeline{Width: time.Second, Buckets: []gctrace.Bucket{
		{Cycles: 1, Wall: 2 * time.Second, GCCPU: 2 * time.Second}, {}, {},
		{Cycles: 1, Wall: 10, GCCPU: time.Second},
		{Cycles: 1, Wall: 1 << 62, GCCPU: 1 << 62},
	}}
	if got, want := fmt.Sprint(cpuShares(tl, 2)), "[0.5 0.5 0 0.5 1]"; got != want {
		t.Errorf("shares = %s, want %s", got, want)
	}
}

func TestSpark(t *testing.T) {
	if got, top := spark([]float64{0, 0.001, 4, 8}); got != " ▁▅█" || top != 8 {
		t.Errorf("spark = %q up to %v", got, top)
	}
	if got, top := spark([]float64{0, 0}); got != "  " || top != 0 {
		t.Errorf("spark of nothing = %q up to %v", got, top)
	}
	if got := fmt.Sprint(peaks([]float64{1, 3, 2, 0, 5}, 3)); got != "[3 2 5]" {
		t.Errorf("peaks = %s", got)
	}
}
