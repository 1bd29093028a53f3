package gctrace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	mb = 1 << 20
	us = time.Microsecond
	ms = time.Millisecond
)

// samples has a line of every format and what it says.
var samples = []struct {
	name, line string
	want       Event
}{
	{"gccgo before 1.0", "gc3: 5+1+0 ms 40 -> 21 MB 90 -> 50 (99-49) objects 12 pointer lookups (3 size, 9 addr)", Event{
		Kind: Cycle, Format: Go10, Seq: 3, Procs: 1, Clock: Clock{Mark: 5 * ms, Sweep: 1 * ms},
		Heap: Heap{Start: 40 * mb, End: 21 * mb, Live: 21 * mb}, Objects: Objects{Before: 90, After: 50, Mallocs: 99, Frees: 49},
	}},
	{"1.0", "gc9(2): 12+3+1 ms 40 -> 21 MB 90210 -> 50100 (99000-48900) objects 8 handoff", Event{
		Kind: Cycle, Format: Go10, Seq: 9, Procs: 2, Clock: Clock{Mark: 12 * ms, Sweep: 3 * ms, Other: 1 * ms},
		Heap: Heap{Start: 40 * mb, End: 21 * mb, Live: 21 * mb}, Objects: Objects{Before: 90210, After: 50100, Mallocs: 99000, Frees: 48900},
	}},
	{"1.1, eight threads", "gc16(8): 34+6+5 ms, 367 -> 365 MB 817253 -> 782045 (18216892-17434847) objects, 64(2182) handoff, 72(22022) steal, 553/244/51 yields", Event{
		Kind: Cycle, Format: Go11, Seq: 16, Procs: 8, Clock: Clock{Mark: 34 * ms, Sweep: 6 * ms, Other: 5 * ms},
		Heap: Heap{Start: 367 * mb, End: 365 * mb, Live: 365 * mb}, Objects: Objects{Before: 817253, After: 782045, Mallocs: 18216892, Frees: 17434847},
	}},
	{"1.1, one thread and a space before the comma", "gc13(1): 308+92+1 ms , 156 -> 107 MB 3339834 -> 1659922 (12850245-11190323) objects, 0(0) handoff, 0(0) steal, 0/0/0 yields", Event{
		Kind: Cycle, Format: Go11, Seq: 13, Procs: 1, Clock: Clock{Mark: 308 * ms, Sweep: 92 * ms, Other: 1 * ms},
		Heap: Heap{Start: 156 * mb, End: 107 * mb, Live: 107 * mb}, Objects: Objects{Before: 3339834, After: 1659922, Mallocs: 12850245, Frees: 11190323},
	}},
	{"1.3", "gc1(1): 5+0+186+0 us, 0 -> 0 MB, 18 (19-1) objects, 0/0/0 sweeps, 0(0) handoff, 0(0) steal, 0/0/0 yields", Event{
		Kind: Cycle, Format: Go13, Seq: 1, Procs: 1, Clock: Clock{SweepTerm: 5 * us, Mark: 186 * us},
		Objects: Objects{After: 18, Mallocs: 19, Frees: 1},
	}},
	{"1.4", "gc7(4): 12+1502+8120+33 us, 21 -> 43 MB, 251044 (930112-679068) objects, 17 goroutines, 5521/12/0 sweeps, 9(188) handoff, 4(51) steal, 60/21/3 yields", Event{
		Kind: Cycle, Format: Go14, Seq: 7, Procs: 4, Clock: Clock{SweepTerm: 12 * us, Sweep: 1502 * us, Mark: 8120 * us, Other: 33 * us},
		Heap: Heap{Start: 21 * mb, End: 43 * mb}, Objects: Objects{After: 251044, Mallocs: 930112, Frees: 679068, Goroutines: 17},
	}},
	{"1.5 beta, no goal", "gc #4 @0.152s 7%: 0.057+1.9+0.033+2.4+0.68 ms clock, 0.11+1.9+0.033+0.18/1.2/0.44+1.3 ms cpu, 9->11->6 MB, 4 P", Event{
		Kind: Cycle, Format: Go15Beta, Seq: 4, At: 152 * ms, Percent: 7, Procs: 4,
		Clock: Clock{SweepTerm: 57 * us, Scan: 1900 * us, InstallBarrier: 33 * us, Mark: 2400 * us, MarkTerm: 680 * us},
		CPU:   CPU{SweepTerm: 110 * us, Scan: 1900 * us, InstallBarrier: 33 * us, Assist: 180 * us, Background: 1200 * us, Idle: 440 * us, MarkTerm: 1300 * us},
		Heap:  Heap{Start: 9 * mb, End: 11 * mb, Live: 6 * mb},
	}},
	{"1.5", "gc 4 @2.104s 3%: 0.057+19+0.033+24+0.68 ms clock, 0.11+19+0.033+0.18/12/44+1.3 ms cpu, 90->110->60 MB, 112 MB goal, 4 P (forced)", Event{
		Kind: Cycle, Format: Go15, Seq: 4, At: 2104 * ms, Percent: 3, Procs: 4, Forced: true,
		Clock: Clock{SweepTerm: 57 * us, Scan: 19 * ms, InstallBarrier: 33 * us, Mark: 24 * ms, MarkTerm: 680 * us},
		CPU:   CPU{SweepTerm: 110 * us, Scan: 19 * ms, InstallBarrier: 33 * us, Assist: 180 * us, Background: 12 * ms, Idle: 44 * ms, MarkTerm: 1300 * us},
		Heap:  Heap{Start: 90 * mb, End: 110 * mb, Live: 60 * mb, Goal: 112 * mb},
	}},
	{"1.10", "gc 51 @48.252s 13%: 0.26+1410+0.14 ms clock, 0.52+358/1336/9.9+0.28 ms cpu, 506->620->343 MB, 646 MB goal, 4 P", Event{
		Kind: Cycle, Format: Go16, Seq: 51, At: 48252 * ms, Percent: 13, Procs: 4,
		Clock: Clock{SweepTerm: 260 * us, Mark: 1410 * ms, MarkTerm: 140 * us},
		CPU:   CPU{SweepTerm: 520 * us, Assist: 358 * ms, Background: 1336 * ms, Idle: 9900 * us, MarkTerm: 280 * us},
		Heap:  Heap{Start: 506 * mb, End: 620 * mb, Live: 343 * mb, Goal: 646 * mb},
	}},
	{"1.21", "gc 16 @0.602s 16%: 0.025+2.4+0.002 ms clock, 0.050+0/1.2/1.5+0.004 ms cpu, 8->9->7 MB, 17 MB goal, 1 MB stacks, 2 MB globals, 2 P (forced)", Event{
		Kind: Cycle, Format: Go118, Seq: 16, At: 602 * ms, Percent: 16, Procs: 2, Forced: true,
		Clock: Clock{SweepTerm: 25 * us, Mark: 2400 * us, MarkTerm: 2 * us},
		CPU:   CPU{SweepTerm: 50 * us, Background: 1200 * us, Idle: 1500 * us, MarkTerm: 4 * us},
		Heap:  Heap{Start: 8 * mb, End: 9 * mb, Live: 7 * mb, Goal: 17 * mb, Stacks: 1 * mb, Globals: 2 * mb},
	}},
	{"1.26, leak check", "gc 1 @0.000s 9% (checking for goroutine leaks): 0.050+0.17+0.005 ms clock, 0.10+0/0.051/0.037+0.011 ms cpu, 0->0->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)", Event{
		Kind: Cycle, Format: Go118, Seq: 1, Percent: 9, Procs: 2, Forced: true, Leaks: true,
		Clock: Clock{SweepTerm: 50 * us, Mark: 170 * us, MarkTerm: 5 * us},
		CPU:   CPU{SweepTerm: 100 * us, Background: 51 * us, Idle: 37 * us, MarkTerm: 11 * us},
		Heap:  Heap{Goal: 4 * mb},
	}},
	{"behind half a line", "ready to servegc 2 @1.000s 1%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 1->2->1 MB, 4 MB goal, 2 P", Event{
		Kind: Cycle, Format: Go16, Seq: 2, At: time.Second, Percent: 1, Procs: 2, Heap: Heap{Start: 1 * mb, End: 2 * mb, Live: 1 * mb, Goal: 4 * mb},
	}},
	{"behind a broken one", "gc 1 @0.5s 2%: 0+0.1gc 2 @1.000s 1%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 1->2->1 MB, 4 MB goal, 2 P", Event{
		Kind: Cycle, Format: Go16, Seq: 2, At: time.Second, Percent: 1, Procs: 2, Heap: Heap{Start: 1 * mb, End: 2 * mb, Live: 1 * mb, Goal: 4 * mb},
	}},
	{"scvg up to 1.12", "scvg7: inuse: 1, idle: 62, sys: 63, released: 57, consumed: 6 (MB)", Event{
		Kind: Scavenge, Process: -1, Memory: Memory{InUse: 1 * mb, Idle: 62 * mb, Sys: 63 * mb, Released: 57 * mb},
	}},
	{"scvg, on request", "scvg-1: 5 MB released", Event{Kind: Scavenge, Process: -1, Memory: Memory{Work: 5 * mb}}},
	{"scvg, hexadecimal", "scvg0: 0x1f MB released", Event{Kind: Scavenge, Process: -1, Memory: Memory{Work: 31 * mb}}},
	{"scvg 1.13", "scvg: 8 KB released", Event{Kind: Scavenge, Process: -1, Memory: Memory{Work: 8 << 10}}},
	{"scvg, forced cycle", "scvg3: GC forced", Event{Kind: Notice, Process: -1, Forced: true}},
	{"scav with a generation", "scav 7 16 KiB work, 640 KiB total, 80% util", Event{
		Kind: Scavenge, Process: -1, Memory: Memory{Work: 16 << 10, Released: 640 << 10, Percent: 80},
	}},
	{"scav 1.20", "scav 16 KiB work, 640 KiB total, 80% util (forced)", Event{
		Kind: Scavenge, Process: -1, Forced: true, Memory: Memory{Work: 16 << 10, Released: 640 << 10, Percent: 80},
	}},
	{"scav 1.21", "scav 2368 KiB work (bg), 8 KiB work (eager), 6872 KiB now, 51% util", Event{
		Kind: Scavenge, Process: -1, Memory: Memory{Work: 2376 << 10, Released: 6872 << 10, Percent: 51},
	}},
	{"pacer 1.18", "pacer: 45% CPU (25 exp.) for 408896+1968+154154 B work (154154 B exp.) in 4014080 B -> 4587520 B (∆goal 393216, cons/mark 0)", Event{
		Kind: Pacer, Process: -1, Pacing: Pacing{Percent: 45, HeapScan: 408896, StackScan: 1968, GlobalsScan: 154154, Trigger: 4014080, End: 4587520},
	}},
	{"pacer 1.21, start", "pacer: assist ratio=+1.075450e+000 (scan 0 MB in 3->4 MB) workers=0++2.500000e-001", Event{Kind: Pacer, Process: -1}},
	{"pacer 1.10", "pacer: H_m_prev=4194304 h_t=+9.500000e-001 H_T=8178892 h_a=+1.0e+000", Event{Kind: Pacer, Process: -1}},
	{"scan", "scan: class 8B 9+0+0=9 objs, 0+0=0 spans", Event{Kind: Detail, Process: -1}},
	{"GC forced", "GC forced", Event{Kind: Notice, Process: -1, Forced: true}},
}

