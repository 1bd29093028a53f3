package binary

import (
	"cmp"
	"slices"

	"github.com/unheap/unheap/finding"
)

// A callSite is one call of a function.
type callSite struct {
	pc, end uint64 // the instruction is [pc, end)
	callee  callee
	target  uint64
	alloc   Alloc
	typ     goType // the operand, where it is known
}

type callSites []callSite // by pc

// maxGap is how far a call may follow the address that stands for it.
const maxGap = 64

// at returns the call at addr, the one that ends there, or the next one. A
// profile has the address before a call where the call itself is part of a
// function of the runtime that was inlined: it then names the spot where the
// inlined code begins.
func (s callSites) at(addr uint64) (*callSite, bool) {
	i, exact := slices.BinarySearchFunc(s, addr, func(c callSite, addr uint64) int { return cmp.Compare(c.pc, addr) })
	if !exact && i > 0 && addr <= s[i-1].end {
		return &s[i-1], true
	}
	if i < len(s) && s[i].pc-addr < maxGap && (exact || s[i].callee.kind != "") {
		return &s[i], true
	}
	return nil, false
}

// calleeAt returns the function at target, the zero callee if no function is there.
func (f *File) calleeAt(target uint64) callee {
	if c, ok := f.callees[target]; ok {
		return c
	}
	var c callee
	if i, start, _, ok := f.funcs.find(target); ok {
		c = calleeNamed(f.funcs.name(f.image, i))
		if start != target && c.helper == helperNone { // duffzero is entered in its midst
			c = callee{}
		}
	}
	if len(f.callees) < maxMemo {
		f.callees[target] = c
	}
	return c
}

// sitesOf returns the calls in the function that covers pc, memoised.
func (f *File) sitesOf(pc uint64) callSites {
	i, start, end, ok := f.funcs.find(pc)
	if !ok {
		return nil
	}
	sites, ok := f.calls[start]
	if !ok {
		sites = f.analyse(i, start, end)
		if len(f.calls) < maxMemo {
			f.calls[start] = sites
		}
	}
	return sites
}

// analyse describes all calls of the i'th function, which covers [start, end).
func (f *File) analyse(i int, start, end uint64) callSites {
	code := make([]byte, min(end-start, maxCode))
	code = code[:f.image.read(start, code)]
	var sites callSites
	for chunk := range slices.Chunk(f.machine.lower(code, start, nil), maxChunk) {
		sites = append(sites, f.follow(chunk)...)
	}
	slices.SortFunc(sites, func(a, b callSite) int { return cmp.Compare(a.pc, b.pc) })

	// Inside a function of the runtime that the profile shows (under another
	// package's name, or because the whole stack is the runtime's), what that
	// function makes says more than which part of the runtime it calls.
	if around := calleeNamed(f.funcs.name(f.image, i)); around.kind != "" {
		for n := range sites {
			if s := &sites[n]; s.callee.kind != "" {
				s.alloc.Kind = around.kind
				if around.fixed != "" {
					s.alloc.Type, s.alloc.ElemSize = around.fixed, around.elemSize
				}
			}
		}
	}
	return sites
}

// A use is a place where the result of a call goes that tells its type.
type use struct {
	words  []uint64 // first words of interfaces made with it
	maps   []uint64 // map types it was used with
	stores []slot   // where it was stored
}

// maxUses bounds what is kept of one call's uses; maxSearch the search for one
// value's origins.
const (
	maxUses   = 16
	maxSearch = 64
)

// uses gathers the uses of all calls of one function.
type uses struct {
	w      *walker
	of     map[uint64]*use
	pairs  [][2]value        // first and second word of what may be an interface
	maps   [][2]value        // type and map of an access
	stores map[slot][]value  // where results were stored
	loads  map[value]slot    // where values were loaded from
	typed  map[slot][]uint64 // map types of the maps in a location
}

func (u *uses) add(result value, put func(*use)) {
	if result.kind != valueResult {
		return
	}
	p := u.of[result.n]
	if p == nil {
		p = new(use)
		u.of[result.n] = p
	}
	if len(p.words)+len(p.maps)+len(p.stores) < maxUses {
		put(p)
	}
}

