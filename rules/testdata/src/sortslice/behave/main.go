// The program must print the same with either package.
package main

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"time"
)

type row struct {
	key  int
	name string
	at   time.Time
	seq  int
}

type byKey []row

func (s byKey) Len() int           { return len(s) }
func (s byKey) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s byKey) Less(i, j int) bool { return s[i].key < s[j].key }

func rows(n, keys int) []row {
	r := rand.New(rand.NewSource(int64(n)))
	s := make([]row, n)
	for i := range s {
		k := r.Intn(keys)
		s[i] = row{k, strings.Repeat("x", k%7), time.Unix(int64(k%5), 0), i}
	}
	return s
}

func show(s []row) {
	h := 0
	for _, r := range s {
		h = h*31 + r.seq
	}
	fmt.Println(len(s), h)
}

func main() {
	sort.Ints(nil)
	for _, n := range []int{0, 1, 2, 5, 12, 13, 50, 51, 300, 5000} {
		for _, keys := range []int{1, 3, 10, 1000} {
			s := rows(n, keys)
			sort.Slice(s, func(i, j int) bool { return s[i].key < s[j].key }) // safe // want `sort.Slice boxes`
			show(s)
			sort.Slice(s, func(i, j int) bool { // safe // want `sort.Slice boxes`
				if s[i].name != s[j].name {
					return s[i].name > s[j].name
				}
				return s[i].key%4 < s[j].key%4
			})
			show(s)
			sort.SliceStable(s, func(i, j int) bool { return s[i].at.Before(s[j].at) }) // safe // want `sort.SliceStable boxes`
			show(s)
			sort.Sort(byKey(s)) // safe // want `sort.Sort boxes`
			show(s)
			sort.Stable(byKey(s)) // safe // want `sort.Stable boxes`
			show(s)
			p := make([]*row, len(s))
			for i := range s {
				p[i] = &s[i]
			}
			sort.Slice(p, func(i, j int) bool { return strings.Compare(p[i].name, p[j].name) < 0 }) // safe // want `sort.Slice boxes`
			h := 0
			for _, r := range p {
				h = h*31 + r.seq
			}
			fmt.Println(h)
		}
	}
}
