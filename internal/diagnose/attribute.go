package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/binary"
	"github.com/unheap/unheap/internal/profile"
	"github.com/unheap/unheap/internal/source"
)

// counts are objects and bytes of one operation.
type counts struct{ objects, bytes float64 }

func (c *counts) add(d counts) { c.objects += d.objects; c.bytes += d.bytes }

// A part is one distinct allocation below a line: one call chain and kind.
type part struct {
	leaf  []finding.Frame
	chain []source.Pos // of the allocating machine-code function, outermost first
	alloc binary.Alloc
	// calls are the addresses of the calls that allocate: several where one
	// line makes several values of one type.
	calls []uint64
	// own is set when the allocation lies in the site's line itself.
	own       bool
	estimated bool
	cost      []counts // by benchmark
	reason    []finding.Step
	from      finding.ReasonSource
	column    int
}

// A line is one of the user's lines with all that is allocated below it.
type line struct {
	pos    source.Pos
	fn     string
	inline []finding.Frame
	parts  []*part
	byKey  map[string]*part
}

// cost returns the line's sum in benchmark b.
func (l *line) cost(b int) counts {
	var c counts
	for _, p := range l.parts {
		c.add(p.cost[b])
	}
	return c
}

// A ledger holds, for the benchmarks that were run, who allocates what.
type ledger struct {
	tree  *source.Tree
	runs  []*benchRun
	lines []*line
	at    map[lineKey]*line
	// Beside the lines: what test code allocates itself, and what has no
	// frame of the user's at all, by the outermost function of its stack.
	test       []counts  // by benchmark
	testHidden []float64 // tiny objects that its profile hides, see hidden
	unowned    []map[string]counts
}

type lineKey struct {
	pos source.Pos
	fn  string
}

func newLedger(tree *source.Tree, runs []*benchRun) *ledger {
	l := &ledger{tree: tree, runs: runs, at: make(map[lineKey]*line),
		test: make([]counts, len(runs)), testHidden: make([]float64, len(runs)), unowned: make([]map[string]counts, len(runs))}
	for i := range runs {
		l.unowned[i] = make(map[string]counts)
	}
	return l
}

// attribute posts the samples of all runs.
func attribute(tree *source.Tree, runs []*benchRun) *ledger {
	l := newLedger(tree, runs)
	for b, run := range runs {
		for i := range run.samples {
			l.post(b, &run.samples[i], run.allocs[i])
		}
		l.shareTiny(b)
	}
	l.sortParts()
	return l
}

// post enters one sample of benchmark b: on the innermost line of the user's
// own code, or beside the lines.
func (l *ledger) post(b int, s *profile.Sample, alloc binary.Alloc) {
	c := counts{s.Values[0], s.Values[1]}
	own := s.Own(l.tree.Owns)
	switch {
	case own < 0:
		root := s.Stack[len(s.Stack)-1].Func
		sum := l.unowned[b][root]
		sum.add(c)
		l.unowned[b][root] = sum
		return
	case s.Stack[own].Pos.IsTest():
		l.test[b].add(c)
		l.testHidden[b] += hidden(alloc, c)
		return
	}
	frame := s.Stack[own]
	key := lineKey{frame.Pos.AtLine(), frame.Func}
	ln := l.at[key]
	if ln == nil {
		ln = &line{pos: key.pos, fn: frame.Func, byKey: make(map[string]*part)}
		for i := own + 1; i < s.Physical; i++ {
			ln.inline = append(ln.inline, l.frame(s.Stack[i]))
		}
		l.at[key] = ln
		l.lines = append(l.lines, ln)
	}
	chain := s.Chain()
	var k strings.Builder
	for _, f := range s.Stack[:own] {
		fmt.Fprintf(&k, "%s:%d;", f.Func, f.Pos.Line)
	}
	// Where the line was inlined matters to the compiler: each copy of it has
	// records of its own.
	for _, pos := range chain {
		fmt.Fprintf(&k, "%s|", pos)
	}
	k.WriteString(alloc.Kind + "/" + alloc.Type)
	p := ln.byKey[k.String()]
	if p == nil {
		p = &part{chain: chain, alloc: alloc, own: own == 0, cost: make([]counts, len(l.runs))}
		for _, f := range s.Stack[:own] {
			p.leaf = append(p.leaf, l.frame(f))
		}
		ln.byKey[k.String()] = p
		ln.parts = append(ln.parts, p)
	}
	p.cost[b].add(c)
	if !slices.Contains(p.calls, s.Address) {
		p.calls = append(p.calls, s.Address)
	}
}

