package gcmodel

import (
	"encoding/json"
	"math"
	"testing"
)

// server has 100 MiB live and allocates 500 MiB/s on four processors. A cycle costs 1 ms for each MiB and no more.
func server() Program {
	return Program{
		Live: 100 * mib, AllocRate: 500 * mib, NonHeap: 20 * mib, Procs: 4,
		Cost: Cost{PerByte: 1e-3 / mib, Separable: true, Deviation: 1e-3, Weight: 100, Mean: 100 * mib, Spread: 1e16, Freedom: 98},
	}
}

func TestPredict(t *testing.T) {
	for _, c := range []struct {
		name    string
		setting Setting
		goal    int64
		bound   string
		cycles  float64
		gcCPU   float64
		verdict Verdict
	}{
		{"default", Setting{GOGC: 100, Limit: Unlimited}, 200 * mib, "gogc", 5, 0.5, Steady},
		{"GOGC halved", Setting{GOGC: 50, Limit: Unlimited}, 150 * mib, "gogc", 10, 1, Steady},
		{"GOGC doubled", Setting{GOGC: 200, Limit: Unlimited}, 300 * mib, "gogc", 2.5, 0.25, Steady},
		{"live doubled", Setting{GOGC: 100, Limit: Unlimited, LiveFactor: 2}, 400 * mib, "gogc", 2.5, 0.5, Steady},
		{"allocation doubled", Setting{GOGC: 100, Limit: Unlimited, AllocFactor: 2}, 200 * mib, "gogc", 10, 1, Steady},
		{"a wide limit", Setting{GOGC: 100, Limit: 2 * gib}, 200 * mib, "gogc", 5, 0.5, Steady},
		{"the limit alone", Setting{GOGC: -1, Limit: 420 * mib}, 388 * mib, "memory limit", 500.0 / 288, 50.0 / 288, Steady},
		{"a tight limit", Setting{GOGC: 100, Limit: 155 * mib}, 135*mib - 135*mib/100*3, "memory limit", 500 / 30.95, 50 / 30.95, Near},
		{"too tight", Setting{GOGC: 100, Limit: 145 * mib}, 125*mib - 125*mib/100*3, "memory limit", 500 / 21.25, 50 / 21.25, Spiral},
		{"impossible", Setting{GOGC: 100, Limit: 110 * mib}, 100 * mib, "live heap", 8000, 800, Spiral},
		{"GOGC=off", Setting{GOGC: -1, Limit: Unlimited}, Unlimited, "nothing", 0, 0, Unbounded},
	} {
		got := server().Predict(c.setting)
		if got.Goal != c.goal || got.Bound != c.bound || got.Verdict != c.verdict {
			t.Errorf("%s: got goal %d by %s, %s; want %d by %s, %s", c.name, got.Goal, got.Bound, got.Verdict, c.goal, c.bound, c.verdict)
		}
		if !near(got.CyclesPerSecond, c.cycles) || !near(got.GCCPU, c.gcCPU) {
			t.Errorf("%s: got %v cycles/s, %v GC CPU; want %v, %v", c.name, got.CyclesPerSecond, got.GCCPU, c.cycles, c.gcCPU)
		}
		if got.GCCPULow > got.GCCPU || got.GCCPU > got.GCCPUHigh || !got.Interval {
			t.Errorf("%s: %v is not in [%v, %v]", c.name, got.GCCPU, got.GCCPULow, got.GCCPUHigh)
		}
		if _, err := json.Marshal(got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	small := Program{Live: 1 * mib, AllocRate: 1, Procs: 1}
	if got := small.Predict(Setting{GOGC: 100, Limit: Unlimited}); got.Bound != "minimum heap" || got.EffectiveGOGC != 300 || got.Interval {
		t.Errorf("a small heap: got %+v", got)
	}
}

func TestCliffLive(t *testing.T) {
	// At L the collector needs 500·L/1000 processors of GC CPU times 1/(N-L), in MiB: 0.5·L = 2·(388-L), L = 310.4 MiB.
	p := server()
	got := p.CliffLive(420 * mib)
	if !near(got, 310.4*mib) {
		t.Errorf("got %v MiB, want 310.4", got/mib)
	}
	p.Live = int64(got)
	if share := p.Predict(Setting{GOGC: -1, Limit: 420 * mib}).GCShare; math.Abs(share-limiterShare) > 1e-6 {
		t.Errorf("share at the cliff: got %v, want %v", share, limiterShare)
	}
	if got := server().CliffLive(Unlimited); !math.IsInf(got, 1) {
		t.Errorf("without a limit: got %v, want no cliff", got)
	}
	if got := server().CliffLive(21 * mib); got >= 100*mib {
		t.Errorf("a limit of one MiB of heap: got %v", got)
	}
}

func TestLimitFor(t *testing.T) {
	for _, share := range []float64{0.01, 0.05, 0.25} {
		p := server()
		limit := p.LimitFor(share)
		if got := p.Predict(Setting{GOGC: -1, Limit: limit}).GCShare; math.Abs(got-share) > 1e-6*share+1e-7 {
			t.Errorf("under the limit %d for a share of %v the share is %v", limit, share, got)
		}
	}
}
