package gctrace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that is read, in bytes. Longer ones are dropped and counted.
const MaxLine = 64 << 10

// Counts says what the lines of a stream were. Lines is the sum of all others.
type Counts struct {
	Lines     int64 `json:"lines"`
	Cycles    int64 `json:"cycles"`
	Notices   int64 `json:"notices"`   // the runtime's lines of the other kinds
	Headers   int64 `json:"headers"`   // "# import/path" lines of the go command
	Other     int64 `json:"other"`     // not the runtime's
	Corrupt   int64 `json:"corrupt"`   // begins as the runtime's and goes on as something else
	Truncated int64 `json:"truncated"` // begins as the runtime's and ends too early
	Long      int64 `json:"long"`      // longer than MaxLine
}

// A Scanner reads events from a stream in constant memory:
//
//	s := gctrace.NewScanner(r)
//	for s.Scan() {
//		e := s.Event()
//		...
//	}
//	if err := s.Err(); err != nil { ... }
//
// A line that cannot be read is counted and never stops the scan. Scan allocates nothing per line of trace.
type Scanner struct {
	r      *bufio.Reader
	event  Event
	counts Counts
	procs  splitter
	err    error
}

// NewScanner returns a Scanner that reads r.
func NewScanner(r io.Reader) *Scanner {
	return &Scanner{r: bufio.NewReaderSize(r, MaxLine)}
}

// Event returns the event that the last call of Scan found.
func (s *Scanner) Event() Event { return s.event }

// Counts returns the lines counted up to now.
func (s *Scanner) Counts() Counts { return s.counts }

// Err returns the reader's error, if it was not the end of the stream.
func (s *Scanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// Scan reads up to the next event. It returns false at the end of the stream or when reading fails.
func (s *Scanner) Scan() bool {
	for s.err == nil {
		line, ok := s.readLine()
		if !ok {
			continue
		}
		switch parseLine(line, &s.event) {
		case matched:
			s.event.Line = s.counts.Lines
			if s.event.Kind == Cycle {
				s.counts.Cycles++
				s.procs.assign(&s.event)
			} else {
				s.counts.Notices++
			}
			return true
		case truncated:
			s.counts.Truncated++
		case corrupt:
			s.counts.Corrupt++
		default:
			if pkg, ok := header(line); ok {
				s.counts.Headers++
				s.procs.header(pkg)
			} else if s.err != nil && cutShort(line) {
				s.counts.Truncated++
			} else {
				s.counts.Other++
			}
		}
	}
	return false
}

// readLine returns the next line without its end, valid until the next read. It
// returns false when there is none, or when it was too long.
func (s *Scanner) readLine() ([]byte, bool) {
	line, err := s.r.ReadSlice('\n')
	long := false
	for errors.Is(err, bufio.ErrBufferFull) {
		long = true
		_, err = s.r.ReadSlice('\n')
	}
	s.err = err
	if err != nil && len(line) == 0 {
		return nil, false
	}
	s.counts.Lines++
	if long {
		s.counts.Long++
		return nil, false
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), true
}

// parseLine reads one line into e.
func parseLine(line []byte, e *Event) outcome {
	if got := parseNotice(line, e); got == matched {
		return matched
	} else if cycle := parseCycle(line, e); cycle != noMatch {
		return cycle
	} else {
		return got
	}
}

// cutShort says whether the stream's last line, which has no end, is what a program that exits while the runtime
// prints leaves behind: "gc ", perhaps with a number.
func cutShort(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("gc "))
	return ok && len(bytes.Trim(rest, "0123456789")) == 0
}

// header returns the import path of a line with which the go command introduces a compiler's output,
// "# import/path" or "# import/path [import/path.test]".
func header(line []byte) (pkg []byte, ok bool) {
	pkg, ok = bytes.CutPrefix(line, []byte("# "))
	pkg, variant, spaced := bytes.Cut(pkg, []byte(" "))
	if !ok || len(pkg) == 0 || len(pkg) > 512 || spaced && !bytes.HasPrefix(variant, []byte("[")) {
		return nil, false
	}
	return pkg, true
}
