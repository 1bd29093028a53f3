//go:build unheapdebug || asan

package pool

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
	"weak"
)

// junk fills buffers that were put back, so that reading them shows and
// writing to them is noticed.
const junk = 0xdb

// A guard watches the objects of one pool for misuse.
type guard struct {
	home *home
}

// A home is the identity of a pool.
type home struct {
	made stack
}

// An object is identified by a weak pointer: its address alone would be
// mistaken for that of a later object in the same memory.
type object = weak.Pointer[byte]

// A record is what is known of one object. The fields from put on are set
// while it is put back.
type record struct {
	home   *home
	out    bool      // on loan, as opposed to put back
	got    stack     // of the last Get
	put    stack     // of the last Put
	image  []byte    // the object's memory as Put left it
	array  []byte    // the buffer's whole array, if it is a buffer
	memory [2]extent // where the object and the array are
}

// An extent is a piece of memory, held by address so that it can be collected.
type extent struct {
	start, size uintptr
}

// ledger holds the records of the objects of all pools. It is shared, in
// debug builds only, so that a foreign Put can be told with the Get in the
// pool where the object belongs.
var ledger = struct {
	sync.Mutex
	records map[object]*record
}{records: map[object]*record{}}

func newGuard() guard {
	reportFaults()
	return guard{&home{made: callers()}}
}

// lend notes that the pool made the object at x and hands it out.
func (g *guard) lend(x unsafe.Pointer) {
	key := weak.Make((*byte)(x))
	ledger.Lock()
	defer ledger.Unlock()
	if ledger.records[key] == nil {
		runtime.AddCleanup((*byte)(x), forget, key)
	}
	ledger.records[key] = &record{home: g.home, out: true, got: callers()}
}

// forget runs when the object is collected. A slice of a buffer can outlive it:
// then the record stays until the array goes too.
func forget(key object) {
	ledger.Lock()
	defer ledger.Unlock()
	if r := ledger.records[key]; r != nil && len(r.array) > 0 {
		array := r.array
		r.array = nil
		runtime.AddCleanup(unsafe.SliceData(array), forget, key)
		return
	}
	delete(ledger.records, key)
}

// reuse notes that the object at x is handed out again. It panics if its
// memory has changed since it was put back.
func (g *guard) reuse(x unsafe.Pointer, size uintptr) {
	ledger.Lock()
	defer ledger.Unlock()
	r := ledger.records[weak.Make((*byte)(x))]
	for _, m := range r.memory {
		unpoison(m)
	}
	put := r.put
	changed := !bytes.Equal(r.image, unsafe.Slice((*byte)(x), size))
	for _, b := range r.array {
		changed = changed || b != junk
	}
	*r = record{home: g.home, out: true, got: callers()}
	if changed {
		panic(misuse("use after Put: the object at %#x was written to after it was put back", x, "put back at", put, "found at", r.got))
	}
}

// accept panics if the object at x cannot be put back into this pool.
func (g *guard) accept(x unsafe.Pointer) {
	ledger.Lock()
	defer ledger.Unlock()
	r := ledger.records[weak.Make((*byte)(x))]
	switch {
	case r == nil:
		panic(misuse("foreign Put: the object at %#x did not come from any pool", x, "this pool was made at", g.home.made, "put at", callers()))
	case !r.out:
		panic(misuse("double Put: the object at %#x is put back twice", x, "first Put at", r.put, "second Put at", callers()))
	case r.home != g.home:
		panic(misuse("foreign Put: the object at %#x came from another pool", x, "got from its own pool at", r.got, "put at", callers()))
	}
}

// retire notes that the object at x is back, and makes its memory unfit for
// use: size bytes at x and, for a buffer, its whole array.
func (g *guard) retire(x unsafe.Pointer, size uintptr, buffer []byte) {
	array := buffer[:cap(buffer)]
	for i := range array {
		array[i] = junk
	}
	ledger.Lock()
	defer ledger.Unlock()
	r := ledger.records[weak.Make((*byte)(x))]
	r.out, r.put = false, callers()
	r.image = bytes.Clone(unsafe.Slice((*byte)(x), size))
	r.array = array
	r.memory = [2]extent{
		{uintptr(x), size},
		{uintptr(unsafe.Pointer(unsafe.SliceData(array))), uintptr(len(array))},
	}
	for _, m := range r.memory {
		poison(m)
	}
}

// misuse returns a message with two stacks, earlier first. text has one verb,
// for the object's address.
func misuse(text string, x unsafe.Pointer, title1 string, s1 stack, title2 string, s2 stack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pool: "+text, uintptr(x))
	fmt.Fprintf(&b, "\n%s:\n%s%s:\n%s", title1, s1, title2, s2)
	return b.String()
}

// A stack is a goroutine's calls as return addresses, innermost first.
type stack []uintptr

// callers returns the stack from the pool's exported method outwards.
func callers() stack {
	pcs := make([]uintptr, 64)
	return pcs[:runtime.Callers(3, pcs)]
}

// String returns the stack in the form of the runtime's own traces.
func (s stack) String() string {
	if len(s) == 0 {
		return "\t(unknown)\n"
	}
	var b strings.Builder
	frames := runtime.CallersFrames(s)
	for {
		f, more := frames.Next()
		if f.Function != "runtime.goexit" {
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}
