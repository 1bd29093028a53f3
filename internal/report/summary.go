package report

import (
	"fmt"
	"strings"

	"github.com/unheap/unheap/finding"
)

// A summary is what a document says as a whole.
type summary struct {
	d      *finding.Document
	tried  map[finding.Status]int // rewrites by outcome
	open   int                    // findings with a rewrite that nobody tried
	totals []*finding.Benchmark   // those with an outcome
}

// newSummary counts the outcomes and finds the benchmarks on which the fixes
// were measured together.
func newSummary(d *finding.Document) *summary {
	s := &summary{d: d, tried: make(map[finding.Status]int)}
	for i := range d.Target.Benchmarks {
		b := &d.Target.Benchmarks[i]
		if v := b.Outcome; v != nil && v.Before != nil && v.After != nil {
			s.totals = append(s.totals, b)
		}
	}
	counted := make(map[string]bool) // a fix may serve several findings
	for i := range d.Findings {
		f := &d.Findings[i]
		for j := range f.Fixes {
			x := &f.Fixes[j]
			if x.Class == finding.None || x.Diff != "" && counted[x.Diff] {
				continue
			}
			counted[x.Diff] = true
			s.tried[verdictOf(x).Status]++
		}
		if x := chosen(f); x != nil && x.Class != finding.None && verdictOf(x).Status == finding.Unverified {
			s.open++
		}
	}
	return s
}

// scope says how much was run and how much of it the findings explain.
func (s *summary) scope() string {
	t := s.d.Target
	text := plural(len(t.Packages), "package") + ", " + plural(len(t.Benchmarks), "benchmark")
	if len(t.Benchmarks) == 0 {
		return text
	}
	var own, test, n float64
	for _, b := range t.Benchmarks {
		if b.Measure.BytesPerOp > 0 {
			own += b.AttributedBytes
			test += b.TestBytes
			n++
		}
	}
	if n == 0 {
		return text + ": nothing is allocated"
	}
	return fmt.Sprintf("%s: %s of bytes from your lines, %s from tests", text, share(own/n), share(test/n))
}

// outcome says what became of the fixes.
func (s *summary) outcome() string {
	var parts []string
	for _, status := range []finding.Status{finding.Accepted, finding.Rejected, finding.Inconclusive} {
		if n := s.tried[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) > 0 {
		if n := s.tried[finding.Unverified]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d unverified", n))
		}
		return "fixes: " + strings.Join(parts, ", ")
	}
	if s.open > 0 {
		return plural(s.open, "finding") + " with a fix, unverified: unheap fix measures each"
	}
	return ""
}

// per returns the unit of time of a finding's figures.
func (s *summary) per(f *finding.Finding) string {
	if len(s.d.Target.Benchmarks) == 0 {
		return "second"
	}
	return "op"
}
