package binary

// Machine code is reduced to the few operations that can move a type operand
// to a call, or a call's result next to a type word. What follows from them is
// then the same for every architecture.
type op uint8

const (
	opNone   op = iota
	opPad       // nothing at all
	opDef       // dst = something unknown
	opConst     // dst = imm
	opMove      // dst = src
	opAdd       // dst = src + imm
	opLoad      // dst = 8 bytes at [src+imm]
	opStore     // 8 bytes at [dst+imm] = src
	opSpoil     // size bytes at [dst+imm] = something unknown
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
	index    reg // added to a memory address scale times; scale 0: none
	scale    uint8
}

// A machine is what differs between architectures.
type machine struct {
	lower   func(code []byte, pc uint64, out []inst) []inst
	sp      reg
	zero    reg   // reads as 0; noReg: there is none
	args    []reg // integer argument and result registers of ABIInternal, in order
	barrier []reg // what runtime.gcWriteBarrier changes
	duff    []reg // what runtime.duffzero and duffcopy change
}
