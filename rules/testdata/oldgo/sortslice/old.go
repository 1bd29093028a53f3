package sortslice

import "sort"

// Package slices came with Go 1.21.
func old(s []int) {
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
}
