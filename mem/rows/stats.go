package rows

// Usage is what a part of a table takes in memory, in bytes.
type Usage struct {
	Live    int // in use by rows
	Dead    int // given up by rows, and not yet reclaimed
	Held    int // in all, also what is empty
	Objects int // heap objects that this is made of
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Live + v.Live, u.Dead + v.Dead, u.Held + v.Held, u.Objects + v.Objects}
}

// Stats says how many rows a table has and what its parts take. The few
// hundred bytes of headers of each part are left out.
type Stats struct {
	Rows      int
	RowBytes  Usage // the rows themselves
	Directory Usage // what leads from handles to rows
	Contents  Usage // strings and lists
	Indexes   Usage
}

// Total returns the sum of all parts.
func (s Stats) Total() Usage {
	return s.RowBytes.plus(s.Directory).plus(s.Contents).plus(s.Indexes)
}

// An Indexed is an [Index] or a [Multi].
type Indexed interface {
	usage() Usage
}

// Stats returns the table's Stats, with those of the given indexes.
func (t *Table[R]) Stats(indexes ...Indexed) Stats {
	s := Stats{Rows: t.rows.n}
	s.RowBytes, s.Directory = t.rowUsage()
	for _, store := range t.stores {
		s.Contents = s.Contents.plus(store.usage())
	}
	for _, x := range indexes {
		s.Indexes = s.Indexes.plus(x.usage())
	}
	return s
}
