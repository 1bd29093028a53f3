package compiler

import (
	"fmt"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/source"
)

// A ParamFunc resolves the parameter that an argument becomes. call is the
// place of the call's opening parenthesis. argText is the argument as the
// compiler prints it (go/types' ExprString comes close): the receiver of a
// method call, too, and "... argument" for the slice that the compiler makes of
// variadic arguments, which is asked for first, then its element.
//
// It returns the place of the parameter's name in its declaration (for a
// method of an interface, in the interface), and the callee's name for the
// reader. For a call through an interface or a function value it may instead
// return the zero place, with ok set.
type ParamFunc func(call source.Pos, argText string) (param source.Pos, funcName string, ok bool)

// maxSteps bounds a reason: beyond it nobody reads.
const maxSteps = 12

// Explain turns a record into a reason that needs no knowledge of escape
// analysis: one step a line, from what allocates to the step that forces the
// heap. Where a value is passed to a function whose parameter leaks, it goes
// on inside that function, as far as the report holds its package. param may
// be nil; reasons then end at calls that were not inlined.
func (r *Report) Explain(rec *Record, param ParamFunc, tree *source.Tree) []finding.Step {
	e := &explainer{r: r, param: param, tree: tree, seen: make(map[*Record]bool)}
	switch rec.Code {
	case Stays:
		return []finding.Step{e.step(rec.Pos(), r.stays(rec))}
	case Escape:
		e.head, e.headPos = e.describe(rec), rec.Pos()
	}
	e.follow(rec)
	return e.finish()
}

// explainer writes one reason.
type explainer struct {
	r     *Report
	param ParamFunc
	tree  *source.Tree
	seen  map[*Record]bool

	head    string
	headPos source.Pos
	// name is what the value is called at the current step; headName is what
	// the head calls it.
	name, headName string
	moves          []move
}

// A move is one step of a value: "name is text".
type move struct {
	pos        source.Pos
	name, text string
}

func (e *explainer) add(pos source.Pos, text string) {
	e.moves = append(e.moves, move{pos, e.name, text})
}

// finish renders the moves as steps, the first joined to the head where they
// share a line.
func (e *explainer) finish() []finding.Step {
	// What happens to one value on one line is one step.
	var moves []move
	for _, m := range e.moves {
		if n := len(moves); n > 0 && moves[n-1].pos.AtLine() == m.pos.AtLine() && moves[n-1].name == m.name {
			moves[n-1].text += ", then " + m.text
			continue
		}
		moves = append(moves, m)
	}
	var steps []finding.Step
	if e.head != "" {
		text := e.head
		if len(moves) > 0 && moves[0].pos.AtLine() == e.headPos.AtLine() {
			text += ": "
			if moves[0].name != e.headName {
				text += moves[0].name + " is "
			}
			text += moves[0].text
			moves = moves[1:]
		}
		steps = append(steps, e.step(e.headPos, text))
	}
	for _, m := range moves {
		steps = append(steps, e.step(m.pos, m.name+" is "+m.text))
	}
	if n := len(steps); n > maxSteps {
		last := steps[n-1]
		steps = steps[:maxSteps-1]
		steps[maxSteps-2] = finding.Step{Text: fmt.Sprintf("(%d more steps)", n-maxSteps+1)}
		steps = append(steps, last)
	}
	return steps
}

func (e *explainer) step(pos source.Pos, text string) finding.Step {
	if pos.Line == 0 || strings.HasPrefix(pos.File, "<") {
		return finding.Step{Text: text}
	}
	return finding.Step{File: e.tree.Rel(pos), Line: pos.Line, Text: text}
}

// describe says what is on the heap.
func (e *explainer) describe(rec *Record) string {
	name := shorten(e.expr(rec.Subject, rec, rec.Pos()))
	if rec.Moved {
		name = variable(rec.Subject)
	}
	e.name, e.headName = name, name
	if rec.Moved {
		return "variable " + name + " is moved to the heap"
	}
	kind := rec.Kind
	if kind == finding.KindBox && e.isMethod(rec) {
		kind = finding.KindClosure
	}
	switch kind {
	case finding.KindBox:
		if isConstant(rec.Subject) {
			return name + " is boxed (a constant, which costs nothing at run time)"
		}
		return name + " is boxed"
	case finding.KindClosure:
		if rec.Subject != funcLiteral {
			return "the method value " + name + " is allocated on the heap"
		}
		if line := e.tree.Text(rec.Pos()); line != "" && !strings.Contains(line, "func") {
			e.name, e.headName = "the call", "the call"
			return "the call's arguments are packed on the heap"
		}
	case finding.KindBytes, finding.KindString:
		return name + " is copied to the heap"
	case finding.KindAppend:
		return name + " grows its slice on the heap"
	}
	return name + " is allocated on the heap"
}

