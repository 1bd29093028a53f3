package binary

import (
	"encoding/binary"
	"slices"
)

// arm64 numbers the registers R0 to R30; 31 is SP, 32 the zero register. The
// order of arguments is cmd/compile/abi-internal.md's. The write barrier
// changes R25, duffzero and duffcopy R16, R17, R20, R21, R26 and R27
// (runtime/asm_arm64.s); a call changes the link register R30, and the linker
// may lead it over code that uses R16, R17 and R27.
func arm64() *machine {
	return &machine{
		lower: lowerARM64, sp: 31, zero: 32,
		args:    []reg{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		barrier: []reg{16, 17, 25, 27, 30},
		duff:    []reg{16, 17, 20, 21, 26, 27, 30},
	}
}

func lowerARM64(code []byte, pc uint64, out []inst) []inst {
	for ; len(code) >= 4; code, pc = code[4:], pc+4 {
		out = lowerA64(binary.LittleEndian.Uint32(code), pc, out)
	}
	return out
}

// bits returns n bits of x from bit lo, extended with their sign if signed.
func bits(x uint32, lo, n uint, signed bool) int64 {
	v := int64(x>>lo) & (1<<n - 1)
	if signed && v>>(n-1) != 0 {
		v -= 1 << n
	}
	return v
}

// lowerA64 decodes one instruction from its bits, by the Arm Architecture
// Reference Manual, C4.1: every instruction has one length and few forms move
// a word. (arm64asm does not give out the offset of a memory operand.) Of an
// instruction with another form it is only taken that it may write Rd.
func lowerA64(x uint32, pc uint64, out []inst) []inst {
	in := inst{pc: pc, size: 4}
	rd, rn, rm, rt2 := reg(x&31), reg(x>>5&31), reg(x>>16&31), reg(x>>10&31)
	target := func(lo, n uint) uint64 { return pc + uint64(4*bits(x, lo, n, true)) }
	// data is a register that is read or written as data: 31 is zero there.
	data := func(r reg) reg {
		if r == 31 {
			return 32
		}
		return r
	}
	switch {
	case x>>26 == 0b100101: // BL
		in.op, in.target = opCall, target(0, 26)
	case x&0xfffffc1f == 0xd63f0000: // BLR
		in.op = opCall
	case x>>26 == 0b000101: // B
		in.op, in.target = opJump, target(0, 26)
	case x&0xfffffc1f == 0xd61f0000, x&0xffe0001f == 0xd4200000, x>>16 == 0: // BR, BRK, UDF
		in.op = opJump
	case x == 0xd503201f: // NOP
		in.op = opPad
	case x&0xfffffc1f == 0xd65f0000: // RET
		in.op = opReturn
	case x>>24 == 0x54, x>>24&0x7e == 0x34: // B.cond, CBZ, CBNZ
		in.op, in.target = opBranch, target(5, 19)
	case x>>24&0x7e == 0x36: // TBZ, TBNZ
		in.op, in.target = opBranch, target(5, 14)
	case x&0x1f000000 == 0x10000000: // ADR, ADRP
		in.op, in.dst = opConst, data(rd)
		if off := bits(x, 5, 19, true)<<2 | bits(x, 29, 2, false); x>>31 == 0 {
			in.imm = int64(pc) + off
		} else {
			in.imm = int64(pc&^0xfff) + off<<12
		}
	case x&0xbf800000 == 0x91000000: // ADD, SUB (64-bit, immediate); 31 is SP
		in.op, in.dst, in.src, in.imm = opAdd, rd, rn, bits(x, 10, 12, false)<<(12*(x>>22&1))
		if x>>30&1 == 1 {
			in.imm = -in.imm
		}
	case x&0xffe0ffe0 == 0xaa0003e0: // MOV (64-bit, register)
		in.op, in.dst, in.src = opMove, data(rd), data(rm)
	case x&0x7f800000 == 0x52800000: // MOVZ
		in.op, in.dst, in.imm = opConst, data(rd), bits(x, 5, 16, false)<<(16*(x>>21&3))
	case x&0xff800000 == 0xf9000000: // STR, LDR (64-bit, unsigned offset)
		return a64Access(out, x, pc, indexNone, 8*bits(x, 10, 12, false), data(rd))
	case x&0xffa00000 == 0xf8000000: // STR, LDR (64-bit, signed offset)
		return a64Access(out, x, pc, x>>10&3, bits(x, 12, 9, true), data(rd))
	case x&0xfe000000 == 0xa8000000: // STP, LDP (64-bit)
		return a64Access(out, x, pc, x>>23&3, 8*bits(x, 15, 7, true), data(rd), data(rt2))
	case x&0x3e000000 == 0x3c000000, x&0x3b000000 == 0x39000000 && x>>22&3 == 0, x&0x3b200000 == 0x38000000 && x>>22&3 == 0:
		// A load or store of a floating-point register, or a store of
		// less than a word: no register that counts is written.
	case x&0x3f000000 == 0x08000000: // exclusive and atomic pairs also write Rs
		out = append(out, inst{pc: pc, op: opDef, dst: data(rm)})
		in.op, in.dst = opDef, data(rd)
	case rd != 31:
		in.op, in.dst = opDef, rd
	}
	return append(out, in)
}

// How a load or store changes its base register; other values leave it.
const (
	indexNone = 0
	indexPost = 1
	indexPre  = 3
)

// a64Access lowers the load or store x of consecutive words at base+imm.
func a64Access(out []inst, x uint32, pc uint64, index uint32, imm int64, words ...reg) []inst {
	base, load := reg(x>>5&31), x>>22&1 == 1
	move := inst{pc: pc, op: opAdd, dst: base, src: base, imm: imm}
	if index == indexPre {
		out = append(out, move)
	}
	if index == indexPre || index == indexPost {
		imm = 0
	}
	first := len(out)
	for i, r := range words {
		in := inst{pc: pc, op: opStore, dst: base, src: r, imm: imm + 8*int64(i)}
		if load {
			in.op, in.dst, in.src = opLoad, r, base
		}
		out = append(out, in)
	}
	if load && words[0] == base {
		slices.Reverse(out[first:]) // the base is read before it is written
	}
	if index == indexPost {
		out = append(out, move)
	}
	return out
}
