package rowsgen

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// A kind is a way to lay out a value without pointers.
type kind int

const (
	flat   kind = iota // as it is: it has no pointers
	text               // a string, as a rows.Ref
	blob               // a []byte, as a rows.Ref
	moment             // a time.Time, as a rows.Time
	addr               // a netip.Addr, as a rows.Addr
	record             // a struct, field by field
	array              // an array, element by element
	part               // a pointer to a struct: the struct and a bit that tells whether it is there
	list               // a slice or linked list: a run of elements, as a rows.Ref
)

// A shape is how a value of a type is laid out.
type shape struct {
	kind kind
	typ  types.Type // the value's own
	elem *shape     // of an array, a part (then a struct) and a list
	st   *structure // of a record, and of a flat struct

	pointers bool // a list: a slice of pointers
	linked   bool // a list: elements lead to each other
}

// A structure is a named struct type.
type structure struct {
	name   string // in names of generated types and functions, unique in its table
	typ    *types.Named
	flat   bool
	next   *types.Var // the field that leads on, if it is an element of a linked list
	fields []*field
	parts  int // how many fields are parts
}

// A field is a field of a structure that is stored.
type field struct {
	name  string // in the struct
	title string // in names of methods
	bit   int    // of a part
	index string // of the table's own type: "", "key" or "index"
	*shape
}

// A reader finds out the shapes of the types that one table needs.
type reader struct {
	pkg     *types.Package
	root    *types.Named
	structs []*structure // those met, in order
	active  []types.Type // those being read, outermost first
}

// refusal returns the error for a field or type that cannot be laid out.
func refusal(path, format string, args ...any) error {
	return fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
}

const leaveOut = "or leave it out of the table with the tag `rows:\"-\"`"

// shape returns the shape of a type; path names the field for errors.
func (rd *reader) shape(path string, t types.Type) (*shape, error) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.Invalid:
			return nil, refusal(path, "its type is not known: fix the errors that go vet shows for this package first")
		case u.Kind() == types.UnsafePointer:
			return nil, refusal(path, "an unsafe.Pointer cannot be stored without pointers: store what it points to, %s", leaveOut)
		case u.Kind() == types.String:
			return &shape{kind: text, typ: t}, nil
		}
		return &shape{kind: flat, typ: t}, nil
	case *types.Struct:
		return rd.structShape(path, t, nil)
	case *types.Array:
		if u.Len() == 0 {
			return nil, refusal(path, "an array of length 0 stores nothing: remove it, %s", leaveOut)
		}
		elem, err := rd.shape(path+"[0]", u.Elem())
		if err != nil {
			return nil, err
		}
		switch elem.kind {
		case flat:
			return &shape{kind: flat, typ: t, elem: elem}, nil
		case array, list, part:
			return nil, refusal(path, "an array of %s is not supported: wrap the element in a struct, %s", describe(elem), leaveOut)
		}
		return &shape{kind: array, typ: t, elem: elem}, nil
	case *types.Slice:
		return rd.sliceShape(path, t, u)
	case *types.Pointer:
		return rd.pointerShape(path, t, u)
	case *types.Map:
		return nil, refusal(path, "a map cannot be stored without pointers: make it a slice of structs that have the key, %s", leaveOut)
	case *types.Interface:
		return nil, refusal(path, "an interface cannot be stored without pointers: use a struct type, with a field that tells the cases apart, %s", leaveOut)
	case *types.Chan:
		return nil, refusal(path, "a channel cannot be stored without pointers: keep it outside the row, %s", leaveOut)
	case *types.Signature:
		return nil, refusal(path, "a function cannot be stored without pointers: store a number that stands for it, %s", leaveOut)
	}
	return nil, refusal(path, "type %s cannot be stored without pointers: use a struct, %s", t, leaveOut)
}

func describe(s *shape) string {
	switch s.kind {
	case array:
		return "arrays"
	case list:
		return "lists"
	default:
		return "pointers"
	}
}

