// Package review holds what a person has to decide.
package review

func conditional(xs []int) []int {
	var out []int
	for _, x := range xs {
		if x > 0 {
			out = append(out, x) // want `not every iteration appends`
		}
	}
	return out
}

func continued(xs []int) []int {
	out := []int{}
	for _, x := range xs {
		if x < 0 {
			continue
		}
		out = append(out, x) // want `not every iteration appends`
	}
	return out
}

func switched(xs []int) []int {
	out := []int{}
	for _, x := range xs {
		switch {
		case x < 0:
			out = append(out, x, x) // want `room for 2 \* len\(xs\) .* not every iteration appends`
		case x > 0:
			out = append(out, x)
		}
	}
	return out
}

func broken(xs []int) []int {
	var out []int
	for _, x := range xs {
		if x < 0 {
			break
		}
		out = append(out, x) // want `an empty slice, not a nil one`
	}
	return out
}

func partial(xs []int) ([]int, bool) {
	var out []int
	for _, x := range xs {
		if x < 0 {
			return out, false
		}
		out = append(out, x) // want `an empty slice, not a nil one`
	}
	return out, true
}

func decoded(n int, read func() (int, error)) ([]int, error) {
	var out []int
	for i := 0; i < n; i++ {
		x, err := read()
		if err != nil {
			return nil, err
		}
		out = append(out, x) // want `larger than what the loop gets to`
	}
	return out, nil
}

func runes(s string) []rune {
	out := []rune{}
	for _, r := range s {
		out = append(out, r) // want `may be more than is needed`
	}
	return out
}

func shared(xs []int) (all [][]int) {
	out := []int{}
	for _, x := range xs {
		out = append(out, x) // want `uses out in other ways`
		all = append(all, out)
	}
	return all
}

func linked(xs []int) *int {
	var first *int
	out := []int{}
	for _, x := range xs {
		out = append(out, x) // want `uses out in other ways`
		if first == nil {
			first = &out[0]
		}
		out[0]++
	}
	return first
}
