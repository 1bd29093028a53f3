package run

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOutputError(t *testing.T) {
	cmd := Command(t.Context(), t.TempDir(), []string{"GREETING=hi"}, "sh", "-c", `echo "# example.com/p" >&2; echo "$GREETING there" >&2; exit 3`)
	_, err := Output(cmd)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("err = %v", err)
	}
	if got := e.FirstLine(); got != "hi there" {
		t.Errorf("first line = %q", got)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("exit error lost: %v", err)
	}
}

func TestErrorKeepsTheEnd(t *testing.T) {
	tl := &tail{max: 10}
	for range 100 {
		tl.Write([]byte("0123456789abc"))
	}
	if got := tl.String(); got != "3456789abc" {
		t.Errorf("tail = %q", got)
	}
	if len(tl.buf) > 40 {
		t.Errorf("tail holds %d bytes", len(tl.buf))
	}
}

// TestCancelKillsTheGroup starts a shell that starts a child of its own, and
// sees both gone when the context ends.
func TestCancelKillsTheGroup(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	cmd := Command(ctx, "", nil, "sh", "-c", "sleep 60 & echo $! > "+pidFile+".tmp; mv "+pidFile+".tmp "+pidFile+"; wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for pid == 0 {
		time.Sleep(10 * time.Millisecond)
		if data, err := os.ReadFile(pidFile); err == nil {
			for _, c := range strings.TrimSpace(string(data)) {
				pid = pid*10 + int(c-'0')
			}
		}
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("no error from a killed command")
	}
	for range 500 {
		// A killed child that nobody has waited for is a zombie: dead all the same.
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("grandchild %d outlived its group", pid)
}

func TestScratch(t *testing.T) {
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Fresh("x")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Fresh("x")
	if err != nil || a == b {
		t.Errorf("Fresh gave %q twice (%v)", a, err)
	}
	name, err := s.WriteOverlay(map[string][]byte{"/src/a.go": []byte("package a")})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(data), "/src/a.go") {
		t.Errorf("overlay = %q, %v", data, err)
	}
	if name, err := s.WriteOverlay(nil); name != "" || err != nil {
		t.Errorf("empty overlay = %q, %v", name, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("scratch directory is still there: %v", err)
	}
}

func TestCopyTree(t *testing.T) {
	src := t.TempDir()
	for _, dir := range []string{".git", "sub"} {
		if err := os.Mkdir(filepath.Join(src, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"a.go": 0o444, "run.sh": 0o755, "sub/b.go": 0o644, ".git/config": 0o644} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"inside": "sub/b.go", "outside": "../../etc/passwd", "sub/up": "../a.go"} {
		if err := os.Symlink(to, filepath.Join(src, link)); err != nil {
			t.Fatal(err)
		}
	}
	dst := filepath.Join(t.TempDir(), "copy")
	if err := CopyTree(dst, src); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a.go": true, "run.sh": true, "sub/b.go": true, "inside": true, "sub/up": true, "outside": false, ".git": false} {
		if _, err := os.Lstat(filepath.Join(dst, name)); (err == nil) != want {
			t.Errorf("%s copied: %v, want %v", name, err == nil, want)
		}
	}
	// The copy of a read-only file can be changed; an executable stays one.
	if info, err := os.Stat(filepath.Join(dst, "a.go")); err != nil || info.Mode().Perm()&0o200 == 0 {
		t.Errorf("a.go: %v %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dst, "run.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("run.sh: %v %v", info.Mode(), err)
	}
	if err := CopyTree(filepath.Join(t.TempDir(), "x"), filepath.Join(src, "none")); err == nil {
		t.Error("no error for a missing directory")
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"m.go":        "package m\n\nimport _ \"example.com/m/in\"\n",
		"m_test.go":   "package m_test\n",
		"in/in.go":    "package in\n",
		"tag/t.go":    "//go:build special\n\npackage tag\n",
		"broken/b.go": "package broken\n\nimport _ \"example.com/none\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g := &Go{Dir: dir, Env: []string{"GOWORK=off", "GOFLAGS="}}
	l, err := g.List(t.Context(), ".", "./in")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Matched, " "); got != "example.com/m example.com/m/in" && got != "example.com/m/in example.com/m" {
		t.Errorf("matched %s", got)
	}
	if got := strings.Join(l.Tested, " "); got != "example.com/m" {
		t.Errorf("tested %s", got)
	}
	if _, err := g.List(t.Context(), "./nothing"); err == nil {
		t.Error("no error for a package that is not there")
	}
	if _, err := g.List(t.Context(), "./tag"); err == nil {
		t.Error("no error for a package whose files are all excluded")
	}
	tagged := &Go{Dir: dir, Env: g.Env, Flags: []string{"-tags=special"}}
	if _, err := tagged.List(t.Context(), "./tag"); err != nil {
		t.Errorf("with its tag: %v", err)
	}
}
