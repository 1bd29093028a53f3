// Package report renders finding documents: as text for people at a terminal,
// as JSON for programs and as Markdown for reviews.
//
// A format is one [Handler] in one file. Everything in a document comes from
// somebody's source code, symbol tables and compiler, so each handler makes it
// harmless to its reader: no control character, bidirectional override or
// markup in a document reaches a terminal or a page.
package report

import (
	"fmt"
	"io"

	"github.com/unheap/unheap/finding"
)

// A Handler renders one document.
type Handler func(w io.Writer, d *finding.Document) error

// Formats returns the names that [ForFormat] knows.
func Formats() []string { return []string{"text", "json", "markdown"} }

// ForFormat returns the handler of the named format; text is the one used for
// "text".
func ForFormat(name string, text Handler) (Handler, error) {
	switch name {
	case "text":
		return text, nil
	case "json":
		return JSON, nil
	case "markdown":
		return Markdown, nil
	}
	return nil, fmt.Errorf("unknown format %q: use text, json or markdown", name)
}
