package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// NewID returns the identity of a finding: 12 hexadecimal digits made from the
// package, file, function and text of its line, not from the line's number, so
// that edits elsewhere in the file do not change it. nth tells apart lines of
// one function with the same text (0 for the first).
func NewID(s Site, nth int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s\x00%d", s.Package, s.File, s.Function, s.Source, nth)
	return hex.EncodeToString(h.Sum(nil)[:6])
}
