package binary

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
)

// A callSite is one call of a function.
type callSite struct {
	pc, end uint64 // the instruction is [pc, end)
	alloc   Alloc
}

type callSites []callSite // by pc

func (s callSites) at(addr uint64) (Alloc, bool) {
	i, exact := slices.BinarySearchFunc(s, addr, func(c callSite, addr uint64) int { return cmp.Compare(c.pc, addr) })
	if !exact {
		i--
	}
	if i < 0 || addr > s[i].end {
		return Alloc{}, false
	}
	return s[i].alloc, true
}

// calleeAt returns the function at target, the zero callee if no function is there.
func (f *File) calleeAt(target uint64) callee {
	if c, ok := f.callees[target]; ok {
		return c
	}
	var c callee
	if i, start, _, ok := f.funcs.find(target); ok {
		c = calleeNamed(f.funcs.name(f.image, i))
		if start != target && !c.keepsRegs { // duffzero is entered in its midst
			c = callee{}
		}
	}
	if len(f.callees) < maxMemo {
		f.callees[target] = c
	}
	return c
}

// A use is what the code after a call tells of its result: constants that were
// stored beside it as the first word of an interface, or passed with it as a
// map's type.
type use struct {
	words    []uint64
	mapTypes []uint64
}

// maxUses bounds the constants kept for one call.
const maxUses = 16

func (u *use) addWord(n uint64) {
	if len(u.words) < maxUses && !slices.Contains(u.words, n) {
		u.words = append(u.words, n)
	}
}

// analyse finds all calls of the i'th function, which covers [start, end).
func (f *File) analyse(i int, start, end uint64) callSites {
	code := make([]byte, min(end-start, maxCode))
	code = code[:f.image.read(start, code)]
	insts := f.machine.lower(code, start, nil)

	w := &walker{machine: f.machine, callee: f.calleeAt}
	type found struct {
		callSite
		callee callee
		args   []value
	}
	var calls []found
	uses := make(map[uint64]*use)
	useOf := func(v value) *use {
		u := uses[v.n]
		if u == nil {
			u = new(use)
			uses[v.n] = u
		}
		return u
	}
	// pairs looks for an interface value among arguments or results.
	pairs := func(s *state) {
		for k := range len(f.machine.args) - 1 {
			word, data := s.regs[f.machine.args[k]], s.regs[f.machine.args[k+1]]
			if word.kind == valueConst && data.kind == valueResult {
				useOf(data).addWord(word.n)
			}
		}
	}
	visit := func(s *state, in *inst) {
		switch in.op {
		case opCall:
			c := f.calleeAt(in.target)
			if c.keepsRegs {
				return
			}
			args := make([]value, len(f.machine.args))
			for k, r := range f.machine.args {
				args[k] = s.regs[r]
			}
			calls = append(calls, found{callSite{pc: in.pc, end: in.pc + uint64(in.size)}, c, args})
			if c.onMap && args[0].kind == valueConst && args[1].kind == valueResult {
				u := useOf(args[1])
				u.mapTypes = append(u.mapTypes, args[0].n)
			}
			pairs(s)
		case opReturn:
			pairs(s)
		case opStore:
			at, v := s.address(in.dst, in.imm), s.regs[in.src]
			switch v.kind {
			case valueResult:
				if word := s.slots[slot{at.base, at.off - 8}]; word.kind == valueConst {
					useOf(v).addWord(word.n)
				}
			case valueConst:
				if data := s.slots[slot{at.base, at.off + 8}]; data.kind == valueResult {
					useOf(data).addWord(v.n)
				}
			}
		}
	}
	for chunk := range slices.Chunk(insts, maxChunk) {
		w.walk(chunk, visit)
	}

	kind, typ := enclosing(f.funcs.name(f.image, i))
	sites := make(callSites, len(calls))
	for n, c := range calls {
		c.alloc = f.describe(c.callee, c.args, uses[c.pc])
		if kind != "" && c.callee.kind != "" {
			c.alloc.Kind = kind
			if typ != "" {
				c.alloc.Type = typ
			}
		}
		sites[n] = c.callSite
	}
	slices.SortFunc(sites, func(a, b callSite) int { return cmp.Compare(a.pc, b.pc) })
	return sites
}

// describe puts together what is known of one call. u may be nil.
func (f *File) describe(c callee, args []value, u *use) Alloc {
	a := Alloc{Kind: c.kind, Callee: c.name, Type: c.fixed}
	switch {
	case c.kind == finding.KindString, c.fixed == "[]uint8":
		a.ElemSize = 1
	case c.fixed == "[]int32":
		a.ElemSize = 4
	case c.box != 0:
		f.describeBox(&a, c, u)
	case c.operand != 0:
		if v := args[c.operand-1]; v.kind == valueConst {
			if t, ok := f.typeAt(v.n); ok {
				f.describeType(&a, c.form, t)
			}
		}
	case c.form == formMap && u != nil:
		for _, n := range u.mapTypes {
			if t, ok := f.typeAt(n); ok && t.kind == kindMap {
				f.describeType(&a, c.form, t)
			}
		}
	}
	return a
}

func (f *File) describeType(a *Alloc, form form, t goType) {
	elem, known := t, true
	a.Type = t.name
	switch form {
	case formSlice:
		a.Type = "[]" + t.name
	case formMap:
		elem, known = f.mapSlots(t)
	case formChan:
		elem, known = f.elem(t)
	case formSelf:
		// The compiler's own type of a function literal's captured
		// variables or of a method value's receiver.
		if strings.HasPrefix(t.name, "struct { F uintptr;") && a.Kind == finding.KindNew {
			a.Kind = finding.KindClosure
		}
	}
	if known {
		a.ElemSize, a.PtrBytes = elem.size, elem.ptrBytes
	}
}

// describeBox names the type of a value that is passed to convT64 and its
// like without its type: that of the interface made with the result.
func (f *File) describeBox(a *Alloc, c callee, u *use) {
	a.ElemSize = c.box
	if c.box > 8 {
		a.PtrBytes = 8
	}
	if u == nil {
		return
	}
	for _, n := range u.words {
		if t, ok := f.boxed(n); ok && t.size == c.box && t.ptrBytes == a.PtrBytes {
			a.Type = t.name
			return
		}
	}
}
