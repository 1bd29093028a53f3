package measure

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what is kept of a test binary's output.
const (
	maxLine    = 64 << 10 // of an unfinished line
	keepLine   = 4 << 10  // of a line that grew past maxLine: its end, where the figures are
	maxResults = 10_000
	maxName    = 4 << 10 // of a benchmark's name; longer ones are passed over
	maxUnits   = 100     // of one benchmark beyond the usual three
	maxFailure = 4 << 10 // of what follows the first "--- FAIL"
)

// An output reads what a test binary prints to standard output while it runs
// benchmarks with -test.benchmem: it is an [io.Writer] for the child process.
//
// The testing package prints a benchmark's name, spaces and a tab, runs it, and
// then prints its figures and a newline. What the benchmark itself prints comes
// in between, so name and figures may stand on different lines, with anything
// before, between and around them. The figures come last on their line, joined
// by tabs, and always hold B/op and allocs/op.
//
// Figures: https://golang.org/design/14313-benchmark-format.
type output struct {
	results []Result // names with the -GOMAXPROCS suffix
	failed  string   // first benchmark named by "--- FAIL:", perhaps with the suffix
	failure []byte   // lines from there on
	pending string   // name whose figures have not come yet
	many    bool     // more than maxResults came
	buf     []byte   // unfinished line
}

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		if len(o.buf) > 0 {
			o.buf = append(o.buf, p[:i]...)
			o.line(string(o.buf))
			o.buf = o.buf[:0]
		} else {
			o.line(string(p[:i]))
		}
		p = p[i+1:]
	}
	o.buf = append(o.buf, p...)
	if len(o.buf) > maxLine {
		// The start may hold a name; the end may be the start of the figures.
		o.header(string(o.buf))
		o.buf = append(o.buf[:0], o.buf[len(o.buf)-keepLine:]...)
	}
	return n, nil
}

// end reads what came after the last newline.
func (o *output) end() {
	if len(o.buf) > 0 {
		o.line(string(o.buf))
		o.buf = o.buf[:0]
	}
}

// line reads one line without its newline.
func (o *output) line(s string) {
	if o.failed != "" && len(o.failure) < maxFailure {
		o.failure = append(o.failure, s[:min(len(s), maxFailure-len(o.failure))]...)
		o.failure = append(o.failure, '\n')
	}
	rest := o.header(s)
	if o.pending != "" {
		if r, ok := parseFigures(rest); ok {
			r.Name = o.pending
			o.pending = ""
			if len(o.results) < maxResults {
				o.results = append(o.results, r)
			} else {
				o.many = true
			}
			return
		}
	}
	if _, name, ok := strings.Cut(rest, "--- FAIL: Benchmark"); ok {
		if o.failed == "" {
			o.failed = "Benchmark" + strings.TrimSpace(name)
		}
		o.pending = ""
	}
}

// header notes a benchmark's name in s and returns what follows it, or s.
func (o *output) header(s string) (rest string) {
	const prefix = "Benchmark"
	for from := 0; ; {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return s
		}
		from += i
		name, after := s[from:], ""
		if sp := strings.IndexByte(name, ' '); sp >= 0 {
			name, after = name[:sp], strings.TrimLeft(name[sp:], " ")
		}
		// go test takes BenchmarkX and Benchmark_x for benchmarks, not Benchmarking.
		next, _ := utf8.DecodeRuneInString(name[len(prefix):])
		if len(name) <= maxName && strings.HasPrefix(after, "\t") && !unicode.IsLower(next) && !strings.ContainsFunc(name, unicode.IsSpace) && utf8.ValidString(name) {
			o.pending = name
			return after[1:]
		}
		from += len(prefix)
	}
}

// parseFigures reads the end of a line: iterations, then pairs of value and
// unit, each pair after a tab.
func parseFigures(s string) (Result, bool) {
	var r Result
	var bytesSeen, allocsSeen bool
	var totals Totals
	var totalsSeen int
	for {
		i := strings.LastIndexByte(s, '\t')
		if i < 0 {
			break
		}
		value, unit, ok := strings.Cut(strings.TrimSpace(s[i+1:]), " ")
		if !ok || unit == "" || strings.ContainsFunc(unit, unicode.IsSpace) {
			break
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || strings.Trim(unit, "0123456789") == "" {
			break // printed by the benchmark, just before the iterations
		}
		switch unit {
		case unitTotalBytes, unitTotalAllocs:
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				return r, false
			}
			if unit == unitTotalBytes {
				totals.Bytes = n
			} else {
				totals.Allocs = n
			}
			totalsSeen++
		default:
			bytesSeen = bytesSeen || unit == UnitBytes
			allocsSeen = allocsSeen || unit == UnitAllocs
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				r.set(unit, v)
			}
		}
		s = s[:i]
	}
	if !bytesSeen || !allocsSeen {
		return r, false
	}
	if totalsSeen == 2 {
		r.Totals = &totals
	}
	// What the benchmark printed without a newline may touch the number.
	digits := s[len(strings.TrimRight(s, "0123456789")):]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 {
		return r, false
	}
	r.N = n
	return r, true
}

func (r *Result) set(unit string, v float64) {
	switch unit {
	case UnitTime:
		r.NsPerOp = v
	case UnitBytes:
		r.BytesPerOp = v
	case UnitAllocs:
		r.AllocsPerOp = v
	default:
		if r.Extra == nil {
			r.Extra = make(map[string]float64)
		}
		if len(r.Extra) < maxUnits {
			r.Extra[unit] = v
		}
	}
}

// trimProcs takes the -GOMAXPROCS suffix off the results' names. The suffix is
// the same for all benchmarks of a process and missing where GOMAXPROCS is 1,
// so "-2" may also belong to the name: it is taken off only if all names have
// the same one and it is a value that GOMAXPROCS can have had.
func trimProcs(results []Result, plausible []int) {
	for _, p := range plausible {
		suffix := "-" + strconv.Itoa(p)
		all := p > 1 && len(results) > 0
		for i := range results {
			all = all && strings.HasSuffix(results[i].Name, suffix)
		}
		if all {
			for i := range results {
				results[i].Name = strings.TrimSuffix(results[i].Name, suffix)
			}
			return
		}
	}
}

// isLeaf reports whether printed is the benchmark name, with or without a
// -GOMAXPROCS suffix.
func isLeaf(printed, name string) bool {
	rest, ok := strings.CutPrefix(printed, name)
	if !ok || rest == "" {
		return ok
	}
	p, err := strconv.Atoi(strings.TrimPrefix(rest, "-"))
	return rest[0] == '-' && err == nil && p > 1
}
