package fix

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/tools/cover"

	"github.com/unheap/unheap/internal/run"
	"github.com/unheap/unheap/internal/source"
)

// A suite runs a module's tests on changed sources, with coverage.
//
// It works on a copy of the module: go test -cover with an overlay silently
// runs the original files (go.dev/issue/73802).
type suite struct {
	g    *run.Go // in the copy
	root string  // of the original module or workspace
	copy string  // its copy
	// importers holds, for each package of the main modules, the packages of
	// those modules that import it, directly or not, tests included.
	importers map[string][]string
	changed   []string // files of the copy that differ from the original
}

// maxCopy bounds the size of a module that is copied for its tests.
const maxCopy = 2 << 30

// newSuite copies the module (the workspace, if there is one).
func newSuite(ctx context.Context, g *run.Go, scratch *run.Scratch, root string) (*suite, error) {
	vars, err := g.Variables(ctx, "GOWORK")
	if err != nil {
		return nil, err
	}
	if work := vars["GOWORK"]; work != "" && work != "off" {
		root = filepath.Dir(work)
	}
	if size, err := treeSize(root); err != nil {
		return nil, err
	} else if size > maxCopy {
		return nil, fmt.Errorf("%s is larger than %d GiB: too large to copy for the tests", root, maxCopy>>30)
	}
	dir, err := scratch.Fresh("copy")
	if err != nil {
		return nil, err
	}
	to := filepath.Join(dir, filepath.Base(root))
	if err := run.CopyTree(to, root); err != nil {
		return nil, fmt.Errorf("copying %s for its tests: %w", root, err)
	}
	rel, err := filepath.Rel(root, g.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("%s lies outside %s", g.Dir, root)
	}
	s := &suite{root: root, copy: to, g: &run.Go{Dir: filepath.Join(to, rel), Env: g.Env, Flags: g.Flags}}
	// Which packages import which needs the whole of the main modules, not
	// only what the user's patterns reach.
	modules, err := s.g.MainModules(ctx)
	if err != nil {
		return nil, fmt.Errorf("the module cannot be tested outside its directory: %w", err)
	}
	for i := range modules {
		modules[i] = filepath.Join(modules[i], "...")
	}
	listing, err := s.g.List(ctx, modules...)
	if err != nil {
		return nil, fmt.Errorf("the module cannot be tested outside its directory: %w", err)
	}
	s.importers = importers(listing)
	return s, nil
}

func treeSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		return nil
	})
	return size, err
}

// importers returns the transitive reverse imports among main-module packages.
func importers(l *run.Listing) map[string][]string {
	direct := make(map[string][]string)
	for _, p := range l.Packages {
		for _, imp := range p.Imports {
			if p.Main {
				direct[imp] = append(direct[imp], strings.TrimSuffix(p.Path, "_test"))
			}
		}
	}
	out := make(map[string][]string)
	for _, p := range l.Packages {
		if !p.Main {
			continue
		}
		seen := map[string]bool{p.Path: true}
		queue := []string{p.Path}
		for len(queue) > 0 {
			for _, q := range direct[queue[0]] {
				if !seen[q] {
					seen[q] = true
					queue = append(queue, q)
				}
			}
			queue = queue[1:]
		}
		delete(seen, p.Path)
		for q := range seen {
			out[p.Path] = append(out[p.Path], q)
		}
		slices.Sort(out[p.Path])
	}
	return out
}

// inCopy returns the name in the copy of a file of the original.
func (s *suite) inCopy(name string) (string, error) {
	rel, err := filepath.Rel(s.root, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s lies outside %s", name, s.root)
	}
	return filepath.Join(s.copy, rel), nil
}

