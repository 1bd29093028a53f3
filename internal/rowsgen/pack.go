package rowsgen

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"strings"
)

// printPack prints the functions that check, pack and unpack values.
func (p *printer) printPack() {
	name, typ := title(p.root.name), p.goType(p.root)
	p.f("\n// %s tells packed values of this form of %s from others.\nconst %s = %#08x", p.private(p.root, "Layout"), typ, p.private(p.root, "Layout"), p.layout())
	p.f("\n// Append%s appends v in packed form. It returns an error if v could not be\n// stored in a table.", name)
	p.f("func Append%s(b []byte, v *%s) ([]byte, error) {", name, typ)
	if p.asShape(p.root).checked() {
		p.f("if err := check%s(v); err != nil {\nreturn b, err\n}", name)
	}
	p.f("start := len(b)\nb = %s.AppendHeader(b, %s)\nb = append%s(b, v)\nreturn %s.AppendChecksum(b, start), nil\n}", p.rows(), p.private(p.root, "Layout"), name, p.rows())
	p.f("\n// Unpack%s returns the value that b is the packed form of. The bytes may\n// come from anywhere; if they are not such a form, the error is [%s.ErrPacked].", name, p.rows())
	p.f("func Unpack%s(b []byte) (v %s, err error) {\nu := %s.NewUnpacker(b, %s)\nunpack%s(u, &v)", name, typ, p.rows(), p.private(p.root, "Layout"), name)
	p.f("if err := u.Close(); err != nil {\nreturn %s{}, err\n}\nreturn v, nil\n}", typ)
	for _, st := range p.rd.structs {
		name, typ := title(p.name(st)), p.goType(st)
		if p.asShape(st).checked() {
			p.f("\n// check%s returns an error if v cannot be stored.\nfunc check%s(v *%s) error {", name, name, typ)
			for _, f := range st.fields {
				p.checkValue(f.name, "v."+f.name, f.shape)
			}
			p.f("return nil\n}")
		}
		p.f("\nfunc append%s(b []byte, v *%s) []byte {", name, typ)
		for _, f := range st.fields {
			p.pack("v."+f.name, f.shape)
		}
		p.f("return b\n}")
		p.f("\nfunc unpack%s(u *%s.Unpacker, v *%s) {", name, p.rows(), typ)
		for _, f := range st.fields {
			p.unpack("v."+f.name, f.shape)
		}
		p.f("}")
	}
}

// checkValue prints the code that returns an error if x, which is told of by
// its name, cannot be stored.
func (p *printer) checkValue(name, x string, s *shape) {
	if !s.checked() {
		return
	}
	wrap := func(index, err string) {
		errorf := p.im.use("fmt", "fmt") + ".Errorf"
		if index == "" {
			p.f("return %s(\"field %s: %%w\", %s)", errorf, name, err)
		} else {
			p.f("return %s(\"field %s[%%d]: %%w\", %s, %s)", errorf, name, index, err)
		}
	}
	nested := func(index, pointer string, s *shape) {
		p.f("if err := check%s(%s); err != nil {", title(p.name(s.st)), pointer)
		wrap(index, "err")
		p.f("}")
	}
	tooLong := func(index, x string) {
		p.f("if len(%s) > %s.MaxLen {", x, p.rows())
		wrap(index, p.rows()+".ErrTooLong")
		p.f("}")
	}
	element := func(x string) {
		switch s.elem.kind {
		case record:
			nested("i", "&"+x, s.elem)
		case text, blob:
			tooLong("i", x)
		}
	}
	switch s.kind {
	case text, blob:
		tooLong("", x)
	case record:
		nested("", "&"+x, s)
	case part:
		p.f("if %s != nil {", x)
		nested("", x, s.elem)
		p.f("}")
	case array:
		p.f("for i := range %s {", x)
		element(x + "[i]")
		p.f("}")
	case list:
		if s.linked {
			p.f("for i, e := 0, %s; e != nil; i, e = i+1, e.%s {\nif i == %s.MaxLen {", x, s.elem.st.next.Name(), p.rows())
			wrap("", p.rows()+".ErrTooLong")
			p.f("}")
			if s.elem.checked() {
				nested("i", "e", s.elem)
			}
			p.f("}")
			return
		}
		tooLong("", x)
		if !s.pointers && !s.elem.checked() {
			return
		}
		p.f("for i := range %s {", x)
		if s.pointers {
			p.f("if %s[i] == nil {", x)
			wrap("i", p.rows()+".ErrNilElement")
			p.f("}")
			if s.elem.kind == record && s.elem.checked() {
				nested("i", x+"[i]", s.elem)
			}
		} else {
			element(x + "[i]")
		}
		p.f("}")
	}
}

