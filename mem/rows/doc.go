// Package rows keeps large tables of structs in memory that holds no pointers,
// so that the garbage collector has nothing to mark in them.
//
// A table is usually generated from an ordinary struct, in the struct's own
// package:
//
//	//go:generate unheap rows -type Player
//
// which writes PlayerTable with typed methods for everything below. This
// package is what the generated code is made of:
//
//   - [Table] holds rows in chunks. A row is reached through a [Handle], which
//     carries a generation: the handle of a deleted row is an error
//     ([ErrStale]), and never reaches the row that came in its place.
//     Rows stay dense, since deleting one moves the last row into the gap, and
//     memory goes back to the collector as rows go.
//   - [Text] holds the rows' strings in pages. A row has a [Ref] instead of a
//     string. Pages are only ever appended to, and one that has many dead
//     strings is evacuated, a few rows with each write. A string that was read
//     without a copy therefore stays what it is for as long as it is held.
//   - [Runs] holds what a row has many of, as runs of elements in pages.
//   - [Index] and [Multi] find rows by a unique and by any key.
//   - [Unpacker] and the Append functions turn a row into bytes and back.
//
// A table has many readers and one writer at a time; its own lock keeps them
// apart. Ordinary builds make a second writer wait. Builds with
//
//	go test -tags=unheapdebug
//
// panic, with the stacks of both places, at a handle that is stale or of
// another table, at writers that overlap, at a view that is used after its
// scope, and at a call from inside a scope that would wait for itself.
//
// The package uses neither cgo nor unsafe.
package rows
