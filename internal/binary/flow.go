package binary

import (
	"maps"
	"slices"
)

// Machine code is reduced to the few operations that can move a type operand
// to a call, or a call's result next to a type word. What follows from them is
// then the same for every architecture.
type op uint8

const (
	opNone   op = iota
	opDef       // dst = something unknown
	opConst     // dst = imm
	opMove      // dst = src
	opAdd       // dst = src + imm
	opLoad      // dst = 8 bytes at [src+imm]
	opStore     // 8 bytes at [dst+imm] = src
	opSpoil     // imm2 bytes at [dst+imm] = something unknown
	opCall      // call of target; 0: indirect
	opBranch    // goes to target or on
	opJump      // goes to target; 0: leaves the function
	opReturn    //
)

type reg uint8

const (
	maxRegs     = 33
	noReg   reg = 255 // absolute address: the base is 0
)

// An inst is one operation. Several may stand for one machine instruction;
// they share its pc, and only the last has its length.
type inst struct {
	pc       uint64
	target   uint64
	imm      int64
	size     int64 // opSpoil: bytes; opCall: length of the instruction
	op       op
	dst, src reg
}

// A machine is what differs between architectures.
type machine struct {
	lower   func(code []byte, pc uint64, out []inst) []inst
	sp      reg
	zero    reg   // reads as 0; noReg: there is none
	args    []reg // integer argument and result registers of ABIInternal, in order
	scratch []reg // what the assembly helpers that keep all other registers change
}

// A value is what is known of a register or a memory slot. Two equal values
// are the same number wherever they are.
type value struct {
	kind valueKind
	reg  reg
	n    uint64
}

type valueKind uint8

const (
	valueUnset  valueKind = iota
	valueConst            // n
	valueStack            // n bytes above the stack pointer
	valueDef              // what the instruction at n put into reg
	valuePhi              // what reg holds at the start of the block at n
	valueResult           // what the call at n returned in its first register
)

type slot struct {
	base value
	off  int64
}

// A state is what is known at one point of a function.
type state struct {
	regs  [maxRegs]value
	slots map[slot]value
}

func (s *state) clone() *state {
	c := &state{regs: s.regs, slots: maps.Clone(s.slots)}
	return c
}

// address resolves [base+off] to a slot, so that one location has one name.
func (s *state) address(base reg, off int64) slot {
	var v value
	if base != noReg {
		v = s.regs[base]
	} else {
		v = value{kind: valueConst}
	}
	if v.kind == valueConst || v.kind == valueStack {
		return slot{base: value{kind: v.kind}, off: int64(v.n) + off}
	}
	return slot{base: v, off: off}
}

// maxSlots bounds the memory slots known at one point.
const maxSlots = 256

func (s *state) store(at slot, v value) {
	if _, ok := s.slots[at]; !ok && len(s.slots) >= maxSlots {
		return
	}
	s.slots[at] = v
}

// merge makes s what is true on both ways into the block at pc. It reports
// whether s changed. Merging only ever forgets, so it comes to an end.
func (s *state) merge(t *state, pc uint64) bool {
	changed := false
	for r := range s.regs {
		if phi := (value{valuePhi, reg(r), pc}); s.regs[r] != t.regs[r] && s.regs[r] != phi {
			s.regs[r], changed = phi, true
		}
	}
	for at, v := range s.slots {
		if t.slots[at] != v {
			delete(s.slots, at)
			changed = true
		}
	}
	return changed
}

// A block is a run of instructions that is entered only at its start.
type block struct {
	start, end int // of insts
	next       []int
	in         *state
}

// split cuts a function's instructions into blocks.
func (w *walker) split(insts []inst) []block {
	leaders := make(map[uint64]bool)
	for i := range insts {
		in := &insts[i]
		if in.op == opBranch || in.op == opJump {
			leaders[in.target] = true
		}
		if (in.op == opBranch || w.leaves(in)) && i+1 < len(insts) {
			leaders[insts[i+1].pc] = true
		}
	}
	var blocks []block
	at := make(map[uint64]int)
	for i, in := range insts {
		if i == 0 || leaders[in.pc] && insts[i-1].pc != in.pc {
			if len(blocks) > 0 {
				blocks[len(blocks)-1].end = i
			}
			at[in.pc] = len(blocks)
			blocks = append(blocks, block{start: i, end: len(insts)})
		}
	}
	for i := range blocks {
		b := &blocks[i]
		last := &insts[b.end-1]
		if !w.leaves(last) && i+1 < len(blocks) {
			b.next = append(b.next, i+1)
		}
		if last.op == opBranch || last.op == opJump {
			if j, ok := at[last.target]; ok && !slices.Contains(b.next, j) {
				b.next = append(b.next, j)
			}
		}
	}
	return blocks
}

