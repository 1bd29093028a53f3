package binary

import "github.com/unheap/unheap/finding"

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
	of     map[uint64]*use   // by the call's address
	pairs  [][2]value        // first and second word of what may be an interface
	maps   [][2]value        // type and map of an access
	stores []store           // of results
	loads  map[value]slot    // where values were loaded from
	typed  map[slot][]uint64 // map types of the maps in a location
}

type store struct {
	at slot
	v  value
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
			u.stores = append(u.stores, store{at, v})
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
	for _, st := range u.stores {
		each(value{}, st.v, func(_, v value) {
			u.add(v, func(p *use) {
				p.stores = append(p.stores, st.at)
				p.maps = append(p.maps, u.typed[st.at]...)
			})
		})
	}
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
