package gctrace

import (
	"math"
	"strings"
	"time"
)

const (
	maxTracks = 64                   // processes followed at a time; the one longest silent makes room
	maxGap    = 8                    // lost cycles that pass for one process without further evidence
	clockSlop = 3 * time.Millisecond // what rounding can add to a cycle's end or take from the next one's start
)

// A track is the last cycle of one process.
type track struct {
	process int
	pkg     string
	line    int64
	last    Event
	ratio   float64 // goal over the live heap before it, once seen
}

// A splitter gives every cycle its process. The package comment states its rules.
type splitter struct {
	tracks []track
	count  int    // processes seen
	pkg    string // the header in force
}

// header begins the output of another compiler.
func (s *splitter) header(pkg []byte) {
	s.pkg = strings.ToValidUTF8(string(pkg), "\uFFFD")
	kept := s.tracks[:0]
	for i := range s.tracks {
		if s.tracks[i].pkg == "" {
			kept = append(kept, s.tracks[i])
		}
	}
	s.tracks = kept
}

// assign sets the event's Process and Package.
func (s *splitter) assign(e *Event) {
	best, bestMisfit := -1, math.Inf(1)
	for i := range s.tracks {
		t := &s.tracks[i]
		misfit, ok := t.misfit(e)
		if ok && (misfit < bestMisfit || misfit == bestMisfit && t.line > s.tracks[best].line) {
			best, bestMisfit = i, misfit
		}
	}
	if best < 0 {
		best = s.start()
	}
	t := &s.tracks[best]
	if live := t.last.Heap.Live; live > 0 && e.Heap.Goal > 0 && e.Seq == t.last.Seq+1 {
		t.ratio = float64(e.Heap.Goal) / float64(live)
	}
	e.Process, e.Package = t.process, t.pkg
	t.line, t.last = e.Line, *e
}

// start returns the place of a new track.
func (s *splitter) start() int {
	i := len(s.tracks)
	if i < maxTracks {
		s.tracks = append(s.tracks, track{})
	} else {
		i = 0
		for j := range s.tracks {
			if s.tracks[j].line < s.tracks[i].line {
				i = j
			}
		}
	}
	s.tracks[i] = track{process: s.count, pkg: s.pkg}
	s.count++
	return i
}

// misfit says whether e can be the next cycle of the process, and how badly it fits: 0 is perfect.
func (t *track) misfit(e *Event) (float64, bool) {
	last := &t.last
	if e.Format != last.Format || e.Seq <= last.Seq {
		return 0, false
	}
	if e.Format.Clocked() {
		if e.At+clockSlop < last.At+last.Wall() {
			return 0, false
		}
	} else if e.Objects.Mallocs < last.Objects.Mallocs {
		return 0, false
	}
	misfit := 0.0
	// Before 1.5 the figure is the threads that took part, which varies.
	sameProcs := e.Procs == last.Procs || !e.Format.Clocked()
	if !sameProcs {
		misfit += 3
	}
	if gap := e.Seq - last.Seq - 1; gap > 0 {
		misfit += 2 + math.Log(float64(gap))
		if gap > maxGap && !(sameProcs && within(e.Heap.Goal, last.Heap.Goal, 2)) {
			return 0, false
		}
	}
	return misfit + t.surprise(e), true
}

// surprise measures how far the event's goal is from the one that the last live heap leads to (up to 4).
func (t *track) surprise(e *Event) float64 {
	live, goal := t.last.Heap.Live, e.Heap.Goal
	if live == 0 || goal == 0 {
		return 0
	}
	ratio := t.ratio
	if ratio == 0 {
		ratio = 2 // GOGC=100
	}
	// 4 MiB is the least goal at GOGC=100.
	expected := max(ratio*float64(live), 4<<mebi)
	return min(4, 4*math.Abs(math.Log(float64(goal)/expected)))
}

func within(a, b int64, factor int64) bool { return a/factor <= b && b/factor <= a }
