package binary

import (
	"strings"

	"github.com/unheap/unheap/finding"
)

// describe puts a call and the type it was found to be about into words. t is
// of kind 0 if the type is unknown.
func (f *File) describe(c callee, t goType) Alloc {
	a := Alloc{Kind: c.kind, Callee: c.name, Type: c.fixed, ElemSize: c.elemSize}
	if c.box != 0 {
		a.ElemSize, a.PtrBytes = c.box, c.box&16>>1
	}
	if t.kind == 0 {
		return a
	}
	elem, known := t, true
	a.Type = t.name
	switch c.form {
	case formSlice:
		a.Type = "[]" + t.name
	case formMap:
		elem, known = f.mapSlots(t)
	case formChan:
		elem, known = f.elem(t)
	case formSelf:
		// The compiler's own type of the variables that a function literal
		// captures, or of a method value's receiver.
		if c.kind == finding.KindNew && strings.HasPrefix(t.name, "struct { F uintptr;") {
			a.Kind = finding.KindClosure
		}
	}
	if known {
		a.ElemSize, a.PtrBytes = elem.size, elem.ptrBytes
	}
	return a
}
