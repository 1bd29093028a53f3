package report

import (
	"math"
	"strconv"
	"strings"
)

// share returns a part of 1 in per cent with one decimal.
func share(x float64) string {
	switch {
	case math.IsNaN(x) || x < 0 || x > 1.0005:
		return "?"
	case x > 0 && x < 0.0005:
		return "<0.1 %"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64) + " %"
}

// count returns a number of things: whole numbers exactly, others with two
// decimals below 100.
func count(x float64) string {
	if unknown(x) {
		return "?"
	}
	switch {
	case x >= 1e15:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x >= 100 || x == math.Trunc(x):
		return thousands(strconv.FormatFloat(x, 'f', 0, 64))
	case x < 0.005:
		return "<0.01"
	}
	return trimZeros(strconv.FormatFloat(x, 'f', 2, 64))
}

// size returns bytes as B, KiB, MiB, GiB or TiB.
func size(x float64) string {
	if unknown(x) {
		return "?"
	}
	if x < 1024 {
		return count(x) + " B"
	}
	return scaled(x/1024, 1024, "KiB", "MiB", "GiB", "TiB")
}

// duration returns nanoseconds as ns, µs, ms or s.
func duration(ns float64) string {
	if unknown(ns) {
		return "?"
	}
	return scaled(ns, 1000, "ns", "µs", "ms", "s")
}

func unknown(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) || x < 0 }

// scaled returns x with three significant digits in the first unit in which it
// is less than step, or the last.
func scaled(x, step float64, units ...string) string {
	// What would be rounded up to the step belongs to the next unit.
	for len(units) > 1 && x >= step-0.5 {
		x /= step
		units = units[1:]
	}
	return significant(x) + " " + units[0]
}

// significant returns x with three significant digits, all those before the
// decimal point kept.
func significant(x float64) string {
	switch {
	case x >= 1e15:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x == 0:
		return "0"
	case x < 0.005:
		return "<0.01"
	case x < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return thousands(strconv.FormatFloat(x, 'f', 0, 64))
}

// factor returns a ratio with two significant digits, and two decimals where
// it is close to 1.
func factor(x float64) string {
	switch {
	case unknown(x):
		return "?"
	case x >= 1e15:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x < 1.995:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 9.95:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return thousands(strconv.FormatFloat(x, 'f', 0, 64))
}

// probability returns a p-value as "p=0.012" or "p<0.001".
func probability(p float64) string {
	switch {
	case math.IsNaN(p) || p < 0 || p > 1:
		return "p=?"
	case p < 0.001:
		return "p<0.001"
	}
	return "p=" + strconv.FormatFloat(p, 'f', 3, 64)
}

func trimZeros(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// thousands puts commas between groups of three digits.
func thousands(digits string) string {
	if len(digits) <= 3 {
		return digits
	}
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
