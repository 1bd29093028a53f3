package sortslice

type byName []T

func (s byName) Len() int           { return len(s) }
func (s byName) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s byName) Less(i, j int) bool { return s[i].Name < s[j].Name }

type byOther []T

func (s byOther) Len() int           { return len(s) }
func (s byOther) Swap(i, j int)      { s[j], s[i] = s[i], s[j] }
func (s byOther) Less(i, j int) bool { return s[i].Y < s[j].Y }

// Counts its swaps.
type reversed []T

var swaps int

func (s reversed) Len() int { return len(s) }
func (s reversed) Swap(i, j int) {
	swaps++
	s[i], s[j] = s[j], s[i]
}
func (s reversed) Less(i, j int) bool { return s[i].Name < s[j].Name }

type swapper struct{ a, b []int }

func (s *swapper) Len() int           { return len(s.a) }
func (s *swapper) Swap(i, j int)      { s.a[i], s.a[j] = s.a[j], s.a[i] }
func (s *swapper) Less(i, j int) bool { return s.a[i] < s.a[j] }
