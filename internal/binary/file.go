// Package binary says what the allocation at an address of a heap profile is:
// which function of the Go runtime the call there goes to, and which Go type
// it allocates.
//
// A heap profile names functions and lines. Its addresses say more: each is
// that of one call, and the machine code before the call loads the type into a
// register. The package follows the code of the function from its start to the
// call, and reads the type's name and size from the type data that every Go
// program carries for its garbage collector. Where the compiler passes no type
// (a number or string stored in an interface, a small map), the type is taken
// from what is stored beside the call's result.
//
// It reads ELF executables for amd64 and arm64, of Go 1.18 and later, with or
// without symbols.
package binary

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/unheap/unheap/finding"
)

// An Alloc is one allocation as the machine code has it.
type Alloc struct {
	Kind string // one of finding's Kind constants; empty: the call is none of the runtime's
	// Type is the Go type of what is allocated, packages by their base
	// names: "[]uint8", "map[string]int", "toml.parser"; for a value boxed in
	// an interface, the value's. Empty: unknown.
	Type string
	// ElemSize is the size in bytes of one element: of a slice, a string's
	// bytes, a channel, one block of a map's entries; of Type itself otherwise.
	// PtrBytes is the length of its prefix that holds pointers, which is what
	// the collector scans. Both are 0 where ElemSize is unknown.
	ElemSize int64
	PtrBytes int64
	Callee   string // name of the function called, as "runtime.newobject"
}

const (
	maxCode  = 1 << 20 // bytes of one function that are decoded
	maxChunk = 1 << 14 // operations that are followed together
	maxMemo  = 1 << 17 // entries of each memo
)

// A File is an open executable. Its methods may be called from several
// goroutines.
type File struct {
	close   func() error
	image   *image
	funcs   *funcTable
	machine *machine
	types   uint64 // the types lie in [types, etypes)
	etypes  uint64

	mu       sync.Mutex // guards the memos
	typeMemo map[uint64]goType
	callees  map[uint64]callee
	calls    map[uint64]callSites // by function entry
}

// Open opens the executable at path. It fails with a message for the user if
// the file is not an ELF executable that Go built for amd64 or arm64.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := openFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.close = file.Close
	return f, nil
}

func openFile(file *os.File) (*File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotELF
	}
	return newFile(file, info.Size())
}

func newFile(r io.ReaderAt, size int64) (*File, error) {
	f := &File{
		typeMemo: make(map[uint64]goType),
		callees:  make(map[uint64]callee),
		calls:    make(map[uint64]callSites),
	}
	var err error
	if f.image, err = openImage(r, size); err != nil {
		return nil, err
	}
	if f.funcs, err = openFuncTable(f.image); err != nil {
		return nil, err
	}
	f.machine = amd64()
	if f.image.machine == elf.EM_AARCH64 {
		f.machine = arm64()
	}
	return f, f.locate()
}

// locate finds where the code and the types start.
func (f *File) locate() error {
	marks := f.image.symbols("runtime.text", "runtime.types", "runtime.etypes")
	if len(marks) == 3 {
		f.funcs.text, f.types, f.etypes = marks["runtime.text"], marks["runtime.types"], marks["runtime.etypes"]
		return nil
	}
	text, types, etypes, ok := f.image.moduleData(f.funcs.section.Addr, f.funcs.header.Magic == magicGo120)
	if !ok {
		return errors.New("the executable has neither symbols nor the runtime's module data: build it again without -ldflags=-s")
	}
	f.funcs.text, f.types, f.etypes = text, types, etypes
	return nil
}

// Close closes the file. At must not be called after it.
func (f *File) Close() error { return f.close() }

// Adjust turns an address of a profile into one of the file. start, limit and
// offset are those of the profile's mapping; all 0 if it has none. Only a
// position-independent executable needs it: for others the address is
// returned as it is. It returns false for an address outside the mapping or
// the file's code.
func (f *File) Adjust(addr, start, limit, offset uint64) (uint64, bool) {
	if f.image.kind != elf.ET_DYN || start == 0 && limit == 0 {
		return addr, true
	}
	if addr < start || addr >= limit {
		return 0, false
	}
	off := addr - start + offset
	for _, p := range f.image.segments {
		if elf.ProgType(p.Type) == elf.PT_LOAD && elf.ProgFlag(p.Flags)&elf.PF_X != 0 && off >= p.Off && off-p.Off < p.Filesz {
			return p.Vaddr + off - p.Off, true
		}
	}
	return 0, false
}

// At describes the allocation made by the call at addr, or the one that
// returns to addr. A profile's Location.Address, after [File.Adjust], is such
// an address: one before the return address of its innermost frame's call. At
// returns false if there is no call at addr, or if the call has nothing to do
// with the runtime; in the second case Alloc.Callee still names the function.
func (f *File) At(addr uint64) (Alloc, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	site, ok := f.sitesOf(addr).at(addr)
	if !ok {
		return Alloc{}, false
	}
	if site.callee.kind == "" && site.target != 0 {
		return f.inlined(site)
	}
	return site.alloc, site.alloc.Kind != ""
}

// inlined describes a call of a function outside the runtime. A profile shows
// it as the innermost only if it cut off that function's own frame, because
// the allocation there is in a function of the runtime that was inlined into
// it (runtime.CallersFrames is one). Such an allocation shows by its type.
func (f *File) inlined(site *callSite) (Alloc, bool) {
	var found Alloc
	for _, s := range f.sitesOf(site.target) {
		if s.callee.operand == 0 || !strings.HasPrefix(s.typ.name, "runtime.") {
			continue
		}
		if found.Type != "" && found.Type != s.alloc.Type {
			found.Type = ""
			break
		}
		found = s.alloc
	}
	if found.Type == "" {
		return Alloc{Callee: site.callee.name}, false
	}
	found.Kind = finding.KindRuntime
	return found, true
}
