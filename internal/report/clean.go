package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds one cleaned text, in bytes. No honest name, line of source or
// sentence is longer; a hostile one must not fill the screen.
const maxText = 4096

// Clean returns s as one line of printable text: white space becomes single
// spaces; control and format characters (terminal escapes, bidirectional
// overrides, zero-width joiners) and bytes that are not UTF-8 are spelled out
// as Go escapes, so that they are seen and not obeyed.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	space := true // drop leading space
	for i := 0; i < len(s); {
		if b.Len() >= maxText {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			i += size
			continue
		}
		space = false
		writeVisible(&b, r, s[i:i+size])
		i += size
	}
	return strings.TrimSuffix(b.String(), " ")
}

// isClean reports whether Clean(s) is s for the common case of plain ASCII.
func isClean(s string) bool {
	if len(s) > maxText {
		return false
	}
	space := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			if space {
				return false
			}
			space = true
		case c > ' ' && c < 0x7f:
			space = false
		default:
			return false
		}
	}
	return !space || s == ""
}

// writeVisible writes r, decoded from raw, as itself or as its Go escape.
func writeVisible(b *strings.Builder, r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) == 1, r < 0x20, r == 0x7f:
		fmt.Fprintf(b, `\x%02x`, raw[0])
	case unicode.IsPrint(r):
		b.WriteString(raw)
	case r > 0xffff:
		fmt.Fprintf(b, `\U%08x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// cleanBlock returns s, several lines of source or of a patch, with line feeds
// and tabs kept and all else that is not printable spelled out.
func cleanBlock(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			writeVisible(&b, r, s[i:i+size])
		}
		i += size
	}
	return b.String()
}
