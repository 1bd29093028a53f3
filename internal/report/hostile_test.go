package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/unheap/unheap/finding"
)

// poisoned returns the document of the golden tests with s in every text and x
// in every number.
func poisoned(s string, x float64) *finding.Document {
	d := document()
	steps := []finding.Step{{File: s, Line: 1, Text: s}, {Text: s}}
	frames := []finding.Frame{{Function: s, File: s, Line: -3}}
	alloc := finding.Alloc{Kind: s, Type: s, ObjectsPerOp: x, BytesPerOp: x, ObjectsShare: x, BytesShare: x}
	measure := &finding.Measure{NsPerOp: x, BytesPerOp: x, AllocsPerOp: x}
	d.Tool = finding.Tool{Name: s, Version: s}
	d.Target = finding.Target{Module: s, Root: s, GoVersion: s, GOOS: s, GOARCH: s, Packages: []string{s},
		Benchmarks: []finding.Benchmark{{Package: s, Name: s, Measure: *measure, AttributedBytes: x, TestBytes: x}}}
	d.Health = &finding.Health{GCCPUShare: x, AllocBytesPerS: x, CyclesPerS: x, LiveBytes: x, Verdict: s}
	d.Warnings = []string{s, ""}
	d.Combined = "x" + s
	for i := range d.Findings {
		f := &d.Findings[i]
		f.ID = s
		f.Site = finding.Site{Package: s, File: s, Line: i, Function: s, Source: s, Inline: frames}
		f.Leaf, f.Alloc, f.Reason, f.ReasonSource = frames, alloc, steps, finding.ReasonSource(s)
		f.Parts = []finding.Part{{Leaf: frames, Alloc: alloc, Reason: steps, ReasonSource: finding.ReasonSource(s)}, {}}
		f.Benchmark, f.Rule, f.Advice, f.Warnings = s, s, s, []string{s}
		f.Saving = &finding.Saving{CPUShare: x, Low: x, High: x}
		f.Verdict.Why = s
		for j := range f.Fixes {
			fix := &f.Fixes[j]
			v := *fix.Verdict
			v.Oracle, v.Why, v.Tests, v.Benchmark = s, s, s, s
			v.Before, v.After, v.Ratio, v.RatioLow, v.RatioHigh, v.P = measure, measure, x, x, x, x
			*fix = finding.Fix{Rule: s, Class: finding.Class("x" + s), Title: s, Diff: fmt.Sprint(i, j, s), Verdict: &v}
		}
		f.Fixes = append(f.Fixes, finding.Fix{Verdict: &finding.Verdict{Status: finding.Status("x" + s)}})
	}
	return d
}

// attacks are texts that have broken reports of other programs.
var attacks = []string{
	"",
	"plain",
	" ",
	"\x1b[2J\x1b[H\x1b]0;title\x07 cleared",
	"\u009b31m C1 control",
	"line\nfeed\r\nand\vmore\ftabs\t\tend  ",
	"\u202eright to left\u202c\u2066isolate",
	"zero\u200bwidth\u200djoiner\ufeff",
	"not \xff\xfe\xc3\x28 UTF-8 \xed\xa0\x80",
	"日本語の長い名前" + strings.Repeat("界", 300),
	strings.Repeat("x", 5000),
	strings.Repeat("x ", 9000),
	strings.Repeat("e\u0301\u0302\u0303", 400),
	"| a | b |\n|---|---|\n# Heading\n> quote\n- item\n1. one\n---",
	"</code></td></table><script>alert(1)</script><!-- <img src=x onerror=y>",
	"```\n````\n`````diff\n~~~\nescaped the fence",
	"`code` ``two`` ` `` ``` ````",
	`back\slash \| bar | \` + "`" + ` tick \`,
	"[link](javascript:alert(1)) ![i](http://x) [ref][r] <http://x> *em* __st__ ~~s~~ $m$ &amp; &#60;",
	"%s%d%!v(MISSING)",
	"\\",
	"`",
	"[[[[[go.shape.int]]]]]]]]",
}

var oddNumbers = []float64{0, 1, -1, 0.004, 0.9996, 999.6, 1023.9, 1e9, 1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}

func TestOddNumbers(t *testing.T) {
	for _, x := range oddNumbers {
		checkText(t, poisoned("a|b", x), 60)
		checkMarkdown(t, "a|b", x)
	}
}

func FuzzReports(f *testing.F) {
	for i, s := range attacks {
		f.Add(s, oddNumbers[i%len(oddNumbers)], i*9)
	}
	f.Fuzz(func(t *testing.T, s string, x float64, width int) {
		checkText(t, poisoned(s, x), width%300)
		checkMarkdown(t, s, x)
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			checkJSON(t, poisoned(s, x))
		}
	})
}

// checkText fails if the text holds anything that a terminal would act on, a
// line wider than the screen or more lines than were asked for.
func checkText(t *testing.T, d *finding.Document, width int) {
	t.Helper()
	tx := Text{Width: width}
	for _, render := range []Handler{tx.Write, tx.Explain} {
		var out bytes.Buffer
		if err := render(&out, d); err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(out.String()) {
			text, ended := strings.CutSuffix(text, "\n")
			if !ended || !printable(text) {
				t.Fatalf("line %q is not safe to show", text)
			}
			if n := columns(text); n > tx.width() {
				t.Fatalf("line %q takes %d of %d columns", text, n, tx.width())
			}
		}
	}
	// Colour adds the terminal's sequences and nothing else.
	var plain, colour bytes.Buffer
	if err := (Text{Width: width}).Write(&plain, d); err != nil {
		t.Fatal(err)
	}
	if err := (Text{Width: width, Colour: true}).Write(&colour, d); err != nil {
		t.Fatal(err)
	}
	if got := stripSGR(colour.String()); got != plain.String() {
		t.Fatalf("coloured text differs from plain text:\n%s\n%s", got, plain.String())
	}
}

