package binary

import (
	"maps"
	"slices"
)

// A block is a run of instructions that is entered only at its start.
type block struct {
	start, end int    // of insts
	pc         uint64 // address of its start
	next, prev []int  // blocks that follow and precede it
	seeded     bool   // may be entered in an unknown state
	dirty      bool   // what leads into it has changed
	out        *state // at its end; nil: it is not known to be reached
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
			blocks = append(blocks, block{start: i, end: len(insts), pc: in.pc})
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
		for _, j := range b.next {
			blocks[j].prev = append(blocks[j].prev, i)
		}
	}
	return blocks
}

// A walker runs over a function's instructions with the state before each.
type walker struct {
	machine *machine
	callee  func(target uint64) callee
	frame   int64 // the stack pointer at the first call: where it stays between prologue and epilogue

	room   int // memory slots that one state may hold
	insts  []inst
	blocks []block
	at     map[uint64]int // blocks by address
}

// leaves reports whether control never passes on to the next instruction.
func (w *walker) leaves(in *inst) bool {
	return in.op == opJump || in.op == opReturn || in.op == opCall && w.callee(in.target).noReturn
}

const (
	// maxSweeps bounds how often a block is looked at again. A few sweeps
	// do for compiled code; the bound guards against code made to be slow.
	maxSweeps = 12
	// maxSlots bounds the memory slots known at one point, allSlots those
	// of all blocks together.
	maxSlots = 256
	allSlots = 1 << 18
)

// walk finds what is known before each instruction and calls visit with it,
// once for each that can be reached.
func (w *walker) walk(insts []inst, visit func(before *state, in *inst)) {
	w.insts, w.blocks, w.at = insts, w.split(insts), make(map[uint64]int)
	if len(w.blocks) == 0 {
		return
	}
	w.room = min(maxSlots, allSlots/len(w.blocks))
	for i := range w.blocks {
		w.at[w.blocks[i].pc] = i
	}
	w.blocks[0].seeded, w.blocks[0].dirty = true, true
	w.sweep()
	// What nothing leads into is the target of an indirect jump, if it is
	// not the dead end of a call that does not return.
	for i := range w.blocks {
		b := &w.blocks[i]
		code := insts[b.start:b.end]
		if len(b.prev) == 0 && i > 0 && insts[b.start-1].op != opCall && slices.ContainsFunc(code, func(in inst) bool { return in.op != opPad }) {
			b.seeded, b.dirty = true, true
		}
	}
	w.sweep()
	for i := range w.blocks {
		b := &w.blocks[i]
		s := w.enter(b)
		if s == nil {
			continue
		}
		for j := b.start; j < b.end; j++ {
			visit(s, &insts[j])
			w.step(s, &insts[j])
		}
	}
}

// sweep brings the blocks' states up to date.
func (w *walker) sweep() {
	changed := true
	for n := 0; changed && n < maxSweeps; n++ {
		changed = false
		for i := range w.blocks {
			b := &w.blocks[i]
			if !b.dirty {
				continue
			}
			b.dirty = false
			s := w.enter(b)
			if s == nil {
				continue
			}
			for j := b.start; j < b.end; j++ {
				w.step(s, &w.insts[j])
			}
			if b.out != nil && b.out.equal(s) {
				continue
			}
			b.out, changed = s, true
			for _, j := range b.next {
				w.blocks[j].dirty = true
			}
		}
	}
}

// enter returns what is known at the start of a block, nil if no way into it
// is known.
func (w *walker) enter(b *block) *state {
	var s *state
	if b.seeded {
		sp := w.frame
		if b.start == 0 {
			sp = 0
		}
		s = w.unknown(b.pc, sp)
	}
	for _, i := range b.prev {
		switch out := w.blocks[i].out; {
		case out == nil:
		case s == nil:
			s = &state{regs: out.regs, slots: maps.Clone(out.slots)}
		default:
			s.meet(out, b.pc)
		}
	}
	return s
}

// sources calls yield with the values that a and b can have at the same time,
// going back through the blocks where either was joined from several ways. A
// budget bounds the search; what it cuts off stays unknown.
func (w *walker) sources(a, b value, budget *int, yield func(a, b value)) {
	pc := max(a.joined(), b.joined())
	if pc == 0 {
		yield(a, b)
		return
	}
	for _, i := range w.blocks[w.at[pc]].prev {
		if *budget--; *budget < 0 || w.blocks[i].out == nil {
			continue
		}
		before := func(v value) value {
			if v.joined() == pc {
				return w.blocks[i].out.regs[v.reg]
			}
			return v
		}
		w.sources(before(a), before(b), budget, yield)
	}
}

// joined returns the address of the block at whose start ways with different
// values came together, 0 if v is no such value.
func (v value) joined() uint64 {
	if v.kind == valuePhi {
		return v.n
	}
	return 0
}
