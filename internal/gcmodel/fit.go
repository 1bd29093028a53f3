package gcmodel

import (
	"errors"
	"math"
)

// A Sample is what one cycle, or the mean of several, cost.
type Sample struct {
	Scanned float64 // bytes: live heap, stacks and globals
	CPU     float64 // processor seconds per cycle, idle marking excluded
	Cycles  float64 // how many cycles the sample is the mean of: its weight; 0 counts as 1
}

// A Cost is the price of a cycle, fitted to a program.
type Cost struct {
	PerByte  float64 `json:"cpu_s_per_byte"`  // c
	PerCycle float64 `json:"cpu_s_per_cycle"` // F

	// Separable says that the samples differ enough in scanned bytes to tell c from F. If not, all cost is in c,
	// and predictions for another live heap say how far F could pull them.
	Separable bool `json:"separable"`

	// What the interval of a prediction needs: residual deviation, weights, mean and spread of Scanned, degrees of freedom.
	Deviation float64 `json:"deviation_s"` // of one sample of weight 1, in processor seconds
	Weight    float64 `json:"weight"`
	Mean      float64 `json:"mean_scanned_bytes"`
	Spread    float64 `json:"spread"` // Σ w(x - mean)²
	Freedom   int     `json:"degrees_of_freedom"`
}

// minSpread is the relative spread of Scanned under which c and F cannot be told apart.
const minSpread = 0.05

// Fit finds c and F by weighted least squares under c >= 0 and F >= 0. It fails without a usable sample.
func Fit(samples []Sample) (Cost, error) {
	var w, sx, sy, sxx, sxy float64
	n := 0
	for _, s := range samples {
		if !usable(s) {
			continue
		}
		k := weight(s)
		n++
		w += k
		sx += k * s.Scanned
		sy += k * s.CPU
		sxx += k * s.Scanned * s.Scanned
		sxy += k * s.Scanned * s.CPU
	}
	if n == 0 {
		return Cost{}, errors.New("no cycle with a cost to fit: collect a trace of at least ten cycles under load")
	}
	mean, meanCPU := sx/w, sy/w
	cost := Cost{Weight: w, Mean: mean}
	var covariance float64
	for _, s := range samples { // about the mean: the sums above lose too many digits
		if usable(s) {
			d := s.Scanned - mean
			cost.Spread += weight(s) * d * d
			covariance += weight(s) * d * (s.CPU - meanCPU)
		}
	}
	cost.Separable = n > 2 && math.Sqrt(cost.Spread/w) > minSpread*mean
	if cost.Separable {
		cost.PerByte = covariance / cost.Spread
		cost.PerCycle = meanCPU - cost.PerByte*mean
	}
	switch {
	case !cost.Separable || cost.PerCycle < 0: // the best with F = 0
		cost.PerByte, cost.PerCycle = sxy/sxx, 0
	case cost.PerByte < 0: // the best with c = 0
		cost.PerByte, cost.PerCycle = 0, meanCPU
	}
	parameters := 1
	if cost.Separable {
		parameters = 2
	}
	if cost.Freedom = n - parameters; cost.Freedom > 0 {
		rss := 0.0
		for _, s := range samples {
			if usable(s) {
				r := s.CPU - cost.PerByte*s.Scanned - cost.PerCycle
				rss += weight(s) * r * r
			}
		}
		cost.Deviation = math.Sqrt(rss / float64(cost.Freedom))
	}
	return cost, nil
}

func weight(s Sample) float64 {
	if s.Cycles > 0 {
		return s.Cycles
	}
	return 1
}

// usable says whether the sample has finite, sensible figures.
func usable(s Sample) bool {
	return s.Scanned > 0 && s.CPU >= 0 && !math.IsInf(s.Scanned+s.CPU+s.Cycles, 0) && !math.IsNaN(s.Scanned+s.CPU+s.Cycles)
}

// Cycle returns the processor seconds of one cycle that scans so many bytes, with a 95 % interval of
// the mean. Without residuals (Freedom 0) the interval is [0, +Inf].
func (c Cost) Cycle(scanned float64) (mean, low, high float64) {
	mean = c.PerByte*scanned + c.PerCycle
	if c.Freedom < 1 {
		return mean, 0, math.Inf(1)
	}
	d := scanned - c.Mean
	variance := 1 / c.Weight
	if c.Separable {
		variance += d * d / c.Spread
	}
	margin := student95(c.Freedom) * c.Deviation * math.Sqrt(variance)
	low, high = mean, mean
	if !c.Separable {
		// All of the cost might as well be F.
		flat := c.PerByte * c.Mean
		low, high = min(low, flat), max(high, flat)
	}
	return mean, max(0, low-margin), high + margin
}

// student95 returns the two-sided 95 % quantile of Student's t distribution.
func student95(freedom int) float64 {
	small := [...]float64{12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23}
	if freedom <= len(small) {
		return small[freedom-1]
	}
	return 1.96 + 2.4/float64(freedom) // under 1 % off
}
