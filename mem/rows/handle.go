package rows

import "errors"

// A Handle names one row of one table for as long as the row exists. It is
// comparable and good only within the process. The zero Handle names no row.
type Handle[R any] struct {
	table uint32 // the tag of the table, never 0
	id    uint32 // the row's entry in the table's directory
	gen   uint32 // how often the entry had been reused
}

// IsZero reports whether h is the zero Handle.
func (h Handle[R]) IsZero() bool { return h == Handle[R]{} }

var (
	// ErrStale is returned for the handle of a row that was deleted, and for
	// the zero Handle. Ask Has where that is to be expected.
	ErrStale = errors.New("rows: stale handle: its row was deleted; look the row up again by its key")
	// ErrForeign is returned for the handle of another table.
	ErrForeign = errors.New("rows: foreign handle: it belongs to another table; use it with the table that returned it")
	// ErrDuplicate is returned where a row's key is taken by another row.
	ErrDuplicate = errors.New("rows: duplicate key: another row has it; update or delete that row first")
	// ErrTooLong is returned for a string, or a list, of more than MaxLen
	// bytes or elements, and for a linked list that is a cycle.
	ErrTooLong = errors.New("rows: too long: a row holds strings of up to 4,194,303 bytes and lists of up to 4,194,303 elements; keep larger ones elsewhere")
	// ErrNilElement is returned for a nil pointer in a slice of pointers.
	ErrNilElement = errors.New("rows: nil element: a slice of pointers is stored as its elements; leave nil ones out")
	// ErrFull is returned when a table has as many rows as 32 bits can number.
	ErrFull = errors.New("rows: full: a table holds up to 4,294,967,294 rows; spread them over several tables")
	// ErrRange is returned for a position outside a row's list.
	ErrRange = errors.New("rows: position out of range: the row's list is shorter; read its length first")
)
