package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/unheap/unheap/gctrace"
)

// A chart is well-formed, small whatever the log's length, and asks nobody for anything.
func TestChart(t *testing.T) {
	files, err := filepath.Glob("../../gctrace/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no samples", err)
	}
	for _, f := range files {
		tr := readTrace(t, filepath.Base(f))
		for i := range tr.Report.Processes {
			texts := checkChart(t, &tr.Report.Processes[i])
			want := []string{"heap, MiB", "live after a cycle", "largest", "goal", "GC CPU, % of all"}
			if !tr.Report.Processes[i].Summary.Format.Clocked() {
				want = []string{"heap, MiB", "live after a cycle", "longest stop, ms", "cycle"}
			}
			for _, w := range want {
				if !slices.Contains(texts, w) {
					t.Errorf("%s: the chart does not say %q: %q", f, w, texts)
				}
			}
		}
	}
}

func TestChartOfLongTrace(t *testing.T) {
	r, err := gctrace.Read(strings.NewReader(longTrace(5000)))
	if err != nil {
		t.Fatal(err)
	}
	checkChart(t, r.Busiest())
}

// longTrace returns n cycles, one a second.
func longTrace(n int) string {
	var b strings.Builder
	for i := range n {
		at := strconv.Itoa(i + 1)
		b.WriteString("gc " + at + " @" + at + ".000s 1%: 0.1+90+0.1 ms clock, 0.2+10/80/5+0.2 ms cpu, 90->99->" + strconv.Itoa(40+i%20) + " MB, 100 MB goal, 2 P\n")
	}
	return b.String()
}

// checkChart draws a process and returns the texts of the drawing.
func checkChart(t *testing.T, p *gctrace.Process) []string {
	t.Helper()
	var b bytes.Buffer
	if err := Chart(&b, p); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 128<<10 {
		t.Errorf("the chart has %d bytes", b.Len())
	}
	if !strings.Contains(b.String(), "prefers-color-scheme: dark") {
		t.Error("the chart has no colours for a dark page")
	}
	var texts []string
	inText := false
	for dec := xml.NewDecoder(&b); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			inText = x.Name.Local == "text"
			if slices.Contains([]string{"script", "image", "use", "a", "foreignObject"}, x.Name.Local) {
				t.Errorf("the chart has an element %s", x.Name.Local)
			}
			for _, a := range x.Attr {
				if a.Name.Local == "href" || strings.Contains(a.Value, "url(") || strings.Contains(a.Value, "NaN") {
					t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if inText {
				texts = append(texts, string(x))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// The dark colours are set by the light ones, so those must differ.
func TestPalette(t *testing.T) {
	p := newPalette()
	seen := make(map[string]bool)
	for _, c := range []tint{p.ground, p.ink, p.grid, p.heap, p.goal, p.live, p.load} {
		if seen[hex(c.light)] {
			t.Errorf("%s stands for two colours", hex(c.light))
		}
		seen[hex(c.light)] = true
	}
}
