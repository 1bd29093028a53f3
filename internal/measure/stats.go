package measure

import (
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"
)

// A Verdict is what an experiment says of a variant against the first one.
type Verdict string

const (
	Better       Verdict = "better"
	Worse        Verdict = "worse"
	Same         Verdict = "same"         // within the tolerance
	Inconclusive Verdict = "inconclusive" // the interval straddles the tolerance
)

// An Interval is a ratio before/after with its 95 % bounds. For a unit of which
// less is better, 2 is twice as good. A fall to zero is +Inf.
type Interval struct {
	Ratio, Low, High float64
}

const (
	resamples  = 2000
	confidence = 0.95
)

// MedianRatio returns the ratio of the medians, before/after, and the
// percentile interval from 2,000 bootstrap resamples of each sample (Efron,
// "Bootstrap Methods: Another Look at the Jackknife", 1979). Equal seeds give
// equal intervals. Empty samples give NaN.
func MedianRatio(before, after []float64, seed uint64) Interval {
	if len(before) == 0 || len(after) == 0 {
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	a, b := ascending(before), ascending(after)
	rng := rand.New(rand.NewPCG(seed, uint64(len(a))<<32|uint64(len(b))))
	ratios := make([]float64, resamples)
	drawn := make([]int, max(len(a), len(b)))
	for i := range ratios {
		ratios[i] = ratio(resampledMedian(rng, a, drawn), resampledMedian(rng, b, drawn))
	}
	slices.Sort(ratios)
	// Indices k and resamples-1-k leave (1-confidence)/2 outside on each side.
	k := int(math.Round(resamples * (1 - confidence) / 2))
	return Interval{Ratio: ratio(median(a), median(b)), Low: ratios[k], High: ratios[resamples-1-k]}
}

// resampledMedian draws len(sorted) values with replacement and returns their
// median. It counts how often each rank is drawn, which spares sorting.
func resampledMedian(rng *rand.Rand, sorted []float64, drawn []int) float64 {
	n := len(sorted)
	drawn = drawn[:n]
	clear(drawn)
	for range n {
		drawn[rng.IntN(n)]++
	}
	lower, upper := (n-1)/2, n/2 // ranks of the middle values
	seen, lo := 0, -1
	for i := 0; ; i++ {
		seen += drawn[i]
		if lo < 0 && seen > lower {
			lo = i
		}
		if seen > upper {
			return (sorted[lo] + sorted[i]) / 2
		}
	}
}

// ascending returns a sorted copy.
func ascending(values []float64) []float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted
}

// median returns the median of a sorted, non-empty sample.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio returns before/after, 1 where both are zero.
func ratio(before, after float64) float64 {
	if before == after {
		return 1
	}
	return before / after
}

// MannWhitney returns the two-sided p-value of the Mann-Whitney U test that
// the samples come from one distribution: exact up to 50 values in each sample
// (25 with ties), else by the normal approximation. Samples that are empty or
// all equal give 1.
func MannWhitney(before, after []float64) float64 {
	t := benchmath.DefaultThresholds
	// NewSample sorts in place.
	s1 := benchmath.NewSample(slices.Clone(before), &t)
	s2 := benchmath.NewSample(slices.Clone(after), &t)
	return benchmath.AssumeNothing.Compare(s1, s2).P
}

// Holm returns p-values adjusted for the number of tests: comparing them with
// alpha keeps the chance of even one false finding below alpha (Holm, "A
// Simple Sequentially Rejective Multiple Test Procedure", 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case p[i] < p[j]:
			return -1
		case p[i] > p[j]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = worst
	}
	return adjusted
}

// Judge gives the verdict on a noisy metric of which less is better. tolerance
// is the smallest effect that counts, as 0.02; p is the adjusted p-value and
// alpha its limit. The interval must lie wholly on one side of the tolerance,
// or wholly within it.
func Judge(i Interval, tolerance, p, alpha float64) Verdict {
	within := 1 + tolerance
	switch {
	case i.Low > within && p < alpha:
		return Better
	case i.High < 1/within && p < alpha:
		return Worse
	case i.Low >= 1/within && i.High <= within:
		return Same
	}
	return Inconclusive
}