// pack prints the code that appends x to b.
func (p *printer) pack(x string, s *shape) {
	rows := p.rows()
	switch s.kind {
	case flat:
		if s.st != nil {
			p.f("b = append%s(b, &%s)", title(p.name(s.st)), x)
			return
		}
		if s.elem != nil {
			p.packArray(x, s)
			return
		}
		p.packNumber(x, s)
	case text:
		p.f("b = %s.AppendString(b, %s)", rows, p.toString(s, x))
	case blob:
		p.f("b = %s.AppendBytes(b, %s)", rows, x)
	case moment:
		p.f("b = %s.AppendTime(b, %s)", rows, x)
	case addr:
		p.f("b = %s.AppendAddr(b, %s)", rows, x)
	case record:
		p.f("b = append%s(b, &%s)", title(p.name(s.st)), x)
	case array:
		p.packArray(x, s)
	case part:
		p.f("b = %s.AppendBool(b, %s != nil)\nif %s != nil {\nb = append%s(b, %s)\n}", rows, x, x, title(p.name(s.elem.st)), x)
	case list:
		if s.linked {
			p.f("{\nn := 0\nfor e := %s; e != nil; e = e.%s {\nn++\n}", x, s.elem.st.next.Name())
			p.f("b = %s.AppendLen(b, n, n == 0)\nfor e := %s; e != nil; e = e.%s {\nb = append%s(b, e)\n}\n}", rows, x, s.elem.st.next.Name(), title(p.name(s.elem.st)))
			return
		}
		p.f("b = %s.AppendLen(b, len(%s), %s == nil)", rows, x, x)
		if s.pointers && s.elem.st != nil {
			p.f("for _, e := range %s {\nb = append%s(b, e)\n}", x, title(p.name(s.elem.st)))
			return
		}
		p.f("for i := range %s {", x)
		if s.pointers {
			p.pack("(*"+x+"[i])", s.elem)
		} else {
			p.pack(x+"[i]", s.elem)
		}
		p.f("}")
	}
}

// packArray prints loops, each with a variable of its own.
func (p *printer) packArray(x string, s *shape) {
	i := fmt.Sprint("i", strings.Count(x, "["))
	p.f("for %s := range %s {", i, x)
	p.pack(x+"["+i+"]", s.elem)
	p.f("}")
}

func (p *printer) packNumber(x string, s *shape) {
	call := func(name, to, x string) {
		p.f("b = %s.Append%s(b, %s)", p.rows(), name, convert(to, p.im.typ(s.typ), x))
	}
	t := s.typ.Underlying().(*types.Basic)
	switch info := t.Info(); {
	case info&types.IsBoolean != 0:
		call("Bool", "bool", x)
	case t.Kind() == types.Complex64:
		call("Float32", "float32", "real("+x+")")
		call("Float32", "float32", "imag("+x+")")
	case t.Kind() == types.Complex128:
		call("Float64", "float64", "real("+x+")")
		call("Float64", "float64", "imag("+x+")")
	case t.Kind() == types.Float32:
		call("Float32", "float32", x)
	case t.Kind() == types.Float64:
		call("Float64", "float64", x)
	case info&types.IsUnsigned != 0:
		call("Uint", "uint64", x)
	default:
		call("Int", "int64", x)
	}
}

// unpack prints the code that reads x from u.
func (p *printer) unpack(x string, s *shape) {
	switch s.kind {
	case flat:
		if s.st != nil {
			p.f("unpack%s(u, &%s)", title(p.name(s.st)), x)
			return
		}
		if s.elem != nil {
			p.unpackArray(x, s)
			return
		}
		p.unpackNumber(x, s)
	case text:
		p.f("%s = %s", x, convert(p.im.typ(s.typ), "string", "u.String()"))
	case blob:
		p.f("%s = u.Bytes()", x)
	case moment:
		p.f("%s = u.Time()", x)
	case addr:
		p.f("%s = u.Addr()", x)
	case record:
		p.f("unpack%s(u, &%s)", title(p.name(s.st)), x)
	case array:
		p.unpackArray(x, s)
	case part:
		p.f("if u.Bool() {\n%s = new(%s)\nunpack%s(u, %s)\n}", x, p.im.typ(s.elem.typ), title(p.name(s.elem.st)), x)
	case list:
		p.unpackList(x, s)
	}
}

