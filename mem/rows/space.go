package rows

import "fmt"

// A Ref is where a row's string is in a [Text], or a row's list in [Runs]. The
// zero Ref is the empty string, and the nil list or byte slice.
type Ref uint64

// The parts of a Ref, from high to low: the mark of a string, by which most
// others can be told from it without looking; the page's number; the place in
// the page; the length.
const (
	lenBits  = 22
	offBits  = 26
	pageBits = 12
	markBits = 64 - pageBits - offBits - lenBits
)

// MaxLen is the greatest length, in bytes, of a string, and in elements, of a
// list.
const MaxLen = 1<<lenBits - 1

// noneButEmpty is the Ref of a list that is empty and not nil.
const noneButEmpty Ref = 1 << lenBits

func makeRef(page, off, n int) Ref {
	return Ref(page)<<(offBits+lenBits) | Ref(off)<<lenBits | Ref(n)
}

func (r Ref) page() int    { return int(r>>(offBits+lenBits)) & (1<<pageBits - 1) }
func (r Ref) off() int     { return int(r>>lenBits) & (1<<offBits - 1) }
func (r Ref) mark() uint64 { return uint64(r >> (64 - markBits)) }

func (r Ref) marked(mark uint64) Ref { return r | Ref(mark)<<(64-markBits) }

// Len returns the length of the string, in bytes, or of the list, in elements.
func (r Ref) Len() int { return int(r & MaxLen) }

// IsNil reports whether r is of a list that is nil, as opposed to empty.
func (r Ref) IsNil() bool { return r == 0 }

// A space keeps account of pages that are filled one after the other and
// emptied at random. It counts in units, bytes or elements, and does not
// hold the memory.
type space struct {
	pages []page
	spare []int // numbers of pages without memory
	open  int   // number of the page that is being filled, -1 if none is
	total page  // sum over all pages
}

type page struct {
	size int  // units of memory
	used int  // units that were ever filled
	dead int  // those that were released
	out  bool // the page is being evacuated
}

const (
	smallPage  = 1 << 16         // pages up to this size double
	maxPage    = 1<<offBits - 1  // what a Ref can tell
	maxPages   = 1<<pageBits - 1 // likewise
	pageShare  = 12              // larger ones are one part in this many of the whole
	minWaste   = 1 << 12         // dead units that are not worth an evacuation
	wasteful   = 4               // evacuate when one unit in this many is dead,
	worthwhile = 2 * wasteful    // all pages of which one in this many is
)

// next returns the size of the next page, if n units are to go there.
func (s *space) next(n int) int {
	return min(max(n, 1<<8, min(s.total.size, smallPage), s.total.size/pageShare), maxPage)
}

// fits reports whether the open page has room for n units.
func (s *space) fits(n int) bool {
	return s.open >= 0 && s.pages[s.open].size-s.pages[s.open].used >= n
}

// add opens a page of the given size and returns its number. It returns in
// addition the page that this closed, if nothing in there is live.
func (s *space) add(size int) (number, emptied int) {
	emptied = -1
	if s.open >= 0 {
		if p := &s.pages[s.open]; p.used == p.dead {
			emptied = s.open
		}
	}
	if last := len(s.spare) - 1; last >= 0 {
		s.open = s.spare[last]
		s.spare = s.spare[:last]
	} else {
		s.open = len(s.pages)
		if s.open > maxPages {
			panic(fmt.Sprintf("rows: a table's strings and lists fill %d pages: spread the rows over several tables", s.open))
		}
		s.pages = append(s.pages, page{})
	}
	s.pages[s.open] = page{size: size}
	s.total.size += size
	return s.open, emptied
}

// take fills n units of the open page, which must fit.
func (s *space) take(n int) Ref {
	p := &s.pages[s.open]
	ref := makeRef(s.open, p.used, n)
	p.used += n
	s.total.used += n
	return ref
}

// release notes that n units of a page are dead. It reports whether the page
// can be dropped, since it has no others and no more are coming.
func (s *space) release(number, n int) (emptied bool) {
	p := &s.pages[number]
	p.dead += n
	s.total.dead += n
	return p.dead == p.used && number != s.open
}

// drop notes that the page's memory is gone.
func (s *space) drop(number int) {
	p := &s.pages[number]
	s.total.size -= p.size
	s.total.used -= p.used
	s.total.dead -= p.dead
	*p = page{}
	s.spare = append(s.spare, number)
}

// wasteful reports whether it is time to evacuate. Then at least one page is
// worth it.
func (s *space) wasteful() bool {
	used, dead := s.total.used, s.total.dead
	if s.open >= 0 {
		used -= s.pages[s.open].used
		dead -= s.pages[s.open].dead
	}
	return dead > minWaste && dead > used/wasteful
}

// begin marks the pages that are to be evacuated.
func (s *space) begin() {
	for i := range s.pages {
		p := &s.pages[i]
		p.out = i != s.open && p.dead > p.used/worthwhile
	}
}

// end takes back the marks. A page that was evacuated was dropped before.
func (s *space) end() {
	for i := range s.pages {
		s.pages[i].out = false
	}
}

// held returns the number of pages with memory.
func (s *space) held() int { return len(s.pages) - len(s.spare) }
