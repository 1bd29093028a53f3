package shadow

import "sort"

type byLen []string

func (s byLen) Len() int           { return len(s) }
func (s byLen) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s byLen) Less(i, j int) bool { return len(s[i]) < len(s[j]) }

func shadowed(names []string) {
	len := func(s string) int { return 0 }
	sort.Sort(byLen(names))
	_ = len
}

func plain(names []string) {
	sort.Sort(byLen(names)) // safe // want `sort.Sort boxes`
}