func (p *printer) unpackArray(x string, s *shape) {
	i := fmt.Sprint("i", strings.Count(x, "["))
	p.f("for %s := range %s {", i, x)
	p.unpack(x+"["+i+"]", s.elem)
	p.f("}")
}

func (p *printer) unpackList(x string, s *shape) {
	elem := p.im.typ(s.elem.typ)
	p.f("if n, isNil := u.Len(%d); !isNil {", s.elem.packedBytes())
	switch {
	case s.linked:
		p.f("list := make([]%s, n)\nfor i := range list {\nunpack%s(u, &list[i])", elem, title(p.name(s.elem.st)))
		p.f("if i > 0 {\nlist[i-1].%s = &list[i]\n}\n}\nif n > 0 {\n%s = &list[0]\n}", s.elem.st.next.Name(), x)
	case s.pointers:
		p.f("list := make([]%s, n)\n%s = make(%s, n)\nfor i := range list {", elem, x, p.im.typ(s.typ))
		p.unpack("list[i]", s.elem)
		p.f("%s[i] = &list[i]\n}", x)
	default:
		p.f("%s = make(%s, n)\nfor i := range %s {", x, p.im.typ(s.typ), x)
		p.unpack(x+"[i]", s.elem)
		p.f("}")
	}
	p.f("}")
}

func (p *printer) unpackNumber(x string, s *shape) {
	typ, t := p.im.typ(s.typ), s.typ.Underlying().(*types.Basic)
	bits := map[types.BasicKind]string{
		types.Int8: "8", types.Int16: "16", types.Int32: "32", types.Int64: "64",
		types.Uint8: "8", types.Uint16: "16", types.Uint32: "32", types.Uint64: "64",
		types.Int: p.rows() + ".IntBits", types.Uint: p.rows() + ".IntBits", types.Uintptr: p.rows() + ".IntBits",
	}[t.Kind()]
	switch info := t.Info(); {
	case info&types.IsBoolean != 0:
		p.f("%s = %s", x, convert(typ, "bool", "u.Bool()"))
	case t.Kind() == types.Complex64:
		p.f("%s = %s", x, convert(typ, "complex64", "complex(u.Float32(), u.Float32())"))
	case t.Kind() == types.Complex128:
		p.f("%s = %s", x, convert(typ, "complex128", "complex(u.Float64(), u.Float64())"))
	case t.Kind() == types.Float32:
		p.f("%s = %s", x, convert(typ, "float32", "u.Float32()"))
	case t.Kind() == types.Float64:
		p.f("%s = %s", x, convert(typ, "float64", "u.Float64()"))
	case info&types.IsUnsigned != 0:
		p.f("%s = %s", x, convert(typ, "uint64", "u.Uint("+bits+")"))
	default:
		p.f("%s = %s", x, convert(typ, "int64", "u.Int("+bits+")"))
	}
}

// packedBytes returns the least number of bytes that a value takes when packed.
func (s *shape) packedBytes() int64 {
	switch {
	case s.kind == moment:
		return 3
	case s.kind == array || s.kind == flat && s.elem != nil:
		return max(1, s.typ.Underlying().(*types.Array).Len()*s.elem.packedBytes())
	case s.kind == record || s.kind == flat && s.st != nil:
		n := int64(0)
		for _, f := range s.st.fields {
			n += f.packedBytes()
		}
		return max(1, n)
	case s.kind == flat:
		switch s.typ.Underlying().(*types.Basic).Kind() {
		case types.Float32:
			return 4
		case types.Float64, types.Complex64:
			return 8
		case types.Complex128:
			return 16
		}
	}
	return 1
}

// layout returns the hash of what is packed, in order.
func (p *printer) layout() uint32 {
	h := fnv.New32a()
	for _, st := range p.rd.structs {
		fmt.Fprintf(h, "struct %s\n", st.name)
		for _, f := range st.fields {
			fmt.Fprintf(h, "%s %s\n", f.name, f.layout())
		}
	}
	return h.Sum32()
}

func (s *shape) layout() string {
	switch {
	case s.st != nil:
		return "struct " + s.st.name
	case s.kind == array || s.kind == flat && s.elem != nil:
		return fmt.Sprintf("[%d]%s", s.typ.Underlying().(*types.Array).Len(), s.elem.layout())
	case s.kind == list:
		return "[]" + s.elem.layout()
	case s.kind == part:
		return "?" + s.elem.layout()
	case s.kind == flat:
		return s.typ.Underlying().String()
	default:
		return [...]string{text: "string", blob: "bytes", moment: "time", addr: "addr"}[s.kind]
	}
}
