package compiler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/unheap/unheap/internal/source"
)

func sampleTree() *source.Tree {
	return source.NewTree("/src/m", []source.Package{
		{Path: "example.com/m/a", Name: "a", Dir: "/src/m/a", Main: true},
		{Path: "example.com/m/log", Name: "log", Dir: "/src/m/log", Main: true},
	}, nil)
}

// recorded builds a report from what a compiler wrote for the same file,
// trimmed of its directories: once with the log and once from the text alone.
func recorded(t *testing.T, version string, withLog bool) *Report {
	t.Helper()
	b := newBuilder(sampleTree())
	b.asked = []string{"example.com/m/a"}
	if withLog {
		data, err := os.ReadFile(filepath.Join("testdata", "recorded", version+".json"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := b.json.read(bytes.NewReader(data), "example.com/m/a")
		if err != nil {
			t.Fatal(err)
		}
		if f.bad > 0 {
			t.Errorf("%d lines not read", f.bad)
		}
		b.addFile(f)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", version+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.readText(text); err != nil {
		t.Fatal(err)
	}
	return b.report()
}

// summary lists records as "code subject function lines: flow".
func summary(r *Report) []string {
	var out []string
	for _, rec := range r.Records() {
		var lines []string
		for _, p := range rec.Chain {
			lines = append(lines, fmt.Sprintf("%s:%d", p.File, p.Line))
		}
		s := fmt.Sprintf("%v %s [%s]", rec.Code, rec.Subject, strings.Join(lines, " "))
		for _, f := range rec.Flow {
			s += " " + f.Dst + "<" + f.Src
			for _, n := range f.Notes {
				s += "/" + n.Why
			}
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// Every release says the same in words of its own; what differs here is what
// it decided.
func TestReleases(t *testing.T) {
	common := []string{
		"escape &Msg{...} [a.go:7] ~r0<{storage for &Msg{...}}/spill/return",
		"escape x [a.go:14] {heap}<x/address-of/interface-converted/assign",
		"leak v [a.go:11] {heap}<v/assign",
		"stays ([]byte)(s) [a.go:24]",
		"stays s [a.go:23]",
	}
	for _, version := range []string{"go1.21.13", "go1.24.9", "go1.26.8"} {
		t.Run(version, func(t *testing.T) {
			r := recorded(t, version, true)
			result := "~r0"
			if version == "go1.21.13" {
				result = "~R0" // results of inlined calls
			}
			want := append(slices.Clone(common), fmt.Sprintf(
				"escape &Msg{...} [a.go:9 a.go:7] %s<{storage for &Msg{...}}/spill/assign-pair ~r0<%s/return", result, result))
			if version == "go1.26.8" {
				want = append(want, "stays make([]byte, n) [a.go:19]")
			} else {
				want = append(want, "escape make([]byte, n) [a.go:19] {heap}<{storage for make([]byte, n)}/non-constant size")
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, summary(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(r.Warnings()) > 0 {
				t.Errorf("warnings: %q", r.Warnings())
			}
			for _, rec := range r.Records() {
				if wantFunc := version == "go1.26.8" && rec.Code != Stays; (rec.Func != "") != wantFunc {
					t.Errorf("%s: function is %q", rec.Subject, rec.Func)
				}
				if rec.Moved != (rec.Subject == "x") {
					t.Errorf("%+v", rec)
				}
				// Go 1.22 was the first to share a string's memory.
				if zero := rec.Subject == "([]byte)(s)" && version != "go1.21.13"; rec.ZeroCopy != zero {
					t.Errorf("%s: zero copy is %v", rec.Subject, rec.ZeroCopy)
				}
				if rec.Package != "example.com/m/a" || rec.Pos().Package != "example.com/m/a" {
					t.Errorf("%s: package %q, place %v", rec.Subject, rec.Package, rec.Pos())
				}
			}

			// From the text alone the flows are the same, the chains end outside.
			text := recorded(t, version, false)
			for i, line := range want {
				want[i] = strings.Replace(line, "[a.go:9 a.go:7]", "[a.go:9]", 1)
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, summary(text)); diff != "" {
				t.Errorf("text alone (-want +got):\n%s", diff)
			}
			if len(text.Warnings()) != 1 || !strings.Contains(text.Warnings()[0], "example.com/m/a/a.go") {
				t.Errorf("text alone: warnings %q, want one that names the file", text.Warnings())
			}
			chain := []source.Pos{{Package: "example.com/m/a", File: "a.go", Line: 9}, {Package: "example.com/m/a", File: "a.go", Line: 7}}
			if got := r.At(chain); len(got) != 1 || got[0].Partial || len(got[0].Chain) != 2 {
				t.Errorf("At(chain) = %v", got)
			}
			if got := text.At(chain); len(got) != 1 || !got[0].Partial {
				t.Errorf("text alone: At(chain) = %v, want the outermost line's record", got)
			}
		})
	}
}

func TestStays(t *testing.T) {
	place := source.Pos{Package: "example.com/m/a", File: "a.go", Line: 19}
	steps := func(version string) string {
		r := recorded(t, version, true)
		return format(r.Explain(r.At([]source.Pos{place})[0], nil, sampleTree()))
	}
	if got, want := steps("go1.26.8"), "a/a.go: make([]byte, n) does not escape, but its size is not known at compile time: up to 32 bytes stay on the stack, more go to the heap\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := steps("go1.24.9"), "a/a.go: make([]byte, n) is allocated on the heap: of a size that is not known at compile time\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A log that another compilation wrote over in part: the text has the rest.
func TestDamagedLog(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "recorded", "go1.26.8.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "recorded", "go1.26.8.txt"))
	if err != nil {
		t.Fatal(err)
	}
	whole := recorded(t, "go1.26.8", true)
	line := bytes.LastIndex(data, []byte(`{"range":{"start":{"line":14,"character":2}`))
	if line < 0 {
		t.Fatal("the sample has no record of line 14")
	}
	data[line] = 0
	b := newBuilder(sampleTree())
	b.asked = []string{"example.com/m/a"}
	f, err := b.json.read(bytes.NewReader(data), "example.com/m/a")
	if err != nil {
		t.Fatal(err)
	}
	b.addFile(f)
	if err := b.readText(text); err != nil {
		t.Fatal(err)
	}
	r := b.report()
	for _, want := range whole.Records() {
		if got := r.At(want.Chain); !slices.ContainsFunc(got, func(rec *Record) bool { return rec.Subject == want.Subject && rec.Code == want.Code }) {
			t.Errorf("%v %s at %v is lost", want.Code, want.Subject, want.Chain)
		}
	}
	if len(r.Warnings()) != 1 {
		t.Errorf("warnings: %q", r.Warnings())
	}
}

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", 300<<10)
	for _, tt := range []struct {
		in      string
		limit   int
		want    []string
		skipped int
	}{
		{"", 10, nil, 0},
		{"a\nb", 10, []string{"a", "b"}, 0},
		{"a\n\nb\n", 10, []string{"a", "", "b"}, 0},
		{"a\n" + long + "\nb\n", 1 << 20, []string{"a", long, "b"}, 0},
		{"a\n" + long + "\nb\n", 100 << 10, []string{"a", "b"}, 1},
		{long, 100, nil, 1},
	} {
		var got []string
		skipped, err := readLines(strings.NewReader(tt.in), tt.limit, func(line []byte) error {
			got = append(got, string(line))
			return nil
		})
		if err != nil || skipped != tt.skipped || !slices.Equal(got, tt.want) {
			t.Errorf("%.20q: %d lines, %d skipped, %v; want %d and %d", tt.in, len(got), skipped, err, len(tt.want), tt.skipped)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "empty",
		"{":                              "not a file of compiler diagnostics",
		"{}\n":                           "no version",
		`{"version":1,"file":"a.go"}`:    "use a newer unheap",
		`{"version":"0","file":"a.go"}`:  "not a file of compiler diagnostics",
		`["version"]` + "\n" + `{"a":1}`: "not a file of compiler diagnostics",
	} {
		_, err := newJSONReader(newPaths(sampleTree())).read(strings.NewReader(in), "example.com/m/a")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", in, err, want)
		}
	}
	f, err := newJSONReader(newPaths(sampleTree())).read(strings.NewReader(
		`{"version":0,"package":"example.com/m/a","file":"/src/m/a/a.go"}`+"\n"+
			`{"code":"escape","message":`+"\n"+
			`{"code":"escape","message":"something new"}`+"\n"+
			`{"range":{"start":{"line":3,"character":4}},"code":"escape","message":"x escapes to heap"}`+"\n"), "example.com/m/a")
	if err != nil {
		t.Fatal(err)
	}
	if f.bad != 2 || len(f.records) != 1 || f.records[0].Pos() != (source.Pos{Package: "example.com/m/a", File: "a.go", Line: 3, Col: 4}) {
		t.Errorf("%d bad lines, records %+v", f.bad, f.records)
	}
}

func FuzzJSON(f *testing.F) {
	for _, version := range []string{"go1.21.13", "go1.26.8"} {
		data, err := os.ReadFile(filepath.Join("testdata", "recorded", version+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"version":0,"file":"<autogenerated>"}` + "\n" + `{"code":"leak","message":"parameter x leaks to y with derefs=0","relatedInformation":[{"message":"inlineLoc"},{"message":"escflow: flow: x = x:"},{"location":{"uri":"file://%zz"},"message":"escflow: from x (call parameter)"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBuilder(sampleTree())
		file, err := b.json.read(bytes.NewReader(data), "example.com/m/a")
		if err != nil {
			return
		}
		b.addFile(file)
		if err := b.readText(nil); err != nil {
			t.Fatal(err)
		}
		checkExplained(t, b.report())
	})
}

func FuzzText(f *testing.F) {
	for _, version := range []string{"go1.21.13", "go1.24.9", "go1.26.8"} {
		data, err := os.ReadFile(filepath.Join("testdata", "recorded", version+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("# example.com/m/a [x]\na.go:1:1: x escapes to heap in f:\na.go:1:1:   flow: x ← &x:\na.go:1:1:     from x (captured by a closure) at ../log/log.go:2:2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBuilder(sampleTree())
		if err := b.readText(data); err != nil {
			t.Fatal(err)
		}
		checkExplained(t, b.report())
	})
}

// checkExplained explains every record, with parameters that lead anywhere.
func checkExplained(t *testing.T, r *Report) {
	all := r.Records()
	param := func(call source.Pos, arg string) (source.Pos, string, bool) {
		rec := all[(call.Line+len(arg))%len(all)]
		return rec.Pos(), rec.Subject, true
	}
	tree := sampleTree()
	for _, rec := range all {
		if len(rec.Chain) == 0 || rec.Subject == "" {
			t.Fatalf("record without place or subject: %+v", rec)
		}
		if steps := r.Explain(rec, param, tree); len(steps) > maxSteps || rec.Code != Leak && len(steps) == 0 {
			t.Fatalf("%d steps for %+v", len(steps), rec)
		}
	}
	if c := Compare(r, r); len(c.Gone)+len(c.New)+len(c.Copies) > 0 {
		t.Fatalf("a report differs from itself: %+v", c)
	}
}

// logOf writes a log of n functions that each box a value through three
// inlined calls, with nine other diagnostics to each, as in real packages.
func logOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"version":0,"package":"example.com/m/a","goos":"linux","goarch":"amd64","gc_version":"go1.26.8","file":"/src/m/a/a.go"}` + "\n")
	loc := func(file string, line int, msg string) string {
		return fmt.Sprintf(`{"location":{"uri":"file:///src/m/%s","range":{"start":{"line":%d,"character":7},"end":{"line":%d,"character":7}}},"message":%q}`, file, line, line, msg)
	}
	for i := range n {
		line := 10 * (i + 1)
		for j := range 9 {
			fmt.Fprintf(&b, `{"range":{"start":{"line":%d,"character":6},"end":{"line":%d,"character":6}},"severity":3,"code":"isInBounds","source":"go compiler","message":""}`+"\n", line+j, line+j)
		}
		related := []string{loc("log/log.go", 40, "inlineLoc"), loc("log/log.go", 50, "inlineLoc")}
		for _, s := range []string{"   flow: log.val ← &{storage for m.Key}:", "     from m.Key (spill)", "     from log.msg, log.val := \"a\", m.Key (assign-pair)", "   flow: {heap} ← log.val:", "     from log.e.fields[log.key] = log.val (assign)"} {
			related = append(related, loc("a/a.go", line, "escflow: "+s), loc("log/log.go", 40, "inlineLoc"), loc("log/log.go", 50, "inlineLoc"))
		}
		fmt.Fprintf(&b, `{"range":{"start":{"line":%d,"character":25},"end":{"line":%d,"character":25}},"severity":3,"code":"escape","source":"go compiler","message":"m.Key escapes to heap","relatedInformation":[%s]}`+"\n", line, line, strings.Join(related, ","))
	}
	return b.Bytes()
}

func BenchmarkReadJSON(b *testing.B) {
	data := logOf(1000)
	paths := newPaths(sampleTree())
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		f, err := newJSONReader(paths).read(bytes.NewReader(data), "example.com/m/a")
		if err != nil || len(f.records) != 1000 {
			b.Fatal(len(f.records), err)
		}
	}
}

func BenchmarkReport(b *testing.B) {
	data := logOf(1000)
	b.ReportAllocs()
	for b.Loop() {
		builder := newBuilder(sampleTree())
		f, err := builder.json.read(bytes.NewReader(data), "example.com/m/a")
		if err != nil {
			b.Fatal(err)
		}
		builder.addFile(f)
		if err := builder.readText(nil); err != nil {
			b.Fatal(err)
		}
		if r := builder.report(); len(r.Records()) != 1000 {
			b.Fatal(len(r.Records()))
		}
	}
}
