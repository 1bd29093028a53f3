package compiler

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/unheap/unheap/internal/source"
)

// The compiler's words for syntax are the "why" notes of
// cmd/compile/internal/escape; they are the same from Go 1.19 to 1.26.

// decide words the step that forces the heap.
func (e *explainer) decide(rec *Record, f *FlowStep, note *Note, pos source.Pos) string {
	what := e.expr(note.What, rec, pos)
	switch note.Why {
	case "too large for stack":
		return "too large for the stack"
	case "too aligned for stack":
		return "aligned more strictly than the stack allows"
	case "non-constant size":
		return "of a size that is not known at compile time"
	case "zero-sized element":
		return "a slice of elements without size, which the compiler does not put on the stack"
	case "send":
		ch, _, _ := strings.Cut(what, " <- ")
		return "sent on channel " + shorten(ch) + ", whose receiver may keep it"
	case "key of map put":
		return "used as the key " + shorten(what) + " of a map, which outlives the call"
	case "map literal key", "map literal value":
		return "put into the map literal, whose contents are on the heap"
	case "appendee slice", "appended slice...", "copied slice":
		return "copied with its elements into a slice that may be on the heap"
	case "conversion to unsafe.Pointer":
		return "converted to unsafe.Pointer, after which the compiler loses track of it"
	case "//go:uintptrescapes":
		return "passed on as uintptr to a function marked //go:uintptrescapes"
	case "spill":
		if rec.Subject == funcLiteral {
			return e.started(pos)
		}
	}
	if strings.HasPrefix(note.Why, "assign") {
		left, _, ok := strings.Cut(what, " = ")
		if !ok {
			left, _, _ = strings.Cut(what, " := ")
		}
		return "stored in " + e.target(left) + ", which outlives the call"
	}
	return "kept beyond the call (the compiler's word: " + note.Why + ")"
}

// started words a func literal, or a call, that a go or defer statement runs.
func (e *explainer) started(pos source.Pos) string {
	line := e.tree.Text(pos)
	isGo, isDefer := keywordGo.MatchString(line), keywordDefer.MatchString(line)
	switch {
	case isGo && !isDefer:
		return "started as a goroutine, which may outlive the call"
	case isDefer && !isGo:
		return "deferred in a loop, so that the number of deferred calls is not known at compile time"
	}
	return "run by go, or by defer in a loop, and may outlive the call"
}

var (
	keywordGo    = regexp.MustCompile(`\bgo\s`)
	keywordDefer = regexp.MustCompile(`\bdefer\s`)
)

// target words the left side of an assignment that reaches the heap: a bare
// name can only be a package variable, since locals are tracked.
func (e *explainer) target(left string) string {
	left = strings.TrimSpace(left)
	switch {
	case identifier.MatchString(left):
		return "package variable " + left
	case strings.HasPrefix(left, "*"):
		return "what " + left[1:] + " points to"
	case strings.HasSuffix(left, "]"):
		depth := 0
		for i := len(left) - 1; i > 0; i-- {
			switch left[i] {
			case ']':
				depth++
			case '[':
				if depth--; depth == 0 {
					return "an element of " + shorten(left[:i])
				}
			}
		}
	}
	return shorten(left)
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// reach words a step that puts the value into something that is tracked.
func (e *explainer) reach(rec *Record, f *FlowStep, note *Note) string {
	place := e.place(rec, f)
	switch {
	case strings.Contains(note.Why, "literal"):
		return "put into " + place
	case note.Why == "interface-converted":
		return "boxed"
	}
	return "assigned to " + place
}

// place names the destination of a step.
func (e *explainer) place(rec *Record, f *FlowStep) string {
	dst, stored := unwrap(f.Dst)
	switch {
	case dst == variadic:
		return "the slice of variadic arguments"
	case dst == funcLiteral:
		return "the func literal"
	case dst == "{temp}" || isTemp(dst):
		return "a temporary"
	case stored:
		return shorten(e.expr(dst, rec, last(f.At)))
	}
	return variable(dst)
}

// expr makes the compiler's text of an expression readable. Where the text is
// from an inlined function of another package, the compiler writes that
// package's name before each of the function's own variables; it goes.
func (e *explainer) expr(s string, rec *Record, pos source.Pos) string {
	s = plain(s)
	for _, pkg := range []string{pos.Package, last(rec.Chain).Package} {
		if pkg == "" || pkg == rec.Package {
			continue
		}
		name := pkg[strings.LastIndexByte(pkg, '/')+1:]
		if p := e.tree.Package(pkg); p != nil && p.Name != "" {
			name = p.Name
		}
		s = unqualify(s, name+".")
	}
	return s
}

// unqualify removes the prefix before each name that is not exported and so
// cannot be written with it.
func unqualify(s, prefix string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, prefix)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		rest := s[i+len(prefix):]
		r, _ := utf8.DecodeRuneInString(rest)
		inName := i > 0 && (isWord(s[i-1]) || s[i-1] == '.')
		if inName || r != '_' && r != '~' && (r < 'a' || r > 'z') {
			b.WriteString(s[:i+len(prefix)])
		} else {
			b.WriteString(s[:i])
		}
		s = rest
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// plain replaces the compiler's own notation.
func plain(s string) string {
	s = strings.ReplaceAll(s, "go.shape.", "")
	s = strings.ReplaceAll(s, "([]byte)(", "[]byte(")
	s = strings.ReplaceAll(s, "([]rune)(", "[]rune(")
	s = strings.ReplaceAll(s, ", ... argument...)", ", ...)")
	s = strings.ReplaceAll(s, "(... argument...)", "(...)")
	s = resultName.ReplaceAllString(s, "result")
	switch s {
	case funcLiteral:
		return "the func literal"
	case variadic:
		return "the slice of variadic arguments"
	}
	return s
}

var resultName = regexp.MustCompile(`~[rR][0-9]+`)

// variable returns a variable's own name: those of inlined functions are
// written with their package.
func variable(s string) string {
	switch {
	case isTemp(s):
		return "a temporary"
	case isResult(s):
		return "the result"
	}
	return s[strings.LastIndexByte(s, '.')+1:]
}

// isTemp reports whether the compiler made the variable.
func isTemp(s string) bool { return strings.Contains(s, ".autotmp_") }

// isResult reports whether the variable is an unnamed result: ~r0, or ~R0 of an
// inlined function up to Go 1.21.
func isResult(s string) bool {
	s = s[strings.LastIndexByte(s, '.')+1:]
	return len(s) > 2 && s[0] == '~' && (s[1] == 'r' || s[1] == 'R') && s[2] >= '0' && s[2] <= '9'
}

// cutCall splits the text of a call into callee and arguments.
func cutCall(s string) (callee, args string, ok bool) {
	if !strings.HasSuffix(s, ")") {
		return "", "", false
	}
	depth, open := 0, -1
	var quoted byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted != 0:
			if c == '\\' && quoted != '`' {
				i++
			} else if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '`' || c == '\'':
			quoted = c
		case c == '(' || c == '[' || c == '{':
			if depth == 0 && c == '(' {
				open = i
			}
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	if open <= 0 {
		return "", "", false
	}
	return s[:open], s[open+1 : len(s)-1], true
}

// shorten cuts a long text at 72 bytes.
func shorten(s string) string {
	const limit = 72
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func quote(s string) string { return "`" + s + "`" }
