package binary

import "maps"

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
	base  value
	index value
	scale uint8
	off   int64
}

// at returns the slot that lies n bytes after s.
func (s slot) at(n int64) slot {
	s.off += n
	return s
}

// A state is what is known at one point of a function.
type state struct {
	regs  [maxRegs]value
	slots map[slot]value
}

func (s *state) equal(t *state) bool { return s.regs == t.regs && maps.Equal(s.slots, t.slots) }

// meet makes s, which holds on one way into the block at pc, hold on that of t
// as well: what differs is forgotten.
func (s *state) meet(t *state, pc uint64) {
	for r := range s.regs {
		// What comes back unchanged around a loop is no second value.
		switch joined := (value{valuePhi, reg(r), pc}); {
		case s.regs[r] == joined:
			s.regs[r] = t.regs[r]
		case t.regs[r] != joined && t.regs[r] != s.regs[r]:
			s.regs[r] = joined
		}
	}
	for at, v := range s.slots {
		if t.slots[at] != v {
			delete(s.slots, at)
		}
	}
}

// address resolves the memory operand of a load or store to a slot, so that
// one location has one name.
func (s *state) address(in *inst) slot {
	base := in.dst
	if in.op == opLoad {
		base = in.src
	}
	at := slot{base: value{kind: valueConst}, scale: in.scale, off: in.imm}
	if base != noReg {
		at.base = s.regs[base]
	}
	if in.scale != 0 {
		at.index = s.regs[in.index]
	}
	if at.base.kind == valueConst || at.base.kind == valueStack {
		at.off += int64(at.base.n)
		at.base = value{kind: at.base.kind}
	}
	return at
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
		at := s.address(in)
		v, ok := s.slots[at]
		if !ok {
			v = value{valueDef, in.dst, in.pc}
			w.store(s, at, v)
		}
		w.set(s, in.dst, v)
	case opStore:
		w.store(s, s.address(in), s.regs[in.src])
	case opSpoil:
		at := s.address(in) // words that are followed are aligned
		for i := -(at.off & 7); i < in.size; i += 8 {
			delete(s.slots, at.at(i))
		}
	case opCall:
		w.call(s, in)
	}
}

// store writes a memory slot, if there is room for it.
func (w *walker) store(s *state, at slot, v value) {
	if _, ok := s.slots[at]; ok || len(s.slots) < w.room {
		s.slots[at] = v
	}
}

// set writes a register. A new stack pointer gives every stack slot a new
// name only if it is not the old one moved by a constant.
func (w *walker) set(s *state, dst reg, v value) {
	if dst == w.machine.zero {
		return
	}
	if dst == w.machine.sp && v.kind != valueStack {
		v = value{kind: valueStack}
		maps.DeleteFunc(s.slots, func(at slot, _ value) bool { return at.base.kind == valueStack })
	}
	s.regs[dst] = v
}

func (w *walker) call(s *state, in *inst) {
	var changed []reg
	switch w.callee(in.target).helper {
	case helperBarrier:
		changed = w.machine.barrier
	case helperDuff:
		changed = w.machine.duff
	}
	for _, r := range changed {
		s.regs[r] = value{valueDef, r, in.pc}
	}
	if changed != nil {
		return
	}
	if w.frame == 0 {
		w.frame = int64(s.regs[w.machine.sp].n)
	}
	for r := range s.regs {
		if r := reg(r); r != w.machine.sp && r != w.machine.zero {
			s.regs[r] = value{valueDef, r, in.pc}
		}
	}
	s.regs[w.machine.args[0]] = value{kind: valueResult, n: in.pc}
}

// unknown is the state at the start of the code at pc, if nothing is known of
// how it is reached but the stack pointer.
func (w *walker) unknown(pc uint64, sp int64) *state {
	s := &state{slots: make(map[slot]value)}
	for r := range s.regs {
		s.regs[r] = value{valuePhi, reg(r), pc}
	}
	s.regs[w.machine.sp] = value{kind: valueStack, n: uint64(sp)}
	if w.machine.zero != noReg {
		s.regs[w.machine.zero] = value{kind: valueConst}
	}
	return s
}
