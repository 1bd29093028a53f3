package rowsgen

import (
	"bytes"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"unicode"
)

// A printer writes the code of one table.
type printer struct {
	out  bytes.Buffer
	rd   *reader
	im   *imports
	root *structure
	runs []runs
}

// runs are lists whose elements are laid out in the same way.
type runs struct{ name, row string }

func newPrinter(rd *reader, im *imports, root *structure) *printer {
	p := &printer{rd: rd, im: im, root: root}
	im.use(rowsPath, "rows")
	for _, st := range rd.structs {
		for _, f := range st.fields {
			if f.kind == list {
				p.runsOf(f.shape)
			}
		}
	}
	return p
}

// f prints a line, or several.
func (p *printer) f(format string, args ...any) {
	fmt.Fprintf(&p.out, format+"\n", args...)
}

// Names of what is generated, made of the table's type T and a struct's S: the
// table's own struct goes by T alone.
func (p *printer) exported(st *structure, what string) string {
	return title(p.name(st)) + what
}

func (p *printer) private(st *structure, what string) string {
	return untitle(p.name(st)) + what
}

func (p *printer) name(st *structure) string {
	if st == p.root {
		return st.name
	}
	return p.root.name + st.name
}

func title(s string) string   { return strings.ToUpper(s[:1]) + s[1:] }
func untitle(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func (p *printer) heap() string   { return p.private(p.root, "Heap") }
func (p *printer) tableT() string { return p.exported(p.root, "Table") }
func (p *printer) handle() string { return p.exported(p.root, "Handle") }
func (p *printer) reader() string { return p.exported(p.root, "Reader") }

func (p *printer) rows() string { return p.im.use(rowsPath, "rows") }

// goType returns a struct's type as written.
func (p *printer) goType(st *structure) string { return p.im.typ(st.typ) }

// rowType returns the type that a value of the shape has in a row.
func (p *printer) rowType(s *shape) string {
	switch s.kind {
	case text, blob, list:
		return p.rows() + ".Ref"
	case moment:
		return p.rows() + ".Time"
	case addr:
		return p.rows() + ".Addr"
	case record:
		return p.private(s.st, "Row")
	case array:
		return fmt.Sprintf("[%d]%s", s.typ.Underlying().(*types.Array).Len(), p.rowType(s.elem))
	case part:
		return p.rowType(s.elem)
	default:
		return p.im.typ(s.typ)
	}
}

// runsOf returns the name of the Runs that hold a list's elements.
func (p *printer) runsOf(s *shape) string {
	row := p.rowType(s.elem)
	for _, r := range p.runs {
		if r.row == row {
			return r.name
		}
	}
	base := row[strings.LastIndexByte(row, '.')+1:]
	if s.elem.st != nil {
		base = s.elem.st.name
	}
	base = strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, base)
	name := "runsOf" + title(base)
	for i := 2; slices.ContainsFunc(p.runs, func(r runs) bool { return r.name == name }); i++ {
		name = fmt.Sprint("runsOf", title(base), i)
	}
	p.runs = append(p.runs, runs{name, row})
	return name
}

// rowAlign returns the alignment of a shape in a row.
func (p *printer) rowAlign(s *shape) int64 {
	switch s.kind {
	case text, blob, list, moment:
		return 8
	case addr:
		return 1
	case array, part:
		return p.rowAlign(s.elem)
	case record:
		align := int64(1)
		for _, f := range s.st.fields {
			align = max(align, p.rowAlign(f.shape))
		}
		return align
	default:
		return types.SizesFor("gc", "amd64").Alignof(s.typ)
	}
}

// indexed returns the root's fields with the given kind of index.
func (p *printer) indexed(kind string) []*field {
	var out []*field
	for _, f := range p.root.fields {
		if f.index == kind {
			out = append(out, f)
		}
	}
	return out
}

func (p *printer) link(f *field) string  { return p.spare("link" + f.title) }
func (p *printer) present() string       { return p.spare("present") }
func (p *printer) index(f *field) string { return "by" + f.title }

// spare returns a name that no struct's field has.
func (p *printer) spare(name string) string {
	for _, st := range p.rd.structs {
		for _, f := range st.fields {
			if f.name == name {
				return p.spare(name + "_")
			}
		}
	}
	return name
}

// declared returns the names that the table declares in the package.
func (p *printer) declared() []string {
	names := []string{p.tableT(), p.handle(), p.reader(), p.heap(),
		"New" + p.tableT(), "Append" + title(p.root.name), "Unpack" + title(p.root.name), p.private(p.root, "Layout")}
	for _, st := range p.rd.structs {
		names = append(names, p.private(st, "Row"), p.exported(st, "View"), "append"+title(p.name(st)), "unpack"+title(p.name(st)), "check"+title(p.name(st)))
	}
	return names
}

// checkMethods returns an error if two fields lead to methods of one name.
func (p *printer) checkMethods() error {
	for _, st := range p.rd.structs {
		taken := map[string]string{"Copy": "the method that copies"}
		if st == p.root {
			taken["Handle"] = "the method that returns the handle"
		}
		for _, f := range st.fields {
			names := []string{f.title}
			switch f.kind {
			case list:
				names = []string{f.title + "Len", f.title + "At"}
			case array:
				names = []string{f.title + "At"}
			}
			for _, name := range names {
				if by, ok := taken[name]; ok {
					return refusal(st.typ.Obj().Name()+"."+f.name, "its method %s would have the name of %s: rename the field, %s", name, by, leaveOut)
				}
				taken[name] = "that of field " + f.name
			}
		}
	}
	return nil
}
