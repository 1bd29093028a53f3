package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"unheap": main})
}

func TestScripts(t *testing.T) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		t.Fatal(err)
	}
	var dirs map[string]string
	if err := json.Unmarshal(out, &dirs); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			for name, dir := range dirs {
				env.Setenv(name, dir)
			}
			env.Setenv("GOFLAGS", "-buildvcs=false")
			env.Setenv("GOWORK", "off")
			env.Setenv("GOTRACEBACK", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"waitfor": waitFor,
		},
	})
}

// exits runs a command that must end with the given exit code: exits 2 unheap ...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// waitFor waits until a file exists: waitfor FILE.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not appear", args[0])
		}
	}
}

func TestPanicBecomesOneLine(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	root := &cobra.Command{Use: "unheap", RunE: func(*cobra.Command, []string) error { panic("no\x1b[2J sense\nat all") }}
	root.SetArgs(nil)
	var stderr strings.Builder
	if code := execute(context.Background(), root, &stderr); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	got := stderr.String()
	for _, want := range []string{`internal error: no\x1b[2J sense at all;`, "please report it", version(), issues} {
		if !strings.Contains(got, want) {
			t.Errorf("message %q lacks %q", got, want)
		}
	}
	if strings.Count(got, "\n") != 1 || strings.Contains(got, "goroutine") {
		t.Errorf("message is not one line: %q", got)
	}
}

func TestScreen(t *testing.T) {
	// A file is no terminal, whatever the environment says.
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s := screen(f, func(string) string { return "xterm" }); s.Colour || s.Lines != pipeLines || s.Width != 0 {
		t.Errorf("screen of a file = %+v", s)
	}
}