// stays says what it means that a record does not escape. From Go 1.25 a
// value whose size is only known at run time has a small buffer on the stack.
func (r *Report) stays(rec *Record) string {
	name := shorten(plain(rec.Subject))
	if rec.ZeroCopy {
		return name + " shares the memory of the string: nothing is copied"
	}
	if r.hybrid() && unknownSize(rec) {
		return name + " does not escape, but its size is not known at compile time: up to 32 bytes stay on the stack, more go to the heap"
	}
	return name + " does not escape"
}

// hybrid reports whether the compiler was Go 1.25 or later.
func (r *Report) hybrid() bool {
	var minor int
	if _, err := fmt.Sscanf(r.goVersion, "go1.%d", &minor); err != nil {
		return true // a development version
	}
	return minor >= 25
}

func unknownSize(rec *Record) bool {
	switch rec.Kind {
	case finding.KindAppend, finding.KindBytes, finding.KindString:
		return true
	case finding.KindSlice:
		_, args, ok := cutCall(rec.Subject)
		if !ok || !strings.HasPrefix(rec.Subject, "make(") {
			return false
		}
		return !isConstant(strings.TrimSpace(args[strings.LastIndexByte(args, ',')+1:]))
	}
	return false
}

// follow writes the moves of a record's flow, and goes on where it leads to.
func (e *explainer) follow(rec *Record) {
	if e.seen[rec] {
		e.add(rec.Pos(), "passed on in a circle of calls")
		return
	}
	e.seen[rec] = true
	if len(e.moves) > 4*maxSteps {
		return
	}
	for i := range rec.Flow {
		f := &rec.Flow[i]
		rename := i > 0 || rec.Moved || rec.Code == Leak
		if call, ok := f.throughCall(); ok {
			if rename {
				e.rename(rec, &call)
			}
			note := call.Notes[len(call.Notes)-1]
			e.call(rec, &call, &note, last(note.At), false)
		} else if rename {
			e.rename(rec, f)
		}
		if done := e.flow(rec, i); done {
			return
		}
	}
}

// rename sets the value's name to what the step's syntax calls it.
func (e *explainer) rename(rec *Record, f *FlowStep) {
	if n := len(f.Notes); n > 1 {
		switch note := &f.Notes[n-2]; {
		case note.What == variadic:
			return
		case note.Why == "address-of", note.Why == "slice", note.Why == "dot", note.Why == "dot of pointer", note.Why == "indirection":
			e.name = shorten(e.expr(note.What, rec, last(note.At)))
			return
		case note.Why == "interface-converted" && n > 2:
			e.name = shorten(e.expr(f.Notes[n-3].What, rec, last(note.At)))
			return
		}
	}
	switch src, stored := unwrap(f.Src); {
	case src == variadic, src == "{temp}", isTemp(src), isResult(src):
	case stored:
		e.name = shorten(e.expr(src, rec, last(f.At)))
	default:
		e.name = variable(src)
	}
}

// flow writes the move that one step of a flow makes. It reports whether it
// has led elsewhere, so that what follows in the record does not matter.
func (e *explainer) flow(rec *Record, i int) bool {
	f := &rec.Flow[i]
	final := i == len(rec.Flow)-1
	if len(f.Notes) == 0 {
		if final && f.Dst != heap {
			e.into(rec, f, last(f.At), "kept in "+e.place(rec, f))
		}
		return false
	}
	note := f.Notes[len(f.Notes)-1]
	pos := last(note.At)
	if pos.Line == 0 {
		pos = rec.Pos()
	}
	if capture := find(f.Notes, "captured by a closure"); capture != nil {
		return e.capture(rec, f, capture, final)
	}
	switch note.Why {
	case "call parameter":
		return e.call(rec, f, &note, pos, final)
	case "return":
		if final {
			e.add(pos, "returned to the caller, so it must outlive this call")
		} else {
			e.add(pos, "returned") // by a function that is analysed together with its caller
		}
		e.name = "the result"
		return false
	case "assign-pair", "assign":
		if e.inlined(rec, i, &note, pos) {
			return false
		}
	}
	if f.Dst == heap {
		e.add(pos, e.decide(rec, f, &note, pos))
		return false
	}
	if final {
		e.into(rec, f, pos, e.reach(rec, f, &note))
		return false
	}
	switch {
	case strings.HasSuffix(note.Why, "literal element"), note.Why == "map literal value", note.Why == "map literal key":
		e.add(pos, e.reach(rec, f, &note))
	case note.Why == "slice-literal-element" && note.What != variadic:
		e.add(pos, e.reach(rec, f, &note))
	}
	return false
}

// capture writes that a closure holds the value.
func (e *explainer) capture(rec *Record, f *FlowStep, note *Note, final bool) bool {
	text := "captured by the func literal"
	if find(f.Notes, "reference") != nil {
		text = "captured by reference by the func literal"
	}
	if isTemp(note.What) {
		text = "packed with the call of the go or defer statement"
	} else {
		e.name = shorten(e.expr(note.What, rec, last(note.At)))
	}
	if final {
		e.into(rec, f, last(note.At), text)
		return false
	}
	e.add(last(note.At), text)
	return false
}

