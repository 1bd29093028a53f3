package compiler

import (
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/source"
)

// A Code says what a record is about.
type Code int

const (
	Escape Code = iota // a value or variable that is allocated on the heap
	Leak               // a parameter whose value, or what it points to, outlives the call
	Stays              // a value or parameter that does not escape
)

func (c Code) String() string {
	switch c {
	case Escape:
		return "escape"
	case Leak:
		return "leak"
	}
	return "stays"
}

// A Record is one thing that escape analysis said about one place. Records are
// shared: copy one before changing it.
type Record struct {
	Code    Code
	Subject string // expression or variable, as the compiler prints it
	Package string // import path of the package that was compiled
	// Moved is set for a variable that lives on the heap as a whole ("moved to
	// heap"), as opposed to an expression that allocates.
	Moved bool
	// Kind is the kind of allocation, one of finding's Kind values, as far as
	// the text tells; empty where it does not. A method value is KindBox: its
	// text is that of a field. Who knows better may set it on a copy before
	// Explain.
	Kind string
	// ZeroCopy is set on a Stays record of a []byte(s) that shares the
	// string's memory.
	ZeroCopy bool
	Target   string // of a Leak: "{heap}", the name of a result, or "{storage for x}"
	Derefs   int    // of a Leak: how many pointers lie between the parameter and what leaks
	// Func is the function that was compiled, so the outermost one of Chain, as
	// "(*Logger).WithField". It is empty where the compiler does not name it
	// (Go 1.24 and before, and Stays).
	Func string
	// Chain holds the call sites of the inlined calls, outermost first, and
	// last the place itself. A Stays record has the outermost place only.
	Chain []source.Pos
	// Partial is set when Chain holds the outermost place although there may
	// be more: the record was read from the compiler's text.
	Partial bool
	Flow    []FlowStep
}

// Outer returns the place in the compiled function.
func (r *Record) Outer() source.Pos { return r.Chain[0] }

// Pos returns the place itself, inside the innermost inlined function.
func (r *Record) Pos() source.Pos { return r.Chain[len(r.Chain)-1] }

// A FlowStep is one assignment on the way from the subject to where it
// outlives the call.
type FlowStep struct {
	Dst, Src string // variable, "{storage for expression}", "{heap}" or "{temp}"
	Derefs   int    // -1: Src's address flows; n: Src's value behind n pointers
	At       []source.Pos
	Notes    []Note // the syntax that makes the assignment, innermost expression first
}

// A Note is one piece of syntax on the way of a [FlowStep].
type Note struct {
	What string // source text, as the compiler prints it
	Why  string // the compiler's word for it, as "call parameter"
	At   []source.Pos
}

// sameLines reports whether the chains name the same lines.
func sameLines(a, b []source.Pos) bool {
	return slices.EqualFunc(a, b, func(p, q source.Pos) bool { return p.AtLine() == q.AtLine() })
}

// comparePos orders places by package, file, line and column.
func comparePos(a, b source.Pos) int {
	if c := strings.Compare(a.Package, b.Package); c != 0 {
		return c
	}
	if c := strings.Compare(a.File, b.File); c != 0 {
		return c
	}
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Col - b.Col
}

// compareRecords orders records by place, columns included, then by subject
// and code.
func compareRecords(a, b *Record) int {
	if c := slices.CompareFunc(a.Chain, b.Chain, comparePos); c != 0 {
		return c
	}
	if c := strings.Compare(a.Subject, b.Subject); c != 0 {
		return c
	}
	return int(a.Code) - int(b.Code)
}

const storage = "{storage for "

// unwrap returns x for "{storage for x}".
func unwrap(loc string) (string, bool) {
	if s, ok := strings.CutPrefix(loc, storage); ok {
		return strings.TrimSuffix(s, "}"), true
	}
	return loc, false
}

// moved reports whether a flow that starts at the subject's own storage names a
// variable: the compiler writes "&x" for one and "&{storage for x}" for an
// expression.
func moved(flow []FlowStep) bool {
	return len(flow) > 0 && flow[0].Derefs < 0 && !strings.HasPrefix(flow[0].Src, "{")
}

// kindOf guesses the kind of allocation from the compiler's text of it.
func kindOf(subject string, moved bool) string {
	subject = strings.TrimPrefix(subject, "go.shape.")
	prefix := func(p string) bool { return strings.HasPrefix(subject, p) }
	switch {
	case moved, prefix("new("), prefix("&"):
		return finding.KindNew
	case prefix("make(map["), prefix("map[") && strings.HasSuffix(subject, "}"):
		return finding.KindMap
	case prefix("make(chan "), prefix("make(<-chan "), prefix("make(chan<- "):
		return finding.KindChan
	case prefix("make([]"), prefix("[]") && strings.HasSuffix(subject, "}"), subject == variadic:
		return finding.KindSlice
	case prefix("make("):
		return "" // of a named type
	case subject == funcLiteral:
		return finding.KindClosure
	case prefix("append("):
		return finding.KindAppend
	case prefix("([]byte)("), prefix("([]rune)("):
		return finding.KindBytes
	case prefix("string("):
		return finding.KindString
	case isConstant(subject):
		return finding.KindBox
	case strings.Contains(subject, " + "):
		return "" // strings joined, or a sum boxed
	}
	return finding.KindBox
}

const (
	variadic    = "... argument" // the compiler's name for the slice of variadic arguments
	funcLiteral = "func literal"
	heap        = "{heap}"
)

// isConstant reports whether the text is a literal. Boxing one points at
// read-only data and allocates nothing.
func isConstant(s string) bool {
	if s == "" {
		return false
	}
	switch c := s[0]; {
	case c == '"' || c == '`' || c == '\'':
		return strings.IndexByte(s[1:], c) == len(s)-2 || !strings.Contains(s, " + ")
	case c >= '0' && c <= '9', c == '-' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return !strings.ContainsAny(s, " (")
	}
	return s == "true" || s == "false"
}
