package binary

import (
	"strings"

	"github.com/unheap/unheap/finding"
)

// A callee is what the runtime function behind a call does to the heap.
type callee struct {
	name string
	kind string // finding.Kind*; empty: not a function of the runtime
	// operand is the argument, counted from 1, that holds the type;
	// 0: there is none, or it must be found at the use of the result.
	operand int
	form    form
	fixed   string // the type, where the function makes no other
	box     int64  // size of the value that convT16, 32, 64, convTstring and convTslice take

	elemSize int64 // of fixed

	onMap    bool // the first two arguments are a map's type and the map
	noReturn bool
	helper   helper
}

// A helper is an assembly function that keeps most registers.
type helper uint8

const (
	helperNone helper = iota
	helperBarrier
	helperDuff
)

// A form says how the allocated type follows from the type operand.
type form uint8

const (
	formSelf  form = iota // it is the operand
	formSlice             // slice of the operand
	formMap               // the operand is the map's type
	formChan              // the operand is the channel's type
)

// calleeNamed describes the function with the given name. The runtime's own
// signatures are in cmd/compile/internal/typecheck/_builtin/runtime.go.
func calleeNamed(name string) callee {
	c := callee{name: name}
	set := func(kind string, operand int, form form) {
		c.kind, c.operand, c.form = kind, operand, form
	}
	fn, ok := strings.CutPrefix(name, "runtime.")
	if !ok {
		// The runtime's code under another package's name (go:linkname).
		switch name {
		case "reflect.unsafe_New", "internal/reflectlite.unsafe_New":
			set(finding.KindNew, 1, formSelf)
		case "reflect.unsafe_NewArray":
			set(finding.KindSlice, 1, formSlice)
		case "internal/bytealg.MakeNoZero":
			c.kind, c.fixed, c.elemSize = finding.KindSlice, "[]uint8", 1
		case "internal/runtime/maps.NewMap", "reflect.makemap":
			set(finding.KindMap, 1, formMap)
		case "internal/runtime/maps.NewEmptyMap", "maps.clone":
			set(finding.KindMap, 0, formMap)
		case "reflect.mapassign0", "reflect.mapassign_faststr0":
			set(finding.KindMapAssign, 1, formMap)
		case "reflect.makechan":
			set(finding.KindChan, 1, formChan)
		case "reflect.growslice":
			c.kind = finding.KindAppend
		default:
			if strings.HasPrefix(name, "internal/runtime/maps.") {
				c.kind = finding.KindMapAssign
			}
		}
		return c
	}
	fn = strings.TrimSuffix(fn, ".abi0")
	c.kind = finding.KindRuntime
	switch {
	case fn == "newobject":
		set(finding.KindNew, 1, formSelf)
	case strings.HasPrefix(fn, "mallocgc"): // Go 1.26 has one for each size class
		set(finding.KindNew, 2, formSelf)
	case fn == "makeslice", fn == "makeslice64", fn == "makeslicecopy", fn == "newarray":
		set(finding.KindSlice, 1, formSlice)
	case strings.HasPrefix(fn, "growslice"):
		set(finding.KindAppend, 5, formSlice)
	case fn == "moveSlice", fn == "moveSliceNoCap": // an append that began on the stack
		set(finding.KindAppend, 1, formSlice)
	case fn == "moveSliceNoScan", fn == "moveSliceNoCapNoScan":
		set(finding.KindAppend, 0, formSlice)
	case fn == "makemap", fn == "makemap64", fn == "mapclone2":
		set(finding.KindMap, 1, formMap)
	case fn == "makemap_small":
		set(finding.KindMap, 0, formMap)
	case strings.HasPrefix(fn, "mapassign"):
		set(finding.KindMapAssign, 1, formMap)
		c.onMap = true
	case strings.HasPrefix(fn, "mapaccess"), strings.HasPrefix(fn, "mapdelete"), strings.HasPrefix(fn, "mapIterStart"),
		fn == "mapiterinit", fn == "mapclear":
		c.onMap = true
	case fn == "makechan", fn == "makechan64":
		set(finding.KindChan, 1, formChan)
	case fn == "convT", fn == "convTnoptr":
		set(finding.KindBox, 1, formSelf)
	case strings.HasPrefix(fn, "convT"):
		set(finding.KindBox, 0, formSelf)
		switch fn {
		case "convT16":
			c.box = 2
		case "convT32":
			c.box = 4
		case "convT64":
			c.box = 8
		case "convTstring":
			c.box, c.fixed = 16, "string"
		case "convTslice":
			c.box = 24
		}
	case strings.HasPrefix(fn, "concatstring"), fn == "slicebytetostring", fn == "slicerunetostring", fn == "intstring",
		fn == "rawstring", fn == "gostring", fn == "gostringn":
		c.kind, c.fixed, c.elemSize = finding.KindString, "string", 1
	case strings.HasPrefix(fn, "concatbyte"), fn == "stringtoslicebyte", fn == "rawbyteslice":
		c.kind, c.fixed, c.elemSize = finding.KindBytes, "[]uint8", 1
	case fn == "stringtoslicerune", fn == "rawruneslice":
		c.kind, c.fixed, c.elemSize = finding.KindBytes, "[]int32", 4
	case strings.HasPrefix(fn, "newproc"), fn == "malg":
		c.kind = finding.KindGo
	case strings.HasPrefix(fn, "deferproc"), fn == "deferrangefunc", fn == "newdefer":
		c.kind = finding.KindDefer
	case strings.HasPrefix(fn, "gcWriteBarrier"):
		c.helper = helperBarrier
	case fn == "duffzero", fn == "duffcopy":
		c.helper = helperDuff
	case strings.HasPrefix(fn, "panic"), strings.HasPrefix(fn, "goPanic"), fn == "gopanic", fn == "throw", fn == "fatal":
		c.noReturn = true
	}
	return c
}
