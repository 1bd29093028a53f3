// Package presize is built with a Go that lacks package slices and max.
package presize

func nilSlice(xs []int) []int {
	var out []int
	for _, x := range xs {
		out = append(out, x)
	}
	return out
}

func counting(n int) []int {
	out := []int{}
	for i := 0; i < n; i++ {
		out = append(out, i)
	}
	return out
}

func literal(xs []int) []int {
	out := []int{}
	for _, x := range xs {
		out = append(out, x) // want `append grows out`
	}
	return out
}
