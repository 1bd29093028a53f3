package gctrace

import (
	"io"
	"time"
)

// MaxProcesses is the most processes that a [Report] describes one by one.
const MaxProcesses = 64

// A Report is all that a stream tells.
type Report struct {
	Counts    Counts    `json:"counts"`
	Processes []Process `json:"processes"` // in the order of their first line
	Others    Others    `json:"others,omitzero"`
}

// A Process is one process of the stream.
type Process struct {
	Process  int      `json:"process"`           // see [Event]
	Package  string   `json:"package,omitempty"` // see [Event]
	Summary  Summary  `json:"summary"`
	Timeline Timeline `json:"timeline"`
}

// Others sums up the processes beyond MaxProcesses: those with the fewest cycles.
type Others struct {
	Processes int           `json:"processes"`
	Cycles    int64         `json:"cycles"`
	GCCPU     time.Duration `json:"gc_cpu_ns"`
}

// Busiest returns the process with the most wall time in collections, nil when there is none. In the log
// of a build or a test that is the program of interest more often than not.
func (r *Report) Busiest() *Process {
	var busiest *Process
	for i := range r.Processes {
		if p := &r.Processes[i]; busiest == nil || p.Summary.Wall > busiest.Summary.Wall {
			busiest = p
		}
	}
	return busiest
}

// Read reads a stream to its end. The error is the reader's; the report then holds what came before it.
func Read(r io.Reader) (Report, error) {
	var c collector
	s := NewScanner(r)
	for s.Scan() {
		c.add(s.Event())
	}
	return c.report(s.Counts()), s.Err()
}

// A collector holds the processes of a report in the making.
type collector struct {
	live   []*process
	others Others
	seen   int
}

type process struct {
	id       int
	pkg      string
	summary  Summarizer
	timeline Timeline
}

func (c *collector) add(e Event) {
	if e.Kind != Cycle {
		return
	}
	c.seen = max(c.seen, e.Process+1)
	p := c.find(&e)
	p.summary.Add(e)
	p.timeline.Add(e)
}

// find returns the event's process. A new one takes the place of the one with the fewest cycles when there are too many.
func (c *collector) find(e *Event) *process {
	for _, p := range c.live {
		if p.id == e.Process {
			return p
		}
	}
	if len(c.live) == MaxProcesses {
		least := 0
		for i, p := range c.live {
			if p.summary.s.Cycles < c.live[least].summary.s.Cycles {
				least = i
			}
		}
		gone := &c.live[least].summary.s
		c.others.Cycles += gone.Cycles
		c.others.GCCPU += gone.GCCPU
		c.live = append(c.live[:least], c.live[least+1:]...)
	}
	p := &process{id: e.Process, pkg: e.Package}
	c.live = append(c.live, p)
	return p
}

func (c *collector) report(counts Counts) Report {
	r := Report{Counts: counts, Processes: make([]Process, 0, len(c.live)), Others: c.others}
	for _, p := range c.live {
		r.Processes = append(r.Processes, Process{Process: p.id, Package: p.pkg, Summary: p.summary.Summary(), Timeline: p.timeline})
	}
	r.Others.Processes = c.seen - len(c.live)
	return r
}
