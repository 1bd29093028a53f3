package rowsgen

// printViews prints the types that show rows without copying them.
func (p *printer) printViews() {
	for _, st := range p.rd.structs {
		if !st.flat {
			p.printView(st)
		}
	}
}

func (p *printer) printView(st *structure) {
	name, heap := p.exported(st, "View"), "v.h"
	if st == p.root {
		heap = "v.t.heap"
		p.f("\n// A %s shows a row in place, for as long as the function given to\n// [%s.View] runs. Strings from it may be kept; they are never changed.", name, p.tableT())
		p.f("type %s struct {\nscope %s.Scope\nt *%s\nr *%s\nslot uint32\n}", name, p.rows(), p.tableT(), p.private(st, "Row"))
		p.f("\n// Handle returns the row's handle.\nfunc (v %s) Handle() %s {\nv.scope.Check()\nreturn v.t.rows.HandleAt(v.slot)\n}", name, p.handle())
	} else {
		p.f("\n// A %s shows a %s of a row in place.", name, p.goType(st))
		p.f("type %s struct {\nscope %s.Scope\nh *%s\nr *%s\n}", name, p.rows(), p.heap(), p.private(st, "Row"))
	}
	p.f("\n// Copy returns a copy that shares nothing with the table.\nfunc (v %s) Copy() (out %s) {\nv.scope.Check()\n%s.get%s(v.r, &out)\nreturn out\n}", name, p.goType(st), heap, st.name)
	for _, f := range st.fields {
		p.printAccessor(st, name, heap, f)
	}
}

func (p *printer) printAccessor(st *structure, view, heap string, f *field) {
	src := "v.r." + f.name
	switch f.kind {
	case list:
		runs := p.runsOf(f.shape)
		p.f("\n// %sLen returns the length of %s.\nfunc (v %s) %sLen() int {\nv.scope.Check()\nreturn %s.Len()\n}", f.title, f.name, view, f.title, src)
		p.f("\n// %sAt returns element i of %s.\nfunc (v %s) %sAt(i int) %s {\nv.scope.Check()", f.title, f.name, view, f.title, p.viewType(f.elem))
		p.f("return %s\n}", p.viewOf(st, f.elem, heap, heap+"."+runs+".At("+src+")[i]"))
	case array:
		p.f("\n// %sAt returns element i of %s.\nfunc (v %s) %sAt(i int) %s {\nv.scope.Check()", f.title, f.name, view, f.title, p.viewType(f.elem))
		p.f("return %s\n}", p.viewOf(st, f.elem, heap, src+"[i]"))
	case part:
		p.f("\n// %s returns %s, and whether it is there.\nfunc (v %s) %s() (x %s, ok bool) {\nv.scope.Check()", f.title, f.name, view, f.title, p.viewType(f.elem))
		p.f("if v.r.%s&(1<<%d) == 0 {\nreturn x, false\n}\nreturn %s, true\n}", p.present(), f.bit, p.viewOf(st, f.elem, heap, src))
	case blob:
		p.f("\n// %s returns the bytes of %s, as a string since they must not change.\nfunc (v %s) %s() string {\nv.scope.Check()\nreturn %s\n}", f.title, f.name, view, f.title, p.view(f.shape, heap, src))
	default:
		p.f("\n// %s returns %s.\nfunc (v %s) %s() %s {\nv.scope.Check()\nreturn %s\n}", f.title, f.name, view, f.title, p.viewType(f.shape), p.viewOf(st, f.shape, heap, src))
	}
}

// viewType returns the type that a view shows a value as.
func (p *printer) viewType(s *shape) string {
	switch s.kind {
	case record:
		return p.exported(s.st, "View")
	case blob:
		return "string"
	default:
		return p.im.typ(s.typ)
	}
}

// viewOf returns an expression for the value at src as a view shows it; the
// view is of st.
func (p *printer) viewOf(st *structure, s *shape, heap, src string) string {
	if s.kind != record {
		return p.view(s, heap, src)
	}
	if st == p.root {
		heap = "&" + heap
	}
	return p.exported(s.st, "View") + "{v.scope, " + heap + ", &" + src + "}"
}
