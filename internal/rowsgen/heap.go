package rowsgen

import "fmt"

// printHeap prints what holds the strings and lists of the table's rows, and
// its methods that store, load, free and move the rows of each struct.
func (p *printer) printHeap() {
	p.f("\n// %s holds what rows of %s refer to.\ntype %s struct {", p.heap(), p.root.name, p.heap())
	p.f("text *%s.Text", p.rows())
	for _, r := range p.runs {
		p.f("%s *%s.Runs[%s]", r.name, p.rows(), r.row)
	}
	p.f("}")
	for _, st := range p.rd.structs {
		if st.flat {
			continue
		}
		p.printRow(st)
		p.printSet(st)
		p.printGet(st)
		p.printFree(st)
		p.printMove(st)
	}
}

// printRow prints the type of a struct's rows, its fields in the order of
// their alignment, so that none are padded.
func (p *printer) printRow(st *structure) {
	if st == p.root {
		p.f("\n// %s is a %s without pointers.", p.private(st, "Row"), p.goType(st))
	} else {
		p.f("\n// %s is a %s without pointers, in rows of %s.", p.private(st, "Row"), p.goType(st), p.root.name)
	}
	p.f("type %s struct {", p.private(st, "Row"))
	for align := int64(8); align >= 1; align /= 2 {
		for _, f := range st.fields {
			if p.rowAlign(f.shape) == align {
				p.f("%s %s", f.name, p.rowType(f.shape))
			}
		}
		if st == p.root && align == 4 {
			for _, f := range p.indexed("index") {
				p.f("%s %s.Link", p.link(f), p.rows())
			}
		}
		if st.parts > 0 && align == int64(st.presentBits()/8) {
			p.f("%s uint%d // a bit for each optional part", p.present(), st.presentBits())
		}
	}
	p.f("}")
}

// presentBits returns the size of the integer that tells which parts are there.
func (st *structure) presentBits() int {
	for bits := 8; ; bits *= 2 {
		if st.parts <= bits {
			return bits
		}
	}
}

func (p *printer) printSet(st *structure) {
	p.f("\n// set%s stores v in r, in place of what is there.", st.name)
	p.f("func (h *%s) set%s(r *%s, v *%s) {", p.heap(), st.name, p.private(st, "Row"), p.goType(st))
	for _, f := range st.fields {
		p.set("r."+f.name, "v."+f.name, f.shape, f)
	}
	p.f("}")
}

// set prints the code that stores src in dst.
func (p *printer) set(dst, src string, s *shape, f *field) {
	switch s.kind {
	case flat:
		p.f("%s = %s", dst, src)
	case text:
		p.f("%s = h.text.Replace(%s, %s)", dst, dst, p.toString(s, src))
	case blob:
		p.f("%s = h.text.ReplaceBytes(%s, %s)", dst, dst, src)
	case moment:
		p.f("%s = %s.MakeTime(%s)", dst, p.rows(), src)
	case addr:
		p.f("%s = h.text.ReplaceAddr(%s, %s)", dst, dst, src)
	case record:
		p.f("h.set%s(&%s, &%s)", s.st.name, dst, src)
	case array:
		p.f("for i := range %s {", src)
		p.set(dst+"[i]", src+"[i]", s.elem, nil)
		p.f("}")
	case part:
		p.f("if %s == nil {", src)
		if s.elem.refers() {
			p.free(dst, s.elem)
		}
		p.f("%s = %s{}\nr.%s &^= 1 << %d\n} else {", dst, p.rowType(s.elem), p.present(), f.bit)
		if s.elem.kind == record {
			p.f("h.set%s(&%s, %s)", s.elem.st.name, dst, src)
		} else {
			p.f("%s = *%s", dst, src)
		}
		p.f("r.%s |= 1 << %d\n}", p.present(), f.bit)
	case list:
		p.setList(dst, src, s)
	}
}

