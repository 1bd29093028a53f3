package compiler

import (
	"regexp"
	"slices"
	"strings"

	"github.com/unheap/unheap/internal/source"
)

// A Change says how the allocations of two builds differ.
type Change struct {
	Gone []*Record // of the build before
	New  []*Record // of the build after
	// Copies are records of the build after that are new only because a
	// function whose own allocation was there before is now inlined.
	Copies []*Record

	delta map[changeKey]int
}

// changeKey identifies an allocation although lines have moved.
type changeKey struct{ pkg, file, fn, subject string }

// Compare tells which Escape records a change of the source removed and which
// it added. Records are known by package, file, function and the text of what
// escapes, and counted, so lines may have moved; where a count changed, the
// last ones in the file stand for the difference. Test files and boxed
// constants are left out. Up to Go 1.24 the compiler does not name the
// function, and records are known by file and text alone.
//
// Both reports must be of the same packages, built alike. A record may also be
// gone because its function is no longer inlined where it was: the function's
// own record then remains, and only a measurement can tell.
func Compare(before, after *Report) Change {
	was, is := before.escapes(), after.escapes()
	c := Change{delta: make(map[changeKey]int)}
	origins := make(map[changeKey]bool)
	for _, recs := range was {
		for _, rec := range recs {
			origins[origin(rec)] = true
		}
	}
	for key, recs := range was {
		n := len(is[key])
		c.delta[key] = n - len(recs)
		if n < len(recs) {
			c.Gone = append(c.Gone, recs[n:]...)
		}
	}
	for key, recs := range is {
		n := len(was[key])
		c.delta[key] = len(recs) - n
		for _, rec := range recs[min(n, len(recs)):] {
			if len(rec.Chain) > 1 && origins[origin(rec)] {
				c.Copies = append(c.Copies, rec)
			} else {
				c.New = append(c.New, rec)
			}
		}
	}
	for _, list := range [][]*Record{c.Gone, c.New, c.Copies} {
		slices.SortFunc(list, compareRecords)
	}
	return c
}

// Removed reports whether the build after has fewer records like rec, which is
// one of the build before.
func (c Change) Removed(rec *Record) bool { return c.delta[keyOf(rec)] < 0 }

// escapes returns the Escape records outside test files by identity, without
// boxed constants, which cost nothing.
func (r *Report) escapes() map[changeKey][]*Record {
	out := make(map[changeKey][]*Record)
	for _, rec := range r.all {
		if rec.Code != Escape || rec.Outer().IsTest() || isConstant(rec.Subject) {
			continue
		}
		key := keyOf(rec)
		out[key] = append(out[key], rec)
	}
	return out
}

func keyOf(rec *Record) changeKey {
	return identify(rec, rec.Outer(), rec.Func)
}

// origin identifies the place inside the innermost inlined function. Its
// function's name is not known there.
func origin(rec *Record) changeKey { return identify(rec, rec.Pos(), "") }

func identify(rec *Record, pos source.Pos, fn string) changeKey {
	fn = literalName.ReplaceAllString(typeArguments.ReplaceAllString(fn, ""), "")
	return changeKey{pos.Package, pos.File, fn, strings.ReplaceAll(subjectOf(rec), "go.shape.", "")}
}

// subjectOf returns the record's text without the package names that the
// compiler adds where it inlines.
func subjectOf(rec *Record) string {
	pkg := rec.Pos().Package
	if pkg == rec.Package {
		return rec.Subject
	}
	return unqualify(rec.Subject, pkg[strings.LastIndexByte(pkg, '/')+1:]+".")
}

var (
	// One generic function has a name for each instantiation.
	typeArguments = regexp.MustCompile(`\[.*\]`)
	// The number of a func literal, or of a go statement's wrapper, changes with
	// those before it.
	literalName = regexp.MustCompile(`\.(func|gowrap|deferwrap)[0-9]+.*$`)
)
