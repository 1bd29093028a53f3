// Package compiler asks the Go compiler why values are on the heap.
//
// [Diagnose] builds packages once with escape diagnostics and reads both forms
// in which the compiler gives them: its JSON log, which alone has inlined call
// chains, and the text of -m=2, which has what the log lacks. A [Report] finds
// the records of a place, [Report.Explain] makes a readable reason of one,
// continuing in the functions that the value is passed to, and [Compare] tells
// which allocations a change to the source removed and which it added.
//
// What the records do not say: map growth, make(chan) and the growth of a
// string in a loop have none; growth of slices by append has none up to Go
// 1.24; and a value that "escapes" may still cost nothing, as a boxed constant
// does. Whether memory is allocated is for a profile to say.
package compiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// A Report holds what the compiler said of one build. It is safe for use by
// several goroutines.
type Report struct {
	goVersion string
	all       []*Record
	byLine    map[source.Pos][]*Record // by the innermost place, without column
	bySubject map[subjectKey][]*Record // Escape records by the compiled function's file
	leaks     map[source.Pos][]*Record // by the parameter's place
	leaking   map[source.Pos]string
	inlined   map[source.Pos]string
	devirtual map[source.Pos]bool
	warnings  []string

	decls declarations
}

type subjectKey struct{ pkg, file, subject string }

// Diagnose compiles the packages once with -m=2 and JSON diagnostics and reads
// both. build runs one go build or go test -c with the given -gcflags values
// (each "package=flags") and returns the compiler's standard error. tree must
// hold the packages, and should hold what they import.
//
// The external test package of a named package is included when build
// compiles it.
func Diagnose(ctx context.Context, scratch *run.Scratch, tree *source.Tree, pkgs []string, build func(ctx context.Context, gcflags []string) (stderr []byte, err error)) (*Report, error) {
	pkgs = buildable(tree, pkgs)
	// The compiler writes no JSON when the build cache answers for it; the
	// fresh directory's name makes the flags, and so the cache key, new.
	dir, err := scratch.Fresh("escape")
	if err != nil {
		return nil, err
	}
	// A directory a package, since every main package writes to "main".
	dirs := make([]string, len(pkgs))
	gcflags := make([]string, len(pkgs))
	for i, pkg := range pkgs {
		dirs[i] = filepath.Join(dir, fmt.Sprint(i))
		dest := url.URL{Scheme: "file", Path: dirs[i]}
		gcflags[i] = fmt.Sprintf("%s=-m=2 -json=0,%s", pkg, dest.String())
	}
	stderr, err := build(ctx, gcflags)
	if err != nil {
		return nil, fmt.Errorf("compile with escape diagnostics: %w", err)
	}

	b := newBuilder(tree)
	b.asked = pkgs
	for i, pkg := range pkgs {
		if err := b.readDir(ctx, dirs[i], pkg); err != nil {
			return nil, err
		}
	}
	if err := b.readText(stderr); err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		if !b.seen[pkg] && !b.text.sections[pkg] {
			b.warnf("the compiler said nothing about package %s: the build does not depend on it, or it has no functions", pkg)
		}
	}
	// The log can be large, and scratch directories live as long as the run.
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	return b.report(), nil
}

// buildable returns the packages without doubles and without external test
// packages, whose flags are those of the package they test.
func buildable(tree *source.Tree, pkgs []string) []string {
	var out []string
	for _, pkg := range pkgs {
		if under, ok := strings.CutSuffix(pkg, "_test"); ok {
			x, p := tree.Package(pkg), tree.Package(under)
			if p != nil && (x == nil || x.Dir == p.Dir) {
				pkg = under
			}
		}
		if !slices.Contains(out, pkg) {
			out = append(out, pkg)
		}
	}
	return out
}

// Warnings returns what qualifies the report as a whole.
func (r *Report) Warnings() []string { return r.warnings }

// Records returns all records, in order of place.
func (r *Report) Records() []*Record { return r.all }

