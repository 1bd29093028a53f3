// Command presize prints what its functions return, so that their two forms
// can be compared.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
)

type pair struct {
	key string
	n   int
}

type names []string

func literal(xs []int) []int {
	out := []int{}
	for _, x := range xs {
		out = append(out, x*2) // want `append grows out step by step, though room for len\(xs\) is enough`
	}
	return out
}

func zeroMake(xs []int) []int {
	out := make([]int, 0)
	for _, x := range xs {
		out = append(out, x, -x) // want `2 \* len\(xs\)`
	}
	return out
}

func nilStaysNil(xs []int) []int {
	var out []int
	for _, x := range xs {
		out = append(out, x+1) // want `append grows out`
	}
	return out
}

func nilUnseen(xs []string) string {
	var out []string
	for _, x := range xs {
		out = append(out, strings.ToUpper(x)) // want `append grows out`
	}
	sort.Strings(out)
	return strings.Join(out, ",")
}

func named(m map[string]int) names {
	var out names
	for k := range m {
		out = append(out, k) // want `append grows out`
	}
	sort.Strings(out)
	return out
}

func functions(xs []int) []func() int {
	var out []func() int
	for _, x := range xs {
		out = append(out, func() int { return x }) // want `append grows out`
	}
	return out
}

func array(xs *[4]int) (n int) {
	var out []int
	for i := range xs {
		out = append(out, xs[i]) // want `append grows out`
	}
	for _, x := range out {
		n += x
	}
	return n + len(out)
}

func counting(n int) []int {
	out := []int{}
	for i := 0; i < n; i++ {
		out = append(out, i) // want `room for max\(n, 0\)`
	}
	return out
}

func fromOne(n int) []int {
	out := []int{}
	for i := 1; i <= n; i++ {
		out = append(out, i) // want `room for max\(n, 0\)`
	}
	return out
}

func rangeInt(n int) []int {
	var out []int
	for i := range n {
		out = append(out, i) // want `room for max\(n, 0\)`
	}
	return out
}

func small(n uint8) []uint8 {
	var out []uint8
	for i := range n {
		out = append(out, i) // want `room for int\(n\)`
	}
	return out
}

func backwards(xs []int) []int {
	out := []int{}
	for i := len(xs) - 1; i >= 0; i-- {
		out = append(out, xs[i]) // want `room for len\(xs\)`
	}
	return out
}

func tail(xs []int) []int {
	out := []int{}
	for i := 1; i < len(xs); i++ {
		out = append(out, xs[i]-xs[i-1]) // want `room for max\(len\(xs\)-1, 0\)`
	}
	return out
}

func constantCount() []string {
	var out []string
	for i := 0; i < 10; i++ {
		out = append(out, fmt.Sprint(i)) // want `room for 10`
	}
	return out
}

func sums(xs []int, ys map[string]int, zs []string) []string {
	out := []string{}
	out = append(out, "first", "second")
	for _, x := range xs {
		out = append(out, fmt.Sprint(x)) // want `room for len\(xs\) \+ 2 `
	}
	n := len(out)
	for range ys {
		out = append(out, fmt.Sprint(n)) // the length of a map may change until here
	}
	out = append(out, zs...)
	return out
}

func certain(xs []int) []int {
	var out []int
	out = append(out, 1)
	for _, x := range xs {
		out = append(out, x) // want `append grows out`
	}
	return out
}

func boundComesLater(s string) []string {
	var out []string
	parts := strings.Split(s, ",")
	for _, p := range parts {
		out = append(out, strings.TrimSpace(p)) // want `append grows out`
	}
	return out
}

func labelledLater(s string) []string {
	var out []string
	parts := strings.Split(s, ",")
next:
	for _, p := range parts {
		for range p {
			out = append(out, p) // nobody knows how often
			continue next
		}
	}
	fields := strings.Fields(s)
	var clean []string
	words := strings.Fields(s)
words:
	for _, w := range words {
		switch w {
		case ",":
			break words
		}
		clean = append(clean, w) // want `append grows clean`
	}
	return append(append(out, fields...), strings.Join(clean, ""))
}

func moved(xs []int) []int {
	out := []int{}
	fmt.Sprint(len(xs))
	for _, x := range xs {
		out = append(out, x) // want `append grows out`
	}
	return out
}

func changedBefore(xs []int) []int {
	out := []int{}
	xs = xs[len(xs)/2:]
	for _, x := range xs {
		out = append(out, x) // want `append grows out`
	}
	return out
}

func errorsOut(xs []int) ([]int, error) {
	var out []int
	for _, x := range xs {
		if x < 0 {
			return nil, errors.New("negative")
		}
		out = append(out, x) // want `append grows out`
	}
	return out, nil
}

func bothBranches(xs []int) []string {
	out := []string{}
	for i, x := range xs {
		if x%2 == 0 {
			out = append(out, "even") // want `append grows out`
		} else if i > 2 {
			out = append(out, "late") // related
		} else {
			out = append(out, "odd") // related
		}
	}
	return out
}

func ownElements(n uint16) []int {
	out := []int{}
	for i := 0; i < int(n); i++ {
		out = append(out, len(out)) // want `append grows out`
	}
	return out
}

