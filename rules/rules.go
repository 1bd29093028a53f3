// Package rules recognises allocation idioms in source code and proposes local
// rewrites.
//
// A rule is a plain [analysis.Analyzer]: it knows nothing of profiles, so it
// also runs under go vet and in editors, where its reports are only hints.
// unheap joins them with measured cost and proves the rewrites.
//
// Conventions that every rule keeps:
//
//   - Diagnostic.Pos to End covers the expression or statement that allocates;
//     where a fix also removes allocations elsewhere, Related names them.
//   - Diagnostic.Category is the [Class] of its fix. A report without a fix has
//     class none and its message is advice.
//   - The first suggested fix is the preferred one; each is complete in itself
//     and leaves code that gofmt would not change, imports included.
//   - Analyzer.Doc holds a title line, then Markdown with the sections
//     "Why it allocates", "The rewrite" and "When it is not safe".
//   - testdata/src/<name> holds the fixture, before and (.golden) after.
package rules

import "golang.org/x/tools/go/analysis"

// A Rule is one allocation idiom.
type Rule struct {
	*analysis.Analyzer
	// Expect is what the compiler must say of a rewritten program for the
	// rewrite to count as having worked.
	Expect Expectation
}

// An Expectation is what a rule declares about the compiler's escape
// diagnostics after its rewrite.
type Expectation int

const (
	// NothingNew: no allocation site is added; the existing one may stay but
	// runs less often or allocates less (sizing, pools).
	NothingNew Expectation = iota
	// EscapeGone: the compiler no longer reports the escape at the site.
	EscapeGone
)

// Classes of fixes, as Diagnostic.Category holds them. They are those of
// package finding.
const (
	Safe   = "safe"   // behaviour provably the same
	Review = "review" // likely the same; a person decides
	None   = "none"   // advice only
)

// All returns every rule, in the order in which their fixes are tried:
// cheapest and surest first.
func All() []Rule {
	return []Rule{
		{sprint, NothingNew},
		{sortSlice, EscapeGone},
		{compileOnce, NothingNew},
		{guardedArgs, NothingNew},
		{assertArgs, NothingNew},
		{presize, NothingNew},
		{copybuffer, NothingNew},
		{scratch, NothingNew},
		{builder, NothingNew},
		{addrEscape, NothingNew},
		{bytesConv, NothingNew},
	}
}
