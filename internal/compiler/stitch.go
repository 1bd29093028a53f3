package compiler

import (
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// throughCall returns the first part of a step whose value is an argument of a
// call and goes on in the call's result, as in x = f(&y).
func (f *FlowStep) throughCall() (FlowStep, bool) {
	for i := range f.Notes {
		if f.Notes[i].Why == "call parameter" && i < len(f.Notes)-1 {
			call := *f
			call.Dst, call.Notes = "{temp}", f.Notes[:i+1]
			return call, true
		}
	}
	return FlowStep{}, false
}

// resolve asks for the parameter that the value of a step becomes at a call.
func (e *explainer) resolve(rec *Record, f *FlowStep, call source.Pos) (param source.Pos, fn string, ok bool) {
	if e.param == nil {
		return source.Pos{}, "", false
	}
	src, _ := unwrap(f.Src)
	candidates := make([]string, 0, 3)
	if n := len(f.Notes); n > 1 && f.Notes[n-2].What == variadic {
		candidates = append(candidates, variadic)
	} else if n > 1 {
		candidates = append(candidates, e.expr(f.Notes[n-2].What, rec, call))
	} else if src != "{temp}" {
		candidates = append(candidates, e.expr(src, rec, call))
	}
	candidates = append(candidates, e.name)
	if !strings.HasPrefix(src, "{") {
		candidates = append(candidates, variable(src))
	}
	for _, arg := range candidates {
		if param, fn, ok = e.param(call, arg); ok {
			return param, fn, true
		}
	}
	return source.Pos{}, "", false
}

// leak returns the record that says how a parameter's value gets away: to the
// heap by preference, else into something that escapes itself.
func (e *explainer) leak(param source.Pos) *Record {
	if param.Line == 0 {
		return nil
	}
	var best *Record
	for _, rec := range e.r.leaks[param] {
		switch {
		case rec.Target == heap:
			return rec
		case strings.HasPrefix(rec.Target, storage), best == nil && !isResult(rec.Target):
			best = rec
		}
	}
	if best == nil {
		for _, rec := range e.r.byLine[param.AtLine()] {
			if rec.Moved && rec.Pos() == param {
				return rec
			}
		}
	}
	return best
}

// onlyLeak returns the record of the one parameter of a function that leaks to
// the heap, or nil.
func (r *Report) onlyLeak(fn string) *Record {
	var only *Record
	for _, recs := range r.leaks {
		for _, rec := range recs {
			if rec.Func != fn || rec.Target != heap {
				continue
			}
			if only != nil && only.Pos() != rec.Pos() {
				return nil
			}
			only = rec
		}
	}
	return only
}

// throughInterface reports whether a parameter is that of an interface's
// method: the compiler generates a function for it that makes the call.
func throughInterface(leak *Record) bool {
	for i := range leak.Flow {
		for _, note := range leak.Flow[i].Notes {
			if strings.HasPrefix(note.What, "~p0.") {
				return true
			}
		}
	}
	return false
}

// holder finds the record of what a value was put into: by its text, in the
// same compiled function's file, the nearest place before.
func (r *Report) holder(rec *Record, subject string, stored bool, pos source.Pos) *Record {
	var best *Record
	for _, h := range r.bySubject[subjectKey{rec.Outer().Package, rec.Outer().File, subject}] {
		if h == rec || h.Moved == stored || h.Func != rec.Func {
			continue
		}
		if best == nil || nearer(h.Pos(), best.Pos(), pos) {
			best = h
		}
	}
	return best
}

// nearer reports whether a is a better guess than b for what contains pos: it
// starts at or before pos, as late as possible.
func nearer(a, b, pos source.Pos) bool {
	before := func(p source.Pos) bool {
		return p.Package == pos.Package && p.File == pos.File && comparePos(p, pos) <= 0
	}
	switch {
	case before(a) != before(b):
		return before(a)
	case before(a):
		return comparePos(a, b) > 0
	}
	return comparePos(a, b) < 0
}

func first(at []source.Pos) source.Pos {
	if len(at) == 0 {
		return source.Pos{}
	}
	return at[0]
}

func last(at []source.Pos) source.Pos {
	if len(at) == 0 {
		return source.Pos{}
	}
	return at[len(at)-1]
}

func find(notes []Note, why string) *Note {
	for i := range notes {
		if notes[i].Why == why {
			return &notes[i]
		}
	}
	return nil
}
