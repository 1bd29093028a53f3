//go:build unheapdebug

package rows

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// A guard watches one table for misuse.
type guard[R any] struct {
	made  stack
	state *watched
}

// maxRemoved limits the stacks that are kept of deletions; those of the oldest
// go.
const maxRemoved = 1 << 14

// watched is what a guard knows. Its lock is held for moments only, never
// while waiting for the table's.
type watched struct {
	sync.Mutex
	readers map[string]stack // by goroutine, where its scope began
	writer  string           // goroutine that writes or waits for it, "" if none does
	writing stack
	removed map[[2]uint32]stack // by identity and generation
}

// A Scope is the time between a BeginRead and its EndRead.
type Scope struct {
	goroutine string
	ended     *atomic.Pointer[stack]
}

// Check panics, in debug builds, if the scope has ended.
func (s Scope) Check() {
	if s.ended == nil {
		panic("rows: use of a zero view: views come from the functions of a table")
	}
	if end := s.ended.Load(); end != nil {
		panic(misuse("view used after its scope: what it shows may be another row by now", "the scope ended at", *end, "used at", callers(3)))
	}
}

func newGuard[R any]() guard[R] {
	return guard[R]{callers(4), &watched{readers: map[string]stack{}, removed: map[[2]uint32]stack{}}}
}

func (g guard[R]) beginRead() Scope {
	me, here := goroutine(), callers(4)
	w := g.state
	w.Lock()
	defer w.Unlock()
	w.within(me, here)
	w.readers[me] = here
	return Scope{me, new(atomic.Pointer[stack])}
}

func (g guard[R]) endRead(s Scope) {
	end := callers(4)
	s.ended.Store(&end)
	w := g.state
	w.Lock()
	defer w.Unlock()
	delete(w.readers, s.goroutine)
}

func (g guard[R]) beginWrite() {
	me, here := goroutine(), callers(4)
	w := g.state
	w.Lock()
	defer w.Unlock()
	w.within(me, here)
	if w.writer != "" {
		panic(misuse("concurrent write: a table has one writer at a time", "the other writer began at", w.writing, "written at", here))
	}
	w.writer, w.writing = me, here
}

func (g guard[R]) endWrite() {
	w := g.state
	w.Lock()
	defer w.Unlock()
	w.writer = ""
}

// within panics if the goroutine is inside a scope or a write of this table.
func (w *watched) within(me string, here stack) {
	if began, ok := w.readers[me]; ok {
		panic(misuse("call from inside a view of the same table: it may wait for itself", "the view began at", began, "called at", here))
	}
	if w.writer == me {
		panic(misuse("call from inside a write to the same table: it would wait for itself", "the write began at", w.writing, "called at", here))
	}
}

func (g guard[R]) removed(id, gen uint32) {
	g.state.Lock()
	defer g.state.Unlock()
	if len(g.state.removed) == maxRemoved {
		clear(g.state.removed)
	}
	g.state.removed[[2]uint32{id, gen}] = callers(4)
}

func (g guard[R]) misused(h Handle[R], err error) {
	if err == ErrForeign {
		panic(misuse(strings.TrimPrefix(err.Error(), "rows: "), "this table was made at", g.made, "used at", callers(4)))
	}
	g.state.Lock()
	defer g.state.Unlock()
	panic(misuse(strings.TrimPrefix(err.Error(), "rows: "), "deleted at", g.state.removed[[2]uint32{h.id, h.gen}], "used at", callers(4)))
}

// goroutine returns the number of the calling goroutine. Only its stack trace
// tells: "goroutine 7 [running]:".
func goroutine() string {
	var b [64]byte
	fields := bytes.Fields(b[:runtime.Stack(b[:], false)])
	return string(fields[1])
}

// misuse returns a message with two stacks, earlier first.
func misuse(text, title1 string, s1 stack, title2 string, s2 stack) string {
	return fmt.Sprintf("rows: %s\n%s:\n%s%s:\n%s", text, title1, s1, title2, s2)
}

// A stack is a goroutine's calls as return addresses, innermost first.
type stack []uintptr

// callers returns the stack without its innermost functions: skip has the
// meaning that it has for runtime.Callers.
func callers(skip int) stack {
	pcs := make([]uintptr, 32)
	return pcs[:runtime.Callers(skip, pcs)]
}

// String returns the stack in the form of the runtime's own traces.
func (s stack) String() string {
	if len(s) == 0 {
		return "\t(unknown)\n"
	}
	var b strings.Builder
	for frames := runtime.CallersFrames(s); ; {
		f, more := frames.Next()
		if f.Function != "runtime.goexit" {
			fmt.Fprintf(&b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return b.String()
		}
	}
}
