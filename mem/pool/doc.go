// Package pool recycles objects and byte buffers through [sync.Pool], and
// catches the mistakes that recycling invites.
//
// [Pool] hands out values of one type and resets them on their way back.
// [Bytes] hands out byte buffers from size classes. Neither allocates in
// steady state: what Get returns is the pooled object itself, so that nothing
// is boxed on Put. Both refuse to keep what has grown beyond a cap, and count
// hits, misses and drops; a pool is an expvar.Var and can be published.
//
// The caller that gets an object owns it until it puts it back. Three mistakes
// break that rule, and no compiler sees them:
//
//   - double Put: the object is put back twice and later has two owners;
//   - foreign Put: an object goes to a pool that it did not come from;
//   - use after Put: it is read or written after it was put back.
//
// Ordinary builds do not look for them and pay nothing. Built with
//
//	go test -tags=unheapdebug
//
// a double or foreign Put panics with the stacks of both places, and an object
// that was written to after its Put panics at the next Get, with the stack of
// that Put. Built with
//
//	go test -asan
//
// (Linux with cgo) all of that holds, and in addition every read or write
// after Put stops the program at its exact line, because the memory of a
// returned object is poisoned for the address sanitizer until it is handed out
// again or collected.
//
// An object belongs to its pool from Put on, whether the pool keeps it or not:
// do not put back a part of something that lives on.
package pool
