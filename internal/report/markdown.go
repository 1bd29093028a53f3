package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/unheap/unheap/finding"
)

// Markdown writes the document for a review or an issue, in GitHub's dialect:
// a table of the findings, then each with its whole reason and its patch.
func Markdown(w io.Writer, d *finding.Document) error {
	m := markdown{bufio.NewWriter(w)}
	s := newSummary(d)
	m.head(d, s)
	m.totals(s)
	m.table(d.Findings)
	for i := range d.Findings {
		m.details(i+1, &d.Findings[i], s)
	}
	if d.Combined != "" && s.tried[finding.Accepted] > 1 {
		m.printf("## All accepted fixes in one patch\n\n")
		m.fence("diff", d.Combined)
	}
	return m.Flush()
}

type markdown struct{ *bufio.Writer }

func (m markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

func (m markdown) head(d *finding.Document, s *summary) {
	m.printf("# unheap: %s\n\n", mdText(d.Target.Module))
	m.printf("%s, %s %s/%s. %s.", mdText(d.Tool.Name+" "+d.Tool.Version), mdText(d.Target.GoVersion),
		mdText(d.Target.GOOS), mdText(d.Target.GOARCH), mdText(s.scope()))
	for _, text := range []string{health(d), s.outcome()} {
		if text != "" {
			m.printf(" %s.", mdText(text))
		}
	}
	m.printf("\n\n")
	m.warnings(d.Warnings)
}

func (m markdown) totals(s *summary) {
	if len(s.totals) == 0 {
		return
	}
	m.printf("| benchmark | allocations | memory | time |\n|---|---|---|---|\n")
	for _, t := range s.totals {
		allocs, bytes := change(t.Outcome.Before, t.Outcome.After)
		m.printf("| %s | %s | %s | %s |\n", mdCell(t.Name), mdText(allocs), mdText(bytes), mdText(speed(t.Outcome)))
	}
	m.printf("\n")
}

func (m markdown) table(fs []finding.Finding) {
	if len(fs) == 0 {
		m.printf("No line of your own was seen to allocate.\n\n")
		return
	}
	m.printf("| # | bytes | objects | where | what | fix | result |\n|--:|--:|--:|---|---|---|---|\n")
	for i := range fs {
		f := &fs[i]
		fix := mdText(f.Rule)
		if x := chosen(f); x != nil {
			fix = mdText(x.Title) + " (" + mdText(qualities(x)) + ")"
		}
		v := best(f)
		result := mdText(string(v.Status))
		if text := measured(v); text != "" && v.Status == finding.Accepted {
			result += ": " + mdText(text)
		}
		m.printf("| %d | %s | %s | %s | %s | %s | %s |\n", i+1, mdText(share(f.Alloc.BytesShare)), mdText(share(f.Alloc.ObjectsShare)),
			mdCell(location(f.Site.File, f.Site.Line)), mdText(kind(f.Alloc)), fix, result)
	}
	m.printf("\n")
}

func (m markdown) details(n int, f *finding.Finding, s *summary) {
	m.printf("## %d. %s\n\n", n, mdCode(location(f.Site.File, f.Site.Line)))
	m.printf("In %s of %s:\n\n", mdCode(f.Site.Function), mdCode(f.Site.Package))
	if src := Clean(f.Site.Source); src != "" {
		m.fence("go", src)
	}
	if len(f.Parts) == 0 {
		m.part(finding.Part{Leaf: f.Leaf, Alloc: f.Alloc, Reason: f.Reason, ReasonSource: f.ReasonSource}, s.per(f))
	}
	if f.Saving != nil {
		m.printf("**Saving:** %s\n\n", mdText(saving(f.Saving)))
	}
	for i := range f.Parts {
		m.part(f.Parts[i], s.per(f))
	}
	for _, spans := range fixSpans(f) {
		m.spans("Fix", spans)
	}
	if x := chosen(f); x != nil {
		m.tried(x)
	}
	for i := range f.Fixes {
		if x := &f.Fixes[i]; verdictOf(x).Status == finding.Rejected {
			m.spans("Not", rejection(x))
			m.tried(x)
		}
	}
	m.warnings(f.Warnings)
}

// part writes one allocation: what, through which calls and why.
func (m markdown) part(p finding.Part, per string) {
	m.printf("**Allocation:** %s", mdText(allocation(p.Alloc, per)))
	for i := len(p.Leaf) - 1; i >= 0; i-- {
		m.printf(" → %s", mdCode(function(p.Leaf[i].Function)))
	}
	m.printf("\n\n")
	if len(p.Reason) == 0 {
		return
	}
	m.printf("**Why**, by %s:\n\n", mdText(reasonFrom(p.ReasonSource)))
	for i, step := range p.Reason {
		m.printf("%d. ", i+1)
		if place := stepPlace(step); place != "" {
			m.printf("%s: ", mdCode(place))
		}
		m.printf("%s\n", mdText(step.Text))
	}
	m.printf("\n")
}

// spans writes what text shows in styles, its first part strong.
func (m markdown) spans(label string, spans []span) {
	m.printf("**%s:** ", label)
	for i, s := range spans {
		if i > 0 {
			m.printf(" ")
		}
		m.printf("%s", mdText(s.text))
	}
	m.printf("\n\n")
}

// tried writes what was measured of a fix, and its patch.
func (m markdown) tried(x *finding.Fix) {
	v := verdictOf(x)
	if text := measured(v); text != "" {
		m.printf("%s: %s.\n\n", mdCode(v.Benchmark), mdText(text))
	}
	if v.Status == finding.Accepted {
		covered := "No test runs all of the changed lines."
		if v.Covered {
			covered = "Tests run all of the changed lines."
		}
		if tests := mdText(v.Tests); tests != "" {
			covered = "Tests passed: " + tests + ". " + covered
		}
		m.printf("%s\n\n", covered)
	}
	if x.Diff != "" && v.Status != finding.Rejected {
		m.fence("diff", x.Diff)
	}
}

func (m markdown) warnings(ws []string) {
	for _, w := range ws {
		m.printf("> **Note:** %s\n\n", mdText(w))
	}
}

// fence writes a code block whose fence is longer than any in its text.
func (m markdown) fence(language, text string) {
	text = cleanBlock(text)
	mark := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	m.printf("%s%s\n%s\n%s\n\n", mark, language, strings.TrimSuffix(text, "\n"), mark)
}

// mdText returns s as text that holds no markup of its own, in a table too.
func mdText(s string) string { return mdEscaper.Replace(Clean(s)) }

// mdEscaper escapes what begins markup inside a line. A bar becomes an entity:
// a table is cut into cells before escapes are read.
var mdEscaper = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]",
	"~", "\\~", "#", "\\#", "$", "\\$", "&", "&amp;", "<", "&lt;", "|", "&#124;")

// mdCode returns s as a code span.
func mdCode(s string) string {
	s = Clean(s)
	if s == "" {
		return "(none)"
	}
	mark := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return mark + s + mark
}

// mdCell is mdCode for a table, where a bar ends the cell even inside a code span.
func mdCell(s string) string {
	s = Clean(s)
	if !strings.ContainsAny(s, `|\`) {
		return mdCode(s)
	}
	return "<code>" + mdText(s) + "</code>"
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if n++; s[i] != c {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}
