package report

import (
	"bufio"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A style is how a terminal shows a piece of text.
type style uint8

const (
	plain style = iota
	bold
	dim
	good
	bad
	caution
)

// sgr returns the parameters of the "select graphic rendition" sequence
// (ECMA-48, 8.3.117) for a style.
func (s style) sgr() string {
	switch s {
	case bold:
		return "1"
	case dim:
		return "2"
	case good:
		return "32"
	case bad:
		return "31"
	case caution:
		return "33"
	}
	return ""
}

// A span is a piece of clean text in one style.
type span struct {
	style style
	text  string
}

// A line is what ends up on one row of the terminal.
type line []span

// columns returns the columns of the terminal that the line takes.
func (l line) columns() int {
	n := 0
	for _, s := range l {
		n += columns(s.text)
	}
	return n
}

// writeTo writes the line, at most width columns of it.
func (l line) writeTo(w *bufio.Writer, width int, colour bool) {
	for _, s := range l {
		if s.text == "" {
			continue
		}
		text := fit(s.text, width)
		width -= columns(text)
		if sgr := s.style.sgr(); colour && sgr != "" {
			w.WriteString("\x1b[" + sgr + "m" + text + "\x1b[0m")
		} else {
			w.WriteString(text)
		}
		if len(text) < len(s.text) || width <= 0 {
			break
		}
	}
	w.WriteByte('\n')
}

// runeColumns returns the columns of the terminal that a printable rune takes.
// Characters of ambiguous width count as narrow, whatever the locale.
func runeColumns(r rune) int {
	if r < 0x7f {
		return 1
	}
	narrow := runewidth.Condition{StrictEmojiNeutral: true}
	return narrow.RuneWidth(r)
}

// columns returns the columns of the terminal that clean text takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// fit returns s cut to width columns; a cut ends in "…".
func fit(s string, width int) string {
	if len(s) <= width || columns(s) <= width {
		return s
	}
	return s[:prefix(s, width-1)] + strings.Repeat("…", min(1, max(0, width)))
}

// fitTail returns s cut to width columns from the left: of a path, the end
// tells most.
func fitTail(s string, width int) string {
	excess := columns(s) - width
	if excess <= 0 {
		return s
	}
	excess++ // room for the mark
	for i, r := range s {
		if excess <= 0 {
			return "…" + s[i:]
		}
		excess -= runeColumns(r)
	}
	return strings.Repeat("…", min(1, max(0, width)))
}

// prefix returns the length in bytes of the longest prefix of s that takes at
// most width columns.
func prefix(s string, width int) int {
	n := 0
	for i, r := range s {
		if n += runeColumns(r); n > width {
			return i
		}
	}
	return len(s)
}

// pad returns s followed by spaces up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-columns(s)))
}

// padLeft returns s after spaces up to width columns.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-columns(s))) + s
}

// wrap breaks the spans' text, one space between spans, into lines of at most
// width columns. Words that are longer are cut where they meet the edge. Of
// more than most lines (0: no limit) the last shown ends in "…".
func wrap(spans []span, width, most int) []line {
	width = max(width, 8)
	w := wrapper{width: width}
	for _, s := range spans {
		for word := range strings.FieldsSeq(s.text) {
			w.add(s.style, word)
			if most > 0 && len(w.lines) > most {
				return w.cut(most)
			}
		}
	}
	return w.lines
}

// A wrapper fills lines with words.
type wrapper struct {
	lines []line
	width int
	used  int // columns of the last line
}

func (w *wrapper) add(st style, word string) {
	n := columns(word)
	if len(w.lines) > 0 && w.used+1+n <= w.width {
		w.append(st, " "+word, n+1)
		return
	}
	for n > w.width {
		cut := max(prefix(word, w.width), 1)
		w.lines = append(w.lines, line{{st, word[:cut]}})
		word = word[cut:]
		n = columns(word)
	}
	w.lines = append(w.lines, line{{st, word}})
	w.used = n
}

// append adds text to the last line, to its last span where the style is the same.
func (w *wrapper) append(st style, text string, n int) {
	last := &w.lines[len(w.lines)-1]
	if end := &(*last)[len(*last)-1]; end.style == st {
		end.text += text
	} else {
		*last = append(*last, span{st, text})
	}
	w.used += n
}

// cut drops the lines after the first n and marks the end.
func (w *wrapper) cut(n int) []line {
	last := w.lines[n-1]
	end := &last[len(last)-1]
	room := w.width - last[:len(last)-1].columns()
	end.text = fit(end.text+" …", max(room, 1))
	return w.lines[:n]
}
