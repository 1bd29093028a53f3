package recognise

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/modernize"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/staticcheck/sa6000"
	"honnef.co/go/tools/staticcheck/sa6001"
	"honnef.co/go/tools/staticcheck/sa6002"
	"honnef.co/go/tools/staticcheck/sa6003"
	"honnef.co/go/tools/staticcheck/sa6005"
	"honnef.co/go/tools/staticcheck/sa6006"

	perfsprint "github.com/catenacyber/perfsprint/analyzer"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/rules"
)

// A Rule is one of ours, or an adopted analyzer with what is known of it.
type Rule struct {
	rules.Rule
	// Adopted names the project that an adopted analyzer comes from.
	Adopted string
	// Class is that of an adopted analyzer's fixes: they carry none themselves.
	Class finding.Class
}

// class returns the class of a diagnostic's fixes.
func (r *Rule) class(d *analysis.Diagnostic) finding.Class {
	switch {
	case len(d.SuggestedFixes) == 0:
		return finding.None
	case r.Adopted != "":
		return r.Class
	case d.Category == rules.Safe:
		return finding.Safe
	}
	return finding.Review
}

// All returns every rule in the order in which their fixes are tried: ours,
// then the adopted analyzers that deal with allocation.
//
// All fixes of adopted analyzers count as review: they keep what their authors
// call behaviour, which need not be what we do (nil and empty, error identity).
func All() []Rule {
	var all []Rule
	for _, r := range rules.All() {
		all = append(all, Rule{Rule: r})
	}
	adopt := func(from string, analyzers ...*analysis.Analyzer) {
		for _, a := range analyzers {
			all = append(all, Rule{Rule: rules.Rule{Analyzer: a}, Adopted: from, Class: finding.Review})
		}
	}
	adopt("modernize",
		modernize.StringsBuilderAnalyzer,
		modernize.StringsSeqAnalyzer,
		modernize.StringsCutAnalyzer,
		modernize.SlicesSortAnalyzer,
		modernize.FmtAppendfAnalyzer,
		modernize.MapsLoopAnalyzer,
	)
	adopt("perfsprint", perfsprint.New())
	adopt("prealloc", newPrealloc())
	for _, a := range []*lint.Analyzer{
		sa6000.SCAnalyzer, sa6001.SCAnalyzer, sa6002.SCAnalyzer,
		sa6003.SCAnalyzer, sa6005.SCAnalyzer, sa6006.SCAnalyzer,
	} {
		adopt("staticcheck", a.Analyzer)
	}
	return all
}
