package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/unheap/unheap/finding"
)

// The parts of a hand-made program: main.f calls runtime.newobject with the
// type *main.T, whose descriptor says 40 bytes, 24 of them with pointers.
const (
	testBase   = 0x400000 // address of the file's first byte
	testCode   = 0x100    // main.f, then runtime.newobject
	testCallee = 0x140
	testTypes  = 0x180
	testName   = 0x30 // of the type, from testTypes
	testTable  = 0x200
	testSyms   = 0x300
	testStrs   = 0x380
	testHeads  = 0x400
	testSize   = testHeads + 6*0x40
)

// synthetic lays the program out.
func synthetic(machine elf.Machine) []byte {
	le := binary.LittleEndian
	data := make([]byte, testSize)
	put := func(off int, vs ...any) {
		var b bytes.Buffer
		for _, v := range vs {
			if s, ok := v.(string); ok {
				v = []byte(s)
			}
			if err := binary.Write(&b, le, v); err != nil {
				panic(err)
			}
		}
		copy(data[off:], b.Bytes())
	}
	put(0, elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1,
		Phoff: 0x40, Phnum: 1, Phentsize: 56, Shoff: testHeads, Shnum: 5, Shentsize: 64, Shstrndx: 4,
	}, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: testBase, Filesz: testSize, Memsz: testSize})

	if machine == elf.EM_X86_64 {
		put(testCode, "\x48\x8d\x05", int32(testTypes-(testCode+7)), "\xe8", int32(testCallee-(testCode+12)), "\xc3") // LEAQ; CALL; RET
		put(testCallee, "\xc3")
	} else {
		put(testCode, uint32(0x90000000), uint32(0x91000000|testTypes<<10), // ADRP R0; ADD R0
			uint32(0x94000000|(testCallee-(testCode+8))/4), uint32(0xd65f03c0)) // BL; RET
		put(testCallee, uint32(0xd65f03c0))
	}
	put(testTypes, uint64(40), uint64(24), uint32(1), uint8(extraStar), uint8(8), uint8(8), uint8(kindStruct),
		uint64(0), uint64(0), uint32(testName), uint32(0))
	put(testTypes+testName, "\x01\x07*main.T")

	// The function table: header, names, entries, the two _func records.
	const names, entries = 0x48, 0x70
	put(testTable, pcHeader{Magic: magicGo120, Quantum: 1, PtrSize: 8, NFunc: 2, Names: names, PclnOrFuncs: entries})
	put(testTable+names, "main.f\x00runtime.newobject\x00")
	put(testTable+entries, uint32(0), uint32(24), uint32(testCallee-testCode), uint32(32), uint32(testTypes-testCode),
		uint32(0), uint32(0), uint32(0), uint32(testCallee-testCode), uint32(7))

	strs := "\x00runtime.text\x00runtime.types\x00runtime.etypes\x00.gopclntab\x00"
	put(testStrs, strs)
	at := func(s string) uint32 { return uint32(bytes.Index([]byte(strs), []byte(s))) }
	for i, s := range []struct {
		name  string
		value uint64
	}{{"runtime.text", testCode}, {"runtime.types", testTypes}, {"runtime.etypes", testTable}} {
		put(testSyms+24*i, elf.Sym64{Name: at(s.name), Value: testBase + s.value})
	}
	put(testHeads,
		elf.Section64{},
		elf.Section64{Name: at(".gopclntab"), Type: uint32(elf.SHT_PROGBITS), Addr: testBase + testTable, Off: testTable, Size: 0x100},
		elf.Section64{Type: uint32(elf.SHT_SYMTAB), Off: testSyms, Size: 72, Link: 3},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: testStrs, Size: uint64(len(strs))},
		elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: testStrs, Size: uint64(len(strs))})
	return data
}

func TestSynthetic(t *testing.T) {
	for machine, call := range map[elf.Machine]uint64{elf.EM_X86_64: 7, elf.EM_AARCH64: 8} {
		data := synthetic(machine)
		f, err := newFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%v: %v", machine, err)
		}
		want := Alloc{Kind: finding.KindNew, Type: "main.T", ElemSize: 40, PtrBytes: 24, Callee: "runtime.newobject"}
		if got, ok := f.At(testBase + testCode + call); got != want || !ok {
			t.Errorf("%v: got %+v, %v, want %+v", machine, got, ok, want)
		}
	}
}

// TestTruncated cuts the program at every length.
func TestTruncated(t *testing.T) {
	data := synthetic(elf.EM_X86_64)
	for n := range testHeads + 5*64 {
		if f, err := newFile(bytes.NewReader(data[:n]), int64(n)); err == nil {
			t.Fatalf("a file of %d bytes opens: %+v", n, f)
		} else if n < 64 && !errors.Is(err, errNotELF) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func FuzzOpenAt(f *testing.F) {
	f.Add(synthetic(elf.EM_X86_64))
	f.Add(synthetic(elf.EM_AARCH64))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file, err := newFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for i := range min(file.funcs.count, 16) {
			entry := file.funcs.entry(i)
			for k := range uint64(32) {
				a, ok := file.At(entry + k)
				if ok && a.Kind == "" || a.PtrBytes > a.ElemSize {
					t.Errorf("%+v, %v", a, ok)
				}
			}
		}
	})
}