// At returns the records whose full inline chain of lines equals chain,
// outermost call site first and the allocating line last; columns are ignored.
// They come de-duplicated, in column order. Where the chain has no record, but
// the compiler's log was lost for its file, records of the outermost line that
// may have a longer chain are returned; they are marked Partial.
func (r *Report) At(chain []source.Pos) []*Record {
	if len(chain) == 0 {
		return nil
	}
	var out, partial []*Record
	for _, rec := range r.byLine[chain[len(chain)-1].AtLine()] {
		if sameLines(rec.Chain, chain) {
			out = append(out, rec)
		}
	}
	if len(out) > 0 || len(chain) == 1 {
		return out
	}
	for _, rec := range r.byLine[chain[0].AtLine()] {
		if rec.Partial {
			partial = append(partial, rec)
		}
	}
	return partial
}

// AtLine returns the records whose innermost place is on the line, whatever
// their chain.
func (r *Report) AtLine(p source.Pos) []*Record { return slices.Clone(r.byLine[p.AtLine()]) }

// builder collects the parts of a report.
type builder struct {
	tree     *source.Tree
	paths    *paths
	json     *jsonReader
	text     *text
	files    map[source.Pos]bool // that the log covers
	seen     map[string]bool     // packages that the log covers
	asked    []string            // packages whose lost files are worth a warning
	hash     maphash.Seed
	known    map[recordKey]*Record
	r        *Report
	warnings []string
}

type recordKey struct {
	code    Code
	pos     source.Pos // innermost
	subject string
	rest    uint64 // hash of the chain and the flow
}

func newBuilder(tree *source.Tree) *builder {
	p := newPaths(tree)
	return &builder{
		tree: tree, paths: p, json: newJSONReader(p),
		files: make(map[source.Pos]bool),
		seen:  make(map[string]bool),
		hash:  maphash.MakeSeed(),
		known: make(map[recordKey]*Record),
		r:     new(Report),
	}
}

func (b *builder) warnf(format string, args ...any) {
	b.warnings = append(b.warnings, fmt.Sprintf(format, args...))
}

// readDir reads the log of one package.
func (b *builder) readDir(ctx context.Context, dir, pkg string) error {
	bad := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == dir:
			return fs.SkipAll // nothing was compiled
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.Type().IsRegular() || filepath.Ext(name) != ".json":
			return nil
		}
		n, err := b.readFile(name, pkg)
		if err != nil {
			b.warnf("package %s, %s: %v", pkg, d.Name(), err)
		}
		bad += n
		return nil
	})
	if bad > 0 {
		b.warnf("package %s: %d lines of the compiler's log could not be read: reasons of that file may lack inlined calls", pkg, bad)
	}
	return err
}

func (b *builder) readFile(name, pkg string) (bad int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	f, err := b.json.read(file, pkg)
	if f == nil {
		return 0, err
	}
	b.addFile(f)
	return f.bad, err
}

func (b *builder) addFile(f *jsonFile) {
	// Of a damaged file the text supplies the rest.
	b.files[f.own] = f.bad == 0
	b.seen[f.header.Package] = true
	b.r.goVersion = f.header.GcVersion
	for _, rec := range f.records {
		b.add(rec)
	}
}

// add adds a record unless an equal one is known: instantiations of one
// generic function, and packages that inline it, repeat them. What the
// compiler or the go command generates is left out: wrappers of methods, which
// stacks do not show, and the main package of tests.
func (b *builder) add(rec *Record) {
	if generated(rec.Outer().File) || rec.ofWrapper() {
		return
	}
	var h maphash.Hash
	h.SetSeed(b.hash)
	for _, p := range rec.Chain {
		maphash.WriteComparable(&h, p)
	}
	maphash.WriteComparable(&h, rec.Target)
	for i := range rec.Flow {
		f := &rec.Flow[i]
		h.WriteString(f.Dst)
		h.WriteString(f.Src)
		for j := range f.Notes {
			h.WriteString(f.Notes[j].What)
			h.WriteString(f.Notes[j].Why)
		}
	}
	key := recordKey{rec.Code, rec.Pos(), rec.Subject, h.Sum64()}
	if b.known[key] == nil {
		b.known[key] = rec
		b.r.all = append(b.r.all, rec)
	}
}