func (l *ledger) frame(f profile.Frame) finding.Frame {
	return finding.Frame{Function: f.Func, File: l.tree.Rel(f.Pos), Line: f.Pos.Line}
}

// tinyBlock is the size in bytes of the blocks from which the runtime serves
// objects without pointers that are smaller than it: runtime/malloc.go.
const tinyBlock = 16

// hidden returns how many tiny objects of the kind that alloc describes are not
// in the heap profile for the c that are, on average: a tiny object is recorded
// only when it opens a new block, so a site's blocks are in proportion to the
// bytes it asks for. Where the size is not known, as of a short string, half a
// block is assumed.
func hidden(alloc binary.Alloc, c counts) float64 {
	if c.objects <= 0 || alloc.PtrBytes > 0 {
		return 0
	}
	size := 0.0
	switch alloc.Kind {
	case finding.KindBox, finding.KindNew:
		size = float64(alloc.ElemSize)
	case finding.KindString, finding.KindBytes, finding.KindSlice, finding.KindAppend:
		size = tinyBlock / 2
	}
	if size <= 0 || size >= tinyBlock || c.bytes/c.objects > tinyBlock+0.5 {
		return 0
	}
	return c.objects * (tinyBlock/size - 1)
}

// shareTiny corrects the object counts of tiny allocations in benchmark b.
// What the program's own counter has beyond the profile is known exactly; it is
// shared out in proportion to what each site is expected to hide, and the parts
// are marked as estimated.
func (l *ledger) shareTiny(b int) {
	seen, raw := l.test[b].objects, l.testHidden[b]
	for _, c := range l.unowned[b] {
		seen += c.objects
	}
	var parts []*part
	for _, ln := range l.lines {
		for _, p := range ln.parts {
			seen += p.cost[b].objects
			if h := hidden(p.alloc, p.cost[b]); h > 0 {
				parts = append(parts, p)
				raw += h
			}
		}
	}
	total := l.runs[b].Measure.AllocsPerOp
	missing := total - seen
	// Less than a thousandth is rounding, not tiny objects.
	if len(parts) == 0 || missing < total/1000 {
		return
	}
	for _, p := range parts {
		p.cost[b].objects += missing * hidden(p.alloc, p.cost[b]) / raw
		p.estimated = true
	}
}

// shares returns a cost's mean share of objects and bytes over the benchmarks
// that allocate, each weighing the same, and the benchmark in which its share
// of bytes is largest.
func (l *ledger) shares(cost func(b int) counts) (share counts, top int) {
	best, n := -1.0, 0
	for b, run := range l.runs {
		total := run.Measure
		if total.AllocsPerOp <= 0 || total.BytesPerOp <= 0 {
			continue
		}
		n++
		c := cost(b)
		s := counts{c.objects / total.AllocsPerOp, c.bytes / total.BytesPerOp}
		share.add(s)
		if s.bytes > best {
			best, top = s.bytes, b
		}
	}
	if n > 0 {
		share.objects /= float64(n)
		share.bytes /= float64(n)
	}
	return share, top
}

// sortParts puts each line's costliest parts first.
func (l *ledger) sortParts() {
	for _, ln := range l.lines {
		weight := make(map[*part]float64, len(ln.parts))
		for _, p := range ln.parts {
			s, _ := l.shares(func(b int) counts { return p.cost[b] })
			weight[p] = s.objects + s.bytes
		}
		slices.SortStableFunc(ln.parts, func(p, q *part) int { return cmp.Compare(weight[q], weight[p]) })
	}
}
