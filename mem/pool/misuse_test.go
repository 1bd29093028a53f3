package pool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const misuseSource = "testdata/misuse/main.go"

// A build is one way to build the program in testdata/misuse.
type build struct {
	flags []string
	env   []string // for the build and the run
	kind  string   // which of the marked lines a report names besides the common ones
}

var (
	release = build{env: []string{"CGO_ENABLED=0"}}
	debug   = build{flags: []string{"-tags=unheapdebug"}, env: []string{"GOMAXPROCS=1"}, kind: "debug"}
	// Without DWARF, as go test builds: the sanitizer itself then knows no
	// lines.
	asan = build{flags: []string{"-asan", "-ldflags=-s -w"}, env: []string{"CGO_ENABLED=1", "GOMAXPROCS=2"}, kind: "asan"}
)

// reports are the cases that a debug build catches, and how the report begins.
var reports = map[string]string{
	"double-buffer":   "pool: double Put",
	"double-object":   "pool: double Put",
	"double-dropped":  "pool: double Put",
	"foreign-buffer":  "pool: foreign Put",
	"foreign-object":  "pool: foreign Put",
	"stranger-buffer": "pool: foreign Put",
	"stranger-object": "pool: foreign Put",
	"write-then-get":  "pool: use after Put",
	"write-object":    "pool: use after Put",
}

// asanReports are the cases that take the address sanitizer.
var asanReports = []string{
	"read-buffer", "write-buffer", "read-header", "read-object", "read-dropped", "read-after-cycles",
}

func TestMisuseInDebugBuild(t *testing.T) {
	program := debug.compile(t)
	debug.accepts(t, program, "correct")
	for name, want := range reports {
		t.Run(name, func(t *testing.T) { debug.reports(t, program, name, want) })
	}
}

func TestMisuseUnderAddressSanitizer(t *testing.T) {
	program := asan.compile(t)
	asan.accepts(t, program, "correct")
	for name, want := range reports {
		t.Run(name, func(t *testing.T) { asan.reports(t, program, name, want) })
	}
	for _, name := range asanReports {
		t.Run(name, func(t *testing.T) { asan.reports(t, program, name, "pool: use after Put") })
	}
}

// TestFaultWithOneProcessor checks that the program ends where nothing can
// tell the lines: the faulting thread does not give up its processor.
func TestFaultWithOneProcessor(t *testing.T) {
	program := asan.compile(t)
	out, err := build{env: []string{"GOMAXPROCS=1"}}.run(t, program, "read-object")
	if err == nil || !strings.Contains(out, "AddressSanitizer: use-after-poison") {
		t.Errorf("with one processor, the program ended with %v and printed\n%s", err, out)
	}
}

// TestUnderChecks runs the package's other tests in the builds that check.
func TestUnderChecks(t *testing.T) {
	for _, b := range []build{debug, asan} {
		t.Run(b.kind, func(t *testing.T) {
			b.compile(t) // skips where there is no such build
			cmd := exec.Command("go", append(append([]string{"test", "-short"}, b.flags...), ".")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestReleaseBuild checks that an ordinary build has neither checks nor cgo.
func TestReleaseBuild(t *testing.T) {
	program := release.compile(t)
	release.accepts(t, program, "correct")
	for name := range reports {
		release.accepts(t, program, name)
	}
}

func TestReleaseGuardIsEmpty(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .GoFiles " "}} {{.CgoFiles}}`, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if got, want := strings.TrimSpace(string(out)), "bytes.go checks_off.go doc.go pool.go stats.go []"; got != want {
		t.Errorf("an ordinary build compiles %s, want %s", got, want)
	}
}

// compile builds the program and skips the test where the build cannot be had.
func (b build) compile(t *testing.T) (program string) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: builds a program")
	}
	program = filepath.Join(t.TempDir(), "misuse")
	cmd := exec.Command("go", append(append([]string{"build", "-o", program}, b.flags...), "./testdata/misuse")...)
	cmd.Env = append(os.Environ(), b.env...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return program
	}
	if b.kind == asan.kind && noSanitizer.Match(out) {
		t.Skipf("the address sanitizer needs Linux, cgo and a C compiler with libasan:\n%s", out)
	}
	t.Fatalf("go build: %v\n%s", err, out)
	return ""
}

// noSanitizer matches what go build -asan says where there is none.
var noSanitizer = regexp.MustCompile(`-asan (is not supported|requires cgo)|C compiler .* not found|cannot find -lasan|asan_interface\.h|not supported with`)

// run returns what the program prints in one of its cases.
func (b build) run(t *testing.T, program, name string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, name)
	cmd.Env = append(os.Environ(), b.env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("case %s hangs; it printed\n%s", name, out)
	}
	return string(out), err
}

// accepts checks that the program ends well.
func (b build) accepts(t *testing.T, program, name string) {
	t.Helper()
	if out, err := b.run(t, program, name); err != nil || !strings.HasPrefix(out, "finished") {
		t.Errorf("case %s: %v; it printed\n%s", name, err, out)
	}
}

// reports checks that the program fails with a report that begins with want
// and names every line marked for the case.
func (b build) reports(t *testing.T, program, name, want string) {
	t.Helper()
	out, err := b.run(t, program, name)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Errorf("the program ended with %v, want a failure", err)
	}
	_, report, ok := strings.Cut(out, want)
	if !ok {
		t.Fatalf("no %q in\n%s", want, out)
	}
	// Only the report counts, not the trace of the panic that follows it.
	report, _, _ = strings.Cut(report, "goroutine ")
	lines := b.marked(t, name)
	if len(lines) == 0 {
		t.Fatalf("no line of %s is marked <%s> or <%s %s>", misuseSource, name, name, b.kind)
	}
	for _, line := range lines {
		if at := fmt.Sprintf("misuse/main.go:%d\n", line); !strings.Contains(report, at) {
			t.Errorf("the report does not name line %d:\n%s", line, report)
		}
	}
}

// marked returns the lines of the program that are marked for the case.
func (b build) marked(t *testing.T, name string) (lines []int) {
	t.Helper()
	text, err := os.ReadFile(misuseSource)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// <"+name+">") || strings.HasSuffix(line, "// <"+name+" "+b.kind+">") {
			lines = append(lines, i+1)
		}
	}
	return lines
}
