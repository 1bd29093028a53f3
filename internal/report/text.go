package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/unheap/unheap/finding"
)

const (
	defaultWidth = 100
	minWidth     = 24
	labelWidth   = 6 // "code  "
)

// Text renders documents for people.
type Text struct {
	Width  int  // columns of the screen; 0: 100
	Lines  int  // most lines to write, one finding always being shown; 0: no limit
	Colour bool // write the terminal's colour sequences
}

// Write is the [Handler] that lists the findings, best first: as many as fit
// into t.Lines in full, then some in one line each, and how many are left.
func (t Text) Write(w io.Writer, d *finding.Document) error {
	s := newSummary(d)
	lines := append(t.header(d, s), t.totals(s)...)
	tail := t.warnings(d.Warnings, "")
	if len(d.Findings) == 0 {
		lines = append(lines, line{{plain, "No line of your own was seen to allocate."}})
		return t.print(w, append(lines, tail...))
	}

	table := newTable(d.Findings)
	lines = append(lines, table.heading())
	room := t.Lines - len(lines) - len(tail)
	full := 0
	for i := range d.Findings {
		block := t.finding(&d.Findings[i], table, i+1, s)
		reserve := 0 // for those that follow
		if rest := len(d.Findings) - 1 - i; rest > 0 {
			reserve = min(rest, wantBrief) + 1
		}
		if t.Lines > 0 && i > 0 && len(block)+reserve > room {
			break
		}
		lines = append(lines, block...)
		room -= len(block)
		full++
	}
	if left := d.Findings[full:]; len(left) > 0 {
		briefs := min(len(left), max(room-1, 0))
		lines = append(lines, t.briefs(left[:briefs], table, full+1)...)
		lines = append(lines, t.hidden(left, briefs))
	}
	return t.print(w, append(lines, tail...))
}

// A table is the columns that findings are listed in.
type table struct {
	number int  // width of the first column
	saving bool // there is a column for the share of CPU time
}

func newTable(fs []finding.Finding) table {
	t := table{number: max(2, len(strconv.Itoa(len(fs))))}
	for i := range fs {
		t.saving = t.saving || fs[i].Saving != nil
	}
	return t
}

func (t table) heading() line {
	cpu := ""
	if t.saving {
		cpu = "      cpu"
	}
	return line{{dim, padLeft("#", t.number) + cpu + "    bytes  objects  where"}}
}

// lead returns the figures of the n-th finding: what they are ranked by, which
// is the share of CPU time to be saved where that is known, and the shares of
// bytes and objects.
func (t table) lead(f *finding.Finding, n int) string {
	cpu := ""
	switch {
	case f.Saving != nil:
		cpu = fmt.Sprintf("  %7s", share(f.Saving.CPUShare))
	case t.saving:
		cpu = fmt.Sprintf("  %7s", "?")
	}
	return fmt.Sprintf("%*d%s  %7s  %7s  ", t.number, n, cpu, share(f.Alloc.BytesShare), share(f.Alloc.ObjectsShare))
}

// wantBrief is how many one-line findings are worth more than one more in full.
const wantBrief = 3

// hidden says what the lines left out hold; the first briefs of fs have a line.
func (t Text) hidden(fs []finding.Finding, briefs int) line {
	var bytes float64
	accepted, noted := 0, 0
	for i := range fs {
		if len(fs[i].Warnings) > 0 {
			noted++
		}
		if i < briefs {
			continue
		}
		bytes += fs[i].Alloc.BytesShare
		if best(&fs[i]).Status == finding.Accepted {
			accepted++
		}
	}
	var parts []string
	if briefs > 0 {
		parts = append(parts, plural(briefs, "finding")+" in short")
	}
	if n := len(fs) - briefs; n > 0 {
		what := share(min(bytes, 1)) + " of bytes"
		if accepted > 0 {
			what += fmt.Sprintf(", %d accepted", accepted)
		}
		parts = append(parts, fmt.Sprintf("%d hidden (%s)", n, what))
	}
	if noted > 0 {
		parts = append(parts, fmt.Sprintf("%d with notes", noted))
	}
	const hint = ": --all shows all"
	return line{{caution, fit(strings.Join(parts, ", "), t.width()-len(hint))}, {plain, hint}}
}

func (t Text) width() int {
	if t.Width == 0 {
		return defaultWidth
	}
	return max(t.Width, minWidth)
}

func (t Text) print(w io.Writer, lines []line) error {
	out := bufio.NewWriter(w)
	for _, l := range lines {
		l.writeTo(out, t.width(), t.Colour)
	}
	return out.Flush()
}

// header says what was examined and how far the figures reach.
func (t Text) header(d *finding.Document, s *summary) []line {
	name := Clean(d.Tool.Name + " " + d.Tool.Version)
	where := Clean(fmt.Sprintf("%s  %s/%s", d.Target.GoVersion, d.Target.GOOS, d.Target.GOARCH))
	lines := wrap([]span{{bold, name}, {plain, Clean(d.Target.Module)}, {dim, where}}, t.width(), 3)
	lines = append(lines, wrap([]span{{plain, s.scope()}}, t.width(), 0)...)
	if text := health(d); text != "" {
		lines = append(lines, wrap([]span{{plain, text}}, t.width(), 0)...)
	}
	if text := s.outcome(); text != "" {
		lines = append(lines, wrap([]span{{plain, text}}, t.width(), 0)...)
	}
	return lines
}

