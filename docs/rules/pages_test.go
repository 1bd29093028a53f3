package rules_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/txtar"

	pages "github.com/unheap/unheap/docs/rules"
	"github.com/unheap/unheap/rules"
)

var update = flag.Bool("update", false, "write the pages anew")

// TestPages makes every page from its rule and fails if the file differs.
func TestPages(t *testing.T) {
	made := map[string]string{}
	index := "# Rules\n\nThe allocation idioms that unheap knows, in the order in which their fixes are tried.\n\n| rule | fix | idiom |\n|---|---|---|\n"
	for _, rule := range rules.All() {
		classes := classesOf(t, rule)
		page, err := render(rule, classes)
		if err != nil {
			t.Errorf("rule %s: %v", rule.Name, err)
			continue
		}
		made[rule.Name+".md"] = page
		index += fmt.Sprintf("| [%s](%[1]s.md) | %s | %s |\n", rule.Name, classes, titleOf(rule))
	}
	made["README.md"] = index
	have, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range have {
		if _, ok := made[name]; ok {
			continue
		}
		if *update {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Errorf("%s documents no rule: go test ./docs/rules -update removes it", name)
		}
	}
	for name, page := range made {
		if *update {
			if err := os.WriteFile(name, []byte(page), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("rule has no page: go test ./docs/rules -update writes it: %v", err)
		} else if d := diff.Diff(name, got, "from the rules", []byte(page)); d != nil {
			t.Errorf("page is stale: go test ./docs/rules -update writes it anew:\n%s", d)
		}
	}
}

// TestRead holds the embedded pages to what the command needs of them.
func TestRead(t *testing.T) {
	if *update {
		t.Skip("this test's program holds the pages as they were before the update")
	}
	for _, rule := range rules.All() {
		p, err := pages.Read(rule.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Classes == "" || !strings.HasPrefix(p.Text, "# "+rule.Name+"\n") {
			t.Errorf("page of %s: classes %q, text begins %.40q", rule.Name, p.Classes, p.Text)
		}
	}
	for _, name := range []string{"nosuchrule", "../pages", "README"} {
		if p, err := pages.Read(name); err == nil {
			t.Errorf("Read(%q) = %.40q, want an error", name, p.Text)
		}
	}
}

func titleOf(rule rules.Rule) string {
	title, _, _ := strings.Cut(rule.Doc, "\n")
	return strings.TrimSpace(title)
}

// classesOf runs the rule over its fixture and returns the classes of its
// reports, surest first.
func classesOf(t *testing.T, rule rules.Rule) string {
	t.Helper()
	found := map[string]bool{}
	data, err := filepath.Abs(filepath.Join("..", "..", "rules", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range analysistest.Run(unjudged{}, data, rule.Analyzer, rule.Name+"/...") {
		for _, d := range result.Action.Diagnostics {
			found[d.Category] = true
		}
	}
	var classes []string
	for _, c := range []string{rules.Safe, rules.Review, rules.None} {
		if found[c] {
			classes = append(classes, c)
		}
	}
	return strings.Join(classes, ", ")
}

// unjudged ignores where a rule misses its fixture's expectations: that is
// for the tests of package rules to report.
type unjudged struct{}

func (unjudged) Errorf(string, ...any) {}

// render makes the page of one rule.
func render(rule rules.Rule, classes string) (string, error) {
	title, body, _ := strings.Cut(strings.TrimSpace(rule.Doc), "\n")
	change, err := example(filepath.Join("..", "..", "rules", "testdata", "src", rule.Name))
	if err != nil {
		return "", err
	}
	page := fmt.Sprintf("# %s\n\n%s\n\nFix: %s\n\n%s\n", rule.Name, strings.TrimSpace(title), classes, strings.TrimSpace(body))
	if change != "" {
		page += "\n## Before and after\n\n```diff\n" + change + "```\n"
	}
	return page, nil
}

// want matches the comments by which a fixture says what is to be reported.
var want = regexp.MustCompile(`(?m)[ \t]*// want .*$`)

// maxExample is the number of lines of a fixture's diff that a page shows:
// the first cases of a fixture are the plain ones.
const maxExample = 60

// example returns the difference that a rule makes to the first files of its
// fixture, without want comments; empty for a rule that rewrites nothing.
func example(dir string) (string, error) {
	goldens, err := filepath.Glob(filepath.Join(dir, "*.go.golden"))
	if err != nil {
		return "", err
	}
	// The file that carries the rule's name comes first.
	main := filepath.Join(dir, filepath.Base(dir)+".go.golden")
	if i := slices.Index(goldens, main); i > 0 {
		goldens = slices.Insert(slices.Delete(goldens, i, i+1), 0, main)
	}
	for _, golden := range goldens {
		before, err := os.ReadFile(strings.TrimSuffix(golden, ".golden"))
		if err != nil {
			return "", err
		}
		archive, err := txtar.ParseFile(golden)
		if err != nil {
			return "", err
		}
		after := archive.Comment
		if len(archive.Files) > 0 {
			after = archive.Files[0].Data // the preferred fix
		}
		name := filepath.Base(strings.TrimSuffix(golden, ".golden"))
		if d := diff.Diff("a/"+name, want.ReplaceAll(before, nil), "b/"+name, want.ReplaceAll(after, nil)); d != nil {
			return firstHunks(d)
		}
	}
	return "", nil
}

// firstHunks returns the hunks of a unified diff that begin within its first
// maxExample lines.
func firstHunks(d []byte) (string, error) {
	at := bytes.Index(d, []byte("\n@@ "))
	if at < 0 {
		return "", errors.New("fixture's diff has no hunk")
	}
	d = d[at+1:]
	end, lines := 0, 0
	for line := range bytes.Lines(d) {
		if bytes.HasPrefix(line, []byte("@@ ")) && lines >= maxExample {
			break
		}
		lines++
		end += len(line)
	}
	return string(d[:end]), nil
}
