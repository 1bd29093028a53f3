package capture

import (
	"errors"
	"fmt"
	"math"
	"slices"

	pprof "github.com/google/pprof/profile"
)

// Merged returns the sum of the targets' profiles of one kind, so that a fleet reads like one program, and what
// qualifies it. Durations add up too: rates are then for one program. The error is [ErrNone] where no target has one.
func (b *Bundle) Merged(k Kind) (*pprof.Profile, []string, error) {
	var all []*pprof.Profile
	var warnings []string
	builds := make(map[string]bool)
	for i := range b.Manifest.Targets {
		t := &b.Manifest.Targets[i]
		p, err := b.Profile(t, k)
		if errors.Is(err, ErrNone) {
			continue
		} else if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
		if t.BuildID != "" {
			builds[t.BuildID] = true
		}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s profile: %w", k, ErrNone)
	}
	if n := len(b.Manifest.Targets); len(all) < n {
		warnings = append(warnings, fmt.Sprintf("the %s profile is of %d of %d programs", k, len(all), n))
	}
	if len(builds) > 1 {
		warnings = append(warnings, fmt.Sprintf("the programs are %d different builds: lines may not agree", len(builds)))
	}
	merged, err := pprof.Merge(all)
	if err != nil {
		return nil, nil, fmt.Errorf("%s profiles of the fleet do not go together: %w; look at one program at a time", k, err)
	}
	return merged, warnings, nil
}

// An Outlier is a program that is not like the rest of its fleet.
type Outlier struct {
	Target string  `json:"target"`
	Figure string  `json:"figure"` // name of what differs
	Value  float64 `json:"value"`
	Median float64 `json:"median"` // of the fleet
	// Deviations is how far Value is from Median, in deviations that would be standard ones were the fleet
	// normally distributed: 1.4826 times the median absolute deviation. At most math.MaxFloat64: JSON has no infinity.
	Deviations float64 `json:"deviations"`
}

// What makes an outlier. In a fleet that agrees to a hair everything is many deviations away, hence the second condition.
const (
	minDeviations = 3.5 // Iglewicz and Hoaglin's bound for the modified z-score
	minDifference = 0.2 // of the median
	minFleet      = 3   // of two, neither is the odd one
	madToSigma    = 1.4826
)

// Outliers names the programs whose GC CPU, allocation rate or live heap are far from the fleet's median. Programs with
// a figure unknown are left out of its median. There are none in a fleet of less than three.
func Outliers(fleet []*Health) []Outlier {
	var out []Outlier
	for _, figure := range []struct {
		name string
		of   func(*Health) Figure
	}{
		{"GC CPU", func(h *Health) Figure { return h.GCCPU }},
		{"GC CPU since the start", func(h *Health) Figure { return h.GCCPUTotal }},
		{"allocation rate", func(h *Health) Figure { return h.AllocBytesPerS }},
		{"live heap", func(h *Health) Figure { return h.LiveBytes }},
	} {
		var values []float64
		for _, h := range fleet {
			if f := figure.of(h); f.Known() {
				values = append(values, f.Value)
			}
		}
		if len(values) < minFleet {
			continue
		}
		mid := median(values)
		for i := range values {
			values[i] = math.Abs(values[i] - mid)
		}
		sigma := madToSigma * median(values)
		for _, h := range fleet {
			f := figure.of(h)
			d := math.Abs(f.Value - mid)
			if !f.Known() || d <= minDifference*math.Abs(mid) || d <= minDeviations*sigma {
				continue
			}
			out = append(out, Outlier{h.Target, figure.name, f.Value, mid, min(d/sigma, math.MaxFloat64)})
		}
	}
	return out
}

// median returns the middle of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
