//go:build updategolden

package rules

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

type quiet struct{}

func (quiet) Errorf(string, ...any) {}

func TestUpdate(t *testing.T) {
	for _, r := range []*analysis.Analyzer{bytesConv} {
		for _, res := range analysistest.Run(quiet{}, analysistest.TestData(), r, r.Name+"/...") {
			fset := res.Action.Package.Fset
			files := map[string][]analysis.TextEdit{}
			for _, d := range res.Action.Diagnostics {
				t.Log(fset.Position(d.Pos), d.Category, d.Message)
				if len(d.SuggestedFixes) == 0 { continue }
				for _, e := range d.SuggestedFixes[0].TextEdits {
					n := fset.File(e.Pos).Name()
					if !slices.ContainsFunc(files[n], func(o analysis.TextEdit) bool { return o.Pos == e.Pos && o.End == e.End && bytes.Equal(o.NewText, e.NewText) }) {
						files[n] = append(files[n], e)
					}
				}
			}
			for _, edits := range files {
				out, err := apply(fset, edits)
				if err != nil { t.Error(err); continue }
				for name, src := range out {
					if f, err := format.Source(src); err == nil { src = f } else { t.Error(err) }
					os.WriteFile(filepath.Clean(name)+".golden", src, 0o666)
				}
			}
		}
	}
}
