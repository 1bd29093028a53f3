// Package finding is the data model of unheap: what one stage of the pipeline
// passes to the next, and what every report is made from.
//
// A [Document] holds ranked [Finding] values. A finding joins a source line of
// the user's own code with what it costs, why the compiler sent that memory to
// the heap, what could be done about it and whether that was proved. The JSON
// form of a Document is stable: fields are added, never renamed or removed,
// within one [Schema].
//
// The package imports nothing of unheap, so that other programs can read its
// documents at no cost.
package finding

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schema is the version of the JSON form that this package writes and reads.
const Schema = 1

// A Document is the result of one unheap run.
type Document struct {
	Schema   int       `json:"schema"`
	Tool     Tool      `json:"tool"`
	Target   Target    `json:"target"`
	Health   *Health   `json:"health,omitempty"`
	Findings []Finding `json:"findings"` // best first
	// Combined is the accepted fixes of all findings in one patch with
	// paths relative to Target.Root, empty when there are none.
	Combined string `json:"combined_diff,omitempty"`
	// Warnings qualify the document as a whole.
	Warnings []string `json:"warnings,omitempty"`
}

// Tool names the program that made a document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Target says what was examined.
type Target struct {
	Module     string      `json:"module"`         // main module's path
	Root       string      `json:"root,omitempty"` // main module's directory on the machine that ran unheap
	GoVersion  string      `json:"go_version"`     // toolchain that built the program, as "go1.26.1"
	GOOS       string      `json:"goos"`
	GOARCH     string      `json:"goarch"`
	Packages   []string    `json:"packages,omitempty"` // import paths, as asked for
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
}

// A Benchmark is one leaf benchmark (one without sub-benchmarks) that was run,
// with the allocation counts of the program's own counters.
type Benchmark struct {
	Package string  `json:"package"` // import path of the package under test
	Name    string  `json:"name"`    // full name without the -GOMAXPROCS suffix
	Measure Measure `json:"measure"`
	// AttributedBytes is the share (0 to 1) of the benchmark's bytes that
	// were traced to lines of the main module outside its tests.
	AttributedBytes float64 `json:"attributed_bytes"`
	// TestBytes is the share allocated by benchmark and test code itself.
	TestBytes float64 `json:"test_bytes"`
	// Outcome compares the program with all fixes of Document.Combined to the
	// original; nil when they were not measured on this benchmark.
	Outcome *Verdict `json:"outcome,omitempty"`
}

// Health describes the collector's part in a running program.
// Zero fields are unknown.
type Health struct {
	GCCPUShare     float64 `json:"gc_cpu_share"` // of the process's CPU time, 0 to 1
	AllocBytesPerS float64 `json:"alloc_bytes_per_s"`
	CyclesPerS     float64 `json:"cycles_per_s"`
	LiveBytes      float64 `json:"live_bytes"`
	Verdict        string  `json:"verdict"`
}

