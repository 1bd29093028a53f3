// Package rules holds the pages that document unheap's rules. They are made
// from the rules themselves and their fixtures; after a change to either, run
//
//	go test ./docs/rules -update
package rules

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.md
var files embed.FS

// A Page documents one rule.
type Page struct {
	Classes string // of the fixes that the rule proposes, comma-separated
	Text    string // Markdown
}

// classLine is how the line of a page that names the fix classes begins.
const classLine = "Fix: "

// Read returns the page of the named rule.
func Read(name string) (Page, error) {
	data, err := files.ReadFile(name + ".md")
	if err != nil {
		return Page{}, fmt.Errorf("rule %s has no page: run go test ./docs/rules -update", name)
	}
	_, rest, ok := strings.Cut(string(data), "\n"+classLine)
	if !ok {
		return Page{}, fmt.Errorf("page of rule %s names no fix class: run go test ./docs/rules -update", name)
	}
	classes, _, _ := strings.Cut(rest, "\n")
	return Page{Classes: classes, Text: string(data)}, nil
}
