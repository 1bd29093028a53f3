package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/diagnose"
)

// TestGuardBehindUnexportedLevel fixes calls of loggers whose level callers
// cannot read: the method to ask is added to the logger's package.
func TestGuardBehindUnexportedLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures")
	}
	dir := module(t, map[string]string{
		"join.go": `package join

import "example.com/join/log"

// Sum adds and tells the log.
func Sum(l *log.Logger, a, b int) int {
	log.Debugf(l, "a=%d b=%d", a, b)
	log.Infof(l, "sum=%d", a+b)
	return a + b
}
`,
		"join_test.go": `package join

import (
	"testing"

	"example.com/join/log"
)

func TestSum(t *testing.T) {
	l := log.New(log.Debug)
	if Sum(l, 1000, 2000) != 3000 || l.Text() != "a=1000 b=2000\nsum=3000\n" {
		t.Errorf("%q", l.Text())
	}
}

func BenchmarkSum(b *testing.B) {
	l := log.New(log.Error)
	for i := range b.N {
		if Sum(l, 1000+i, 2000) < 0 {
			b.Fatal("negative")
		}
	}
}
`})
	logger := filepath.Join(dir, "log", "log.go")
	if err := os.Mkdir(filepath.Dir(logger), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logger, []byte(`// Package log keeps messages.
package log

import "fmt"

type Level int

const (
	Debug Level = iota
	Info
	Error
)

type Logger struct {
	level Level
	kept  []any
	text  string
}

func New(level Level) *Logger { return &Logger{level: level} }

func (l *Logger) Text() string { return l.text }

func (l *Logger) keep(format string, args []any) {
	l.kept = args
	l.text += fmt.Sprintf(format, args...) + "\n"
}

func Debugf(l *Logger, format string, args ...any) {
	if l.level <= Debug {
		l.keep(format, args)
	}
}

func Infof(l *Logger, format string, args ...any) {
	if l.level <= Info {
		l.keep(format, args)
	}
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	doc, err := Run(t.Context(), Options{Options: diagnose.Options{Dir: dir}, Rounds: 6, Review: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Findings {
		if f.Verdict.Status != finding.Accepted {
			t.Errorf("%s:%d: %+v", f.Site.File, f.Site.Line, f.Verdict)
		}
	}
	for _, want := range []string{
		"+func (x *Logger) Enabled(level Level) bool { return x.level <= level }",
		"+\tif l.Enabled(Debug) {",
		"+\tif l.Enabled(Info) {",
		"+\tif l.Enabled(log.Debug) {",
		"+\tif l.Enabled(log.Info) {",
	} {
		if strings.Count(doc.Combined, want+"\n") != 1 {
			t.Errorf("the patch does not hold this once: %s", want)
		}
	}
	if o := doc.Target.Benchmarks[0].Outcome; o == nil || o.After.AllocsPerOp != 0 {
		t.Errorf("outcome %+v\n%s", o, doc.Combined)
	}
}
