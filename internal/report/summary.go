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
	totals []total                // in the order of the findings
}

// A total is what the accepted fixes together did to one benchmark.
type total struct {
	benchmark     string
	before, after finding.Measure
}

// newSummary reads the totals off the accepted fixes. Each is built on top of
// those before it, so of one benchmark's verdicts the costliest "before" is
// the start and the cheapest "after" the end.
func newSummary(d *finding.Document) *summary {
	s := &summary{d: d, tried: make(map[finding.Status]int)}
	packages := make(map[string]int) // that have a benchmark of this name
	for _, b := range d.Target.Benchmarks {
		packages[b.Name]++
	}
	index := make(map[[2]string]int)
	counted := make(map[string]bool) // a fix may serve several findings
	for i := range d.Findings {
		f := &d.Findings[i]
		for j := range f.Fixes {
			x := &f.Fixes[j]
			v := verdictOf(x)
			if x.Class == finding.None || x.Diff != "" && counted[x.Diff] {
				continue
			}
			counted[x.Diff] = true
			s.tried[v.Status]++
			if v.Status != finding.Accepted || v.Before == nil || v.After == nil {
				continue
			}
			key := [2]string{"", v.Benchmark}
			if packages[v.Benchmark] > 1 {
				key[0] = f.Site.Package
			}
			at, seen := index[key]
			if !seen {
				index[key] = len(s.totals)
				s.totals = append(s.totals, total{v.Benchmark, *v.Before, *v.After})
				continue
			}
			t := &s.totals[at]
			if costs(t.before, *v.Before) < 0 {
				t.before = *v.Before
			}
			if costs(*v.After, t.after) < 0 {
				t.after = *v.After
			}
		}
		if x := chosen(f); x != nil && x.Class != finding.None && verdictOf(x).Status == finding.Unverified {
			s.open++
		}
	}
	return s
}

// costs compares two measures of one benchmark: by objects, then by bytes.
func costs(a, b finding.Measure) float64 {
	if d := a.AllocsPerOp - b.AllocsPerOp; d != 0 {
		return d
	}
	return a.BytesPerOp - b.BytesPerOp
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