// A walker runs over a function's instructions with the state before each.
type walker struct {
	machine *machine
	callee  func(target uint64) callee
	frame   int64 // lowest stack pointer seen: where it stays between prologue and epilogue
}

// leaves reports whether control never passes on to the next instruction.
func (w *walker) leaves(in *inst) bool {
	return in.op == opJump || in.op == opReturn || in.op == opCall && w.callee(in.target).noReturn
}

// step brings s from before in to after it.
func (w *walker) step(s *state, in *inst) {
	switch in.op {
	case opDef:
		w.set(s, in.dst, value{valueDef, in.dst, in.pc})
	case opConst:
		w.set(s, in.dst, value{kind: valueConst, n: uint64(in.imm)})
	case opMove:
		w.set(s, in.dst, s.regs[in.src])
	case opAdd:
		v := s.regs[in.src]
		if v.kind == valueConst || v.kind == valueStack {
			v.n += uint64(in.imm)
		} else {
			v = value{valueDef, in.dst, in.pc}
		}
		w.set(s, in.dst, v)
	case opLoad:
		at := s.address(in.src, in.imm)
		v, ok := s.slots[at]
		if !ok {
			v = value{valueDef, in.dst, in.pc}
			s.store(at, v)
		}
		w.set(s, in.dst, v)
	case opStore:
		s.store(s.address(in.dst, in.imm), s.regs[in.src])
	case opSpoil:
		at := s.address(in.dst, in.imm)
		for i := int64(-7); i < in.size; i++ {
			delete(s.slots, slot{at.base, at.off + i})
		}
	case opCall:
		w.call(s, in)
	}
}

// set writes a register. A new stack pointer gives every stack slot a new
// name only if it is not the old one moved by a constant.
func (w *walker) set(s *state, dst reg, v value) {
	if dst == w.machine.zero {
		return
	}
	if dst == w.machine.sp {
		if v.kind != valueStack {
			v = value{kind: valueStack}
			maps.DeleteFunc(s.slots, func(at slot, _ value) bool { return at.base.kind == valueStack })
		}
		w.frame = min(w.frame, int64(v.n))
	}
	s.regs[dst] = v
}

func (w *walker) call(s *state, in *inst) {
	c := w.callee(in.target)
	if c.keepsRegs {
		for _, r := range w.machine.scratch {
			s.regs[r] = value{valueDef, r, in.pc}
		}
		return
	}
	for r := range s.regs {
		if r := reg(r); r != w.machine.sp && r != w.machine.zero {
			s.regs[r] = value{valueDef, r, in.pc}
		}
	}
	s.regs[w.machine.args[0]] = value{kind: valueResult, n: in.pc}
}

// unknown is the state at the start of the code at pc, if nothing is known of
// how it is reached.
func (w *walker) unknown(pc uint64) *state {
	s := &state{slots: make(map[slot]value)}
	for r := range s.regs {
		s.regs[r] = value{valuePhi, reg(r), pc}
	}
	s.regs[w.machine.sp] = value{kind: valueStack, n: uint64(w.frame)}
	if w.machine.zero != noReg {
		s.regs[w.machine.zero] = value{kind: valueConst}
	}
	return s
}

// walk finds what is known before each instruction and calls visit with it,
// once for each.
func (w *walker) walk(insts []inst, visit func(before *state, in *inst)) {
	blocks := w.split(insts)
	queued := make([]bool, len(blocks))
	steps := 0
	for first := range blocks {
		start := blocks[first].start
		if blocks[first].in != nil || start > 0 && insts[start-1].op == opCall {
			continue // known, or the dead end of a call that does not return
		}
		// The function's start, or code that only an indirect jump reaches.
		blocks[first].in = w.unknown(insts[start].pc)
		queue := []int{first}
		// What is known at a block's start changes a few times at most; the
		// bound guards against code made to be slow.
		for ; len(queue) > 0 && steps < 16*len(blocks); steps++ {
			i := queue[0]
			queue, queued[i] = queue[1:], false
			out := blocks[i].in.clone()
			for j := blocks[i].start; j < blocks[i].end; j++ {
				w.step(out, &insts[j])
			}
			for _, j := range blocks[i].next {
				n := &blocks[j]
				if n.in == nil {
					n.in = out.clone()
				} else if !n.in.merge(out, insts[n.start].pc) {
					continue
				}
				if !queued[j] {
					queue, queued[j] = append(queue, j), true
				}
			}
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.in == nil {
			continue
		}
		for j := b.start; j < b.end; j++ {
			visit(b.in, &insts[j])
			w.step(b.in, &insts[j])
		}
		b.in = nil
	}
}
