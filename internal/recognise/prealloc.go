package recognise

import (
	prealloc "github.com/alexkohler/prealloc/pkg"
	"golang.org/x/tools/go/analysis"
)

// newPrealloc wraps the prealloc linter, which has a check function and no
// analyzer of its own. It looks at simple functions and range loops only.
func newPrealloc() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "prealloc",
		Doc:  "slice declarations that could be given a capacity",
		Run: func(pass *analysis.Pass) (any, error) {
			const simple, rangeLoops, forLoops = true, true, false
			prealloc.Check(pass, simple, rangeLoops, forLoops)
			return nil, nil
		},
	}
}
