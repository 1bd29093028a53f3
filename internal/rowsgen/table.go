package rowsgen

import (
	"regexp"
	"strings"
)

// A tableData is what the template of a table's own part is filled with.
type tableData struct {
	T, Table, Handle, Reader, View string // exported names
	Row, Heap, Go                  string // the row type, the heap, the struct
	Name                           string // in names of functions
	Rows, Iter                     string // packages
	Refers, Checked                bool
	Runs                           []runsData
	Keys, Indexes                  []indexData
	Setters                        []setterData
	Lists                          []listData
}

type runsData struct{ Name, Row string }

// An indexData describes an index.
type indexData struct {
	Title, Field, Index, Link string
	Type                      string // of the key
	HashK, HashOf             string // hashes of a key k, and of that of row r
	SameK, SameV              string // whether row r has key k, and that of v
	KeyOf, SameLinked         string // the key of row r as stored, and whether row r has that key k
}

// A setterData describes a field that can be set alone.
type setterData struct {
	Title, Field, Type string
	Set                string // the code that stores v in r
	Check              string // the code that returns an error if v cannot be stored
	Index              *indexData
}

// A listData describes a list of the table's own struct.
type listData struct {
	Title, Field, Runs string
	Param              string // the type of an element as a parameter
	Check, Set, Free   string // code for element v, and for run[i]
}

// table prints everything for the table.
func (p *printer) table() {
	if err := tableTemplate.Execute(&p.out, p.data()); err != nil {
		panic(err) // the template and its data are both of this package
	}
	p.printViews()
	p.printHeap()
	p.printPack()
}

func (p *printer) data() tableData {
	root := p.asShape(p.root)
	d := tableData{
		T: p.root.name, Table: p.tableT(), Handle: p.handle(), Reader: p.reader(), View: p.exported(p.root, "View"),
		Row: p.private(p.root, "Row"), Heap: p.heap(), Go: p.goType(p.root), Name: title(p.root.name),
		Rows: p.rows(), Iter: p.im.use("iter", "iter"),
		Refers: root.refers(), Checked: root.checked(),
	}
	for _, r := range p.runs {
		d.Runs = append(d.Runs, runsData{r.name, r.row})
	}
	for _, f := range p.root.fields {
		var index *indexData
		if f.index != "" {
			x := p.indexData(f)
			if f.index == "key" {
				d.Keys = append(d.Keys, x)
				continue
			}
			d.Indexes = append(d.Indexes, x)
			index = &x
		}
		switch f.kind {
		case list:
			d.Lists = append(d.Lists, p.listData(f))
		case flat, text, blob, moment, addr:
			d.Setters = append(d.Setters, setterData{
				Title: f.title, Field: f.name, Type: p.im.typ(f.typ), Index: index,
				Set:   p.code(func() { p.set("r."+f.name, "v", f.shape, f) }),
				Check: p.code(func() { p.checkValue(f.name, "v", f.shape) }),
			})
		}
	}
	return d
}

// code returns what do prints.
func (p *printer) code(do func()) string {
	start := p.out.Len()
	do()
	code := string(p.out.Bytes()[start:])
	p.out.Truncate(start)
	return strings.TrimSuffix(code, "\n")
}

func (p *printer) indexData(f *field) indexData {
	x := indexData{Title: f.title, Field: f.name, Index: p.index(f), Link: p.link(f), Type: p.im.typ(f.typ)}
	stored := "r." + f.name
	if f.kind == text {
		stored = "t.heap.text.Get(" + stored + ")"
		k := p.toString(f.shape, "k")
		x.HashK, x.HashOf = "t.seed.Text("+k+")", "t.seed.Text("+stored+")"
		x.SameK, x.SameV = stored+" == "+k, stored+" == "+p.toString(f.shape, "v."+f.name)
	} else {
		x.HashK, x.HashOf = "t.seed.Number("+convert("uint64", x.Type, "k")+")", "t.seed.Number("+convert("uint64", x.Type, stored)+")"
		x.SameK, x.SameV = stored+" == k", stored+" == v."+f.name
	}
	x.KeyOf, x.SameLinked = stored, stored+" == k"
	return x
}

func (p *printer) listData(f *field) listData {
	elem := f.elem
	l := listData{Title: f.title, Field: f.name, Runs: p.runsOf(f.shape), Param: p.im.typ(elem.typ)}
	value := "v"
	if elem.st != nil || f.pointers {
		l.Param, value = "*"+l.Param, "(*v)"
	}
	if elem.kind == record {
		l.Set = "t.heap.set" + elem.st.name + "(&run[i], v)"
		if elem.checked() {
			l.Check = "if err := check" + title(p.name(elem.st)) + "(v); err != nil {\nreturn err\n}"
		}
	} else {
		l.Set = p.code(func() { p.set("run[i]", value, elem, nil) })
		l.Check = p.code(func() { p.checkValue(f.name, value, elem) })
	}
	l.Free = p.code(func() { p.free("run[i]", elem) })
	// In the table's methods the heap is a field.
	l.Set = inTable(l.Set)
	l.Free = inTable(l.Free)
	return l
}

// inTable returns code of the heap's methods, whose receiver is h, as it is in
// the table's.
func inTable(code string) string { return receiver.ReplaceAllString(code, "t.heap.") }

var receiver = regexp.MustCompile(`\bh\.`)
