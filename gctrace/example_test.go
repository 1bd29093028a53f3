package gctrace_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/unheap/unheap/gctrace"
)

func ExampleScanner() {
	stderr := strings.NewReader(`listening on :8080
gc 1 @0.078s 5%: 0.075+24+0.040 ms clock, 0.15+0.15/11/17+0.081 ms cpu, 16->16->11 MB, 42 MB goal, 2 P
gc 2 @0.334s 3%: 0.016+33+0.055 ms clock, 0.032+0.54/12/20+0.11 ms cpu, 37->38->14 MB, 54 MB goal, 2 P
`)
	s := gctrace.NewScanner(stderr)
	for s.Scan() {
		if e := s.Event(); e.Kind == gctrace.Cycle {
			fmt.Printf("gc %d of Go %v: %d MiB live, stopped for %v, %v of CPU\n", e.Seq, e.Format, e.Heap.Live>>20, e.Stopped(), e.CPU.Total())
		}
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// gc 1 of Go 1.6-1.17: 11 MiB live, stopped for 115µs, 11.381ms of CPU
	// gc 2 of Go 1.6-1.17: 14 MiB live, stopped for 71µs, 12.682ms of CPU
}

func ExampleRead() {
	f, err := os.Open("testdata/server-and-compilers.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	report, err := gctrace.Read(f)
	if err != nil {
		log.Fatal(err)
	}
	s := report.Busiest().Summary
	fmt.Printf("%d processes in %d lines\n", len(report.Processes), report.Counts.Lines)
	fmt.Printf("busiest: %d cycles, %.1f %% of the CPU, %.0f MiB/s allocated, GOGC %.0f in effect\n",
		s.Cycles, 100*s.GCCPUShare, s.AllocBytesPerSecond/(1<<20), s.EffectiveGOGC)
	// Output:
	// 6 processes in 25 lines
	// busiest: 9 cycles, 18.0 % of the CPU, 145 MiB/s allocated, GOGC 100 in effect
}

// Two pauses of a game server in 2013, before and after its linked lists became slices. The wall times are 12.5 to 1; the
// work done need not be, because the second pause had six threads.
func ExampleEvent_Work() {
	s := gctrace.NewScanner(strings.NewReader(
		"gc13(1): 308+92+1 ms , 156 -> 107 MB 3339834 -> 1659922 (12850245-11190323) objects, 0(0) handoff, 0(0) steal, 0/0/0 yields\n" +
			"gc14(6): 16+15+1 ms, 75 -> 37 MB 1409074 -> 126097 (10335326-10209229) objects, 45(1913) handoff, 34(4823) steal, 455/283/52 yields\n"))
	for s.Scan() {
		e := s.Event()
		low, high := e.Work()
		fmt.Printf("%v with threads=%d: %v to %v of work for %d objects\n", e.Stopped(), e.Procs, low, high, e.Objects.After)
	}
	// Output:
	// 401ms with threads=1: 401ms to 401ms of work for 1659922 objects
	// 32ms with threads=6: 32ms to 187ms of work for 126097 objects
}
