package gctrace

import (
	"bytes"
	"time"
)

// A cursor reads one line from left to right. The first mismatch makes it bad, and every
// later read then returns 0: a format is written down as a straight sequence of reads and checked once.
type cursor struct {
	line []byte
	pos  int
	bad  bool
}

// outcome says how reading a line as a format went.
type outcome uint8

const (
	noMatch   outcome = iota // not a line of the runtime
	matched                  // read
	truncated                // ended too early
	corrupt                  // began well, then something else followed
)

func (c *cursor) outcome() outcome {
	switch {
	case !c.bad:
		return matched
	case c.pos == len(c.line):
		return truncated
	}
	return corrupt
}

// skip reads s if it comes next, and leaves another text to the caller. A line that
// ends in the middle of s is bad.
func (c *cursor) skip(s string) bool {
	rest := c.line[c.pos:]
	switch {
	case c.bad || len(rest) == 0:
		return false
	case len(rest) < len(s):
		if s[:len(rest)] == string(rest) {
			c.pos, c.bad = len(c.line), true
		}
		return false
	case string(rest[:len(s)]) != s:
		return false
	}
	c.pos += len(s)
	return true
}

// forced says whether the line goes on with the mark of a cycle that the program asked for. The line is
// complete without it.
func (c *cursor) forced() bool {
	return bytes.HasPrefix(c.line[c.pos:], []byte(" (forced)"))
}

// want reads s.
func (c *cursor) want(s string) {
	for i := 0; i < len(s) && !c.bad; i++ {
		if c.pos == len(c.line) || c.line[c.pos] != s[i] {
			c.bad = true
			return
		}
		c.pos++
	}
}

// peek returns the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.bad || c.pos == len(c.line) {
		return 0
	}
	return c.line[c.pos]
}

// limit bounds every number read, in its unit, so that sums of several cannot overflow.
const limit = 1 << 56

// decimal reads digits and an optional fraction, times unit.
func (c *cursor) decimal(unit int64) int64 {
	if c.bad {
		return 0
	}
	start, n := c.pos, int64(0)
	for ; c.pos < len(c.line); c.pos++ {
		d := c.line[c.pos] - '0'
		if d > 9 {
			break
		}
		if n = n*10 + int64(d); n > limit/unit {
			c.bad = true
			return 0
		}
	}
	if c.pos == start {
		c.bad = true
		return 0
	}
	n *= unit
	if unit == 1 || c.pos == len(c.line) || c.line[c.pos] != '.' {
		return n
	}
	for c.pos++; c.pos < len(c.line); c.pos++ {
		d := c.line[c.pos] - '0'
		if d > 9 {
			break
		}
		unit /= 10
		n += int64(d) * unit
	}
	return n
}

func (c *cursor) int() int64 { return c.decimal(1) }
func (c *cursor) duration(unit time.Duration) time.Duration {
	return time.Duration(c.decimal(int64(unit)))
}

// size reads a whole number of units of 1<<shift bytes.
func (c *cursor) size(shift uint) int64 {
	n := c.int()
	if n > limit>>shift {
		c.bad = true
		return 0
	}
	return n << shift
}

// small reads a count, which a program has few of.
func (c *cursor) small() int {
	n := c.int()
	if n > 1<<20 {
		c.bad = true
		return 0
	}
	return int(n)
}
