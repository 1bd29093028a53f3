package gcmodel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name      string
		samples   []Sample
		c, f      float64
		separable bool
	}{
		{"line", []Sample{{Scanned: 100, CPU: 1.2}, {Scanned: 200, CPU: 2.2}, {Scanned: 300, CPU: 3.2}}, 0.01, 0.2, true},
		{"weights", []Sample{{Scanned: 100, CPU: 1, Cycles: 3}, {Scanned: 100, CPU: 5, Cycles: 1}}, 0.02, 0, false},
		{"F would be negative", []Sample{{Scanned: 100, CPU: 0.5}, {Scanned: 200, CPU: 2}, {Scanned: 300, CPU: 3.5}}, 1500.0 / 140000, 0, true},
		{"c would be negative", []Sample{{Scanned: 100, CPU: 3}, {Scanned: 200, CPU: 2}, {Scanned: 300, CPU: 1}}, 0, 2, true},
		{"one size only", []Sample{{Scanned: 100, CPU: 1}, {Scanned: 101, CPU: 1}, {Scanned: 99, CPU: 1}}, 300.0 / (100*100 + 101*101 + 99*99), 0, false},
		{"nonsense left out", []Sample{{Scanned: 100, CPU: 1}, {Scanned: -1, CPU: 1}, {Scanned: 1, CPU: math.NaN()}, {Scanned: math.Inf(1), CPU: 1}}, 0.01, 0, false},
	} {
		got, err := Fit(c.samples)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !near(got.PerByte, c.c) || !near(got.PerCycle+1, c.f+1) || got.Separable != c.separable {
			t.Errorf("%s: got c=%v F=%v separable=%v, want %v, %v, %v", c.name, got.PerByte, got.PerCycle, got.Separable, c.c, c.f, c.separable)
		}
	}
	if _, err := Fit([]Sample{{Scanned: 0, CPU: 1}}); err == nil {
		t.Error("a fit without a usable sample succeeded")
	}
}

// TestInterval draws noisy programs: the 95 % interval must hold the true mean in about that share of them.
func TestInterval(t *testing.T) {
	const c, f, trials = 2e-10, 1e-3, 400
	r := rand.New(rand.NewPCG(1, 2))
	for _, at := range []float64{50e6, 150e6, 400e6} { // to the left of, inside and to the right of the samples
		inside := 0
		for range trials {
			var samples []Sample
			for i := range 12 {
				x := 100e6 + 10e6*float64(i)
				samples = append(samples, Sample{Scanned: x, CPU: (c*x + f) * (1 + 0.05*r.NormFloat64())})
			}
			cost, err := Fit(samples)
			if err != nil {
				t.Fatal(err)
			}
			if _, low, high := cost.Cycle(at); low <= c*at+f && c*at+f <= high {
				inside++
			}
		}
		if share := float64(inside) / trials; share < 0.90 || share == 1 {
			t.Errorf("at %v bytes the interval holds the truth in %.1f %% of the trials, want about 95", at, 100*share)
		}
	}
}

// TestInseparable checks that a prediction for another live heap admits that F may be all of the cost.
func TestInseparable(t *testing.T) {
	cost, err := Fit([]Sample{{Scanned: 100, CPU: 1}, {Scanned: 100, CPU: 1}, {Scanned: 100, CPU: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mean, low, high := cost.Cycle(300)
	if !near(mean, 3) || !near(low, 1) || !near(high, 3) {
		t.Errorf("got %v in [%v, %v], want 3 in [1, 3]", mean, low, high)
	}
	if _, low, high := (Cost{PerByte: 1}).Cycle(1); low != 0 || !math.IsInf(high, 1) {
		t.Errorf("without residuals: got [%v, %v], want [0, +Inf]", low, high)
	}
}