// totals shows what all fixes together did to each benchmark, in columns.
func (t Text) totals(s *summary) []line {
	if len(s.totals) == 0 {
		return nil
	}
	rows := s.totals
	if most := 3; t.Lines > 0 && len(rows) > most {
		rows = rows[:most]
	}
	var widths [4]int
	cells := make([][4]string, len(rows))
	for i, r := range rows {
		allocs, bytes := change(r.Outcome.Before, r.Outcome.After)
		cells[i] = [...]string{strings.TrimPrefix(Clean(r.Name), "Benchmark"), allocs, bytes, speed(r.Outcome)}
		for j, c := range cells[i] {
			widths[j] = max(widths[j], columns(c))
		}
	}
	const label, gap = "total  ", "  "
	room := t.width() - len(label) - widths[1] - widths[2] - widths[3] - 3*len(gap) // for the names
	fits := room >= min(widths[0], 10)
	widths[0] = min(widths[0], room)
	var lines []line
	for _, c := range cells {
		values := pad(c[1], widths[1]) + gap + pad(c[2], widths[2]) + gap + c[3]
		if fits {
			lines = append(lines, line{{dim, label}, {bold, pad(fit(c[0], widths[0]), widths[0])}, {good, gap + values}})
			continue
		}
		lines = append(lines, line{{dim, label}, {bold, c[0]}})
		for _, l := range wrap([]span{{good, c[1] + ", " + c[2] + ", " + c[3]}}, t.width()-len(label), 0) {
			lines = append(lines, indent(l, len(label)))
		}
	}
	if n := len(s.totals) - len(rows); n > 0 {
		lines = append(lines, line{{dim, label + plural(n, "more benchmark") + ": --all"}})
	}
	return lines
}

// site renders the columns of the n-th finding, its place and function last.
func (t Text) site(f *finding.Finding, table table, n, room int) line {
	lead := table.lead(f, n)
	name := short(f.Site.Function)
	// The place gives way to the function only where both are long.
	room = max(room-len(lead)-2, 8)
	place := location(f.Site.File, f.Site.Line)
	place = fitTail(place, max(room-columns(name), room*3/5))
	return line{{plain, lead}, {bold, place}, {plain, "  " + fit(name, max(room-columns(place), 0))}}
}

// briefs renders findings in one line each, the first with number n.
func (t Text) briefs(fs []finding.Finding, table table, n int) []line {
	lines := make([]line, len(fs))
	widest, longest := 0, 0
	for i := range fs {
		longest = max(longest, columns(Clean(string(best(&fs[i]).Status))))
	}
	for i := range fs {
		lines[i] = t.site(&fs[i], table, n+i, t.width()-longest-2)
		widest = max(widest, lines[i].columns())
	}
	for i := range fs {
		status := best(&fs[i]).Status
		lines[i] = append(lines[i], span{plain, pad("", widest+2-lines[i].columns())}, span{statusStyle(status), Clean(string(status))})
	}
	return lines
}

// finding renders one finding: a line of columns and labelled lines below it.
func (t Text) finding(f *finding.Finding, table table, n int, s *summary) []line {
	lines := []line{t.site(f, table, n, t.width())}
	ind := table.number + 2
	field := func(label string, most int, spans ...span) {
		lines = append(lines, t.field(ind, label, most, spans...)...)
	}
	if src := Clean(f.Site.Source); src != "" {
		lines = append(lines, line{{dim, pad("", ind) + pad("code", labelWidth)}, {plain, src}})
	}
	field("heap", 2, span{plain, allocation(f.Alloc, s.per(f))})
	if step := deciding(f); step != "" {
		field("why", 2, span{plain, step})
	}
	for _, spans := range fixSpans(f) {
		field("fix", 3, spans...)
	}
	if v := best(f); v.Status != finding.Rejected {
		if text := measured(v); text != "" {
			field("", 0, span{statusStyle(v.Status), text})
		}
		if v.Status == finding.Accepted && !v.Covered {
			field("note", 0, span{caution, "no test runs all of the changed lines"})
		}
	}
	for i := range f.Fixes {
		if spans := rejection(&f.Fixes[i]); spans != nil {
			field("not", 2, spans...)
		}
	}
	return append(lines, t.warnings(f.Warnings, pad("", ind))...)
}

// field renders a label and the text beside it, wrapped to at most most lines.
func (t Text) field(ind int, label string, most int, spans ...span) []line {
	lines := wrap(spans, t.width()-ind-labelWidth, most)
	for i := range lines {
		lines[i] = append(line{{dim, pad("", ind) + pad(label, labelWidth)}}, lines[i]...)
		label = ""
	}
	return lines
}

// warnings are shown whole: they qualify what stands above them.
func (t Text) warnings(ws []string, lead string) []line {
	var lines []line
	for _, w := range ws {
		lines = append(lines, t.field(len(lead), "note", 0, span{caution, Clean(w)})...)
	}
	return lines
}

func indent(l line, n int) line { return append(line{{plain, pad("", n)}}, l...) }
