package binary

import (
	"fmt"
	"testing"
)

func TestDbg(t *testing.T) {
	f, _ := Open("/tmp/binwork/goldmark.test")
	_, start, end, _ := f.funcs.find(0x57e9da)
	code := make([]byte, end-start)
	f.image.read(start, code)
	insts := f.machine.lower(code, start, nil)
	w := &walker{machine: f.machine, callee: f.calleeAt}
	w.walk(insts, func(s *state, in *inst) {
		if in.pc >= 0x57e9d6 && in.pc <= 0x57ea18 {
			fmt.Printf("%x %+v dst=%v src=%v sp=%v ax=%v\n", in.pc, *in, s.regs[in.dst&15], s.regs[in.src&15], s.regs[4], s.regs[0])
		}
	})
}
