package binary

import (
	"fmt"
	"testing"
)

func TestDbg(t *testing.T) {
	f, _ := Open("/tmp/binwork/toml.test")
	i, start, end, _ := f.funcs.find(0x5ded66)
	_ = i
	code := make([]byte, end-start)
	f.image.read(start, code)
	insts := f.machine.lower(code, start, nil)
	w := &walker{machine: f.machine, callee: f.calleeAt}
	w.walk(insts, func(s *state, in *inst) {
		if s.regs[4].kind != valueStack || in.op==opAdd && in.dst==4 {
			fmt.Printf("%x %+v dst=%v src=%v sp=%v ax=%v\n", in.pc, *in, s.regs[in.dst&15], s.regs[in.src&15], s.regs[4], s.regs[0])
		}
	})
	fmt.Println(f.typeAt(0x648DC0))
	fmt.Println(f.decodeType(0x648DC0))
}
