// Package measure runs experiments: variants x workload x metrics.
//
// A [Variant] is one way to build or run a program, the workload is a set of
// leaf benchmarks, the metrics are the units that a benchmark reports.
// [List] runs benchmarks plainly, [Count] finds exact allocation figures of
// one, and [Compare] runs several variants interleaved and judges the
// difference with the statistics of this package.
//
// Times and counts never come from the same run where a heap profile is
// taken: a profile of every allocation slows code many times over.
package measure

import (
	"fmt"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/run"
)

// A Variant is one way to build or run the program under measurement.
type Variant struct {
	Name   string // for reports and errors, as "before"
	Binary *run.TestBinary
	Env    []string // added to this process's, as "GOGC=200"
}

// Units that the testing package reports of its own accord and that this
// package compares. For all of them less is better.
const (
	UnitTime   = "ns/op"
	UnitBytes  = "B/op"
	UnitAllocs = "allocs/op"
)

// A Result is what one run of one leaf benchmark (one without sub-benchmarks)
// reported.
type Result struct {
	Name string // full name without the -GOMAXPROCS suffix
	N    int    // iterations of the measured run
	// Measure holds the figures as printed: with fractions of bytes and
	// allocations when the binary was built with [ExactCounters], else
	// rounded down to integers. Set-up that runs within the timer is in
	// them; [Count] takes it out.
	finding.Measure
	// Extra holds what other units the benchmark reported, MB/s and those of
	// b.ReportMetric. Values that are not finite numbers are left out.
	Extra map[string]float64
	// Totals are the counters that per-operation figures are made from, nil
	// unless the binary was built with [ExactCounters].
	Totals *Totals
}

// Totals are the allocation counters of one run of N iterations, those of the
// runtime ([runtime.MemStats] TotalAlloc and Mallocs) while the benchmark's
// timer ran.
type Totals struct {
	Bytes, Allocs uint64
}

// A Kind of [Error].
type Kind int

const (
	NotFound    Kind = iota // no benchmark matched, or it skipped itself
	Failed                  // b.Fatal, b.Error
	Panicked                // or was ended by the runtime
	Exited                  // any other exit with a failure
	TimedOut                // the context's deadline passed
	Interrupted             // the context was cancelled
	Unreadable              // its output is not that of benchmarks
)

// An Error is a run of benchmarks that gave no usable result.
type Error struct {
	Kind      Kind
	Variant   string
	Package   string
	Benchmark string // name or pattern; empty: all
	Detail    string // what the program said, a few lines at most
	Err       error  // from os/exec or the context, perhaps nil
}

// Error says what happened and what to do next.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Package)
	if e.Variant != "" {
		fmt.Fprintf(&b, " (%s)", e.Variant)
	}
	b.WriteString(": ")
	what := "benchmark " + e.Benchmark
	if e.Benchmark == "" {
		what = "a benchmark"
	}
	switch e.Kind {
	case NotFound:
		fmt.Fprintf(&b, "no result for %s: check the pattern with go test -list ., and that the benchmark does not skip itself", what)
	case Failed:
		fmt.Fprintf(&b, "%s failed: make it pass under go test -bench first", what)
	case Panicked:
		fmt.Fprintf(&b, "%s panicked: make it pass under go test -bench first", what)
	case Exited:
		fmt.Fprintf(&b, "%s ended the test binary (%v): make it pass under go test -bench first", what, e.Err)
	case TimedOut:
		fmt.Fprintf(&b, "%s did not finish in time: allow more time or pick fewer benchmarks", what)
	case Interrupted:
		fmt.Fprintf(&b, "%s was interrupted", what)
	case Unreadable:
		fmt.Fprintf(&b, "the output of %s cannot be read: pick the benchmarks by a narrower pattern", what)
	}
	if e.Detail != "" {
		b.WriteString("\n\t" + strings.ReplaceAll(e.Detail, "\n", "\n\t"))
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }
