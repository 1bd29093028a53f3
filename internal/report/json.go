package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/unheap/unheap/finding"
)

// JSON writes the document in its stable form, see [finding.Document].
//
// Characters that a terminal could act on are written as \u escapes, which
// changes nothing for a reader of the JSON.
func JSON(w io.Writer, d *finding.Document) error {
	var plain bytes.Buffer
	if err := d.Write(&plain); err != nil {
		return fmt.Errorf("the findings cannot be written as JSON: %w", err)
	}
	out := bufio.NewWriter(w)
	for data := plain.Bytes(); len(data) > 0; {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out.Write(data[:n])
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(out, `\u%04x`, r)
		}
		data = data[n:]
	}
	return out.Flush()
}
