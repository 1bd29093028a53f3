package sortslice

import (
	"sort"
	"strings"
)

type T struct {
	X, Y  int
	F     float64
	Name  string
	Inner struct{ Z int8 }
	list  []int
}

func (t T) Key() int { return t.X }

type holder struct{ items []*T }

func calls(s []T, ints []int, words []string, h *holder, floats []float64, m map[string]int, c int) {
	sort.Slice(ints, func(i, j int) bool { return ints[i] < ints[j] })                                      // safe // want `sort.Slice boxes`
	sort.Slice(words, func(i, j int) bool { return words[i] > words[j] })                                   // safe // want `sort.Slice boxes`
	sort.Slice(words, func(a, b int) bool { return len(words[a]) < len(words[b]) })                         // safe // want `sort.Slice boxes`
	sort.Slice(s, func(i, j int) bool { return s[j].Inner.Z < s[i].Inner.Z })                               // safe // want `sort.Slice boxes`
	sort.Slice(h.items, func(i, j int) bool { return h.items[i].X < h.items[j].X })                         // safe // want `sort.Slice boxes`
	sort.Slice(s, func(i, j int) bool { return s[i].Key() < s[j].Key() })                                   // review // want `sort.Slice boxes`
	sort.Slice(s, func(i, j int) bool { return s[i].F < s[j].F })                                           // review // want `sort.Slice boxes`
	sort.Slice(floats, func(i, j int) bool { return floats[i] < floats[j] })                                // review // want `sort.Slice boxes`
	sort.Slice(words, func(i, j int) bool { return strings.ToLower(words[i]) < strings.ToLower(words[j]) }) // review // want `sort.Slice boxes`
	sort.Slice(s, func(i, j int) bool {                                                                     // safe // want `sort.Slice boxes`
		if s[i].X != s[j].X {
			return s[i].X < s[j].X
		}
		if s[i].Y != s[j].Y {
			return s[i].Y > s[j].Y
		}
		// At last, the name.
		return s[i].Name < s[j].Name
	})

	// Less is something else.
	sort.Slice(s, func(i, j int) bool { return s[i].X <= s[j].X })
	sort.Slice(s, func(i, j int) bool { return s[i].X < s[i].Y })
	sort.Slice(s, func(i, j int) bool { return s[i].X < s[j].Y })
	sort.Slice(s, func(i, j int) bool { return i < j })
	sort.Slice(s, func(i, j int) bool { return s[i].X < 3 })
	sort.Slice(words, func(i, j int) bool { return ints[i] < ints[j] })
	sort.Slice(words, func(i, j int) bool { return m[words[i]] < m[words[j]] })
	sort.Slice(s, func(i, j int) bool { return s[i].X+i < s[j].X+j })
	sort.Slice(s, func(i, j int) bool { return s[i].list[i] < s[j].list[j] })
	sort.Slice(s, func(i, j int) bool { return s[i].X*c < s[j].X*c })
	sort.Slice(s, func(i, j int) bool {
		if s[i].X != s[j].X {
			return s[i].Y < s[j].Y
		}
		return s[i].Name < s[j].Name
	})
	sort.Slice(s, func(i, j int) bool {
		c++
		return s[i].X < s[j].X
	})
	sort.Slice(s, func(i, j int) bool {
		return /* a comment that would be lost: */ s[i].X /* here */ < s[j].X
	})
	less := func(i, j int) bool { return s[i].X < s[j].X }
	sort.Slice(s, less)
	sort.Strings(words)
	sort.Ints(ints)
}

func local() {
	type pair struct{ k, v int }
	s := []pair{{1, 2}}
	sort.Slice(s, func(i, j int) bool { return s[i].k < s[j].k }) // safe // want `sort.Slice boxes`
	anonymous := []struct{ k int }{{1}}
	sort.Slice(anonymous, func(i, j int) bool { return anonymous[i].k < anonymous[j].k })
}

func shadowed(cmp []int) {
	sort.Slice(cmp, func(i, j int) bool { return cmp[i] > cmp[j] }) // none // want `sort.Slice boxes`
}

type number interface{ ~int | ~float64 }

func generic[E number](s []E) {
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) // review // want `sort.Slice boxes`
}
