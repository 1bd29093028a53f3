package gctrace

import (
	"fmt"
	"time"
)

// A Kind says what a line of the runtime reports.
type Kind uint8

// The kinds of lines.
const (
	Cycle    Kind = iota + 1 // one garbage collection
	Scavenge                 // memory returned to the operating system (scvg, scav)
	Pacer                    // GODEBUG=gcpacertrace=1
	Detail                   // mark statistics of gctrace=2
	Notice                   // "GC forced": two minutes had passed without a collection
)

var kindNames = [...]string{"", "cycle", "scavenge", "pacer", "detail", "notice"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i, name := range kindNames {
		if name == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown kind of line %q: want one of %q", text, kindNames[1:])
}

// A Format is the shape of a cycle's line, named after the Go releases that print it.
type Format uint8

// The formats, oldest first.
const (
	Go10     Format = iota + 1 // Go 1.0, and gccgo of its time
	Go11                       // Go 1.1 and 1.2
	Go13                       // Go 1.3
	Go14                       // Go 1.4
	Go15Beta                   // betas of Go 1.5 ("gc #")
	Go15                       // Go 1.5
	Go16                       // Go 1.6 to 1.17
	Go118                      // Go 1.18 and later
)

var formatNames = [...]string{"", "1.0", "1.1-1.2", "1.3", "1.4", "1.5beta", "1.5", "1.6-1.17", "1.18+"}

// String returns the releases, such as "1.6-1.17".
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// MarshalText returns what String does.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Format) UnmarshalText(text []byte) error {
	for i, name := range formatNames {
		if name == string(text) {
			*f = Format(i)
			return nil
		}
	}
	return fmt.Errorf("unknown trace format %q: want one of %q", text, formatNames[1:])
}

// Clocked reports whether lines of the format carry the time since the program's start and
// the cpu clocks (Go 1.5 and later). Without them there are no rates and no shares.
func (f Format) Clocked() bool { return f >= Go15Beta }

// A Clock is the wall time of a cycle's phases. A phase that a format does not have is 0.
type Clock struct {
	SweepTerm      time.Duration `json:"sweep_term_ns"`                // stopped; finish the last cycle's sweep (1.3, 1.4: stop and prepare)
	Sweep          time.Duration `json:"sweep_ns,omitempty"`           // stopped; up to 1.4
	Scan           time.Duration `json:"scan_ns,omitempty"`            // concurrent; 1.5 only
	InstallBarrier time.Duration `json:"install_barrier_ns,omitempty"` // stopped; 1.5 only
	Mark           time.Duration `json:"mark_ns"`                      // stopped up to 1.4, concurrent from 1.5 on
	MarkTerm       time.Duration `json:"mark_term_ns"`                 // stopped
	Other          time.Duration `json:"other_ns,omitempty"`           // stopped, on one thread; up to 1.4
}

// A CPU is the processor time of a cycle's phases (Go 1.5 and later). A stop's time is its
// wall time times the processors it stopped, whether they worked or waited.
type CPU struct {
	SweepTerm      time.Duration `json:"sweep_term_ns"`
	Scan           time.Duration `json:"scan_ns,omitempty"`            // 1.5 only
	InstallBarrier time.Duration `json:"install_barrier_ns,omitempty"` // 1.5 only
	Assist         time.Duration `json:"assist_ns"`                    // marking done by goroutines that allocate
	Background     time.Duration `json:"background_ns"`                // dedicated and fractional mark workers
	Idle           time.Duration `json:"idle_ns"`                      // marking on processors that had nothing else to do
	MarkTerm       time.Duration `json:"mark_term_ns"`
}

// Total returns the processor time that the collector took from the program: everything but Idle.
// The runtime's own percentage leaves Idle out too.
func (c CPU) Total() time.Duration {
	return c.SweepTerm + c.Scan + c.InstallBarrier + c.Mark() + c.MarkTerm
}

// Mark returns the processor time of marking without Idle.
func (c CPU) Mark() time.Duration { return c.Assist + c.Background }

// An Event is one line of the runtime. Cycle fills all fields that the line's format has; the
// other kinds fill Kind, Process, Package, Line and what their fields below say.
type Event struct {
	Kind    Kind   `json:"kind"`
	Format  Format `json:"format,omitempty"`
	Process int    `json:"process"`           // 0 for the first process of the stream; -1: not known (lines other than cycles)
	Package string `json:"package,omitempty"` // import path of the header over the process's lines, when a compiler or linker wrote them
	Line    int64  `json:"line"`              // line of the stream, from 1

	Seq     int64         `json:"seq,omitempty"`            // gc number, from 1
	At      time.Duration `json:"at_ns,omitempty"`          // start of the cycle since the program's start; 1.5 and later
	Percent int           `json:"percent_of_cpu,omitempty"` // share of all processor time SINCE THE START; for the share of a window see [Summary]
	Procs   int           `json:"procs,omitempty"`          // GOMAXPROCS; up to 1.4 the threads that took part in this cycle
	Forced  bool          `json:"forced,omitempty"`         // by runtime.GC or debug.FreeOSMemory
	Leaks   bool          `json:"leak_check,omitempty"`     // the cycle also looked for leaked goroutines; 1.26 and later
	Clock   Clock         `json:"clock,omitzero"`           // wall time
	CPU     CPU           `json:"cpu,omitzero"`             // 1.5 and later
	Heap    Heap          `json:"heap,omitzero"`            //
	Objects Objects       `json:"objects,omitzero"`         // up to 1.4
	Memory  Memory        `json:"memory,omitzero"`          // Scavenge
	Pacing  Pacing        `json:"pacing,omitzero"`          // Pacer
}

