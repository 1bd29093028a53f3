package sortslice

import "sort"

func adapters(s []T, b byName, r reversed, p *swapper) {
	sort.Sort(byName(s)) // safe // want `sort.Sort boxes`
	sort.Stable(b)       // safe // want `sort.Stable boxes`
	sort.Sort(sort.Reverse(byName(s)))
	sort.Sort(r)
	sort.Sort(p)
	sort.Sort(sort.IntSlice(nil))
}

// The adapter's source is in another file.
func elsewhere(s []T) {
	sort.Sort(byOther(s)) // safe // want `sort.Sort boxes`
}