func (p *printer) setList(dst, src string, s *shape) {
	runs := p.runsOf(s)
	p.f("{")
	if s.linked {
		p.f("n := 0\nfor e := %s; e != nil; e = e.%s {\nn++\n}", src, s.elem.st.next.Name())
		p.f("if %s.Len() != n || n == 0 {", dst)
	} else {
		p.f("if %s.Len() != len(%s) || len(%s) == 0 {", dst, src, src)
	}
	p.free(dst, s)
	p.f("%s = 0", dst)
	if s.linked {
		p.f("if n > 0 {\n%s = h.%s.Make(n)\n}", dst, runs)
	} else {
		p.f("if %s != nil {\n%s = h.%s.Make(len(%s))\n}", src, dst, runs, src)
	}
	p.f("}")
	switch {
	case s.linked:
		p.f("run, i := h.%s.At(%s), 0", runs, dst)
		p.f("for e := %s; e != nil; e = e.%s {\nh.set%s(&run[i], e)\ni++\n}", src, s.elem.st.next.Name(), s.elem.st.name)
	case s.elem.kind == flat && !s.pointers:
		p.f("copy(h.%s.At(%s), %s)", runs, dst, src)
	default:
		p.f("run := h.%s.At(%s)\nfor i := range run {", runs, dst)
		switch {
		case s.pointers && s.elem.kind == record:
			p.f("h.set%s(&run[i], %s[i])", s.elem.st.name, src)
		case s.pointers:
			p.set("run[i]", "(*"+src+"[i])", s.elem, nil)
		default:
			p.set("run[i]", src+"[i]", s.elem, nil)
		}
		p.f("}")
	}
	p.f("}")
}

func (p *printer) printGet(st *structure) {
	p.f("\n// get%s copies r to v, which is zero.", st.name)
	p.f("func (h *%s) get%s(r *%s, v *%s) {", p.heap(), st.name, p.private(st, "Row"), p.goType(st))
	for _, f := range st.fields {
		p.get("v."+f.name, "r."+f.name, f.shape, f)
	}
	p.f("}")
}

// get prints the code that copies src to dst.
func (p *printer) get(dst, src string, s *shape, f *field) {
	switch s.kind {
	case record:
		p.f("h.get%s(&%s, &%s)", s.st.name, src, dst)
	case array:
		p.f("for i := range %s {", dst)
		p.get(dst+"[i]", src+"[i]", s.elem, nil)
		p.f("}")
	case part:
		p.f("if r.%s&(1<<%d) != 0 {\n%s = new(%s)", p.present(), f.bit, dst, p.im.typ(s.elem.typ))
		if s.elem.kind == record {
			p.f("h.get%s(&%s, %s)", s.elem.st.name, src, dst)
		} else {
			p.f("*%s = %s", dst, src)
		}
		p.f("}")
	case list:
		p.getList(dst, src, s)
	case text:
		p.f("%s = %s", dst, p.cloned(s, src))
	case blob:
		p.f("%s = h.text.GetBytes(%s)", dst, src)
	default:
		p.f("%s = %s", dst, p.view(s, "h", src))
	}
}

func (p *printer) getList(dst, src string, s *shape) {
	runs, elem := p.runsOf(s), p.im.typ(s.elem.typ)
	p.f("if !%s.IsNil() {\nrun := h.%s.At(%s)", src, runs, src)
	switch {
	case s.linked:
		p.f("list := make([]%s, len(run))\nfor i := range run {\nh.get%s(&run[i], &list[i])", elem, s.elem.st.name)
		p.f("if i > 0 {\nlist[i-1].%s = &list[i]\n}\n}", s.elem.st.next.Name())
		p.f("if len(list) > 0 {\n%s = &list[0]\n}", dst)
	case s.pointers:
		p.f("list := make([]%s, len(run))\n%s = make(%s, len(run))\nfor i := range run {", elem, dst, p.im.typ(s.typ))
		p.get("list[i]", "run[i]", s.elem, nil)
		p.f("%s[i] = &list[i]\n}", dst)
	default:
		p.f("%s = make(%s, len(run))", dst, p.im.typ(s.typ))
		if s.elem.kind == flat {
			p.f("copy(%s, run)", dst)
			break
		}
		p.f("for i := range run {")
		p.get(dst+"[i]", "run[i]", s.elem, nil)
		p.f("}")
	}
	p.f("}")
}

