package gctune

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// play runs a scenario and returns what it found.
func play(t *testing.T, name string, env ...string) outcome {
	t.Helper()
	if testing.Short() {
		t.Skip("short: runs a program")
	}
	// Far longer than it takes, against a program that hangs.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	// On one processor, a busy machine slows marking and allocation alike:
	// where it slows marking alone, what is allocated meanwhile counts as live.
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=1", "GOGC=100", "GOMEMLIMIT=off", childVar+"="+name), env...)
	out, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			t.Fatalf("%v\n%.4000s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var r outcome
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	for _, report := range r.Reports {
		t.Log(report)
	}
	t.Logf("peaks %d, allocated %d MiB, GOGC %v", r.Peaks, r.Allocated>>20, r.GOGC)
	return r
}

// near reports whether got is within 5 % of want.
func near(got, want uint64) bool { return math.Abs(float64(got)-float64(want)) <= 0.05*float64(want) }

// aims reports whether the GOGC decided on puts the goal at target.
func aims(r Report, target uint64) bool {
	return near(uint64(heap{float64(r.Live), float64(r.Roots)}.goal(float64(r.GOGC))), target)
}

func TestSettles(t *testing.T) {
	for _, name := range []string{"steady", "smooth"} {
		t.Run(name, func(t *testing.T) {
			r := play(t, name)
			if goal := median(r.goals()); !near(goal, 120*mib) {
				t.Errorf("the goal is %d MiB, want 120", goal>>20)
			}
			if peak := median(r.Peaks); !near(peak, 120*mib) {
				t.Errorf("the heap grew to %d MiB, want 120", peak>>20)
			}
		})
	}
}

// median returns what most cycles are like. Single ones can be far off on a busy
// machine: when marking takes long, all that is allocated meanwhile counts as
// live.
func median(sizes []uint64) uint64 {
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

func (r outcome) goals() (goals []uint64) {
	for _, report := range r.Reports {
		goals = append(goals, report.Goal)
	}
	return goals
}

func TestGrowthUnderLimit(t *testing.T) {
	r := play(t, "growth under a limit")
	for _, report := range r.Reports {
		// The runtime has no goal below the live heap, limit or not.
		if report.Target != 200*mib || report.Goal > max(200*mib, report.Live) {
			t.Errorf("target %d MiB, goal %d MiB; want 200, at most 200", report.Target>>20, report.Goal>>20)
		}
		if report.Live < 80*mib {
			t.Errorf("%d MiB live, want 80 at least", report.Live>>20)
		}
	}
	if peak := median(r.Peaks); peak > 200*mib {
		t.Errorf("the heap grew to %d MiB under a limit of 200", peak>>20)
	}
	if per := r.Allocated / uint64(len(r.Reports)); per < 30*mib {
		t.Errorf("a cycle after every %d MiB", per>>20)
	}
}

func TestGrowthPastTarget(t *testing.T) {
	r := play(t, "growth past the target")
	for i, report := range r.Reports {
		if report.State != Tight || report.GOGC != 40 || report.Effective < 39 {
			t.Errorf("GOGC %d, effective %.1f, %s; want 40, tight", report.GOGC, report.Effective, report.State)
		}
		if i > 0 && report.TightCycles <= r.Reports[i-1].TightCycles {
			t.Errorf("%d tight cycles after %d", report.TightCycles, r.Reports[i-1].TightCycles)
		}
	}
	if per := r.Allocated / uint64(len(r.Reports)); per < 12*mib { // half of 40 % of 60 MiB
		t.Errorf("a cycle after every %d MiB", per>>20)
	}
}

// TestGrowthPastLimit leaves so little room below the runtime's memory limit
// that no value of GOGC helps: that has to be told.
func TestGrowthPastLimit(t *testing.T) {
	r := play(t, "growth past the limit")
	for _, report := range r.Reports {
		if report.State != Tight || report.GOGC != defaultFloor || report.Effective >= defaultFloor || report.TightCycles == 0 {
			t.Errorf("GOGC %d, effective %.1f, %s, %d tight cycles; want 25, less, tight, some",
				report.GOGC, report.Effective, report.State, report.TightCycles)
		}
	}
}

// TestLimitHolds has the runtime's limit keep the goal below a target that could
// be held without it.
func TestLimitHolds(t *testing.T) {
	r := play(t, "limit holds")
	for i, want := range []State{Limited, Tight} {
		got := r.Reports[i]
		if got.State != want || got.GOGC <= defaultFloor || got.Effective >= float64(got.GOGC) || (want == Tight) != (got.TightCycles > 0) {
			t.Errorf("GOGC %d, effective %.1f, %s, %d tight cycles; want less than GOGC, %s", got.GOGC, got.Effective, got.State, got.TightCycles, want)
		}
	}
}

func TestResize(t *testing.T) {
	for name, c := range map[string]struct{ group, mounts, file string }{
		"v1": {"4:memory:/pod/c1\n0::/\n", mountV1 + unified, "memory/pod/c1/" + fileV1},
		"v2": {"0::/pod/c1\n", mountV2, "pod/c1/" + fileV2},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join("sys/fs/cgroup", c.file)
			write(t, root, map[string]string{
				"proc/self/cgroup": c.group, "proc/self/mountinfo": c.mounts, file: "104857600\n",
			})
			r := play(t, "resize", rootVar+"="+root, "GCTUNE_LIMIT="+filepath.Join(root, file))
			for i, want := range []struct {
				target  uint64
				state   State
				warning string
			}{
				{100 * mib * 8 / 10, Steady, ""},
				{200 * mib * 8 / 10, Steady, ""},
				{200 * mib * 8 / 10, Steady, "has no memory limit"},
				{200 * mib * 8 / 10, Steady, "no memory limit but"},
				{30 * mib * 8 / 10, Tight, ""},
				{100 * mib * 8 / 10, Steady, ""},
			} {
				got := r.Reports[i]
				if got.Target != want.target || got.State != want.state ||
					!strings.Contains(got.Warning, want.warning) || want.warning == "" && got.Warning != "" {
					t.Errorf("step %d: got %v, want %v", i, got, want)
				}
				if want.state == Steady && !near(got.Goal, want.target) {
					t.Errorf("step %d: the goal is %d MiB, want %d", i, got.Goal>>20, want.target>>20)
				}
			}
		})
	}
}

