package report

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/unheap/unheap/finding"
)

// This file puts parts of a finding into words; every text it returns is clean.

// plural returns "1 thing" or "2 things".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(strconv.Itoa(n)) + " " + thing + "s"
}

// location returns file:line, or the file alone where the line is not known.
func location(file string, n int) string {
	if n > 0 {
		return Clean(file) + ":" + strconv.Itoa(n)
	}
	return Clean(file)
}

// function returns a function's name as code writes it: with the package's
// last element in place of its import path.
func function(name string) string {
	head, args := cutArgs(Clean(name))
	return path.Base(head) + args
}

// short is function without type arguments, which the linker writes as shapes.
func short(name string) string {
	head, args := cutArgs(Clean(name))
	if args != "" {
		_, method, _ := strings.Cut(args, "]")
		args = "[…]" + method[strings.LastIndexByte(method, ']')+1:]
	}
	return path.Base(head) + args
}

// cutArgs splits a name before its first type arguments, which may hold
// import paths of their own.
func cutArgs(name string) (head, args string) {
	if i := strings.IndexByte(name, '['); i >= 0 {
		return name[:i], name[i:]
	}
	return name, ""
}

// kind says what is allocated: the kind and, where it adds something, the type.
func kind(a finding.Alloc) string {
	k, typ := Clean(a.Kind), Clean(a.Type)
	switch {
	case k == "" && typ == "":
		return "unknown kind"
	case k == finding.KindGo:
		return "goroutine"
	case k == typ || typ == "":
		return k
	case k == "":
		return typ
	}
	return k + " " + typ
}

// allocation says what is allocated and how much of it; per is "op" or "second".
func allocation(a finding.Alloc, per string) string {
	about, objects, article := "", "objects", "an"
	if a.Estimated {
		about = "about "
	}
	if count(a.ObjectsPerOp) == "1" {
		objects = "object"
	}
	if per != "op" {
		article = "a"
	}
	return fmt.Sprintf("%s, %s%s %s and %s %s %s", kind(a), about, count(a.ObjectsPerOp), objects, size(a.BytesPerOp), article, per)
}

// saving says what there is to gain, with its error bar.
func saving(s *finding.Saving) string {
	return fmt.Sprintf("%s of CPU time is there to gain at most (%s to %s)", share(s.CPUShare), share(s.Low), share(s.High))
}

// deciding returns a reason in one line: its first step, which says what the
// value is, and its last, which hands it to the heap. A first step without a
// place says in words what those below it show, and serves alone.
func deciding(f *finding.Finding) string {
	if len(f.Reason) == 0 {
		return ""
	}
	first, last := f.Reason[0], f.Reason[len(f.Reason)-1]
	text := Clean(first.Text)
	if stepPlace(first) == "" {
		return text
	}
	if len(f.Reason) > 1 {
		text += "; " + Clean(last.Text)
	}
	if last.File == f.Site.File && last.Line == f.Site.Line {
		return text
	}
	return text + " (" + stepPlace(last) + ")"
}

// stepPlace returns where a step happens, without directories; empty: not known.
func stepPlace(s finding.Step) string {
	if Clean(s.File) == "" {
		return ""
	}
	return location(path.Base(s.File), s.Line)
}

// reasonFrom says who gave a reason.
func reasonFrom(s finding.ReasonSource) string {
	switch s {
	case finding.FromFlow:
		return "the compiler's escape analysis"
	case finding.FromLibrary:
		return "what the library call does"
	case finding.FromKind:
		return "the kind of allocation"
	}
	return Clean(string(s))
}

// verdictOf returns what became of a fix; one that was not tried is unverified.
func verdictOf(x *finding.Fix) *finding.Verdict {
	if x.Verdict == nil {
		return &finding.Verdict{Status: finding.Unverified}
	}
	return x.Verdict
}

// chosen returns the fix that a finding recommends, nil if there is none: the
// accepted one, else one that is still open, a rewrite before mere advice.
func chosen(f *finding.Finding) *finding.Fix {
	var found *finding.Fix
	rank := 0
	for i := range f.Fixes {
		x := &f.Fixes[i]
		r := 0
		switch verdictOf(x).Status {
		case finding.Accepted:
			r = 6
		case finding.Inconclusive:
			r = 4
		case finding.Unverified:
			r = 2
		default:
			continue
		}
		if x.Class != finding.None {
			r++
		}
		if r > rank {
			found, rank = x, r
		}
	}
	return found
}

// best returns the verdict on the recommended fix, or on the finding.
func best(f *finding.Finding) *finding.Verdict {
	if x := chosen(f); x != nil {
		return verdictOf(x)
	}
	return &f.Verdict
}

func statusStyle(s finding.Status) style {
	switch s {
	case finding.Accepted:
		return good
	case finding.Rejected:
		return bad
	case finding.Inconclusive:
		return caution
	}
	return dim
}

