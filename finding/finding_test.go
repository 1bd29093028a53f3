package finding

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip(t *testing.T) {
	d := &Document{
		Schema: Schema, Tool: Tool{Name: "unheap", Version: "v1"},
		Target: Target{Module: "example.com/m", GoVersion: "go1.26.1", Benchmarks: []Benchmark{{Name: "BenchmarkX", Measure: Measure{NsPerOp: 1.5, AllocsPerOp: 3.75}}}},
		Findings: []Finding{{
			ID: "0123456789ab", Site: Site{Package: "example.com/m", File: "a.go", Line: 3, Source: `f("<", '&')`},
			Alloc:  Alloc{Kind: KindBox, Type: "int32", ObjectsPerOp: 0.75, Estimated: true},
			Reason: []Step{{File: "a.go", Line: 3, Text: "n is boxed"}}, ReasonSource: FromFlow,
			Fixes:   []Fix{{Rule: "guardedargs", Class: Safe, Diff: "--- a\n+++ b\n", Verdict: &Verdict{Status: Accepted, Covered: true, Ratio: 5}}},
			Verdict: Verdict{Status: Accepted},
		}},
		Warnings: []string{"w"},
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `f(\"<\", '&')`) {
		t.Error("source text is escaped as for HTML")
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("written and read (-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":               "not a finding document",
		"[]":             "not a finding document",
		"{}":             "schema 0",
		`{"schema": 2}`:  "use a newer unheap",
		`{"schema": -1}`: "schema -1",
	} {
		if _, err := Read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %q", in, err, want)
		}
	}
}

func TestNewID(t *testing.T) {
	site := Site{Package: "example.com/m", File: "a.go", Line: 3, Function: "F", Source: "x := f()"}
	id := NewID(site, 0)
	if len(id) != 12 {
		t.Errorf("id %q", id)
	}
	moved := site
	moved.Line, moved.Column = 40, 7
	if NewID(moved, 0) != id {
		t.Error("an edit elsewhere in the file changes the id")
	}
	other := site
	other.Source = "x := g()"
	if NewID(other, 0) == id || NewID(site, 1) == id {
		t.Error("different lines have one id")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":1,"findings":[{"id":"x","site":{"line":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := d.Write(new(bytes.Buffer)); err != nil {
			t.Errorf("a document that reads does not write: %v", err)
		}
	})
}
