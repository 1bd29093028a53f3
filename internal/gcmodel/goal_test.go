package gcmodel

import (
	"math"
	"testing"
)

const gib = 1 << 30

func TestGoalGOGC(t *testing.T) {
	for _, c := range []struct {
		name        string
		live, roots int64
		gogc        int
		want        int64
	}{
		{"doubles", 100 * mib, 0, 100, 200 * mib},
		{"roots count", 100 * mib, 20 * mib, 100, 220 * mib},
		{"half", 100 * mib, 20 * mib, 50, 160 * mib},
		{"minimum", 1 * mib, 0, 100, 4 * mib},
		{"minimum scales with GOGC", 1 * mib, 0, 400, 16 * mib},
		{"GOGC=0 collects all the time", 100 * mib, 0, 0, 100 * mib},
		{"off", 100 * mib, 0, -1, Unlimited},
		{"saturates", Unlimited / 2, 0, 10000, Unlimited},
		{"rounds down", 100*mib + 1, 0, 50, 150*mib + 1},
	} {
		if got := GoalGOGC(c.live, c.roots, c.gogc); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestGoalLimit(t *testing.T) {
	for _, c := range []struct {
		name                         string
		live, limit, nonHeap, mapped int64
		want                         int64
	}{
		{"none", 5 * mib, Unlimited, 0, 0, Unlimited},
		{"tiny", 0, 1000, 0, 0, minHeadroom},                                  // never under the headroom
		{"three percent", 0, 1000 * mib, 0, 0, 1000*mib - 1000*mib/100*3},     // 970 MiB
		{"least headroom", 0, 20 * mib, 0, 0, 19 * mib},                       // 3 % would be 0.6 MiB
		{"non-heap", 0, 120 * mib, 20 * mib, 0, 100*mib - 100*mib/100*3},      // 97 MiB
		{"overage", 0, 120 * mib, 20 * mib, 130 * mib, 90*mib - 90*mib/100*3}, // 10 MiB over the limit
		{"within the limit mapped is no matter", 0, 120 * mib, 20 * mib, 119 * mib, 100*mib - 100*mib/100*3},
		{"never under the live heap", 99 * mib, 100 * mib, 0, 0, 99 * mib},
		{"non-heap over the limit", 7 * mib, 10 * mib, 11 * mib, 0, 7 * mib},
	} {
		if got := GoalLimit(c.live, c.limit, c.nonHeap, c.mapped); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestRates(t *testing.T) {
	if got := EffectiveGOGC(100*mib, 20*mib, 160*mib); got != 50 {
		t.Errorf("effective GOGC: got %v, want 50", got)
	}
	if got := EffectiveGOGC(100*mib, 0, Unlimited); got != -1 {
		t.Errorf("effective GOGC without a goal: got %v, want -1", got)
	}
	if got := EffectiveGOGC(0, 0, 4*mib); got != 0 {
		t.Errorf("effective GOGC of an empty heap: got %v, want 0", got)
	}
	if got := CyclesPerSecond(500*mib, 100*mib, 200*mib); got != 5 {
		t.Errorf("cycles: got %v, want 5", got)
	}
	if got := CyclesPerSecond(500*mib, 100*mib, Unlimited); got != 0 {
		t.Errorf("cycles without a goal: got %v, want 0", got)
	}
	if got := CyclesPerSecond(1*mib, 100*mib, 100*mib); got != 16 {
		t.Errorf("cycles without headroom: got %v, want one each 64 KiB", got)
	}
}

// near compares to a part in a million.
func near(got, want float64) bool {
	return math.Abs(got-want) <= 1e-6*math.Max(math.Abs(want), 1e-12)
}