// fixSpans says what to do about a finding, one element a fix or advice. Advice
// stands in for a rewrite: where one was tried, its verdict says more. It is
// empty where every rewrite was rejected.
func fixSpans(f *finding.Finding) [][]span {
	var all [][]span
	if x := chosen(f); x != nil {
		v := verdictOf(x)
		text := fmt.Sprintf("(%s): %s", qualities(x), Clean(x.Title))
		if why := Clean(v.Why); why != "" && v.Status != finding.Accepted {
			text += "; " + why
		}
		all = append(all, []span{{statusStyle(v.Status), Clean(string(v.Status))}, {plain, text}})
	}
	advice, rule := Clean(f.Advice), Clean(f.Rule)
	if advice != "" && !slices.ContainsFunc(f.Fixes, func(x finding.Fix) bool { return x.Class != finding.None || x.Title == f.Advice }) {
		what := "(advice)"
		if rule != "" {
			what = "(advice, " + rule + ")"
		}
		all = append(all, []span{{dim, "unverified"}, {plain, what + ": " + advice}})
	}
	if len(f.Fixes) == 0 && advice == "" {
		text := "no rule knows this idiom"
		if rule != "" {
			text = "rule " + rule + " has no rewrite for this line"
		}
		all = append(all, []span{{dim, "unverified"}, {plain, "(" + text + ")"}})
	}
	return all
}

// qualities returns a fix's class and rule.
func qualities(x *finding.Fix) string {
	class := Clean(string(x.Class))
	if x.Class == finding.None {
		class = "advice"
	}
	return class + ", " + Clean(x.Rule)
}

// rejection says which test turned a fix down and why; nil for other fixes.
func rejection(x *finding.Fix) []span {
	v := verdictOf(x)
	if v.Status != finding.Rejected {
		return nil
	}
	text := "(" + qualities(x) + ")"
	if why := Clean(v.Why); why != "" {
		text += ": " + why
	}
	by := "rejected"
	if oracle := Clean(v.Oracle); oracle != "" {
		by += " by " + oracle
	}
	return []span{{bad, by}, {plain, text}}
}

// change returns what became of a benchmark's allocations.
func change(before, after *finding.Measure) (allocs, bytes string) {
	allocs = count(before.AllocsPerOp) + " -> " + count(after.AllocsPerOp) + " allocs/op"
	bytes = arrow(size(before.BytesPerOp), size(after.BytesPerOp)) + "/op"
	return allocs, bytes
}

// arrow joins two quantities and writes their unit once where it is the same.
// Nothing is nothing in any unit.
func arrow(before, after string) string {
	n, unit, _ := strings.Cut(before, " ")
	m, other, _ := strings.Cut(after, " ")
	switch {
	case unit == other, m == "0":
		return n + " -> " + m + " " + unit
	case n == "0":
		return n + " -> " + after
	}
	return before + " -> " + after
}

// measured returns before, after and ratio of a verdict, empty where nothing
// was measured.
func measured(v *finding.Verdict) string {
	if v.Before == nil || v.After == nil {
		return ""
	}
	allocs, bytes := change(v.Before, v.After)
	return allocs + ", " + bytes + ", " + speed(v)
}

// speed returns the ratio of times with its interval; one that the interval
// does not tell from 1 is called unchanged.
func speed(v *finding.Verdict) string {
	if v.Ratio <= 0 || unknown(v.Ratio) {
		return "time not compared"
	}
	if v.RatioLow <= 0 || v.RatioHigh <= 0 {
		return faster(v.Ratio) + " (no interval: too few samples)"
	}
	low, high := v.RatioLow, v.RatioHigh
	if low <= 1 && high >= 1 {
		return fmt.Sprintf("time unchanged (%s-%s, %s)", factor(low), factor(high), probability(v.P))
	}
	if v.Ratio < 1 {
		low, high = 1/high, 1/low
	}
	return fmt.Sprintf("%s (%s-%s, %s)", faster(v.Ratio), factor(low), factor(high), probability(v.P))
}

// faster returns before/after of a time in words.
func faster(ratio float64) string {
	if ratio < 1 {
		return factor(1/ratio) + "x slower"
	}
	return factor(ratio) + "x faster"
}

// health returns the collector's part in a running program in one line. A
// verdict that is a warning too is left to the warnings.
func health(d *finding.Document) string {
	h := d.Health
	if h == nil {
		return ""
	}
	var parts []string
	if h.GCCPUShare > 0 {
		parts = append(parts, share(h.GCCPUShare)+" of CPU in GC")
	}
	if h.AllocBytesPerS > 0 {
		parts = append(parts, size(h.AllocBytesPerS)+"/s allocated")
	}
	if h.CyclesPerS > 0 {
		parts = append(parts, count(h.CyclesPerS)+" cycles/s")
	}
	if h.LiveBytes > 0 {
		parts = append(parts, size(h.LiveBytes)+" live")
	}
	if verdict := Clean(h.Verdict); verdict != "" && !slices.Contains(d.Warnings, h.Verdict) {
		parts = append(parts, verdict)
	}
	return strings.Join(parts, ", ")
}
