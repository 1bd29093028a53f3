package gctune

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// The scenarios need a heap of their own and change GOGC, so each runs in a
// child process: the test binary with childVar set to the scenario's name.
const (
	childVar = "GCTUNE_SCENARIO"
	rootVar  = "GCTUNE_ROOT" // where the scenario finds proc and sys
)

func TestMain(m *testing.M) {
	name := os.Getenv(childVar)
	if name == "" {
		os.Unsetenv(envVar)
		os.Exit(m.Run())
	}
	r, err := scenarios[name]()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// An outcome is what a scenario tells its test.
type outcome struct {
	Reports   []Report // in the phase that counts
	Peaks     []uint64 // bytes of objects on the heap, swept or not, at most in each cycle
	Allocated uint64   // bytes in the phase that counts
	GOGC      []int    // where the scenario looks at it
	Sum       uint32   // of the work done
}

var scenarios = map[string]func() (outcome, error){
	"steady": func() (outcome, error) { return steady(Options{Target: Bytes(120 * mib)}) },
	"smooth": func() (outcome, error) { return steady(Options{Target: Bytes(120 * mib), Smooth: true}) },
	"growth under a limit": func() (outcome, error) {
		debug.SetMemoryLimit(200 * mib)
		return growth(Options{Target: Bytes(1 << 40)}, 20*mib, 80*mib)
	},
	"growth past the target": func() (outcome, error) {
		return growth(Options{Target: Bytes(50 * mib), Floor: 40}, 15*mib, 60*mib)
	},
	"growth past the limit": func() (outcome, error) {
		debug.SetMemoryLimit(50 * mib)
		return growth(Options{Target: MemoryLimit(0.9)}, 15*mib, 47*mib)
	},
	"limit holds": func() (outcome, error) {
		debug.SetMemoryLimit(60 * mib)
		p, err := newProgram(Options{Target: MemoryLimit(1)}, "/")
		if err != nil {
			return outcome{}, err
		}
		p.live(30 * mib)
		first := p.settle()
		p.live(46 * mib)
		return outcome{Reports: []Report{first, p.settle()}}, nil
	},
	"resize": resize,
	"limit moves": func() (outcome, error) {
		debug.SetMemoryLimit(200 * mib)
		p, err := newProgram(Options{Target: MemoryLimit(0.5)}, "/")
		if err != nil {
			return outcome{}, err
		}
		p.live(20 * mib)
		first := p.settle()
		debug.SetMemoryLimit(300 * mib)
		return outcome{Reports: []Report{first, p.settle()}}, nil
	},
	"dry run":      dryRun,
	"stop":         stop,
	"stand aside":  standAside,
	"collector":    collectorOff,
	"off":          off,
	"stop in call": stopInCall,
}

// steady settles with 32 MiB live.
func steady(o Options) (outcome, error) {
	p, err := newProgram(o, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	p.churn(14)
	return p.churn(7), nil
}

// growth has the live heap grow and keeps it there.
func growth(o Options, from, to int) (outcome, error) {
	p, err := newProgram(o, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(from)
	p.churn(3)
	p.live(to)
	p.settle()
	return p.churn(8), nil
}

// resize changes the limit of a container, to one that the live heap does not
// fit into in the end, and spoils the file.
func resize() (outcome, error) {
	root := os.Getenv(rootVar)
	p, err := newProgram(Options{Target: Cgroup(0.8)}, root)
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	var r outcome
	for _, limit := range []string{"", "209715200\n", "max\n", "garbage", "31457280\n", "104857600\n"} {
		if limit != "" {
			if err := os.WriteFile(os.Getenv("GCTUNE_LIMIT"), []byte(limit), 0o644); err != nil {
				return r, err
			}
		}
		r.Reports = append(r.Reports, p.settle())
	}
	return r, nil
}

func dryRun() (outcome, error) {
	debug.SetGCPercent(77)
	p, err := newProgram(Options{Target: Bytes(100 * mib), DryRun: true}, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	p.churn(3)
	r := outcome{Reports: []Report{p.settle()}, GOGC: []int{gogc()}}
	p.c.Stop()
	r.GOGC = append(r.GOGC, gogc())
	return r, nil
}

func stop() (outcome, error) {
	debug.SetGCPercent(77)
	p, err := newProgram(Options{Target: Bytes(100 * mib)}, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	p.churn(3)
	r := outcome{Reports: []Report{p.settle()}}
	p.c.Stop()
	p.c.Stop()
	for range 3 {
		runtime.GC()
	}
	r.GOGC = append(r.GOGC, gogc())

	c, err := Start(Options{Target: Bytes(100 * mib)})
	if err != nil {
		return r, err
	}
	debug.SetGCPercent(55)
	c.Stop()
	r.GOGC = append(r.GOGC, gogc())
	r.Reports = append(r.Reports, c.Last())
	return r, nil
}

// standAside takes GOGC from the controller, gives it back, and then lets
// another controller have it for a while.
func standAside() (outcome, error) {
	p, err := newProgram(Options{Target: Bytes(100 * mib)}, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	p.settle()
	ours := debug.SetGCPercent(50)
	r := outcome{Reports: []Report{p.settle()}, GOGC: []int{gogc()}}
	debug.SetGCPercent(ours)
	r.Reports = append(r.Reports, p.settle())
	c, err := Start(Options{Target: Bytes(200 * mib)})
	if err != nil {
		return r, err
	}
	r.Reports = append(r.Reports, p.settle())
	c.Stop()
	r.Reports = append(r.Reports, p.settle())
	return r, nil
}

// collectorOff starts a controller where no cycle would ever come.
func collectorOff() (outcome, error) {
	debug.SetGCPercent(-1)
	p, err := newProgram(Options{Target: Bytes(100 * mib)}, "/")
	if err != nil {
		return outcome{}, err
	}
	p.live(32 * mib)
	p.churn(3)
	r := outcome{Reports: []Report{p.settle()}}
	p.c.Stop()
	r.GOGC = append(r.GOGC, gogc())
	return r, nil
}

func off() (outcome, error) {
	debug.SetGCPercent(77)
	c, err := start(Options{Target: Cgroup(0.8), Report: func(Report) { panic("called") }}, "/nowhere")
	if err != nil {
		return outcome{}, err
	}
	for range 3 {
		runtime.GC()
	}
	r := outcome{Reports: []Report{c.Last()}, GOGC: []int{gogc()}}
	c.Stop()
	r.GOGC = append(r.GOGC, gogc())
	return r, nil
}

// stopInCall gives up from within the callback when the target is too small.
func stopInCall() (outcome, error) {
	debug.SetGCPercent(77)
	started, stopped := make(chan *Controller, 1), make(chan Report)
	c, err := Start(Options{Target: Bytes(8 * mib), Report: func(r Report) {
		if r.TightCycles == 3 {
			c := <-started
			c.Stop()
			stopped <- r
		}
	}})
	if err != nil {
		return outcome{}, err
	}
	started <- c
	keep := make([]byte, 16*mib)
	for {
		runtime.GC()
		select {
		case r := <-stopped:
			runtime.KeepAlive(keep)
			return outcome{Reports: []Report{r}, GOGC: []int{gogc()}}, nil
		default:
		}
	}
}

func gogc() int { return newMeter().read().gogc }

// A program allocates under a controller.
type program struct {
	c       *Controller
	reports chan Report
	kept    [][]*byte
}

func newProgram(o Options, root string) (*program, error) {
	// The controller must not wait for the program: it reports into a
	// buffer that it cannot fill.
	p := &program{reports: make(chan Report, 1<<10)}
	o.Report = func(r Report) { p.reports <- r }
	c, err := start(o, root)
	p.c = c
	return p, err
}

const (
	block   = 64 << 10 // a piece of the live heap
	garbage = 4 << 10
)

// sink makes what is assigned to it escape.
var sink []byte

// live makes the live heap about n bytes, all pointers: with nothing to scan
// for the cycle, allocation could run ahead of it without limit.
func (p *program) live(n int) {
	for len(p.kept) < n/block {
		b := make([]*byte, block/8)
		for i := range b {
			b[i] = &target
		}
		p.kept = append(p.kept, b)
		runtime.Gosched()
	}
}

// target is what the live heap points to.
var target byte

// settle collects the garbage, waits for the controller's step, and returns the
// report of it.
func (p *program) settle() Report {
	runtime.GC()
	runtime.GC() // all of it: the first may have been under way already
	cycle := newMeter().read().cycles
	for p.c.Last().Cycles < cycle {
		runtime.Gosched()
	}
	runtime.KeepAlive(p.kept)
	return p.c.Last()
}

// churn allocates garbage until n cycles have been reported.
func (p *program) churn(n int) outcome {
	for len(p.reports) > 0 {
		<-p.reports
	}
	size := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var r outcome
	var peak uint64
	for len(r.Reports) < n {
		for range 64 {
			sink = make([]byte, garbage)
			r.Sum += crc32.ChecksumIEEE(sink) // some work, as programs do
		}
		r.Allocated += 64 * garbage
		runtime.Gosched() // as goroutines do that wait for something
		metrics.Read(size)
		peak = max(peak, size[0].Value.Uint64())
		select {
		case got := <-p.reports:
			r.Reports = append(r.Reports, got)
			r.Peaks = append(r.Peaks, peak)
			peak = 0
		default:
		}
	}
	runtime.KeepAlive(p.kept)
	return r
}
