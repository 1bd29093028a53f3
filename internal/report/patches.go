package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/unheap/unheap/finding"
)

// Patches writes the accepted fixes to dir, which it makes if need be: one
// file a fix, numbered in the findings' order, and all together as combined.patch.
// Each applies to the module as it was diagnosed.
// It returns the names written, relative to dir. A document without accepted
// fixes writes nothing, not even dir.
func Patches(dir string, d *finding.Document) ([]string, error) {
	var names []string
	write := func(name, diff string) error {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return fmt.Errorf("no directory for patches: %w; name another with --patch-dir", err)
		}
		names = append(names, name)
		return WriteFile(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.WriteString(w, diff)
			return err
		})
	}
	written := make(map[string]bool) // a fix may serve several findings
	for i := range d.Findings {
		f := &d.Findings[i]
		for j := range f.Fixes {
			x := &f.Fixes[j]
			if verdictOf(x).Status != finding.Accepted || x.Diff == "" || written[x.Diff] {
				continue
			}
			written[x.Diff] = true
			name := fmt.Sprintf("%02d-%s-%s.patch", len(names)+1, fileName(x.Rule), fileName(f.ID))
			if err := write(name, x.Diff); err != nil {
				return nil, err
			}
		}
	}
	if d.Combined != "" {
		if err := write("combined.patch", d.Combined); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// fileName returns s with what is no letter, digit or hyphen left out, at most 40 bytes.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-':
			return r
		}
		return -1
	}, s)
	return s[:min(len(s), 40)]
}
