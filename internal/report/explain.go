package report

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/unheap/unheap/finding"
)

// Explain is the [Handler] that shows each finding in full: every allocation
// below the line with its call chain and its whole reason, every fix with its
// patch. t.Lines does not bound it.
func (t Text) Explain(w io.Writer, d *finding.Document) error {
	s := newSummary(d)
	var lines []line
	if len(d.Findings) == 0 {
		lines = append(lines, line{{plain, "That line was not seen to allocate."}})
	}
	for i := range d.Findings {
		if i > 0 {
			lines = append(lines, line{})
		}
		lines = append(lines, t.explain(&d.Findings[i], s)...)
	}
	return t.print(w, append(lines, t.warnings(d.Warnings, "")...))
}

func (t Text) explain(f *finding.Finding, s *summary) []line {
	place := location(f.Site.File, f.Site.Line)
	lines := wrap([]span{{bold, place}, {plain, Clean(f.Site.Function)}, {dim, Clean(f.Site.Package)}}, t.width(), 0)
	field := func(label, text string) {
		lines = append(lines, t.field(2, label, 0, span{plain, text})...)
	}
	field("code", Clean(f.Site.Source))
	field("heap", fmt.Sprintf("%s of bytes, %s of objects; %s%s", share(f.Alloc.BytesShare), share(f.Alloc.ObjectsShare),
		allocation(f.Alloc, s.per(f)), in(f.Benchmark)))
	if f.Saving != nil {
		field("cpu", saving(f.Saving))
	}
	if len(f.Site.Inline) > 0 {
		lines = append(lines, t.frames("inlined into", f.Site.Inline)...)
	}
	parts := f.Parts
	if len(parts) == 0 {
		parts = []finding.Part{{Leaf: f.Leaf, Alloc: f.Alloc, Reason: f.Reason, ReasonSource: f.ReasonSource}}
	}
	for i := range parts {
		lines = append(lines, line{})
		lines = append(lines, t.part(&parts[i], i+1, len(parts), s.per(f))...)
	}
	for _, spans := range fixSpans(f) {
		lines = append(lines, line{})
		lines = append(lines, t.field(0, "fix", 0, spans...)...)
	}
	if x := chosen(f); x != nil {
		if text := measured(verdictOf(x)); text != "" {
			lines = append(lines, t.field(0, "", 0, span{plain, text + in(verdictOf(x).Benchmark)})...)
		}
		lines = append(lines, t.diff(x.Diff)...)
	}
	for i := range f.Fixes {
		if spans := rejection(&f.Fixes[i]); spans != nil {
			lines = append(lines, t.field(0, "not", 0, spans...)...)
		}
	}
	return append(lines, t.warnings(f.Warnings, "")...)
}

func in(benchmark string) string {
	if benchmark = Clean(benchmark); benchmark == "" {
		return ""
	}
	return " in " + benchmark
}

// part renders one allocation below the line.
func (t Text) part(p *finding.Part, n, of int, per string) []line {
	title := "allocation"
	if of > 1 {
		title = fmt.Sprintf("allocation %d of %d", n, of)
	}
	lines := wrap([]span{{bold, title + ":"}, {plain, allocation(p.Alloc, per)}}, t.width(), 0)
	if len(p.Leaf) > 0 {
		chain := make([]finding.Frame, len(p.Leaf))
		for i, fr := range p.Leaf {
			chain[len(chain)-1-i] = fr
		}
		lines = append(lines, t.frames("calls", chain)...)
	}
	if len(p.Reason) == 0 {
		return append(lines, line{{plain, "  why: not known"}})
	}
	lines = append(lines, line{{dim, "  why, by " + reasonFrom(p.ReasonSource)}})
	width := 0
	places := make([]string, len(p.Reason))
	for i, step := range p.Reason {
		places[i] = stepPlace(step)
		width = min(max(width, columns(places[i])), t.width()/3)
	}
	for i, step := range p.Reason {
		lead := "    " + pad(fitTail(places[i], width), width) + "  "
		for _, l := range wrap([]span{{plain, Clean(step.Text)}}, t.width()-columns(lead), 0) {
			lines = append(lines, append(line{{dim, lead}}, l...))
			lead = pad("", columns(lead))
		}
	}
	return lines
}

// frames lists calls in columns, below a heading.
func (t Text) frames(heading string, frames []finding.Frame) []line {
	lines := []line{{{dim, "  " + heading}}}
	width := 0
	for _, fr := range frames {
		width = min(max(width, columns(Clean(fr.Function))), t.width()/2)
	}
	for _, fr := range frames {
		name := pad(fitTail(Clean(fr.Function), width), width)
		place := fitTail(location(path.Base(fr.File), fr.Line), t.width()-width-6)
		lines = append(lines, line{{plain, "    " + name}, {dim, "  " + place}})
	}
	return lines
}

// diff renders a unified patch.
func (t Text) diff(patch string) []line {
	if patch == "" {
		return nil
	}
	var lines []line
	for text := range strings.Lines(cleanBlock(patch)) {
		text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\t", "    ")
		st := plain
		switch {
		case strings.HasPrefix(text, "+"):
			st = good
		case strings.HasPrefix(text, "-"):
			st = bad
		case strings.HasPrefix(text, "@"):
			st = dim
		}
		lines = append(lines, line{{st, "  " + text}})
	}
	return lines
}