func TestLimitMoves(t *testing.T) {
	r := play(t, "limit moves")
	if first, last := r.Reports[0], r.Reports[1]; first.Target != 100*mib || last.Target != 150*mib {
		t.Errorf("targets of %d and %d MiB, want 100 and 150", first.Target>>20, last.Target>>20)
	}
}

func TestDryRun(t *testing.T) {
	r := play(t, "dry run")
	for _, gogc := range r.GOGC {
		if gogc != 77 {
			t.Errorf("GOGC is %d, want 77", gogc)
		}
	}
	last := r.Reports[0]
	if !last.DryRun || !aims(last, 100*mib) || math.Abs(last.Effective-77) > 1 {
		t.Errorf("advises GOGC %d, effective %.1f, with %d MiB live; want a goal of 100 MiB, and 77", last.GOGC, last.Effective, last.Live>>20)
	}
}

func TestStop(t *testing.T) {
	r := play(t, "stop")
	if before := r.Reports[0]; !aims(before, 100*mib) || !near(before.Goal, 100*mib) {
		t.Errorf("before Stop GOGC was %d, the goal %d MiB; want 100 MiB", before.GOGC, before.Goal>>20)
	}
	if r.GOGC[0] != 77 {
		t.Errorf("GOGC is %d after Stop, want 77", r.GOGC[0])
	}
	if r.GOGC[1] != 55 {
		t.Errorf("GOGC is %d after Stop, want the program's own 55", r.GOGC[1])
	}
	if last := r.Reports[1]; last.State != Off {
		t.Errorf("the state is %s, want off", last.State)
	}
}

func TestStandsAside(t *testing.T) {
	r := play(t, "stand aside")
	if r.GOGC[0] != 50 {
		t.Errorf("GOGC is %d, want the program's own 50", r.GOGC[0])
	}
	for i, want := range []State{Overridden, Steady, Overridden, Steady} {
		if got := r.Reports[i].State; got != want {
			t.Errorf("step %d: the state is %s, want %s", i, got, want)
		}
	}
}

func TestCollectorOff(t *testing.T) {
	r := play(t, "collector")
	if last := r.Reports[0]; !near(last.Goal, 100*mib) {
		t.Errorf("the goal is %d MiB, want 100", last.Goal>>20)
	}
	if r.GOGC[0] != -1 {
		t.Errorf("GOGC is %d after Stop, want -1, off", r.GOGC[0])
	}
}

func TestOff(t *testing.T) {
	r := play(t, "off", envVar+"=off")
	if r.Reports[0].State != Off || r.GOGC[0] != 77 || r.GOGC[1] != 77 {
		t.Errorf("%s, GOGC %v; want off, 77", r.Reports[0].State, r.GOGC)
	}
}

