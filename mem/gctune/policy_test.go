package gctune

import (
	"math"
	"testing"
)

const mib = 1 << 20

func TestDecide(t *testing.T) {
	usual := policy{floor: 25, ceiling: 500}
	smooth := policy{floor: 25, ceiling: 500, smooth: true}
	unbounded := policy{floor: 1, ceiling: maxGOGC}
	for _, c := range []struct {
		name   string
		policy policy
		heap   heap
		target float64
		last   decision
		gogc   int
		state  State
	}{
		{"on target", usual, heap{100 * mib, 0}, 400 * mib, decision{gogc: 100}, 300, Steady},
		{"roots count as work", usual, heap{100 * mib, 50 * mib}, 400 * mib, decision{gogc: 100}, 200, Steady},
		{"rounded down", usual, heap{90 * mib, 0}, 400 * mib, decision{gogc: 100}, 344, Steady},
		{"in the dead band", usual, heap{100 * mib, 0}, 400 * mib, decision{gogc: 306}, 306, Steady},
		{"under the dead band", usual, heap{100 * mib, 0}, 400 * mib, decision{gogc: 291}, 300, Steady},
		{"over the dead band", usual, heap{100 * mib, 0}, 400 * mib, decision{gogc: 309}, 300, Steady},
		{"ceiling", usual, heap{10 * mib, 0}, 400 * mib, decision{gogc: 100}, 500, Ceiling},
		{"above the ceiling, though in the dead band", usual, heap{10 * mib, 0}, 400 * mib, decision{gogc: 501}, 500, Ceiling},
		{"floor", usual, heap{350 * mib, 0}, 400 * mib, decision{gogc: 100}, 25, Tight},
		{"below the floor, though in the dead band", usual, heap{350 * mib, 0}, 400 * mib, decision{gogc: 24}, 25, Tight},
		{"just above the floor, in the dead band", usual, heap{350 * mib, 0}, 400 * mib, decision{gogc: 26}, 25, Tight},
		{"live heap above the target", usual, heap{500 * mib, 0}, 400 * mib, decision{gogc: 100}, 25, Tight},
		{"target of nothing", usual, heap{500 * mib, 0}, 0, decision{gogc: 100}, 25, Tight},
		{"nothing live yet", usual, heap{}, 400 * mib, decision{gogc: 100}, 500, Ceiling},
		{"the least heap", unbounded, heap{1 * mib, 0}, 40 * mib, decision{gogc: 100}, 1000, Steady},
		{"collector was off", usual, heap{100 * mib, 0}, 400 * mib, decision{gogc: -1}, 300, Steady},
		{"huge", unbounded, heap{math.MaxInt64, math.MaxInt64}, math.MaxInt64, decision{gogc: 100}, 1, Tight},

		{"smooth: rises", smooth, heap{100 * mib, 0}, 400 * mib, decision{gogc: 100, runway: 100 * mib}, 125, Smoothing},
		{"smooth: arrives", smooth, heap{100 * mib, 0}, 400 * mib, decision{gogc: 260, runway: 260 * mib}, 300, Steady},
		{"smooth: falls at once", smooth, heap{300 * mib, 0}, 400 * mib, decision{gogc: 300, runway: 300 * mib}, 33, Steady},
		{"smooth: not below the floor", smooth, heap{100 * mib, 0}, 400 * mib, decision{gogc: 100, runway: mib}, 25, Smoothing},
		{"smooth: tight all the same", smooth, heap{350 * mib, 0}, 400 * mib, decision{gogc: 100, runway: mib}, 25, Tight},
		{"smooth: at the ceiling", smooth, heap{10 * mib, 0}, 400 * mib, decision{gogc: 500, runway: 50 * mib}, 500, Ceiling},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := c.policy.decide(c.heap, c.target, c.last)
			if d.gogc != c.gogc || d.state != c.state {
				t.Errorf("GOGC %d, %s; want %d, %s", d.gogc, d.state, c.gogc, c.state)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ floor, ceiling, wantFloor, wantCeiling int }{
		{0, 0, 25, 500}, {50, 0, 50, 500}, {0, 200, 25, 200}, {0, 10, 10, 10}, {600, 0, 600, 600},
	} {
		p, err := Options{Target: Bytes(1), Floor: c.floor, Ceiling: c.ceiling}.policy()
		if err != nil || p.floor != c.wantFloor || p.ceiling != c.wantCeiling {
			t.Errorf("%d and %d give %d and %d, %v; want %d and %d", c.floor, c.ceiling, p.floor, p.ceiling, err, c.wantFloor, c.wantCeiling)
		}
	}
}

// TestSmoothCycles plays a live heap that goes up and down, and looks at how
// regular the cycles come: the runway is the time between them at a constant
// rate of allocation.
func TestSmoothCycles(t *testing.T) {
	spread := func(p policy) float64 {
		d := decision{gogc: 100, runway: 4 * mib}
		least, most := math.Inf(1), 0.0
		for cycle := range 60 {
			h := heap{live: 100 * mib}
			if cycle%3 == 0 {
				h.live = 300 * mib
			}
			d = p.decide(h, 400*mib, d)
			if goal := h.goal(float64(d.gogc)); goal > 400*mib*(1+deadBand) {
				t.Fatalf("cycle %d: the goal is %.0f MiB, above the target", cycle, goal/mib)
			}
			if cycle >= 30 {
				least, most = min(least, d.runway), max(most, d.runway)
			}
		}
		return most / least
	}
	usual := spread(policy{floor: 25, ceiling: 500})
	smooth := spread(policy{floor: 25, ceiling: 500, smooth: true})
	if usual < 2.9 || smooth > smoothGrowth*smoothGrowth+0.01 {
		t.Errorf("the longest cycle is %.2f times the shortest, and %.2f times with smoothing", usual, smooth)
	}
}

// TestSmoothArrives checks that the smallest steps, which round down to the
// same GOGC, still add up.
func TestSmoothArrives(t *testing.T) {
	p := policy{floor: 1, ceiling: 500, smooth: true}
	h := heap{live: 400 * mib}
	d := decision{gogc: 1, runway: 4 * mib}
	for range 30 {
		d = p.decide(h, 1200*mib, d)
	}
	if d.gogc < 195 {
		t.Errorf("GOGC is %d after 30 cycles, want about 200", d.gogc)
	}
}

func FuzzDecide(f *testing.F) {
	f.Add(uint64(100*mib), uint64(mib), uint64(400*mib), 100, 25, 500, true)
	f.Add(uint64(0), uint64(0), uint64(0), -1, 1, 1, false)
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(1), math.MaxInt32, 1, maxGOGC, true)
	f.Fuzz(func(t *testing.T, live, roots, target uint64, last, floor, ceiling int, smooth bool) {
		p, err := Options{Floor: floor, Ceiling: ceiling, Smooth: smooth, Target: Bytes(1)}.policy()
		if err != nil {
			return
		}
		h := heap{float64(live), float64(roots)}
		d := p.decide(h, float64(target), decision{gogc: last, runway: minHeap})
		if d.gogc < p.floor || d.gogc > p.ceiling {
			t.Errorf("GOGC %d is not from %d to %d", d.gogc, p.floor, p.ceiling)
		}
		most := max(float64(target), h.goal(float64(p.floor)))
		if goal := h.goal(float64(d.gogc)); goal > most*(1+deadBand+1e-9) {
			t.Errorf("GOGC %d puts the goal at %.0f, above %.0f", d.gogc, goal, most)
		}
	})
}