func (rd *reader) sliceShape(path string, t types.Type, u *types.Slice) (*shape, error) {
	if b, ok := u.Elem().(*types.Basic); ok && b.Kind() == types.Byte {
		return &shape{kind: blob, typ: t}, nil
	}
	of, pointers := u.Elem(), false
	if p, ok := of.Underlying().(*types.Pointer); ok {
		of, pointers = p.Elem(), true
		if _, ok := of.Underlying().(*types.Struct); !ok {
			return nil, refusal(path, "a slice of pointers to %s is not supported: make it a slice of %s, %s", of, of, leaveOut)
		}
	}
	elem, err := rd.shape(path+"[0]", of)
	if err != nil {
		return nil, err
	}
	switch elem.kind {
	case array, list, part:
		return nil, refusal(path, "a slice of %s is not supported: wrap the element in a struct, %s", describe(elem), leaveOut)
	}
	return &shape{kind: list, typ: t, elem: elem, pointers: pointers}, nil
}

func (rd *reader) pointerShape(path string, t types.Type, u *types.Pointer) (*shape, error) {
	to, ok := u.Elem().Underlying().(*types.Struct)
	if !ok {
		return nil, refusal(path, "a pointer to %s is not supported: use the value, or a struct around it, %s", u.Elem(), leaveOut)
	}
	next, err := nextField(path, u.Elem(), to)
	if err != nil {
		return nil, err
	}
	if next == nil {
		elem, err := rd.shape(path, u.Elem())
		if err != nil {
			return nil, err
		}
		if elem.st == nil {
			return nil, refusal(path, "a pointer to %s is not supported: use the value, %s", u.Elem(), leaveOut)
		}
		return &shape{kind: part, typ: t, elem: elem}, nil
	}
	elem, err := rd.structShape(path, u.Elem(), next)
	if err != nil {
		return nil, err
	}
	return &shape{kind: list, typ: t, elem: elem, linked: true}, nil
}

// nextField returns the field of a struct that points to the struct's own
// type, nil if there is none.
func nextField(path string, t types.Type, s *types.Struct) (*types.Var, error) {
	var next *types.Var
	for i := range s.NumFields() {
		p, ok := s.Field(i).Type().Underlying().(*types.Pointer)
		if !ok || !types.Identical(p.Elem(), t) || tag(s, i) == "-" {
			continue
		}
		if next != nil {
			return nil, refusal(path, "%s points to itself by both %s and %s, which makes it no list: tag the one that does not lead to the next element `rows:\"-\"`", t, next.Name(), s.Field(i).Name())
		}
		next = s.Field(i)
	}
	return next, nil
}

// tag returns what a field's tag says to this package.
func tag(s *types.Struct, i int) string { return reflect.StructTag(s.Tag(i)).Get("rows") }

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// structShape returns the shape of a struct type; next is the field that
// leads on, if it is an element of a linked list.
func (rd *reader) structShape(path string, t types.Type, next *types.Var) (*shape, error) {
	switch {
	case isNamed(t, "time", "Time"):
		return &shape{kind: moment, typ: t}, nil
	case isNamed(t, "net/netip", "Addr"):
		return &shape{kind: addr, typ: t}, nil
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil, refusal(path, "a struct type without a name is not supported: give it one, %s", leaveOut)
	}
	if n.TypeArgs() != nil || n.TypeParams() != nil {
		return nil, refusal(path, "generic type %s is not supported: define a type without parameters, %s", n, leaveOut)
	}
	if n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return nil, refusal(path, "type %s is declared in a function: declare it at package level, %s", n.Obj().Name(), leaveOut)
	}
	for _, a := range rd.active {
		if types.Identical(a, n) {
			return nil, refusal(path, "%s contains itself here: store the other's key in place of it, %s", n.Obj().Name(), leaveOut)
		}
	}
	for _, st := range rd.structs {
		if types.Identical(st.typ, n) && st.next == next {
			return rd.wrap(st), nil
		}
	}
	rd.active = append(rd.active, n)
	st, err := rd.structure(path, n, next)
	rd.active = rd.active[:len(rd.active)-1]
	if err != nil {
		return nil, err
	}
	rd.structs = append(rd.structs, st)
	return rd.wrap(st), nil
}