func TestFormats(t *testing.T) {
	for _, c := range samples {
		var got Event
		if outcome := parseLine([]byte(c.line), &got); outcome != matched {
			t.Errorf("%s: not read (outcome %d)", c.name, outcome)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestPrefixes cuts every sample at every byte: what is left is truncated or no line of the runtime
// at all, but never corrupt, and never a cycle with other figures.
func TestPrefixes(t *testing.T) {
	for _, c := range samples {
		sawTruncated := false
		for n := range c.line {
			var got Event
			switch parseLine([]byte(c.line[:n]), &got) {
			case corrupt:
				if c.name != "behind a broken one" {
					t.Errorf("%s: %q counts as corrupt", c.name, c.line[:n])
				}
			case truncated:
				sawTruncated = true
			case matched:
				want := c.want
				want.Forced = got.Forced // " (forced)" may be cut off
				if diff := cmp.Diff(want, got); diff != "" && want.Kind == Cycle {
					t.Errorf("%s: %q is read as (-want +got):\n%s", c.name, c.line[:n], diff)
				}
			}
		}
		if c.want.Kind == Cycle && !sawTruncated {
			t.Errorf("%s: no prefix counts as truncated", c.name)
		}
	}
}

func TestCorrupt(t *testing.T) {
	for _, c := range []struct {
		line string
		want outcome
	}{
		{"gc 1 @0.5s 2%: 0+hello", corrupt},
		{"gc 1 @0.5s 2%: 0.1+0.2+0.3+0.4 ms clock, 0", corrupt}, // four clocks: no release has them
		{"gc 1 @0.5s 2%: 0+0+0 ms clock, 0+0/0/0+0 ms cpu, 1->2->99999999999999999999 MB, ", corrupt},
		{"gc 1 @99999999999999s 2%: 0+0+0 ms clock, ", corrupt},
		{"gc1(2): 1+2 ms, 1 -> 2 MB", corrupt},
		{"gc1(99999999): 1+2+3 ms, 1 -> 2 MB", noMatch},
		{"gc1(1): 1+2+3 ms, 1 -> x", corrupt},
		{"scav 1 KiB wrk", corrupt},
		{"scvg1: inuse: x", corrupt},
		{"pacer: 45% CPU (x", corrupt},
		{"the gc 1 is done", noMatch},
		{"gc", noMatch},
		{"", noMatch},
		{"scvgfoo: bar", noMatch},
		{"scanning", noMatch},
		{"gcc: error", noMatch},
	} {
		var e Event
		if got := parseLine([]byte(c.line), &e); got != c.want {
			t.Errorf("%q: got outcome %d, want %d", c.line, got, c.want)
		}
	}
}