// ofWrapper reports whether the record is about a parameter of a wrapper that
// the compiler generates for a method. Those for the methods of interfaces do
// not count: they tell a call through an interface.
func (r *Record) ofWrapper() bool {
	if r.Code != Leak || len(r.Flow) == 0 || throughInterface(r) {
		return false
	}
	return strings.HasPrefix(last(r.Flow[len(r.Flow)-1].At).File, "<")
}

func generated(file string) bool { return strings.HasPrefix(file, "<") || file == "_testmain.go" }

// readText joins the compiler's text to what the log gave.
func (b *builder) readText(stderr []byte) error {
	t, err := readText(bytes.NewReader(stderr), b.paths)
	if err != nil {
		return err
	}
	b.text = t
	if t.skipped > 0 || len(stderr) > maxFile {
		b.warnf("the compiler's text was too long to read in full: some records may be missing")
	}

	type funcKey struct {
		code            Code
		pos             source.Pos
		subject, target string
	}
	funcs := make(map[funcKey]string)
	lost := make(map[source.Pos]bool)
	for _, rec := range t.records {
		if rec.ofWrapper() {
			continue
		}
		funcs[funcKey{rec.Code, rec.Outer(), rec.Subject, rec.Target}] = rec.Func
		file := source.Pos{Package: rec.Outer().Package, File: rec.Outer().File}
		if !b.files[file] && !generated(file.File) {
			lost[file] = slices.Contains(b.asked, file.Package)
			b.add(rec)
		}
	}
	for _, rec := range b.r.all {
		if rec.Func == "" {
			rec.Func = funcs[funcKey{rec.Code, rec.Outer(), rec.Subject, rec.Target}]
		}
	}
	var names []string
	for p, asked := range lost {
		if asked {
			names = append(names, p.Package+"/"+p.File)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		b.warnf("the compiler's log of %s is damaged, or overwritten by a file of the same name: reasons come from its text, without inlined calls", strings.Join(names, ", "))
	}
	for _, rec := range t.stays {
		rec.ZeroCopy = rec.Kind == finding.KindBytes && t.zeroCopy[rec.Outer()]
		b.add(rec)
	}
	return nil
}

// report sorts and indexes what was read.
func (b *builder) report() *Report {
	r := b.r
	r.warnings = b.warnings
	r.leaking, r.inlined, r.devirtual = b.text.leaking, b.text.inlined, b.text.devirtual
	slices.SortStableFunc(r.all, compareRecords)
	r.byLine = make(map[source.Pos][]*Record, len(r.all))
	r.bySubject = make(map[subjectKey][]*Record, len(r.all))
	r.leaks = make(map[source.Pos][]*Record)
	for _, rec := range r.all {
		line := rec.Pos().AtLine()
		r.byLine[line] = append(r.byLine[line], rec)
		switch rec.Code {
		case Escape:
			key := subjectKey{rec.Outer().Package, rec.Outer().File, rec.Subject}
			r.bySubject[key] = append(r.bySubject[key], rec)
		case Leak:
			r.leaks[rec.Pos()] = append(r.leaks[rec.Pos()], rec)
		}
	}
	r.markBoxes()
	return r
}

// markBoxes tells an allocation from the box that it is put into, as in
// any(string(b)): the compiler prints both with the same text, and only the
// flow from one to the other tells them apart.
func (r *Report) markBoxes() {
	inBox := func(rec *Record) bool {
		return rec.Code == Escape && len(rec.Flow) > 0 && rec.Flow[0].Dst == storage+rec.Subject+"}"
	}
	for _, rec := range r.all {
		if !inBox(rec) {
			continue
		}
		for _, box := range r.byLine[rec.Pos().AtLine()] {
			if box.Code == Escape && box.Subject == rec.Subject && !inBox(box) && sameLines(box.Chain, rec.Chain) {
				box.Kind = finding.KindBox
			}
		}
	}
}