func (rd *reader) wrap(st *structure) *shape {
	k := record
	if st.flat {
		k = flat
	}
	return &shape{kind: k, typ: st.typ, st: st}
}

func (rd *reader) structure(path string, n *types.Named, next *types.Var) (*structure, error) {
	s := n.Underlying().(*types.Struct)
	// The table's own rows have more to hold than the struct.
	st := &structure{typ: n, flat: next == nil && n != rd.root, next: next}
	titles := map[string]string{}
	for i := range s.NumFields() {
		v := s.Field(i)
		at := path + "." + v.Name()
		how := tag(s, i)
		if how == "-" || v == next {
			st.flat = false
			continue
		}
		if !v.Exported() && v.Pkg() != rd.pkg {
			return nil, refusal(at, "package %s does not export this field: store what you need of %s in fields of your own, and tag the field that has it `rows:\"-\"`", v.Pkg().Path(), n.Obj().Name())
		}
		if v.Name() == "_" {
			continue
		}
		sh, err := rd.shape(at, v.Type())
		if err != nil {
			return nil, err
		}
		f := &field{name: v.Name(), title: strings.ToUpper(v.Name()[:1]) + v.Name()[1:], shape: sh}
		if !isASCIILetter(v.Name()[0]) {
			f.title = "X" + v.Name()
		}
		if other, ok := titles[f.title]; ok {
			return nil, refusal(at, "it and field %s differ only in the case of the first letter: rename one, %s", other, leaveOut)
		}
		titles[f.title] = v.Name()
		if err := rd.setIndex(at, n, f, how); err != nil {
			return nil, err
		}
		if sh.kind == part {
			if f.bit = st.parts; f.bit == 64 {
				return nil, refusal(at, "a struct can have 64 optional parts: group some of them in a struct")
			}
			st.parts++
		}
		st.flat = st.flat && sh.kind == flat
		st.fields = append(st.fields, f)
	}
	if len(st.fields) == 0 {
		return nil, refusal(path, "%s has no fields to store: give it one, %s", n.Obj().Name(), leaveOut)
	}
	st.name = rd.uniqueName(n, next)
	return st, nil
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// setIndex reads the tag of a field.
func (rd *reader) setIndex(at string, n *types.Named, f *field, how string) error {
	switch how {
	case "":
		return nil
	case "key", "index":
	default:
		return refusal(at, "unknown tag `rows:%q`: it is key, index or -", how)
	}
	if n != rd.root {
		return refusal(at, "only fields of %s itself can be indexed: move it there, or drop the tag", rd.root.Obj().Name())
	}
	b, ok := f.typ.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsString) == 0 {
		return refusal(at, "an index needs an integer or a string: drop the tag")
	}
	f.index = how
	return nil
}

// uniqueName returns a name for a struct type that no other has in the table.
func (rd *reader) uniqueName(n *types.Named, next *types.Var) string {
	name := strings.ToUpper(n.Obj().Name()[:1]) + n.Obj().Name()[1:]
	if n.Obj().Pkg() != rd.pkg {
		pkg := n.Obj().Pkg().Name()
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if next != nil {
		name += "Link"
	}
	for base, i := name, 2; ; i++ {
		taken := false
		for _, st := range rd.structs {
			taken = taken || st.name == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprint(base, i)
	}
}

// refers reports whether what is laid out has Refs.
func (s *shape) refers() bool {
	switch s.kind {
	case text, blob, addr, list:
		return true
	case array, part:
		return s.elem.refers()
	case record:
		for _, f := range s.st.fields {
			if f.refers() {
				return true
			}
		}
	}
	return false
}

// checked reports whether some values of the type cannot be stored.
func (s *shape) checked() bool {
	switch s.kind {
	case text, blob, list:
		return true
	case array, part:
		return s.elem.checked()
	case record:
		for _, f := range s.st.fields {
			if f.checked() {
				return true
			}
		}
	}
	return false
}
