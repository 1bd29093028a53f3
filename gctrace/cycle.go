package gctrace

import (
	"bytes"
	"time"
)

const mebi = 20 // log2 of a MiB

var gcMark = []byte("gc")

// parseCycle looks for a cycle anywhere in the line.
func parseCycle(line []byte, e *Event) outcome {
	result := noMatch
	for from := 0; ; {
		i := bytes.Index(line[from:], gcMark)
		if i < 0 || from+i+2 == len(line) {
			return result
		}
		from += i + 2
		c := cursor{line: line, pos: from}
		var got outcome
		switch d := line[from]; {
		case d == ' ':
			got = parseClocked(&c, e)
		case d-'0' <= 9:
			got = parseStopped(&c, e)
		}
		if got == matched {
			return matched
		}
		// A later attempt may be the real line behind a broken one.
		result = max(result, got)
	}
}

// parseClocked reads the lines of Go 1.5 and later, from behind "gc".
func parseClocked(c *cursor, e *Event) outcome {
	*e = Event{Kind: Cycle}
	c.want(" ")
	beta := c.skip("#")
	e.Seq = c.int()
	if c.want(" @"); c.bad {
		return noMatch // text that mentions gc
	}
	e.At = c.duration(time.Second)
	c.want("s ")
	e.Percent = c.small()
	c.want("%")
	e.Leaks = c.skip(" (checking for goroutine leaks)")
	c.want(": ")

	var clock [5]time.Duration
	phases := 0
	for {
		clock[phases] = c.duration(time.Millisecond)
		if phases++; phases == len(clock) || !c.skip("+") {
			break
		}
	}
	c.want(" ms clock, ")
	switch {
	case c.bad:
		return c.outcome()
	case phases == 3:
		e.Format = Go16
		e.Clock = Clock{SweepTerm: clock[0], Mark: clock[1], MarkTerm: clock[2]}
	case phases == 5:
		e.Format = Go15
		e.Clock = Clock{SweepTerm: clock[0], Scan: clock[1], InstallBarrier: clock[2], Mark: clock[3], MarkTerm: clock[4]}
	default:
		return corrupt
	}

	e.CPU.SweepTerm = c.duration(time.Millisecond)
	c.want("+")
	if phases == 5 {
		e.CPU.Scan = c.duration(time.Millisecond)
		c.want("+")
		e.CPU.InstallBarrier = c.duration(time.Millisecond)
		c.want("+")
	}
	e.CPU.Assist = c.duration(time.Millisecond)
	c.want("/")
	e.CPU.Background = c.duration(time.Millisecond)
	c.want("/")
	e.CPU.Idle = c.duration(time.Millisecond)
	c.want("+")
	e.CPU.MarkTerm = c.duration(time.Millisecond)
	c.want(" ms cpu, ")

	e.Heap.Start = c.size(mebi)
	c.want("->")
	e.Heap.End = c.size(mebi)
	c.want("->")
	e.Heap.Live = c.size(mebi)
	c.want(" MB, ")
	n := c.int()
	if c.skip(" MB goal, ") {
		if n > limit>>mebi {
			return corrupt
		}
		e.Heap.Goal = n << mebi
		n = c.int()
	}
	if c.skip(" MB stacks, ") {
		if n > limit>>mebi {
			return corrupt
		}
		e.Format = Go118
		e.Heap.Stacks = n << mebi
		e.Heap.Globals = c.size(mebi)
		c.want(" MB globals, ")
		n = c.int()
	}
	c.want(" P")
	if n > 1<<20 {
		return corrupt
	}
	e.Procs = int(n)
	e.Forced = c.forced()
	if beta {
		e.Format = Go15Beta
	}
	return c.outcome()
}

// parseStopped reads the lines of Go 1.0 to 1.4, from behind "gc".
func parseStopped(c *cursor, e *Event) outcome {
	*e = Event{Kind: Cycle, Procs: 1}
	e.Seq = c.int()
	if c.skip("(") { // gccgo's first collector had one thread and did not say so
		e.Procs = c.small()
		c.want(")")
	}
	if c.want(": "); c.bad || c.peek()-'0' > 9 {
		return noMatch
	}
	var clock [4]int64
	phases := 0
	for {
		clock[phases] = c.int()
		if phases++; phases == len(clock) || !c.skip("+") {
			break
		}
	}
	c.want(" ")
	switch {
	case c.bad:
		return c.outcome()
	case phases == 3:
		return parseSwept(c, e, clock)
	case phases == 4:
		return parseLazy(c, e, clock)
	}
	return corrupt
}

// parseSwept reads the rest of a line of Go 1.0 to 1.2, where sweeping is part of the pause.
// What follows the objects (handoff, steal, yields) is about the collector's own queues and not kept.
func parseSwept(c *cursor, e *Event, ms [4]int64) outcome {
	e.Format = Go10
	e.Clock = Clock{Mark: millis(ms[0]), Sweep: millis(ms[1]), Other: millis(ms[2])}
	if c.want("ms"); c.skip(",") || c.skip(" ,") {
		e.Format = Go11
	}
	c.want(" ")
	e.Heap.Start = c.size(mebi)
	c.want(" -> ")
	e.Heap.End = c.size(mebi)
	e.Heap.Live = e.Heap.End
	c.want(" MB ")
	e.Objects.Before = c.int()
	c.want(" -> ")
	e.Objects.After = c.int()
	c.counts(e)
	return c.outcome()
}

// parseLazy reads the rest of a line of Go 1.3 and 1.4, where sweeping runs behind the program.
func parseLazy(c *cursor, e *Event, us [4]int64) outcome {
	e.Format = Go13
	e.Clock = Clock{SweepTerm: micros(us[0]), Sweep: micros(us[1]), Mark: micros(us[2]), Other: micros(us[3])}
	c.want("us")
	c.skip(" ")
	c.want(", ")
	e.Heap.Start = c.size(mebi)
	c.want(" -> ")
	e.Heap.End = c.size(mebi)
	c.want(" MB, ")
	e.Objects.After = c.int()
	c.counts(e)
	c.want(", ")
	n := c.int()
	if c.skip(" goroutines, ") {
		e.Format = Go14
		e.Objects.Goroutines = n
		c.int()
	}
	c.want("/")
	c.int()
	c.want("/")
	c.int()
	c.want(" sweeps")
	return c.outcome()
}

// counts reads " (mallocs-frees) objects".
func (c *cursor) counts(e *Event) {
	c.want(" (")
	e.Objects.Mallocs = c.int()
	c.want("-")
	e.Objects.Frees = c.int()
	c.want(") objects")
}

// millis and micros hold a clock of a corrupt line to what adds up without overflow.
func millis(n int64) time.Duration {
	return time.Duration(min(n, limit/int64(time.Millisecond))) * time.Millisecond
}
func micros(n int64) time.Duration {
	return time.Duration(min(n, limit/int64(time.Microsecond))) * time.Microsecond
}