// inlined writes the passing of an argument to, or of a result from, an
// inlined call, which the compiler shows as assignments at the call's place.
func (e *explainer) inlined(rec *Record, i int, note *Note, pos source.Pos) bool {
	f := &rec.Flow[i]
	callee, known := e.r.inlined[pos]
	if !known && i+1 < len(rec.Flow) {
		// Was the call inlined within a function that was not compiled by itself?
		next := rec.Flow[i+1].At
		known = len(next) > len(note.At) && sameLines(next[:len(note.At)], note.At)
	}
	if !known || note.Why != "assign-pair" && callee == "" || f.Dst == heap {
		return false
	}
	callee = plain(callee)
	switch {
	case isResult(f.Dst):
		if callee == "" {
			return false
		}
		e.add(pos, "returned by "+callee)
		e.name = "the result of " + callee
	case strings.Contains(note.What, " := "):
		param := variable(f.Dst)
		decl := param
		if at, fn, ok := e.resolve(rec, f, pos); ok {
			if callee == "" {
				callee = fn
			}
			if d := e.declared(at); strings.HasPrefix(d, param+" ") {
				decl = d
			}
		}
		if callee == "" {
			callee = "an inlined function"
		}
		e.add(pos, "passed to "+callee+" as "+quote(decl))
		e.name = param
	default:
		return false
	}
	return true
}

// call writes the passing of an argument to a call that was not inlined.
func (e *explainer) call(rec *Record, f *FlowStep, note *Note, pos source.Pos, final bool) bool {
	callee, args, _ := cutCall(e.expr(note.What, rec, pos))
	switch callee {
	case "panic":
		e.add(pos, "passed to panic, which may carry it out of the call")
		return false
	case "append":
		if f.Dst == heap {
			to, _, _ := strings.Cut(args, ",")
			e.add(pos, "appended to "+shorten(to)+", whose elements may be on the heap")
		}
		return false
	case "":
		callee = "a function"
	}
	if isTemp(callee) {
		callee = "the deferred or started function"
	}
	callee = shorten(callee)
	param, fn, ok := e.resolve(rec, f, pos)
	var leak *Record
	if e.r.devirtual[first(note.At)] {
		// The compiler knows, and writes, the method that the interface's call
		// reaches. Types lead to the interface's instead.
		leak = e.r.onlyLeak(callee)
		param, ok = source.Pos{}, false
		if leak != nil {
			param, ok = leak.Pos(), true
		}
	} else if ok && fn != "" {
		callee = fn
	}
	as := ""
	if decl := e.declared(param); decl != "" {
		as = " as " + quote(decl)
	}
	if f.Dst != heap {
		name, _, _ := strings.Cut(e.declared(param), " ")
		e.add(pos, "passed to "+callee+as)
		if name == variable(f.Dst) && name != "" {
			e.name = name // calls each other with the function it is in: one analysis for both
		} else {
			e.name = "the result of " + callee
			if final {
				e.into(rec, f, pos, e.reach(rec, f, note))
			}
		}
		return false
	}
	if leak == nil {
		leak = e.leak(param)
	}
	switch {
	case ok && param.Line == 0, leak != nil && throughInterface(leak):
		e.add(pos, "passed to "+callee+", which is only known at run time (an interface or function value): the compiler must assume that it is kept")
	case leak != nil:
		e.add(pos, "passed to "+callee+as)
		e.name = leak.Subject
		e.follow(leak)
		return true
	case ok && e.r.leaking[param] != "":
		e.add(pos, "passed to "+callee+as+", which is not written in Go: the compiler must assume that it is kept")
	case ok:
		e.add(pos, "passed to "+callee+as+", which lets it outlive the call")
	default:
		e.add(pos, "passed to "+callee+", which keeps it as far as the compiler can tell")
	}
	return false
}

// into writes that the value is now part of something else, and goes on with
// why that is on the heap.
func (e *explainer) into(rec *Record, f *FlowStep, pos source.Pos, text string) {
	dst, stored := unwrap(f.Dst)
	if !stored && (isResult(dst) || e.isNamedResult(pos, variable(dst))) {
		e.add(pos, "assigned to result "+variable(dst)+", so it must outlive this call")
		return
	}
	holder := e.r.holder(rec, dst, stored, pos)
	if holder != nil && !e.seen[holder] && dst == variadic {
		e.follow(holder) // the slice is only the call's way of passing it
		return
	}
	if holder == nil || e.seen[holder] {
		if !stored {
			text += ", which lives longer: it is declared outside the loop or func literal"
		}
		e.add(pos, text)
		return
	}
	e.add(pos, text)
	e.name = shorten(e.expr(dst, rec, pos))
	if !stored {
		e.name = variable(dst)
	}
	if dst == funcLiteral {
		e.name = "the func literal"
		if isTemp(f.Src) {
			e.name = "the call"
		}
	}
	e.follow(holder)
}