// A Heap is what a cycle found, in bytes (whole MiB, rounded down).
type Heap struct {
	// Start is the heap when the cycle began and End when it ended. 1.3 and 1.4 do not print the heap at the
	// start: there Start is an estimate of what the LAST cycle left and End is the heap when the cycle began.
	Start int64 `json:"start_bytes"`
	End   int64 `json:"end_bytes"`
	// Live is what the cycle found reachable. Up to 1.2, where sweeping is part of the pause, it is End;
	// 1.3 and 1.4 do not tell, and it is 0.
	Live    int64 `json:"live_bytes"`
	Goal    int64 `json:"goal_bytes,omitempty"`    // heap size at which this cycle was to end; 1.5 and later
	Stacks  int64 `json:"stacks_bytes,omitempty"`  // scannable stack; 1.18 and later
	Globals int64 `json:"globals_bytes,omitempty"` // scannable globals; 1.18 and later
}

// Objects counts heap objects (up to Go 1.4).
type Objects struct {
	Before     int64 `json:"before,omitempty"` // 1.0 to 1.2
	After      int64 `json:"after,omitempty"`  // 1.3 and 1.4: not yet swept, so garbage is included
	Mallocs    int64 `json:"mallocs,omitempty"`
	Frees      int64 `json:"frees,omitempty"`
	Goroutines int64 `json:"goroutines,omitempty"` // 1.4
}

// A Memory is the figures of a scavenger's line, in bytes.
type Memory struct {
	Work     int64 `json:"work_bytes,omitempty"`     // returned to the operating system since the last line (the line "N MB released" too)
	Released int64 `json:"released_bytes,omitempty"` // returned at present, in all
	InUse    int64 `json:"in_use_bytes,omitempty"`   // scvg
	Idle     int64 `json:"idle_bytes,omitempty"`     // scvg
	Sys      int64 `json:"sys_bytes,omitempty"`      // scvg
	Percent  int   `json:"util_percent,omitempty"`   // scav: share of the retained heap that is in use
}

// A Pacing is the figures of the pacer's line at the end of a cycle (Go 1.18 and later). They are exact
// bytes, where the cycle's own line has whole MiB.
type Pacing struct {
	Percent     int   `json:"percent_of_cpu,omitempty"` // share of the processors spent on marking in this cycle, Idle excluded
	HeapScan    int64 `json:"heap_scan_bytes,omitempty"`
	StackScan   int64 `json:"stack_scan_bytes,omitempty"`
	GlobalsScan int64 `json:"globals_scan_bytes,omitempty"`
	Trigger     int64 `json:"trigger_bytes,omitempty"` // heap when the cycle began
	End         int64 `json:"end_bytes,omitempty"`     // heap when it ended
}

// Wall returns the time from the cycle's start to its end.
func (e *Event) Wall() time.Duration {
	c := &e.Clock
	return c.SweepTerm + c.Sweep + c.Scan + c.InstallBarrier + c.Mark + c.MarkTerm + c.Other
}

// Stopped returns the time for which the whole program stood still: all of the cycle up to Go 1.4,
// the short stops around concurrent marking from 1.5 on. It is a sum of two or three stops from 1.5 on.
func (e *Event) Stopped() time.Duration {
	if !e.Format.Clocked() {
		return e.Wall()
	}
	return e.Clock.SweepTerm + e.Clock.InstallBarrier + e.Clock.MarkTerm
}

// Work returns bounds of the processor time spent collecting. From Go 1.5 on both are [CPU.Total]. The older lines
// only say how many threads took part: at least one was at work all the time, and at most all of them during marking
// and sweeping. So two pauses compare by wall time in one ratio and by work in another: 401 ms on
// one thread is 401 ms of work; 32 ms on six threads is between 32 and 187.
func (e *Event) Work() (low, high time.Duration) {
	if e.Format.Clocked() {
		return e.CPU.Total(), e.CPU.Total()
	}
	wall := e.Wall()
	return wall, wall + time.Duration(max(e.Procs-1, 0))*(e.Clock.Mark+e.Clock.Sweep)
}
