package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// maxName bounds the length of a function name. Generic code has long ones.
const maxName = 4 << 10

// A funcTable is the runtime's table of functions, the pclntab, in the form it
// has since Go 1.18 (runtime/symtab.go: pcHeader, functab, _func). Only the
// table of entries is kept; names are read when asked for. (debug/gosym reads
// all names at once, and a small table whose names overlap makes it allocate
// the square of its size.)
type funcTable struct {
	section elf.Section64
	text    uint64 // address that entries are relative to
	entries []byte // count pairs of uint32: entry, offset of the _func; then the end
	count   int
	names   uint64 // address of the name strings
	funcs   uint64 // address that _func offsets are relative to
	header  pcHeader
}

type pcHeader struct {
	Magic              uint32
	_                  [2]uint8
	Quantum, PtrSize   uint8
	NFunc, NFiles      uint64
	TextStart          uint64 // 0 from Go 1.26 on
	Names, Cu, Files   uint64
	PcTab, PclnOrFuncs uint64
}

const (
	magicGo118 = 0xfffffff0
	magicGo120 = 0xfffffff1
)

func openFuncTable(m *image) (*funcTable, error) {
	s, ok := m.section(".gopclntab", ".data.rel.ro.gopclntab")
	if !ok {
		return nil, errors.New("no Go function table: the file was not built by Go, or its section headers were stripped; pass the program as go build or go test -c wrote it")
	}
	t := &funcTable{section: s}
	if err := m.decode(s.Off, &t.header); err != nil {
		return nil, fmt.Errorf("function table: %w", err)
	}
	h := &t.header
	if h.Magic != magicGo118 && h.Magic != magicGo120 || h.PtrSize != 8 {
		return nil, errors.New("the Go function table has an unknown form: allocation types are read from programs of Go 1.18 and later")
	}
	if h.NFunc == 0 || h.NFunc > maxTable/8 || h.PclnOrFuncs > s.Size || 8*h.NFunc+4 > s.Size-h.PclnOrFuncs || h.Names > s.Size {
		return nil, errors.New("the Go function table is larger than its section: the file is damaged; build it again")
	}
	t.count = int(h.NFunc)
	t.names, t.funcs = s.Addr+h.Names, s.Addr+h.PclnOrFuncs
	entries := elf.Section64{Off: s.Off + h.PclnOrFuncs, Size: 8*h.NFunc + 4}
	var err error
	t.entries, err = m.data(entries, maxTable)
	return t, err
}

func (t *funcTable) entry(i int) uint64 {
	return t.text + uint64(binary.LittleEndian.Uint32(t.entries[8*i:]))
}

// find returns the function that covers pc: its number, first address and the
// address of its end.
func (t *funcTable) find(pc uint64) (i int, start, end uint64, ok bool) {
	i = sort.Search(t.count, func(i int) bool { return t.entry(i) > pc }) - 1
	if i < 0 || pc >= t.entry(i+1) {
		return 0, 0, 0, false
	}
	return i, t.entry(i), t.entry(i + 1), true
}

// name returns the name of the i'th function, "" if it has none.
func (t *funcTable) name(m *image, i int) string {
	info := t.funcs + uint64(binary.LittleEndian.Uint32(t.entries[8*i+4:]))
	w, ok := m.word(info) // entryOff uint32, nameOff int32
	if !ok {
		return ""
	}
	for buf := make([]byte, 128); ; buf = make([]byte, maxName) {
		n := m.read(t.names+w>>32, buf)
		if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
			return string(buf[:end])
		}
		if len(buf) == maxName {
			return ""
		}
	}
}
