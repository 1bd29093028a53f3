package capture

import (
	"time"

	"github.com/unheap/unheap/finding"
)

// manifestVersion is what this package writes, and the newest that it reads.
const manifestVersion = 1

// A Manifest says what is in a bundle and how it was had.
type Manifest struct {
	Version int          `json:"version"`
	Tool    finding.Tool `json:"tool"`
	Created time.Time    `json:"created"`
	// Seconds is the window that was asked for, TraceSeconds the trace's.
	Seconds      int      `json:"seconds"`
	TraceSeconds int      `json:"trace_seconds"`
	Targets      []Target `json:"targets"`
}

// A Target is one program.
type Target struct {
	Name string `json:"name"` // of its folder in the bundle
	URL  string `json:"url"`  // without user, password and query
	// What is known of the program; empty: unknown.
	Program   string   `json:"program,omitempty"`    // base name of the executable
	GoVersion string   `json:"go_version,omitempty"` // as "go1.26.1"
	GOOS      string   `json:"goos,omitempty"`
	GOARCH    string   `json:"goarch,omitempty"`
	BuildID   string   `json:"build_id,omitempty"` // GNU build ID in the profiles' first mapping
	Entries   []Entry  `json:"entries"`
	Warnings  []string `json:"warnings,omitempty"` // what could not be had, and why
}

// entry returns the target's entry of the kind and phase, nil for none.
func (t *Target) entry(k Kind, p Phase) *Entry {
	for i := range t.Entries {
		if e := &t.Entries[i]; e.Kind == k && e.Phase == p {
			return e
		}
	}
	return nil
}

// An Entry is one file in the bundle.
type Entry struct {
	Name   string `json:"name"` // in the zip, with slashes: folder/file
	Kind   Kind   `json:"kind"`
	Phase  Phase  `json:"phase,omitempty"`
	Source string `json:"source"` // path and query that were asked for
	// At is when the request went out, by the clock of the machine that captured.
	At     time.Time `json:"at"`
	Size   int64     `json:"size"`   // uncompressed; set by [Write]
	SHA256 string    `json:"sha256"` // of the content, in hex; set by [Write]
}

// A Kind says what an entry holds. Readers pass over kinds that they do not know.
type Kind string

const (
	CPU       Kind = "cpu"          // pprof profile of the window
	Allocs    Kind = "allocs-delta" // pprof profile: allocated in the window, and how far what is in use changed
	Heap      Kind = "heap"         // pprof profile: in use at the end of the window, allocated since the start
	Goroutine Kind = "goroutine"    // pprof profile
	Trace     Kind = "trace"        // execution trace
	Trailer   Kind = "memstats"     // "# runtime.MemStats" part of heap?debug=1
	Vars      Kind = "vars"         // {"memstats": ...} of /debug/vars
	Prom      Kind = "metrics"      // go_* and process_* lines of /metrics
	BuildInfo Kind = "buildinfo"    // as runtime/debug.BuildInfo prints itself
)

// A Phase tells the entries of a kind apart that were taken on both sides of the window.
type Phase string

const (
	Before Phase = "before"
	After  Phase = "after"
)
