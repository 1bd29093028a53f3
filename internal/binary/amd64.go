package binary

import "golang.org/x/arch/x86/x86asm"

// amd64 numbers the registers AX, CX, DX, BX, SP, BP, SI, DI, R8 to R15.
// The order of arguments is cmd/compile/abi-internal.md's. The write barrier
// changes R11, duffzero and duffcopy DI and SI (runtime/asm_amd64.s).
func amd64() *machine {
	return &machine{lower: lowerAMD64, sp: 4, zero: noReg, args: []reg{0, 3, 1, 7, 6, 8, 9, 10, 11}, barrier: []reg{11}, duff: []reg{6, 7}}
}

func lowerAMD64(code []byte, pc uint64, out []inst) []inst {
	for len(code) > 0 {
		x, err := x86asm.Decode(code, 64)
		n := x.Len
		if err != nil || n == 0 {
			// An instruction that the decoder does not know. Try the next
			// byte: x86 code falls back into step within a few instructions,
			// and a CALL counts only if it hits the start of a function.
			n = 1
			for _, r := range []reg{0, 1, 2, 3, 6, 7} {
				out = append(out, inst{pc: pc, op: opDef, dst: r})
			}
		} else {
			out = lowerX86(&x, pc, out)
		}
		code, pc = code[n:], pc+uint64(n)
	}
	return out
}

func lowerX86(x *x86asm.Inst, pc uint64, out []inst) []inst {
	next := pc + uint64(x.Len)
	in := inst{pc: pc, size: int64(x.Len)}
	dst, dstReg := x86Reg(x.Args[0])
	mem, toMem := x.Args[0].(x86asm.Mem)
	switch x.Op {
	case x86asm.CALL:
		in.op = opCall
		if rel, ok := x.Args[0].(x86asm.Rel); ok {
			in.target = next + uint64(int64(rel))
		}
		return append(out, in)
	case x86asm.JMP:
		in.op = opJump
		if rel, ok := x.Args[0].(x86asm.Rel); ok {
			in.target = next + uint64(int64(rel))
		}
		return append(out, in)
	case x86asm.RET:
		in.op = opReturn
		return append(out, in)
	case x86asm.UD2, x86asm.INT:
		in.op = opJump
		return append(out, in)
	case x86asm.NOP:
		in.op = opPad
		return append(out, in)
	case x86asm.CMP, x86asm.TEST, x86asm.BT, x86asm.UCOMISD, x86asm.UCOMISS, x86asm.PREFETCHNTA, x86asm.PREFETCHT0:
		in.op = opNone
		return append(out, in)
	case x86asm.PUSH:
		return append(out, inst{pc: pc, op: opAdd, dst: 4, src: 4, imm: -8, size: in.size})
	case x86asm.POP:
		out = append(out, inst{pc: pc, op: opAdd, dst: 4, src: 4, imm: 8})
		return append(out, inst{pc: pc, op: opDef, dst: dst, size: in.size})
	case x86asm.MOV:
		return append(out, lowerMOV(x, in, next))
	case x86asm.LEA:
		in.op, in.dst = opDef, dst
		if m, ok := x.Args[1].(x86asm.Mem); ok && x.DataSize == 64 {
			switch base, isReg := x86Reg(m.Base); {
			case m.Base == x86asm.RIP:
				in.op, in.imm = opConst, int64(next)+m.Disp
			case isReg && m.Index == 0:
				in.op, in.src, in.imm = opAdd, base, m.Disp
			}
		}
		return append(out, in)
	case x86asm.XOR:
		if dstReg && x.Args[0] == x.Args[1] {
			in.op, in.dst = opConst, dst
			return append(out, in)
		}
	case x86asm.ADD, x86asm.SUB:
		if imm, ok := x.Args[1].(x86asm.Imm); ok && dstReg && x.DataSize == 64 {
			in.op, in.dst, in.src, in.imm = opAdd, dst, dst, int64(imm)
			if x.Op == x86asm.SUB {
				in.imm = -in.imm
			}
			return append(out, in)
		}
	case x86asm.XCHG, x86asm.XADD:
		if src, ok := x86Reg(x.Args[1]); ok {
			out = append(out, inst{pc: pc, op: opDef, dst: src})
		}
	case x86asm.CMPXCHG:
		out = append(out, inst{pc: pc, op: opDef, dst: 0})
	case x86asm.MUL, x86asm.DIV, x86asm.IDIV, x86asm.IMUL, x86asm.CQO, x86asm.CDQ, x86asm.RDTSC, x86asm.CPUID, x86asm.XGETBV:
		if x.Op != x86asm.IMUL || x.Args[1] == nil {
			for _, r := range []reg{0, 1, 2, 3} {
				out = append(out, inst{pc: pc, op: opDef, dst: r})
			}
		}
	case x86asm.MOVSB, x86asm.MOVSW, x86asm.MOVSD, x86asm.MOVSQ, x86asm.STOSB, x86asm.STOSW, x86asm.STOSD, x86asm.STOSQ:
		// A scalar MOVSD has a register; the string form has none.
		if _, str := x.Args[0].(x86asm.Mem); str && x.Args[1] != nil {
			if src, ok := x.Args[1].(x86asm.Reg); !ok || src < x86asm.X0 || src > x86asm.X15 {
				for _, r := range []reg{1, 6, 7} {
					out = append(out, inst{pc: pc, op: opDef, dst: r})
				}
				return append(out, in)
			}
		}
	}
	if rel, ok := x.Args[0].(x86asm.Rel); ok { // a conditional jump
		in.op, in.target = opBranch, next+uint64(int64(rel))
		return append(out, in)
	}
	switch {
	case dstReg:
		in.op, in.dst = opDef, dst
	case toMem:
		in = x86Spoil(in, mem, x.MemBytes, next)
	}
	return append(out, in)
}