// A Finding is one line of the user's own code that costs allocations.
type Finding struct {
	// ID is the same for the same line and idiom across runs, also when
	// other lines of the file move it; see [NewID].
	ID    string  `json:"id"`
	Site  Site    `json:"site"`
	Leaf  []Frame `json:"leaf,omitempty"` // frames below the site, innermost first, of the costliest part
	Alloc Alloc   `json:"alloc"`
	// Benchmark is the one whose figures Alloc quotes: of those that reach
	// this site, the one in which the site has the largest share of bytes.
	Benchmark string  `json:"benchmark,omitempty"`
	Saving    *Saving `json:"saving,omitempty"`
	// Reason says, one step a line, why the costliest part is on the heap.
	Reason       []Step       `json:"reason"`
	ReasonSource ReasonSource `json:"reason_source"`
	// Parts are the distinct allocations below this line, costliest first.
	Parts    []Part   `json:"parts,omitempty"`
	Rule     string   `json:"rule,omitempty"` // empty: no rule knows this idiom
	Advice   string   `json:"advice,omitempty"`
	Fixes    []Fix    `json:"fixes,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	Warnings []string `json:"warnings,omitempty"`
}

// A Site is the user's own innermost line on the way to an allocation.
type Site struct {
	Package  string `json:"package"` // import path
	File     string `json:"file"`    // slash-separated, relative to the main module's root
	Line     int    `json:"line"`
	Column   int    `json:"column,omitempty"` // 1-based byte column; 0: unknown
	Function string `json:"function"`         // without the package, as (*Partitioner).Partition
	Source   string `json:"source,omitempty"` // the line's text, trimmed
	// Inline holds the callers that the site's function was inlined into,
	// innermost first; empty when it was not inlined.
	Inline []Frame `json:"inline,omitempty"`
}

// A Frame is one function on a call stack.
type Frame struct {
	Function string `json:"function"` // with the package's import path
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Alloc is what a site allocates. For a benchmark the figures are per
// operation, for a live program per second.
type Alloc struct {
	Kind         string  `json:"kind"` // see [Kind] values; empty: unknown
	Type         string  `json:"type"` // Go type allocated, as "[]uint8"; empty: unknown
	ObjectsPerOp float64 `json:"objects_per_op"`
	BytesPerOp   float64 `json:"bytes_per_op"`
	// Shares are of all objects and bytes allocated, test code included, as
	// the mean over the benchmarks that were run, each weighing the same.
	ObjectsShare float64 `json:"objects_share"`
	BytesShare   float64 `json:"bytes_share"`
	// Estimated is set when tiny objects, which the heap profile counts a
	// block at a time, were shared out over the lines that make them.
	Estimated bool `json:"estimated,omitempty"`
}

// Kinds of allocation, named for what the program asked the runtime to do.
const (
	KindNew       = "new"        // new(T), &T{}, a variable moved to the heap
	KindSlice     = "make slice" // make([]T, n)
	KindAppend    = "append"     // growth of a slice
	KindMap       = "make map"   // make(map[K]V), map literal
	KindMapAssign = "map insert" // growth of a map
	KindChan      = "make chan"  // make(chan T)
	KindBox       = "box"        // a value stored in an interface
	KindString    = "string"     // string concatenation or conversion
	KindBytes     = "bytes"      // []byte or []rune from a string
	KindClosure   = "closure"    // func literal or method value
	KindGo        = "go"         // a new goroutine
	KindDefer     = "defer"      // a deferred call's record
	KindRuntime   = "runtime"    // something else inside the runtime
)

// Saving is the share of the program's CPU time that the allocation costs:
// what there is to gain at most. Low and High bound it.
type Saving struct {
	CPUShare float64 `json:"cpu_share"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// A Step is one line of a reason.
type Step struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// ReasonSource says who gave a reason.
type ReasonSource string

const (
	FromFlow    ReasonSource = "flow"    // the compiler's escape analysis
	FromLibrary ReasonSource = "library" // knowledge of what a library call does
	FromKind    ReasonSource = "kind"    // the allocation's kind, type and syntax
)

// A Part is one distinct allocation below a site: one call chain, kind and type.
type Part struct {
	Leaf         []Frame      `json:"leaf,omitempty"`
	Alloc        Alloc        `json:"alloc"`
	Reason       []Step       `json:"reason"`
	ReasonSource ReasonSource `json:"reason_source"`
}

// Class says how far a fix may be trusted to keep the program's behaviour.
type Class string

const (
	Safe   Class = "safe"   // behaviour provably the same
	Review Class = "review" // likely the same; a person decides
	None   Class = "none"   // advice only, no rewrite
)

// A Fix is one rewrite that was tried, or advice.
type Fix struct {
	Rule    string   `json:"rule"`
	Class   Class    `json:"class"`
	Title   string   `json:"title"`
	Diff    string   `json:"diff,omitempty"` // unified, for git apply at the module's root
	Verdict *Verdict `json:"verdict,omitempty"`
}

// Status is the outcome of trying a fix.
type Status string

const (
	Accepted     Status = "accepted"
	Rejected     Status = "rejected"
	Inconclusive Status = "inconclusive"
	Unverified   Status = "unverified" // nothing was measured
)

// A Verdict says what became of a fix, or of a finding's best fix.
type Verdict struct {
	Status Status `json:"status"`
	Oracle string `json:"oracle,omitempty"` // the test that decided; see package fix
	Why    string `json:"why,omitempty"`    // one line of plain words
	Tests  string `json:"tests,omitempty"`  // which tests passed with the change
	// Covered is set when every changed statement was run by a passing test.
	Covered   bool     `json:"covered"`
	Benchmark string   `json:"benchmark,omitempty"`
	Before    *Measure `json:"before,omitempty"`
	After     *Measure `json:"after,omitempty"`
	// Ratio is before/after of the time per operation: 2 is twice as fast.
	Ratio float64 `json:"ratio,omitempty"`
	// RatioLow and RatioHigh bound Ratio at 95 %.
	RatioLow  float64 `json:"ratio_low,omitempty"`
	RatioHigh float64 `json:"ratio_high,omitempty"`
	P         float64 `json:"p,omitempty"` // exact Mann-Whitney U test on time
}

// A Measure is what one operation of a benchmark costs. Allocation counts keep
// their fractions.
type Measure struct {
	NsPerOp     float64 `json:"ns_per_op"`
	BytesPerOp  float64 `json:"bytes_per_op"`
	AllocsPerOp float64 `json:"allocs_per_op"`
}

// maxDocument bounds what Read takes from a reader.
const maxDocument = 256 << 20

// Read reads one JSON document. It refuses documents of a newer schema and
// of more than 256 MiB.
func Read(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("finding document is larger than %d MiB", maxDocument>>20)
	}
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("not a finding document: %w", err)
	}
	if d.Schema < 1 || d.Schema > Schema {
		return nil, fmt.Errorf("finding document has schema %d; this program reads 1 to %d: use a newer unheap", d.Schema, Schema)
	}
	return &d, nil
}

// Write writes the document as indented JSON.
func (d *Document) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}
