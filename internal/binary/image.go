package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	maxHeaders = 1 << 16  // program and section headers; Go's linker writes under 100
	maxSymtab  = 64 << 20 // bytes of symbol table searched for the linker's marks
	maxTable   = 64 << 20 // bytes of the function table kept in memory
	maxData    = 64 << 20 // bytes of a data section searched for the module data
)

// An image is the loadable part of a 64-bit little-endian ELF file. It reads
// from the file what is asked for and keeps none of it, and takes no length
// from the file without holding it against the file's size. (debug/elf
// allocates a string for every section and symbol name, so that a small file
// whose names overlap can ask it for gigabytes.)
type image struct {
	r        io.ReaderAt
	size     int64
	machine  elf.Machine
	kind     elf.Type
	segments []elf.Prog64
	sections []elf.Section64
	names    elf.Section64 // section name strings
}

var errNotELF = errors.New("not an ELF executable: allocation types are read from Linux executables; pass the program that was profiled, as go build or go test -c wrote it")

func openImage(r io.ReaderAt, size int64) (*image, error) {
	m := &image{r: r, size: size}
	var h elf.Header64
	if err := m.decode(0, &h); err != nil {
		return nil, errNotELF
	}
	switch magic := binary.BigEndian.Uint32(h.Ident[:]); {
	case magic == 0xcffaedfe || magic == 0xcefaedfe || magic == 0xcafebabe:
		return nil, errors.New("this is a Mach-O executable: allocation types are read from ELF executables; build and profile with GOOS=linux to get them")
	case string(h.Ident[:4]) != elf.ELFMAG:
		return nil, errNotELF
	case elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(h.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB:
		return nil, errors.New("this ELF executable is not 64-bit little-endian: allocation types are read from amd64 and arm64 executables; profile on one of those to get them")
	}
	m.machine, m.kind = elf.Machine(h.Machine), elf.Type(h.Type)
	if m.machine != elf.EM_X86_64 && m.machine != elf.EM_AARCH64 {
		return nil, fmt.Errorf("this executable is for %v: allocation types are read from amd64 and arm64 executables; profile on one of those to get them", m.machine)
	}
	m.segments = make([]elf.Prog64, h.Phnum)
	if err := m.decode(h.Phoff, m.segments); err != nil {
		return nil, fmt.Errorf("program headers: %w", err)
	}
	m.sections = make([]elf.Section64, h.Shnum)
	if err := m.decode(h.Shoff, m.sections); err != nil {
		return nil, fmt.Errorf("section headers: %w", err)
	}
	if int(h.Shstrndx) < len(m.sections) {
		m.names = m.sections[h.Shstrndx]
	}
	return m, nil
}

// decode reads a fixed-size value, or a slice of them, at a file offset.
func (m *image) decode(off uint64, v any) error {
	n := binary.Size(v)
	if off > uint64(m.size) || uint64(n) > uint64(m.size)-off {
		return fmt.Errorf("%d bytes at offset %#x lie outside the file: it is cut short or damaged; build it again", n, off)
	}
	return binary.Read(io.NewSectionReader(m.r, int64(off), int64(n)), binary.LittleEndian, v)
}

// section returns the first section with one of the names.
func (m *image) section(names ...string) (elf.Section64, bool) {
	var buf [64]byte
	for _, s := range m.sections {
		n, _ := m.r.ReadAt(buf[:], int64(min(m.names.Off+uint64(s.Name), uint64(m.size))))
		got, _, _ := bytes.Cut(buf[:n], []byte{0})
		for _, name := range names {
			if string(got) == name {
				return s, true
			}
		}
	}
	return elf.Section64{}, false
}

// data returns the contents of a section, refused over limit bytes.
func (m *image) data(s elf.Section64, limit uint64) ([]byte, error) {
	switch {
	case elf.SectionType(s.Type) == elf.SHT_NOBITS:
		return nil, nil
	case elf.SectionFlag(s.Flags)&elf.SHF_COMPRESSED != 0:
		return nil, errors.New("a section of the executable that is never compressed claims to be: build it again")
	case s.Size > limit || s.Off > uint64(m.size) || s.Size > uint64(m.size)-s.Off:
		return nil, fmt.Errorf("a section of %d bytes at offset %#x does not fit the file or the limit of %d bytes: the file is cut short or damaged; build it again", s.Size, s.Off, limit)
	}
	b := make([]byte, s.Size)
	_, err := m.r.ReadAt(b, int64(s.Off))
	return b, err
}

// read fills b from the address at which the program would find it. It
// returns how much of b lies inside the segment.
func (m *image) read(addr uint64, b []byte) int {
	for _, p := range m.segments {
		if elf.ProgType(p.Type) != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz {
			continue
		}
		left := p.Filesz - (addr - p.Vaddr)
		off := p.Off + (addr - p.Vaddr)
		if off > uint64(m.size) {
			return 0
		}
		n, _ := m.r.ReadAt(b[:min(uint64(len(b)), left)], int64(off))
		return n
	}
	return 0
}

// word returns the 8-byte value at an address.
func (m *image) word(addr uint64) (uint64, bool) {
	var b [8]byte
	if m.read(addr, b[:]) != len(b) {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}

// symbols returns the values of the named symbols, as far as the file has
// them. It stops at the last one: the linker's marks come early.
func (m *image) symbols(names ...string) map[string]uint64 {
	found := make(map[string]uint64)
	for _, s := range m.sections {
		if elf.SectionType(s.Type) != elf.SHT_SYMTAB || int(s.Link) >= len(m.sections) {
			continue
		}
		table, err := m.data(s, maxSymtab)
		if err != nil {
			continue
		}
		strings, err := m.data(m.sections[s.Link], maxSymtab)
		if err != nil {
			continue
		}
		for ; len(table) >= elf.Sym64Size && len(found) < len(names); table = table[elf.Sym64Size:] {
			at := binary.LittleEndian.Uint32(table)
			if uint64(at) >= uint64(len(strings)) {
				continue
			}
			for _, name := range names {
				if rest := strings[at:]; len(rest) > len(name) && rest[len(name)] == 0 && string(rest[:len(name)]) == name {
					found[name] = binary.LittleEndian.Uint64(table[8:])
				}
			}
		}
	}
	return found
}

// moduleData finds the runtime's moduledata of a program without symbols. It
// returns the words that tell where the code and the types are. The order of
// the fields is runtime/symtab.go's; covctrs and ecovctrs came with Go 1.20.
func (m *image) moduleData(pclntab uint64, go120 bool) (text, types, etypes uint64, ok bool) {
	typesWord := 35
	if go120 {
		typesWord = 37
	}
	for _, name := range []string{".go.module", ".noptrdata", ".data"} { // .go.module from Go 1.26 on
		s, found := m.section(name)
		if !found {
			continue
		}
		data, err := m.data(s, maxData)
		if err != nil {
			continue
		}
		for ; len(data) >= 8*(typesWord+2); data = data[8:] {
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
			if word(0) != pclntab {
				continue
			}
			text, types, etypes = word(22), word(typesWord), word(typesWord+1)
			if text != 0 && types != 0 && types < etypes && word(20) >= text && word(20) < word(21) {
				return text, types, etypes, true
			}
		}
	}
	return 0, 0, 0, false
}
