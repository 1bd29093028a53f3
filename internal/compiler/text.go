package compiler

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// text is what the compiler printed under -m=2.
type text struct {
	records   []*Record // Escape and Leak, with their flows; places are outermost ones
	stays     []*Record
	zeroCopy  map[source.Pos]bool
	leaking   map[source.Pos]string // "leaking param" by the parameter's place
	inlined   map[source.Pos]string // function inlined at a call, by the call's place
	devirtual map[source.Pos]bool   // interface calls that became direct ones
	sections  map[string]bool       // import paths with a "# path" header
	skipped   int                   // lines too long
}

// textReader reads the compiler's text line by line.
type textReader struct {
	paths   *paths
	text    *text
	section string
	open    *Record // whose flow is being read
}

// readText reads the compiler's text as the go command passes it on: sections
// headed "# import/path [test variant]" of lines "file:line:column: message".
func readText(r io.Reader, p *paths) (*text, error) {
	tr := &textReader{paths: p, text: &text{
		zeroCopy:  make(map[source.Pos]bool),
		leaking:   make(map[source.Pos]string),
		inlined:   make(map[source.Pos]string),
		devirtual: make(map[source.Pos]bool),
		sections:  make(map[string]bool),
	}}
	skipped, err := readLines(io.LimitReader(r, maxFile), maxLine, func(line []byte) error {
		tr.line(line)
		return nil
	})
	tr.text.skipped = skipped
	return tr.text, err
}

func (tr *textReader) line(line []byte) {
	if rest, ok := bytes.CutPrefix(line, []byte("# ")); ok {
		path, _, _ := strings.Cut(string(rest), " ")
		tr.section, tr.open = path, nil
		tr.text.sections[path] = true
		return
	}
	// What the inliner will not do fills most of the text.
	if bytes.Contains(line, []byte(": can inline ")) || bytes.Contains(line, []byte(": cannot inline ")) {
		return
	}
	file, ln, col, msg, ok := cutPos(string(line))
	if !ok {
		return
	}
	switch trimmed := strings.TrimLeft(msg, " "); {
	case len(trimmed) < len(msg):
		tr.flow(trimmed)
		return
	case tr.start(msg, file, ln, col):
		return
	}
	pos := func() source.Pos { return tr.paths.pos(file, tr.section, ln, col) }
	switch {
	case strings.HasSuffix(msg, " does not escape"):
		subject := strings.TrimSuffix(msg, " does not escape")
		rec := &Record{Code: Stays, Subject: subject, Package: tr.section, Chain: []source.Pos{pos()}, Partial: true}
		if !identifier.MatchString(subject) { // a name is a parameter
			rec.Kind = kindOf(subject, false)
		}
		tr.text.stays = append(tr.text.stays, rec)
	case msg == "zero-copy string->[]byte conversion":
		tr.text.zeroCopy[pos()] = true
	case strings.HasPrefix(msg, "leaking param: "), strings.HasPrefix(msg, "leaking param content: "):
		_, name, _ := strings.Cut(msg, ": ")
		if !strings.Contains(name, " to result ") {
			tr.text.leaking[pos()] = name
		}
	case strings.HasPrefix(msg, "inlining call to "):
		// The call itself comes before those inside it.
		if p := pos(); tr.text.inlined[p] == "" {
			tr.text.inlined[p] = strings.TrimPrefix(msg, "inlining call to ")
		}
	case strings.HasPrefix(msg, "devirtualizing "):
		tr.text.devirtual[pos()] = true
	}
}

// start opens a record at the first line of its explanation, which ends in a
// colon, unlike the summary that the compiler prints later.
func (tr *textReader) start(msg, file string, ln, col int) bool {
	if !strings.HasSuffix(msg, ":") {
		return false
	}
	rec, ok := parseMessage(msg)
	if !ok {
		return false
	}
	rec.Chain = []source.Pos{tr.paths.pos(file, tr.section, ln, col)}
	rec.Package, rec.Partial = tr.section, true
	tr.open = &rec
	tr.text.records = append(tr.text.records, &rec)
	return true
}

func (tr *textReader) flow(msg string) {
	rec := tr.open
	if rec == nil {
		return
	}
	if step, ok := parseFlow(msg); ok {
		rec.Flow = append(rec.Flow, step)
		if len(rec.Flow) == 1 && rec.Code == Escape {
			rec.Moved = moved(rec.Flow)
			rec.Kind = kindOf(rec.Subject, rec.Moved)
		}
		return
	}
	i := strings.LastIndex(msg, " at ")
	if i < 0 || len(rec.Flow) == 0 {
		return
	}
	note, ok := parseNote(msg[:i])
	if !ok {
		return
	}
	if file, ln, col, _, ok := cutPos(msg[i+len(" at "):] + ": "); ok {
		note.At = []source.Pos{tr.paths.pos(file, tr.section, ln, col)}
	}
	last := &rec.Flow[len(rec.Flow)-1]
	last.Notes = append(last.Notes, note)
	if last.At == nil {
		last.At = note.At
	}
}

// cutPos splits "file:line:col: message"; the column may be missing.
func cutPos(s string) (file string, line, col int, msg string, ok bool) {
	i := strings.Index(s, ": ")
	if i < 0 {
		return "", 0, 0, "", false
	}
	place, msg := s[:i], s[i+2:]
	last, rest, ok := cutNumber(place)
	if !ok {
		return "", 0, 0, "", false
	}
	if ln, rest2, ok := cutNumber(rest); ok {
		return rest2, ln, last, msg, true
	}
	return rest, last, 0, msg, true
}

// cutNumber splits "rest:number".
func cutNumber(s string) (n int, rest string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return 0, "", false
	}
	n, err := strconv.Atoi(s[i+1:])
	return n, s[:i], err == nil && n >= 0
}
