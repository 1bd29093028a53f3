package diagnose

import (
	"fmt"
	"strings"

	"github.com/unheap/unheap/finding"
)

// runtimeKind names the kind of allocation that a runtime function makes for
// the code that called it, where its own frames told (see profile.Delta).
func runtimeKind(fn string) string {
	name := fn[strings.LastIndexByte(fn, '.')+1:]
	switch {
	case fn == "":
		return ""
	case strings.HasPrefix(name, "mapassign"), name == "growWork", name == "hashGrow":
		return finding.KindMapAssign
	case strings.HasPrefix(name, "makemap"), strings.HasPrefix(name, "NewMap"), name == "NewEmptyMap", name == "newGroups":
		return finding.KindMap
	case strings.HasPrefix(name, "makechan"):
		return finding.KindChan
	case strings.HasPrefix(name, "growslice"):
		return finding.KindAppend
	case strings.HasPrefix(name, "makeslice"):
		return finding.KindSlice
	case strings.HasPrefix(name, "concatstring"), name == "slicebytetostring", name == "intstring", name == "slicerunetostring":
		return finding.KindString
	case name == "stringtoslicebyte", name == "stringtoslicerune", strings.HasPrefix(name, "concatbyte"):
		return finding.KindBytes
	case strings.HasPrefix(name, "convT"):
		return finding.KindBox
	case strings.HasPrefix(name, "newproc"):
		return finding.KindGo
	case strings.HasPrefix(name, "deferproc"):
		return finding.KindDefer
	}
	return finding.KindRuntime
}

// kindReason says what an allocation is when neither the compiler nor the
// library table does: from its kind and type alone.
func kindReason(p *part) string {
	typ := p.alloc.Type
	of := func(what string) string {
		if typ == "" {
			return what
		}
		return what + " of type " + typ
	}
	switch p.alloc.Kind {
	case finding.KindNew:
		return of("a new value") + " that outlives its function"
	case finding.KindSlice:
		return of("a new slice") + " whose size is not known when compiling, or that outlives its function"
	case finding.KindAppend:
		return "append grows the slice" + suffix(" of type ", typ) + ": its capacity does not suffice"
	case finding.KindMap:
		return of("a new map")
	case finding.KindMapAssign:
		return "inserting grows the map" + suffix(" of type ", typ) + ": it was made too small, or without a size"
	case finding.KindChan:
		return of("a new channel") + ": channels are always on the heap"
	case finding.KindBox:
		return of("a value") + " is stored in an interface, which needs a copy on the heap"
	case finding.KindString:
		return "a string is made by concatenation or conversion: strings do not change, so each result is new memory"
	case finding.KindBytes:
		return "a string is copied into a slice"
	case finding.KindClosure:
		return "a function value with the variables that it captures"
	case finding.KindGo:
		return "a new goroutine with its stack and arguments"
	case finding.KindDefer:
		return "a deferred call in a loop is kept on the heap"
	}
	if p.alloc.Callee != "" {
		return fmt.Sprintf("memory that %s asks for", p.alloc.Callee)
	}
	return ""
}

func suffix(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