// visit looks at one instruction and what is known before it.
func (u *uses) visit(s *state, in *inst) {
	pair := func(word, data value) {
		if (word.kind == valueConst || word.kind == valuePhi) && (data.kind == valueResult || data.kind == valuePhi) {
			u.pairs = append(u.pairs, [2]value{word, data})
		}
	}
	switch in.op {
	case opCall, opReturn:
		c := callee{}
		if in.op == opCall {
			c = u.w.callee(in.target)
		}
		if c.helper != helperNone {
			return
		}
		args := u.w.machine.args
		if c.onMap && s.regs[args[0]].kind == valueConst {
			u.maps = append(u.maps, [2]value{s.regs[args[0]], s.regs[args[1]]})
		}
		for k := range len(args) - 1 {
			pair(s.regs[args[k]], s.regs[args[k+1]])
		}
	case opLoad:
		// Stack slots are left out: one may hold several variables in turn.
		if at := s.address(in); at.base.kind != valueStack {
			u.loads[value{valueDef, in.dst, in.pc}] = at
		}
	case opStore:
		at, v := s.address(in), s.regs[in.src]
		if word, ok := s.slots[at.at(-8)]; ok {
			pair(word, v)
		}
		if data, ok := s.slots[at.at(8)]; ok {
			pair(v, data)
		}
		if (v.kind == valueResult || v.kind == valuePhi) && at.base.kind != valueStack {
			u.stores[at] = append(u.stores[at], v)
		}
	}
}

// join puts together what visit saw.
func (u *uses) join() {
	each := func(a, b value, yield func(a, b value)) {
		budget := maxSearch
		u.w.sources(a, b, &budget, yield)
	}
	for _, p := range u.pairs {
		each(p[0], p[1], func(word, data value) {
			if word.kind == valueConst && word.n != 0 {
				u.add(data, func(p *use) { p.words = append(p.words, word.n) })
			}
		})
	}
	for _, p := range u.maps {
		if at, ok := u.loads[p[1]]; ok {
			u.typed[at] = append(u.typed[at], p[0].n)
		}
		each(value{}, p[1], func(_, m value) {
			u.add(m, func(q *use) { q.maps = append(q.maps, p[0].n) })
		})
	}
	for at, vs := range u.stores {
		for _, v := range vs {
			each(value{}, v, func(_, v value) {
				u.add(v, func(p *use) {
					p.stores = append(p.stores, at)
					p.maps = append(p.maps, u.typed[at]...)
				})
			})
		}
	}
}

// follow describes the calls in a run of instructions.
func (f *File) follow(insts []inst) callSites {
	w := &walker{machine: f.machine, callee: f.calleeAt}
	u := &uses{
		w:      w,
		of:     make(map[uint64]*use),
		stores: make(map[slot][]value),
		loads:  make(map[value]slot),
		typed:  make(map[slot][]uint64),
	}
	var sites callSites
	w.walk(insts, func(s *state, in *inst) {
		u.visit(s, in)
		if in.op != opCall {
			return
		}
		site := callSite{pc: in.pc, end: in.pc + uint64(in.size), target: in.target, callee: f.calleeAt(in.target)}
		arg := func(n int) value { return s.regs[f.machine.args[n-1]] }
		if n := site.callee.operand; n != 0 && arg(n).kind == valueConst {
			site.typ, _ = f.typeAt(arg(n).n)
		}
		if zeroed := (value{kind: valueConst}); site.callee.name == "runtime.mallocgc" && arg(2) == zeroed && arg(3) == zeroed {
			// A slice without pointers that is overwritten at once: make and copy.
			site.callee.kind = finding.KindSlice
		}
		if site.callee.helper == helperNone {
			sites = append(sites, site)
		}
	})
	u.join()

	objects := make(map[uint64]goType) // what the calls return pointers to
	for _, s := range sites {
		if s.callee.operand != 0 && s.callee.form != formMap && s.callee.form != formChan {
			objects[s.pc] = s.typ
		}
	}
	for n := range sites {
		s := &sites[n]
		p := u.of[s.pc]
		if p == nil {
			p = new(use)
		}
		if s.typ.kind == 0 && s.callee.operand == 0 {
			s.typ = f.typeByUse(s.callee, p, objects)
		}
		s.alloc = f.describe(s.callee, s.typ)
	}
	return sites
}

// typeByUse finds the type that a call's result has where it is used.
func (f *File) typeByUse(c callee, p *use, objects map[uint64]goType) goType {
	var want func(t goType) bool
	switch {
	case c.box != 0:
		ptrBytes := c.box & 16 >> 1 // strings and slices begin with their one pointer
		want = func(t goType) bool { return t.size == c.box && t.ptrBytes == ptrBytes }
	case c.kind == finding.KindMap:
		want = func(t goType) bool { return t.kind == kindMap }
	default:
		return goType{}
	}
	for _, n := range p.words {
		if t, ok := f.boxed(n); ok && want(t) {
			return t
		}
	}
	for _, n := range p.maps {
		if t, ok := f.typeAt(n); ok && want(t) {
			return t
		}
	}
	if c.kind != finding.KindMap {
		return goType{}
	}
	for _, at := range p.stores {
		if o := objects[at.base.n]; at.base.kind == valueResult && at.scale == 0 && o.size > 0 {
			if t, ok := f.typeInside(o, at.off%o.size); ok && want(t) {
				return t
			}
		}
	}
	return goType{}
}