// set makes the copy hold the given contents, and the original's elsewhere.
func (s *suite) set(contents map[string][]byte) error {
	for _, name := range s.changed {
		to, err := s.inCopy(name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	s.changed = s.changed[:0]
	for name, data := range contents {
		to, err := s.inCopy(name)
		if err != nil {
			return err
		}
		s.changed = append(s.changed, name)
		if err := os.WriteFile(to, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A testRun is the outcome of one run of tests.
type testRun struct {
	packages []string         // those with tests, which passed
	covered  []*cover.Profile // of the packages asked for
}

// errTests is a test that does not pass.
type errTests struct{ failed string }

func (e *errTests) Error() string { return e.failed }

// run runs the tests of the packages and of all that import them in the
// module, and measures the coverage of the packages. A failing test is an
// [*errTests].
func (s *suite) run(ctx context.Context, scratch *run.Scratch, packages []string) (*testRun, error) {
	all := slices.Clone(packages)
	for _, p := range packages {
		all = append(all, s.importers[p]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	dir, err := scratch.Fresh("cover")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "profile")
	args := append([]string{"test", "-count=1", "-vet=off", "-timeout=10m",
		"-coverpkg=" + strings.Join(packages, ","), "-coverprofile=" + file}, s.g.Flags...)
	out, stderr, err := run.Combined(s.g.Command(ctx, append(args, all...)...))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &errTests{failure(out, stderr, err)}
	}
	t := new(testRun)
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "ok" {
			t.packages = append(t.packages, fields[1])
		}
	}
	if t.covered, err = readCoverage(file); err != nil {
		return nil, err
	}
	return t, nil
}

// readCoverage reads a coverage profile. Code that was generated with line
// directives is counted under the names of its sources, several blocks at one
// place; it is left out, since it is none that a fix changes.
func readCoverage(name string) ([]*cover.Profile, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // no package had tests
	}
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(data) {
		file, _, _ := bytes.Cut(line, []byte(":"))
		if bytes.HasSuffix(file, []byte(".go")) || string(file) == "mode" {
			kept.Write(line)
		}
	}
	profiles, err := cover.ParseProfilesFromReader(&kept)
	if err != nil {
		return nil, fmt.Errorf("reading coverage: %w", err)
	}
	return profiles, nil
}

// failure returns the line of a test run that says what failed.
func failure(stdout, stderr []byte, err error) string {
	var first string
	sc := bufio.NewScanner(bytes.NewReader(slices.Concat(stdout, []byte("\n"), stderr)))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		switch {
		case strings.HasPrefix(line, "--- FAIL:"):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "--- FAIL: "), " ")
			return name + " fails"
		case strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "fatal error:"):
			return line
		case first == "" && strings.HasPrefix(line, "FAIL"):
			first = line
		case first == "" && strings.Contains(line, ".go:"):
			first = line
		}
	}
	if first != "" {
		return first
	}
	return err.Error()
}

// uncovered returns the lines that changed between two states of the sources
// and hold statements which no test ran, as "file:line". Files that before does
// not hold are as they are on disk.
func (t *testRun) uncovered(tree *source.Tree, before, after map[string][]byte) []string {
	var out []string
	for name, data := range after {
		old, ok := before[name]
		if !ok {
			var err error
			if old, err = os.ReadFile(name); err != nil {
				return []string{name} // gone: nothing is known of it
			}
		}
		lines := changedLines(old, data)
		pos := tree.Canonical(name, "", 0, 0)
		path := pos.Package + "/" + pos.File
		for _, p := range t.covered {
			if p.FileName != path {
				continue
			}
			for _, b := range p.Blocks {
				if b.Count > 0 || b.NumStmt == 0 {
					continue
				}
				for n := b.StartLine; n <= b.EndLine; n++ {
					// A block starts behind the brace that opens it and ends
					// before the one that closes it.
					if lines[n] && !onlyBrace(data, n) && !(n == b.StartLine && opensBlock(data, b)) {
						out = append(out, fmt.Sprintf("%s:%d", tree.Rel(pos), n))
						break
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// changedLines returns the numbers of the lines of the new content that are not
// in the old: new, or moved to another depth.
func changedLines(old, content []byte) map[int]bool {
	changed := make(map[int]bool)
	line, at := 1, 0
	for _, e := range udiff.Lines(string(old), string(content)) {
		line += bytes.Count(old[at:e.Start], []byte("\n"))
		at = e.End
		for range strings.Lines(e.New) {
			changed[line] = true
			line++
		}
	}
	return changed
}

func lineText(data []byte, n int) string {
	for line := range bytes.Lines(data) {
		if n--; n == 0 {
			return strings.TrimSpace(string(line))
		}
	}
	return ""
}

func onlyBrace(data []byte, n int) bool {
	text := lineText(data, n)
	return text == "" || strings.Trim(text, "{}()") == "" || strings.HasPrefix(text, "//")
}

// opensBlock reports whether the block's first line holds only what leads up
// to its opening brace.
func opensBlock(data []byte, b cover.ProfileBlock) bool {
	return strings.HasSuffix(lineText(data, b.StartLine), "{")
}