// lowerMOV keeps moves of whole registers and of constants.
func lowerMOV(x *x86asm.Inst, in inst, next uint64) inst {
	dst, dstReg := x86Reg(x.Args[0])
	if dstReg {
		in.op, in.dst = opDef, dst
		switch src := x.Args[1].(type) {
		case x86asm.Imm:
			if x.DataSize >= 32 {
				in.op, in.imm = opConst, int64(src)
			}
		case x86asm.Reg:
			if s, ok := x86Reg(src); ok && x.DataSize == 64 {
				in.op, in.src = opMove, s
			}
		case x86asm.Mem:
			if m, ok := x86Address(in, src, next); ok && x.DataSize == 64 {
				m.op, m.src, m.dst = opLoad, m.dst, dst
				return m
			}
		}
		return in
	}
	mem, ok := x.Args[0].(x86asm.Mem)
	if !ok {
		return in
	}
	m, plain := x86Address(in, mem, next)
	if src, ok := x86Reg(x.Args[1]); ok && plain && x.MemBytes == 8 {
		m.op, m.src = opStore, src
		return m
	}
	return x86Spoil(in, mem, x.MemBytes, next)
}

func x86Spoil(in inst, mem x86asm.Mem, bytes int, next uint64) inst {
	if m, ok := x86Address(in, mem, next); ok {
		m.op, m.size = opSpoil, int64(bytes)
		return m
	}
	return in
}

// x86Address returns in with the address of a memory operand: the base as dst,
// the offset, the index.
func x86Address(in inst, m x86asm.Mem, next uint64) (inst, bool) {
	in.dst, in.imm = noReg, m.Disp
	ok := true
	switch {
	case m.Segment != 0:
		return in, false
	case m.Base == x86asm.RIP:
		in.imm += int64(next)
	case m.Base != 0:
		in.dst, ok = x86Reg(m.Base)
	}
	if ok && m.Index != 0 {
		in.index, ok = x86Reg(m.Index)
		in.scale = m.Scale
	}
	return in, ok
}

// x86Reg returns the number of a general register, whatever part of it a names.
func x86Reg(a x86asm.Arg) (reg, bool) {
	r, ok := a.(x86asm.Reg)
	switch {
	case !ok:
		return 0, false
	case r >= x86asm.RAX && r <= x86asm.R15:
		return reg(r - x86asm.RAX), true
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return reg(r - x86asm.EAX), true
	case r >= x86asm.AX && r <= x86asm.R15W:
		return reg(r - x86asm.AX), true
	case r >= x86asm.AL && r <= x86asm.BL:
		return reg(r - x86asm.AL), true
	case r >= x86asm.AH && r <= x86asm.BH:
		return reg(r - x86asm.AH), true
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return reg(r-x86asm.SPB) + 4, true
	}
	return 0, false
}