func TestStopInCall(t *testing.T) {
	if r := play(t, "stop in call"); r.GOGC[0] != 77 {
		t.Errorf("GOGC is %d, want 77", r.GOGC[0])
	}
}

func TestStartRefuses(t *testing.T) {
	before := gogc()
	for name, c := range map[string]struct {
		options Options
		env     string
		err     string
	}{
		"no target":         {Options{}, "", "no target"},
		"no bytes":          {Options{Target: Bytes(0)}, "", "must be positive"},
		"no fraction":       {Options{Target: Cgroup(0)}, "", "above 0"},
		"more than all":     {Options{Target: MemoryLimit(1.01)}, "", "at most 1"},
		"not a number":      {Options{Target: MemoryLimit(math.NaN())}, "", "at most 1"},
		"no limit":          {Options{Target: MemoryLimit(0.9)}, "", "set GOMEMLIMIT"},
		"no cgroup":         {Options{Target: Cgroup(0.8)}, "", "no control groups here"},
		"negative floor":    {Options{Target: Bytes(1), Floor: -1}, "", "1 <= Floor"},
		"negative ceiling":  {Options{Target: Bytes(1), Ceiling: -1}, "", "1 <= Floor"},
		"crossed":           {Options{Target: Bytes(1), Floor: 100, Ceiling: 50}, "", "Floor <= Ceiling"},
		"ceiling too high":  {Options{Target: Bytes(1), Ceiling: math.MaxInt}, "", "<= 1000000"},
		"misspelt":          {Options{Target: Bytes(1)}, "of", `UNHEAP_GCTUNE="of"`},
		"wrong, though off": {Options{Target: Bytes(-1)}, "off", "must be positive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(envVar, c.env)
			c.options.Report = func(Report) { t.Error("report by a controller that has not started") }
			limit := debug.SetMemoryLimit(math.MaxInt64)
			defer debug.SetMemoryLimit(limit)
			_, err := start(c.options, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
	if after := gogc(); after != before {
		t.Errorf("GOGC is %d, was %d", after, before)
	}
}

// TestSentinel checks that a wake-up comes for each cycle until the end.
func TestSentinel(t *testing.T) {
	wake, stop := make(chan struct{}, 1), make(chan struct{})
	watch(wake, stop)
	for range 10 {
		runtime.GC()
		<-wake
	}
	close(stop)
}

// TestRecheck checks that a new limit is noticed though no cycle comes.
func TestRecheck(t *testing.T) {
	reports, tick := make(chan Report), make(chan time.Time)
	root := fakeContainer(t)
	c := stepper(t, root, Options{Target: Cgroup(0.5), Report: func(r Report) { reports <- r }})
	go c.run(c.last, tick)
	if r := <-reports; r.Target != 50*mib {
		t.Errorf("first target %d MiB, want 50", r.Target>>20)
	}
	write(t, root, map[string]string{"sys/fs/cgroup/a/" + fileV2: "209715200\n"})
	tick <- time.Time{}
	if r := <-reports; r.Target != 100*mib {
		t.Errorf("next target %d MiB, want 100", r.Target>>20)
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for name, o := range stepTargets {
		t.Run(name, func(t *testing.T) {
			c := stepper(t, fakeContainer(t), o)
			if n := testing.AllocsPerRun(100, func() {
				c.last.Cycles = 0 // a new one each time
				c.step()
			}); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

// BenchmarkStep is what the controller costs a cycle.
func BenchmarkStep(b *testing.B) {
	for name, o := range stepTargets {
		b.Run(name, func(b *testing.B) {
			c := stepper(b, fakeContainer(b), o)
			b.ReportAllocs()
			for b.Loop() {
				c.last.Cycles = 0
				c.step()
			}
		})
	}
}

var stepTargets = map[string]Options{
	"Bytes":  {Target: Bytes(400 * mib), Smooth: true},
	"Cgroup": {Target: Cgroup(0.8)},
}

// fakeContainer returns the root of a container of 100 MiB.
func fakeContainer(t testing.TB) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, root, map[string]string{
		"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mountV2, "sys/fs/cgroup/a/" + fileV2: "104857600\n",
	})
	return root
}

// stepper returns a controller that takes no step by itself.
func stepper(t testing.TB, root string, o Options) *Controller {
	t.Helper()
	p, err := o.policy()
	if err != nil {
		t.Fatal(err)
	}
	c, err := newController(o, p, root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c
}
