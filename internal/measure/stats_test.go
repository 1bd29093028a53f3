package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b, eps float64) bool { return a == b || math.Abs(a-b) <= eps }

func TestMannWhitney(t *testing.T) {
	seq := func(from float64, n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = from + float64(i)
		}
		return s
	}
	for _, tt := range []struct {
		name          string
		before, after []float64
		want          float64
	}{
		// Of C(2n, n) equally likely orders, two are as extreme as complete separation.
		{"3+3 apart", seq(0, 3), seq(10, 3), 2.0 / 20},
		{"6+6 apart", seq(0, 6), seq(10, 6), 2.0 / 924},
		{"10+10 apart", seq(0, 10), seq(100, 10), 2.0 / 184756},
		{"other way", seq(100, 10), seq(0, 10), 2.0 / 184756},
		{"unsorted", []float64{3, 1, 2}, []float64{12, 10, 11}, 2.0 / 20},
		// U = 2 of 9: orders with U of 0, 1 or 2 on either side are 2*(1+1+2) of 20.
		{"overlap", []float64{1, 2, 5}, []float64{3, 4, 6}, 8.0 / 20},
		{"equal", []float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{"empty", nil, []float64{1}, 1},
	} {
		if got := MannWhitney(tt.before, tt.after); !near(got, tt.want, 1e-12) {
			t.Errorf("%s: p = %v, want %v", tt.name, got, tt.want)
		}
	}
	unsorted := []float64{3, 1, 2}
	MannWhitney(unsorted, unsorted)
	if !slices.Equal(unsorted, []float64{3, 1, 2}) {
		t.Errorf("MannWhitney sorted its argument: %v", unsorted)
	}
}

func TestHolm(t *testing.T) {
	for _, tt := range []struct{ p, want []float64 }{
		{nil, nil},
		{[]float64{0.04}, []float64{0.04}},
		// Worked by hand: 0.01*4, 0.02*3, 0.03*2, 0.04*1, never falling.
		{[]float64{0.04, 0.01, 0.03, 0.02}, []float64{0.06, 0.04, 0.06, 0.06}},
		{[]float64{0.6, 0.7}, []float64{1, 1}},
		{[]float64{0.001, 0.5, 0.5}, []float64{0.003, 1, 1}},
	} {
		got := Holm(tt.p)
		if !slices.EqualFunc(got, tt.want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("Holm(%v) = %v, want %v", tt.p, got, tt.want)
		}
	}
}

// The design counts on this: with complete separation and alpha 0.05, six
// rounds carry 23 comparisons and ten rounds 4,618.
func TestHolmCapacity(t *testing.T) {
	for _, tt := range []struct {
		p    float64
		most int
	}{{2.0 / 924, 23}, {2.0 / 184756, 4618}} {
		for _, n := range []int{tt.most, tt.most + 1} {
			p := slices.Repeat([]float64{tt.p}, n)
			if found := Holm(p)[0] < 0.05; found != (n == tt.most) {
				t.Errorf("p = %v, %d comparisons: found = %v", tt.p, n, found)
			}
		}
	}
}

func TestMedianRatio(t *testing.T) {
	constant := slices.Repeat([]float64{10}, 10)
	if got := MedianRatio(constant, slices.Repeat([]float64{5}, 10), 1); got != (Interval{2, 2, 2}) {
		t.Errorf("constant samples: %v, want exactly 2", got)
	}
	if got := MedianRatio(constant, make([]float64, 10), 1); !math.IsInf(got.Ratio, 1) || !math.IsInf(got.Low, 1) {
		t.Errorf("fall to zero: %v, want +Inf", got)
	}
	if got := MedianRatio(make([]float64, 6), make([]float64, 6), 1); got != (Interval{1, 1, 1}) {
		t.Errorf("zero to zero: %v, want 1", got)
	}
	if got := MedianRatio(nil, constant, 1); !math.IsNaN(got.Ratio) {
		t.Errorf("empty sample: %v, want NaN", got)
	}
	a, b := []float64{9, 10, 11, 12, 8, 10.5}, []float64{5, 5.5, 4.5, 6, 5.2, 4.9}
	got := MedianRatio(a, b, 7)
	if want := 10.25 / 5.1; !near(got.Ratio, want, 1e-12) || got.Low > want || got.High < want || got.Low == got.High {
		t.Errorf("got %v, want %v inside a proper interval", got, want)
	}
	if again := MedianRatio(a, b, 7); again != got {
		t.Errorf("same seed: %v, then %v", got, again)
	}
	if other := MedianRatio(a, b, 8); other.Ratio != got.Ratio {
		t.Errorf("the seed changed the ratio itself: %v, %v", got, other)
	}
}

