package compiler

import (
	"strconv"
	"strings"
)

// parseMessage reads what a diagnostic says of its subject. It takes both
// forms that compilers write: with the function's name (from Go 1.25 in text)
// and without (JSON, and text up to Go 1.24).
//
//	x escapes to heap
//	x escapes to heap in F:
//	parameter x leaks to y with derefs=0
//	parameter x leaks to y for F with derefs=0:
func parseMessage(msg string) (rec Record, ok bool) {
	if body, ok := strings.CutPrefix(msg, "parameter "); ok {
		if name, rest, ok := strings.Cut(body, " leaks to "); ok {
			return parseLeak(name, rest)
		}
	}
	i := strings.LastIndex(msg, " escapes to heap")
	if i < 0 {
		return Record{}, false
	}
	rest := msg[i+len(" escapes to heap"):]
	rec = Record{Code: Escape, Subject: msg[:i]}
	if fn, ok := strings.CutPrefix(rest, " in "); ok {
		rec.Func = strings.TrimSuffix(fn, ":")
	} else if rest != "" && rest != ":" {
		return Record{}, false
	}
	return rec, rec.Subject != ""
}

func parseLeak(name, rest string) (Record, bool) {
	i := strings.LastIndex(rest, " with derefs=")
	if i < 0 {
		return Record{}, false
	}
	derefs, err := strconv.Atoi(strings.TrimSuffix(rest[i+len(" with derefs="):], ":"))
	if err != nil {
		return Record{}, false
	}
	rec := Record{Code: Leak, Subject: name, Target: rest[:i], Derefs: derefs}
	// "{storage for x} for F": the last " for " outside the braces.
	if j := strings.LastIndex(rec.Target, " for "); j > strings.LastIndexByte(rec.Target, '}') {
		rec.Target, rec.Func = rec.Target[:j], rec.Target[j+len(" for "):]
	}
	return rec, rec.Subject != "" && rec.Target != ""
}

// parseFlow reads "flow: dst ← src:" (an equals sign up to Go 1.24), trimmed.
func parseFlow(msg string) (FlowStep, bool) {
	body, ok := strings.CutPrefix(msg, "flow: ")
	if !ok {
		return FlowStep{}, false
	}
	body = strings.TrimSuffix(body, ":")
	dst, src, ok := strings.Cut(body, " ← ")
	if !ok {
		// The left side may hold " = " of its own only within braces.
		from := 0
		if strings.HasPrefix(body, "{") {
			from = strings.Index(body, "} = ")
		}
		if from < 0 {
			return FlowStep{}, false
		}
		i := strings.Index(body[from:], " = ")
		if i < 0 {
			return FlowStep{}, false
		}
		dst, src = body[:from+i], body[from+i+len(" = "):]
	}
	step := FlowStep{Dst: dst}
	if s, ok := strings.CutPrefix(src, "&"); ok {
		step.Derefs, src = -1, s
	} else {
		trimmed := strings.TrimLeft(src, "*")
		step.Derefs, src = len(src)-len(trimmed), trimmed
	}
	step.Src = src
	return step, dst != "" && src != ""
}

// parseNote reads "from what (why)", trimmed.
func parseNote(msg string) (Note, bool) {
	body, ok := strings.CutPrefix(msg, "from ")
	if !ok || !strings.HasSuffix(body, ")") {
		return Note{}, false
	}
	i := strings.LastIndex(body, " (")
	if i < 0 {
		return Note{}, false
	}
	return Note{What: body[:i], Why: body[i+2 : len(body)-1]}, true
}