func (p *printer) printFree(st *structure) {
	if !p.asShape(st).refers() {
		return
	}
	p.f("\n// free%s gives up what r refers to.", st.name)
	p.f("func (h *%s) free%s(r *%s) {", p.heap(), st.name, p.private(st, "Row"))
	for _, f := range st.fields {
		p.free("r."+f.name, f.shape)
	}
	p.f("}")
}

func (p *printer) asShape(st *structure) *shape {
	return &shape{kind: record, typ: st.typ, st: st}
}

// free prints the code that gives up what x refers to, if anything. Where a
// part is not there, that is nothing.
func (p *printer) free(x string, s *shape) {
	if !s.refers() {
		return
	}
	switch s.kind {
	case text, blob:
		p.f("h.text.Free(%s)", x)
	case addr:
		p.f("h.text.FreeAddr(%s)", x)
	case record:
		p.f("h.free%s(&%s)", s.st.name, x)
	case array:
		p.f("for i := range %s {", x)
		p.free(x+"[i]", s.elem)
		p.f("}")
	case part:
		p.free(x, s.elem)
	case list:
		p.eachElement(x, s, p.free)
		p.f("h.%s.Free(%s)", p.runsOf(s), x)
	}
}

func (p *printer) printMove(st *structure) {
	if !p.asShape(st).refers() {
		return
	}
	p.f("\n// move%s takes what r refers to out of pages that are being evacuated.", st.name)
	p.f("func (h *%s) move%s(r *%s) {", p.heap(), st.name, p.private(st, "Row"))
	for _, f := range st.fields {
		p.move("r."+f.name, f.shape)
	}
	p.f("}")
}

// move prints the code that moves what x refers to.
func (p *printer) move(x string, s *shape) {
	if !s.refers() {
		return
	}
	switch s.kind {
	case text, blob:
		p.f("%s = h.text.Move(%s)", x, x)
	case addr:
		p.f("%s = h.text.MoveAddr(%s)", x, x)
	case record:
		p.f("h.move%s(&%s)", s.st.name, x)
	case array:
		p.f("for i := range %s {", x)
		p.move(x+"[i]", s.elem)
		p.f("}")
	case part:
		p.move(x, s.elem)
	case list:
		p.f("%s = h.%s.Move(%s)", x, p.runsOf(s), x)
		p.eachElement(x, s, p.move)
	}
}

// eachElement prints a loop over a list whose elements refer to something.
func (p *printer) eachElement(x string, s *shape, do func(string, *shape)) {
	if !s.elem.refers() {
		return
	}
	p.f("for i, run := 0, h.%s.At(%s); i < len(run); i++ {", p.runsOf(s), x)
	do("run[i]", s.elem)
	p.f("}")
}

// toString returns src, of a string type, as a string.
func (p *printer) toString(s *shape, src string) string {
	return convert("string", p.im.typ(s.typ), src)
}

// cloned returns the string at src as one of its own.
func (p *printer) cloned(s *shape, src string) string {
	return convert(p.im.typ(s.typ), "string", fmt.Sprintf("%s.Clone(h.text.Get(%s))", p.im.use("strings", "strings"), src))
}

func convert(to, from, x string) string {
	if to == from {
		return x
	}
	return fmt.Sprintf("%s(%s)", to, x)
}

// view returns an expression for the value at src, a place in a row of heap,
// without a copy of its bytes.
func (p *printer) view(s *shape, heap, src string) string {
	switch s.kind {
	case text:
		return convert(p.im.typ(s.typ), "string", fmt.Sprintf("%s.text.Get(%s)", heap, src))
	case blob:
		return fmt.Sprintf("%s.text.Get(%s)", heap, src)
	case moment:
		return src + ".Time()"
	case addr:
		return fmt.Sprintf("%s.text.GetAddr(%s)", heap, src)
	default:
		return src
	}
}
