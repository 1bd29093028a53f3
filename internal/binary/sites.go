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
			if s := &sites[n]; s.callee.kind != "" || s.target == 0 {
				s.alloc.Kind = around.kind
				if around.fixed != "" {
					s.alloc.Type, s.alloc.ElemSize = around.fixed, around.elemSize
				}
			}
		}
	}
	return sites
}

// follow describes the calls in a run of instructions.
func (f *File) follow(insts []inst) callSites {
	w := &walker{machine: f.machine, callee: f.calleeAt}
	u := &uses{
		w:     w,
		of:    make(map[uint64]*use),
		loads: make(map[value]slot),
		typed: make(map[slot][]uint64),
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
