// Package rowsgen writes, for an ordinary struct type, the Go source of a table
// whose rows have no pointers, built on
// github.com/unheap/unheap/mem/rows.
//
// It reads the type with go/packages and decides for every field how it is
// laid out (shape.go). What cannot be laid out without pointers is refused by
// its name, with what to do instead. The rest of the package prints.
package rowsgen