func stripSGR(s string) string {
	for st := bold; st <= caution; st++ {
		s = strings.ReplaceAll(s, "\x1b["+st.sgr()+"m", "")
	}
	return strings.ReplaceAll(s, "\x1b[0m", "")
}

func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// checkMarkdown fails if a text changes the structure of the page: its
// headings, tables, cells, quotes and blocks.
func checkMarkdown(t *testing.T, s string, x float64) {
	t.Helper()
	got := outline(t, poisoned(s, x))
	// Presence of a text may change the page, its content may not.
	plain := strings.Map(func(rune) rune { return 'x' }, Clean(s))
	want := outline(t, poisoned(plain, x))
	if got != want {
		t.Fatalf("text %q changes the page:\n%s\nwant:\n%s", s, got, want)
	}
}

// outline returns the structure of a Markdown page, a letter a block or cell,
// by a reading that is stricter than CommonMark's: it knows only what the
// handler writes.
func outline(t *testing.T, d *finding.Document) string {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, d); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fence := ""
	for text := range strings.Lines(out.String()) {
		text = strings.TrimSuffix(text, "\n")
		if !printable(strings.ReplaceAll(text, "\t", "")) {
			t.Fatalf("line %q is not safe to show", text)
		}
		ticks := len(text) - len(strings.TrimLeft(text, "`"))
		switch {
		case fence != "":
			if ticks >= len(fence) && strings.Trim(text, "` ") == "" {
				fence = ""
				b.WriteString("/fence\n")
			}
			continue
		case ticks >= 3 && (text[ticks:] == "go" || text[ticks:] == "diff"):
			fence = text[:ticks]
			b.WriteString("fence\n")
			continue
		case strings.HasPrefix(text, "#"):
			b.WriteString("heading ")
		case strings.HasPrefix(text, ">"):
			b.WriteString("quote ")
		case strings.HasPrefix(text, "|"):
			b.WriteString("row ")
		case text == "":
			continue
		default:
			b.WriteString("text ")
		}
		inline(&b, text)
		b.WriteByte('\n')
	}
	if fence != "" {
		t.Fatalf("a fence is never closed:\n%s", out.String())
	}
	return b.String()
}

// inline writes a letter for every character of a line that is markup: the
// bar of a table, the ends of a code span, a tag, emphasis, a link.
func inline(b *strings.Builder, s string) {
	table := strings.HasPrefix(s, "|")
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) && s[i] == '|' && table {
				b.WriteByte('|')
			}
		case '|':
			if table {
				b.WriteByte('|')
			}
		case '`':
			n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			mark := s[i : i+n]
			end := -1
			for j := i + n; j < len(s); j++ {
				if s[j] == '|' && table {
					b.WriteByte('|')
				}
				if s[j] != '`' {
					continue
				}
				m := len(s[j:]) - len(strings.TrimLeft(s[j:], "`"))
				if m == n {
					end = j
					break
				}
				j += m - 1
			}
			if end < 0 {
				b.WriteString("unclosed" + mark)
				i += n - 1
				continue
			}
			b.WriteByte('c')
			i = end + n - 1
		case '<':
			if tag, _, ok := strings.Cut(s[i:], ">"); ok && (tag == "<code" || tag == "</code") {
				// <code> stands for a code span where a span cannot stand.
				if tag == "<code" {
					b.WriteByte('c')
				}
				continue
			}
			b.WriteString("tag")
		case '*', '_', '[', ']', '~', '$':
			b.WriteByte(s[i])
		}
	}
}

func checkJSON(t *testing.T, d *finding.Document) {
	t.Helper()
	var plain, safe bytes.Buffer
	if err := d.Write(&plain); err != nil {
		t.Fatal(err)
	}
	if err := JSON(&safe, d); err != nil {
		t.Fatal(err)
	}
	if !printable(strings.ReplaceAll(safe.String(), "\n", "")) {
		t.Fatalf("JSON is not safe to show: %q", safe.String())
	}
	var want, got any
	if err := json.Unmarshal(plain.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(safe.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatal("escaping changed the JSON's meaning")
	}
}

// A number that JSON cannot hold is an error, not half a document.
func TestJSONRefusesNaN(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, poisoned("x", math.NaN())); err == nil || out.Len() > 0 {
		t.Errorf("JSON wrote %d bytes and returned %v, want an error and nothing written", out.Len(), err)
	}
}

func BenchmarkText(b *testing.B) {
	d := document()
	for len(d.Findings) < 300 {
		d.Findings = append(d.Findings, d.Findings[:6]...)
	}
	for _, bm := range []struct {
		name   string
		render Handler
	}{
		{"screen", Text{Width: 80, Lines: 24, Colour: true}.Write},
		{"all", Text{Width: 80, Colour: true}.Write},
		{"explain", Text{Width: 80}.Explain},
		{"markdown", Markdown},
		{"json", JSON},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bm.render(io.Discard, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