func differences(xs []int) []int {
	out := []int{}
	for i, x := range xs {
		if i > 0 {
			x += out[i-1]
		}
		out = append(out, x) // want `append grows out`
	}
	return out
}

func labelled(rows [][]int) []int {
	out := []int{}
rows:
	for _, row := range rows {
		for _, x := range row {
			if x < 0 {
				break rows
			}
		}
		out = append(out, len(row)) // want `append grows out`
	}
	return out
}

func inCase(kind int, xs []int) []int {
	switch kind {
	case 1:
		out := []int{}
		for _, x := range xs {
			out = append(out, x) // want `append grows out`
		}
		return out
	}
	return nil
}

func nested(rows [][]int) (all [][]int) {
	for _, row := range rows {
		var out []int
		for _, x := range row {
			out = append(out, x) // want `append grows out`
		}
		all = append(all, out)
	}
	return all
}

func generic[T any, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x)) // want `append grows out`
	}
	return out
}

func closureLater(xs []int) []int {
	out := []int{}
	for _, x := range xs {
		out = append(out, x) // want `append grows out`
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

func fields(p *struct{ list []pair }) []string {
	out := []string{}
	for _, x := range p.list {
		out = append(out, x.key) // want `room for len\(p.list\)`
	}
	return out
}

func index(ps []pair) map[string]int {
	m := make(map[string]int)
	for _, p := range ps {
		m[p.key] = p.n // want `assignment grows m`
	}
	return m
}

func mapLiteral(ps []pair) map[string]pair {
	m := map[string]pair{}
	for _, p := range ps {
		m[p.key] = p // want `assignment grows m`
	}
	return m
}

// What follows is left alone.

func conditionalMap(ps []pair) map[string]int {
	m := make(map[string]int)
	for _, p := range ps {
		if p.n > 0 {
			m[p.key] = p.n
		}
	}
	return m
}

func sized(xs []int) []int {
	out := make([]int, 0, len(xs))
	for _, x := range xs {
		out = append(out, x)
	}
	return out
}

func inner(rows [][]int) []int {
	var out []int
	for _, row := range rows {
		for _, x := range row {
			out = append(out, x)
		}
	}
	return out
}

func reset(xs []int) []int {
	var out []int
	for _, x := range xs {
		out = append(out, x)
		if x == 0 {
			out = out[:0]
		}
	}
	return out
}

func channel(c chan int) []int {
	var out []int
	for x := range c {
		out = append(out, x)
	}
	return out
}

func call(f func() []int) []int {
	var out []int
	for _, x := range f() {
		out = append(out, x)
	}
	return out
}

func inClosure(xs []int) []int {
	var out []int
	for _, x := range xs {
		func() { out = append(out, x) }()
	}
	return out
}

func usedFirst(xs []int) []int {
	out := []int{}
	p := &out
	for _, x := range xs {
		out = append(out, x)
	}
	return *p
}

func shadowed(xs []int) []int {
	len := func([]int) int { return -1 }
	out := []int{}
	for _, x := range xs {
		out = append(out, x)
	}
	return out[:len(xs)+1]
}

func unsteady(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		out = append(out, i)
		n--
	}
	return out
}

func main() {
	show := func(v any) {
		b, err := json.Marshal(v)
		fmt.Printf("%s %v\n", b, err)
	}
	for _, xs := range [][]int{nil, {}, {1}, {1, 2, 3, 4}, {5, -1, 0, 7}} {
		show(literal(xs))
		show(zeroMake(xs))
		show(nilStaysNil(xs))
		show(len(functions(xs)))
		show(backwards(xs))
		show(tail(xs))
		show(sums(xs, map[string]int{"a": 1}, []string{"x"}))
		show(certain(xs))
		show(moved(xs))
		show(changedBefore(xs))
		out, err := errorsOut(xs)
		show(out)
		fmt.Println(err)
		show(bothBranches(xs))
		show(differences(xs))
		show(labelled([][]int{xs, {1}, {-1}, {2}}))
		show(inCase(1, xs))
		show(nested([][]int{xs, nil, xs}))
		show(generic(xs, func(x int) string { return fmt.Sprint(x) }))
		show(closureLater(xs))
		show(sized(xs))
		show(inner([][]int{xs, xs}))
		show(reset(xs))
		show(call(func() []int { return xs }))
		show(inClosure(xs))
		show(usedFirst(xs))
		show(shadowed(xs))
	}
	for _, n := range []int{-3, 0, 1, 5} {
		show(counting(n))
		show(fromOne(n))
		show(rangeInt(n))
		show(small(uint8(n)))
		show(ownElements(uint16(n & 7)))
		show(unsteady(n))
	}
	for _, s := range []string{"", "a", "a, b,c"} {
		show(boundComesLater(s))
		show(labelledLater(s))
		show(nilUnseen(strings.Fields(s)))
	}
	show(named(nil))
	show(named(map[string]int{"b": 1, "a": 2}))
	show(array(&[4]int{1, 2, 3, 4}))
	show(constantCount())
	ps := []pair{{"a", 1}, {"b", 2}, {"a", 3}}
	show(fields(&struct{ list []pair }{ps}))
	show(index(ps))
	show(len(mapLiteral(ps)))
	show(conditionalMap(nil))
	c := make(chan int)
	close(c)
	show(channel(c))
}