// The bootstrap distribution of the median of {0, 1, 2} by enumeration of its
// 27 resamples: 0 and 2 in 7 each, 1 in 13.
func TestResampledMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[float64]int{}
	const draws = 27000
	drawn := make([]int, 3)
	for range draws {
		count[resampledMedian(rng, []float64{0, 1, 2}, drawn)]++
	}
	for v, want := range map[float64]int{0: 7000, 1: 13000, 2: 7000} {
		// Five standard deviations of a binomial count.
		if math.Abs(float64(count[v]-want)) > 5*math.Sqrt(float64(want)) {
			t.Errorf("median %v came %d times in %d, want about %d", v, count[v], draws, want)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		i    Interval
		p    float64
		want Verdict
	}{
		{Interval{2, 1.9, 2.1}, 0.001, Better},
		{Interval{2, 1.9, 2.1}, 0.2, Inconclusive}, // too few rounds for the table
		{Interval{0.5, 0.45, 0.55}, 0.001, Worse},
		{Interval{0.5, 0.45, 0.55}, 0.2, Inconclusive},
		{Interval{1.01, 1.005, 1.015}, 0.001, Same}, // real but too small to count
		{Interval{1, 0.99, 1.01}, 0.9, Same},
		{Interval{1.02, 1.005, 1.04}, 0.001, Inconclusive},
		{Interval{1, 0.9, 1.1}, 0.9, Inconclusive},
		{Interval{0.98, 0.96, 0.99}, 0.001, Inconclusive},
		{Interval{math.Inf(1), math.Inf(1), math.Inf(1)}, 0.001, Better},
		{Interval{math.NaN(), math.NaN(), math.NaN()}, 0, Inconclusive},
	} {
		if got := Judge(tt.i, 0.02, tt.p, 0.05); got != tt.want {
			t.Errorf("Judge(%v, p=%v) = %s, want %s", tt.i, tt.p, got, tt.want)
		}
	}
}

// simulate draws a table of comparisons whose second sample takes effect times
// as long, and counts the verdicts. Times have normal noise; the share slow of
// the runs is up to 30 % slower, as on a shared machine.
func simulate(rng *rand.Rand, comparisons, rounds int, noise, slow, effect float64) map[Verdict]int {
	draw := func(scale float64) []float64 {
		s := make([]float64, rounds)
		for i := range s {
			s[i] = 100 * scale * (1 + noise*rng.NormFloat64())
			if rng.Float64() < slow {
				s[i] *= 1 + 0.3*rng.Float64()
			}
		}
		return s
	}
	intervals, p := make([]Interval, comparisons), make([]float64, comparisons)
	for i := range p {
		before, after := draw(1), draw(effect)
		intervals[i], p[i] = MedianRatio(before, after, uint64(i)), MannWhitney(before, after)
	}
	verdicts := make(map[Verdict]int)
	for i, adjusted := range Holm(p) {
		verdicts[Judge(intervals[i], 0.02, adjusted, 0.05)]++
	}
	return verdicts
}

// In tables of 20 comparisons of a program with itself, at most one table in
// twenty may hold a false finding.
func TestNoFalseFindings(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	const tables = 40
	wrong := 0
	for range tables {
		v := simulate(rng, 20, 10, 0.03, 0.1, 1)
		if v[Better]+v[Worse] > 0 {
			wrong++
		}
	}
	if wrong > 5 { // nominal 2; six or more has a chance of 1.4 %
		t.Errorf("%d of %d tables hold a false finding, want at most one in twenty", wrong, tables)
	}
	t.Logf("%d of %d tables hold a false finding", wrong, tables)
}

func TestPlantedDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, tt := range []struct {
		effect, noise, slow float64
		want                Verdict
		atLeast             int // of 40
	}{
		{1.05, 0.01, 0, Worse, 38},
		{1 / 1.05, 0.01, 0, Better, 38},
		{1, 0.005, 0, Same, 38},
		// Slow runs widen the interval: some answers stay open, none is wrong.
		{1.05, 0.01, 0.1, Worse, 24},
		{1 / 1.05, 0.01, 0.1, Better, 24},
		{2, 0.05, 0.1, Worse, 38},
	} {
		v := simulate(rng, 40, 10, tt.noise, tt.slow, tt.effect)
		if v[tt.want] < tt.atLeast {
			t.Errorf("%+v: %v, want %s in %d of 40", tt, v, tt.want, tt.atLeast)
		}
		for _, wrong := range []Verdict{Better, Worse, Same} {
			if wrong != tt.want && v[wrong] > 0 {
				t.Errorf("%+v: %v holds wrong verdicts", tt, v)
			}
		}
	}
}

// Where noise is larger than the effect, the answer is "inconclusive", not "same".
func TestNoiseIsInconclusive(t *testing.T) {
	v := simulate(rand.New(rand.NewPCG(3, 9)), 40, 6, 0.1, 0.1, 1.02)
	if v[Same] > 0 || v[Inconclusive] < 36 {
		t.Errorf("verdicts %v, want nearly all inconclusive and none same", v)
	}
}

func BenchmarkMedianRatio(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	before, after := make([]float64, 10), make([]float64, 10)
	for i := range before {
		before[i], after[i] = rng.NormFloat64()+10, rng.NormFloat64()+9
	}
	b.ReportAllocs()
	for b.Loop() {
		MedianRatio(before, after, 1)
	}
}

func BenchmarkMannWhitney(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	before, after := make([]float64, 10), make([]float64, 10)
	for i := range before {
		before[i], after[i] = rng.NormFloat64()+10, rng.NormFloat64()+9
	}
	b.ReportAllocs()
	for b.Loop() {
		MannWhitney(before, after)
	}
}

func BenchmarkHolm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := make([]float64, 100)
	for i := range p {
		p[i] = rng.Float64()
	}
	b.ReportAllocs()
	for b.Loop() {
		Holm(p)
	}
}
