package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/unheap/unheap/finding"
)

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files in testdata")
	flag.Parse()
	os.Exit(m.Run())
}

func TestGolden(t *testing.T) {
	diagnosed := document()
	diagnosed.Combined = ""
	for i := range diagnosed.Findings {
		diagnosed.Findings[i].Verdict = finding.Verdict{Status: finding.Unverified}
		for j := range diagnosed.Findings[i].Fixes {
			diagnosed.Findings[i].Fixes[j].Verdict = nil
		}
	}
	empty := document()
	empty.Findings = nil
	one := document()
	one.Findings = one.Findings[:1]
	for name, tt := range map[string]struct {
		handler Handler
		d       *finding.Document
	}{
		"text60.txt":      {Text{Width: 60}.Write, document()},
		"text80.txt":      {Text{Width: 80}.Write, document()},
		"text120.txt":     {Text{Width: 120}.Write, document()},
		"screen.txt":      {Text{Width: 80, Lines: 24}.Write, document()},
		"colour.txt":      {Text{Width: 80, Colour: true}.Write, document()},
		"diagnosed.txt":   {Text{Width: 80}.Write, diagnosed},
		"empty.txt":       {Text{Width: 80}.Write, empty},
		"explain.txt":     {Text{Width: 80}.Explain, one},
		"explain_all.txt": {Text{Width: 60}.Explain, document()},
		"document.json":   {JSON, document()},
		"document.md":     {Markdown, document()},
		"empty.md":        {Markdown, empty},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := tt.handler(&out, tt.d); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name)
			if updating() {
				if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Errorf("output differs from %s; go test -update writes it anew (-want +got):\n%s", file, diff)
			}
		})
	}
}

// JSON is the finding package's own form, to the byte where nothing needs escaping.
func TestJSONReadsBack(t *testing.T) {
	var out bytes.Buffer
	d := document()
	d.Findings[0].Site.Source = "\x1b[31m\u009b\u202e\U000e0041 日本"
	if err := JSON(&out, d); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(out.Bytes(), "\x1b\u009b\u202e\U000e0041") {
		t.Errorf("JSON holds raw control characters: %q", out.String())
	}
	got, err := finding.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("document changed (-wrote +read):\n%s", diff)
	}
}
