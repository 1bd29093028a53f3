package compiler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// The compiler's JSON log, version 0, is defined by
// cmd/compile/internal/logopt: a header, then one diagnostic a line in the
// form of the Language Server Protocol 3.15, with positions counted from 1.

type jsonHeader struct {
	Version   *int   `json:"version"`
	Package   string `json:"package"`
	GcVersion string `json:"gc_version"`
	File      string `json:"file"`
}

type jsonRange struct {
	Start struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	} `json:"start"`
}

type jsonDiagnostic struct {
	Range   jsonRange     `json:"range"`
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Related []jsonRelated `json:"relatedInformation"`
}

type jsonRelated struct {
	Location struct {
		URI   string    `json:"uri"`
		Range jsonRange `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

// A jsonFile is one file of the log as it was read.
type jsonFile struct {
	header  jsonHeader
	own     source.Pos // the file's place; no line
	records []*Record
	bad     int // lines that could not be read
}

// jsonReader reads files of the log. It reuses its memory between lines.
type jsonReader struct {
	paths *paths
	names map[string]string // interned texts
	diag  jsonDiagnostic
}

func newJSONReader(p *paths) *jsonReader {
	return &jsonReader{paths: p, names: make(map[string]string)}
}

var (
	escapeCode = []byte(`"code":"escape`) // "escape" and "escapes"
	leakCode   = []byte(`"code":"leak"`)
)

// read reads one file. pkg is the import path of the package that was asked
// for, which the header gives as "main" for commands.
func (jr *jsonReader) read(r io.Reader, pkg string) (*jsonFile, error) {
	f := new(jsonFile)
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	first := true
	skipped, err := readLines(limited, maxLine, func(line []byte) error {
		if first {
			first = false
			return jr.header(f, line, pkg)
		}
		// Nine lines in ten are about inlining and bounds checks.
		if !bytes.Contains(line, escapeCode) && !bytes.Contains(line, leakCode) {
			return nil
		}
		rec, err := jr.diagnostic(f, line)
		if err != nil {
			f.bad++
		} else if rec != nil {
			f.records = append(f.records, rec)
		}
		return nil
	})
	f.bad += skipped
	if err != nil {
		return nil, err
	}
	if first {
		return nil, fmt.Errorf("file of compiler diagnostics is empty")
	}
	if limited.N <= 0 {
		return f, fmt.Errorf("file of compiler diagnostics is larger than %d MiB; the rest was not read", maxFile>>20)
	}
	return f, nil
}

func (jr *jsonReader) header(f *jsonFile, line []byte, pkg string) error {
	if err := json.Unmarshal(line, &f.header); err != nil {
		return fmt.Errorf("not a file of compiler diagnostics: %w", err)
	}
	if f.header.Version == nil || f.header.File == "" {
		return fmt.Errorf("not a file of compiler diagnostics: no version and file in its first line")
	}
	if *f.header.Version != 0 {
		return fmt.Errorf("compiler diagnostics are of version %d, this program reads version 0: use a newer unheap", *f.header.Version)
	}
	if f.header.Package == "main" || f.header.Package == "" {
		f.header.Package = pkg
	}
	f.own = jr.paths.pos(f.header.File, f.header.Package, 0, 0)
	return nil
}

// diagnostic returns the record that a line holds, or nil for a twin without a
// message and for codes of other passes.
func (jr *jsonReader) diagnostic(f *jsonFile, line []byte) (*Record, error) {
	d := &jr.diag
	clear(d.Related[:cap(d.Related)])
	*d = jsonDiagnostic{Related: d.Related[:0]}
	if err := json.Unmarshal(line, d); err != nil {
		return nil, err
	}
	if d.Message == "" || d.Code != "escape" && d.Code != "escapes" && d.Code != "leak" {
		return nil, nil
	}
	rec, ok := parseMessage(jr.intern(d.Message))
	if !ok {
		return nil, fmt.Errorf("unknown message %q", d.Message)
	}
	rec.Package = f.header.Package
	related := d.Related
	outer := f.own
	outer.Line, outer.Col = d.Range.Start.Line, d.Range.Start.Character
	rec.Chain, related = jr.chain(f, outer, related)
	for len(related) > 0 {
		head := related[0]
		var at []source.Pos
		at, related = jr.chain(f, jr.pos(f, head), related[1:])
		text, ok := strings.CutPrefix(head.Message, "escflow:")
		if !ok {
			continue
		}
		text = jr.intern(strings.TrimSpace(text))
		if step, ok := parseFlow(text); ok {
			step.At = at
			rec.Flow = append(rec.Flow, step)
		} else if note, ok := parseNote(text); ok && len(rec.Flow) > 0 {
			note.At = at
			last := &rec.Flow[len(rec.Flow)-1]
			last.Notes = append(last.Notes, note)
		}
	}
	rec.Moved = rec.Code == Escape && moved(rec.Flow)
	if rec.Code == Escape {
		rec.Kind = kindOf(rec.Subject, rec.Moved)
	}
	return &rec, nil
}

// chain returns first with the inlined positions that follow it, and what is
// left of related.
func (jr *jsonReader) chain(f *jsonFile, first source.Pos, related []jsonRelated) ([]source.Pos, []jsonRelated) {
	n := 0
	for n < len(related) && related[n].Message == "inlineLoc" {
		n++
	}
	chain := make([]source.Pos, 1, 1+n)
	chain[0] = first
	for _, r := range related[:n] {
		chain = append(chain, jr.pos(f, r))
	}
	return chain, related[n:]
}

func (jr *jsonReader) pos(f *jsonFile, r jsonRelated) source.Pos {
	uri := jr.intern(r.Location.URI)
	start := r.Location.Range.Start
	key := pathKey{uri, f.header.Package}
	pos, ok := jr.paths.known[key]
	if !ok {
		name := strings.TrimPrefix(uri, "file://")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		pos = jr.paths.pos(name, f.header.Package, 0, 0)
		jr.paths.known[key] = pos
	}
	pos.Line, pos.Col = start.Line, start.Character
	return pos
}

func (jr *jsonReader) intern(s string) string {
	if t, ok := jr.names[s]; ok {
		return t
	}
	jr.names[s] = s
	return s
}
