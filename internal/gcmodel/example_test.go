package gcmodel_test

import (
	"fmt"
	"log"
	"os"

	"github.com/unheap/unheap/gctrace"
	"github.com/unheap/unheap/internal/gcmodel"
)

// From a trace to an answer: the HTTP agent of 2018 spent 18 % of its CPU on collecting over
// the trace, while its live heap grew to 351 MiB. What would GOGC=400 cost
// in memory, and where is the cliff under a limit of 1 GiB?
func Example() {
	f, err := os.Open("../../gctrace/testdata/server-and-compilers.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	var samples []gcmodel.Sample
	var agent gctrace.Summarizer
	s := gctrace.NewScanner(f)
	for s.Scan() {
		e := s.Event()
		if e.Kind != gctrace.Cycle || e.Process != 0 {
			continue
		}
		agent.Add(e)
		samples = append(samples, gcmodel.Sample{
			Scanned: float64(e.Heap.Live + e.Heap.Stacks + e.Heap.Globals),
			CPU:     e.CPU.Total().Seconds(),
		})
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
	cost, err := gcmodel.Fit(samples)
	if err != nil {
		log.Fatal(err)
	}
	m := agent.Summary()
	program := gcmodel.Program{
		Live: m.LiveLast, Roots: m.RootsLast, AllocRate: m.AllocBytesPerSecond, NonHeap: 50 * mib, Procs: m.Procs, Cost: cost,
	}
	for _, gogc := range []int{100, 400} {
		p := program.Predict(gcmodel.Setting{GOGC: gogc, Limit: gcmodel.Unlimited})
		fmt.Printf("GOGC=%d: %.2f cycles/s, %.0f %% of the CPU (%.2f to %.2f processors), %d MiB\n",
			gogc, p.CyclesPerSecond, 100*p.GCShare, p.GCCPULow, p.GCCPUHigh, p.Peak/mib)
	}
	fmt.Printf("under 1 GiB the cliff is at %.0f MiB of live heap\n", program.CliffLive(1<<30)/mib)
	// Output:
	// GOGC=100: 0.41 cycles/s, 16 % of the CPU (0.52 to 0.73 processors), 752 MiB
	// GOGC=400: 0.10 cycles/s, 4 % of the CPU (0.13 to 0.18 processors), 1805 MiB
	// under 1 GiB the cliff is at 743 MiB of live heap
}
