package binary

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// A goType is what the program's own type data says of a type.
type goType struct {
	name     string // as reflect.Type.String writes it
	kind     uint8  // internal/abi.Kind
	size     int64
	ptrBytes int64
	addr     uint64
}

// Kinds of internal/abi that matter here.
const (
	kindArray     = 17
	kindMap       = 21
	kindStruct    = 25
	kindUnsafePtr = 26
)

const (
	maxTypeName = 16 << 10
	maxTypeSize = 1 << 47
	kindMask    = 0x1f // the upper bits were flags up to Go 1.23
	extraStar   = 1 << 1
)

// typeAt decodes the type descriptor at addr. The layout is that of
// internal/abi.Type, the same in every release since Go 1.18:
//
//	0 Size_, 8 PtrBytes, 16 Hash, 20 TFlag, 21 Align_, 22 FieldAlign_,
//	23 Kind_, 24 Equal, 32 GCData, 40 Str (offset from runtime.types),
//	44 PtrToThis
func (f *File) typeAt(addr uint64) (goType, bool) {
	if addr < f.types || addr >= f.etypes {
		return goType{}, false
	}
	if t, ok := f.typeMemo[addr]; ok {
		return t, t.kind != 0
	}
	t := f.decodeType(addr)
	if len(f.typeMemo) < maxMemo {
		f.typeMemo[addr] = t
	}
	return t, t.kind != 0
}

// decodeType returns a type of kind 0 if there is none at addr.
func (f *File) decodeType(addr uint64) goType {
	var b [48]byte
	if f.image.read(addr, b[:]) != len(b) {
		return goType{}
	}
	le := binary.LittleEndian
	size, ptrBytes := le.Uint64(b[0:]), le.Uint64(b[8:])
	kind, align := b[23]&kindMask, b[21]
	if kind == 0 || kind > kindUnsafePtr || size > maxTypeSize || ptrBytes > size || align == 0 || align&(align-1) != 0 {
		return goType{}
	}
	name, ok := f.typeName(f.types + uint64(le.Uint32(b[40:])))
	if !ok {
		return goType{}
	}
	if b[20]&extraStar != 0 {
		name = strings.TrimPrefix(name, "*")
	}
	return goType{name: name, kind: kind, size: int64(size), ptrBytes: int64(ptrBytes), addr: addr}
}

// typeName reads internal/abi.Name: a flag byte, the length as a varint, the
// bytes.
func (f *File) typeName(addr uint64) (string, bool) {
	var head [1 + 3]byte
	n := f.image.read(addr, head[:])
	if n < 2 {
		return "", false
	}
	size, used := binary.Uvarint(head[1:n])
	if used <= 0 || size == 0 || size > maxTypeName {
		return "", false
	}
	b := make([]byte, size)
	if f.image.read(addr+1+uint64(used), b) != len(b) || !utf8.Valid(b) {
		return "", false
	}
	return string(b), true
}

// elem returns the type that a channel carries or an array consists of. Its
// address is the first word after the common part.
func (f *File) elem(t goType) (goType, bool) {
	p, ok := f.image.word(t.addr + 48)
	if !ok {
		return goType{}, false
	}
	return f.typeAt(p)
}

// mapSlots returns the type of the block in which a map keeps its entries:
// the group of eight slots, up to Go 1.23 the bucket. It follows the key's and
// the element's type.
func (f *File) mapSlots(t goType) (goType, bool) {
	p, ok := f.image.word(t.addr + 64)
	if !ok {
		return goType{}, false
	}
	return f.typeAt(p)
}

const (
	maxFields = 1 << 12 // of a struct that are looked at
	maxNested = 16      // structs and arrays inside one another
)

// typeInside returns the innermost type that starts off bytes into a value of
// type t. A struct's fields follow its package path as a slice of name, type
// and offset; an array's element type comes first.
func (f *File) typeInside(t goType, off int64) (goType, bool) {
	for range maxNested {
		switch t.kind {
		case kindArray:
			elem, ok := f.elem(t)
			if !ok || elem.size == 0 {
				return goType{}, false
			}
			t, off = elem, off%elem.size
		case kindStruct:
			fields, ok1 := f.image.word(t.addr + 56)
			n, ok2 := f.image.word(t.addr + 64)
			if !ok1 || !ok2 || n > maxFields {
				return goType{}, false
			}
			b := make([]byte, 24*n)
			if f.image.read(fields, b) != len(b) {
				return goType{}, false
			}
			var field goType
			for ; len(b) > 0; b = b[24:] {
				at := binary.LittleEndian.Uint64(b[16:])
				if at > uint64(off) {
					break
				}
				ft, ok := f.typeAt(binary.LittleEndian.Uint64(b[8:]))
				if !ok {
					return goType{}, false
				}
				if uint64(off)-at < uint64(ft.size) {
					field, off = ft, off-int64(at)
					break
				}
			}
			if field.kind == 0 {
				return goType{}, false
			}
			t = field
		default:
			return t, off == 0
		}
	}
	return goType{}, false
}

// boxed returns the type that the first word of an interface value stands
// for: the word is the type itself, or an itab, whose second word is the type.
func (f *File) boxed(word uint64) (goType, bool) {
	if t, ok := f.typeAt(word); ok {
		return t, true
	}
	p, ok := f.image.word(word + 8)
	if !ok {
		return goType{}, false
	}
	return f.typeAt(p)
}
