package fix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unheap/unheap/internal/run"
)

// repository makes a git repository with committed files.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "x"}} {
		if _, err := run.Output(run.Command(t.Context(), dir, nil, "git", args...)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestApply(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n", "b.go": "package a // b\n"})
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	change := map[string][]byte{a: []byte("package a // new\n"), b: []byte("package a // newer\n")}
	if err := os.Chmod(a, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := apply(t.Context(), dir, change, false); err != nil {
		t.Fatal(err)
	}
	if got := read(t, a) + read(t, b); got != "package a // new\npackage a // newer\n" {
		t.Errorf("files hold %q", got)
	}
	if info, err := os.Stat(a); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a.go is %v, %v", info.Mode(), err)
	}
	// Now both are dirty.
	again := map[string][]byte{a: []byte("package a // third\n")}
	err := apply(t.Context(), dir, again, false)
	if err == nil || !strings.Contains(err.Error(), "a.go has uncommitted changes") || !strings.Contains(err.Error(), "--force") {
		t.Errorf("dirty file: %v", err)
	}
	if got := read(t, a); got != "package a // new\n" {
		t.Errorf("a dirty file was written: %q", got)
	}
	if err := apply(t.Context(), dir, again, true); err != nil || read(t, a) != "package a // third\n" {
		t.Errorf("forced: %v", err)
	}
}

func TestApplyAllOrNothing(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "package a\n", "b.go": "package a // b\n"})
	a, b := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	change := map[string][]byte{a: []byte("package a // new\n"), b: []byte("package a // newer\n")}
	if err := os.Chmod(b, 0o444); err != nil {
		t.Fatal(err)
	}
	err := apply(t.Context(), dir, change, true)
	if err == nil || !strings.Contains(err.Error(), "b.go cannot be written") || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("read-only file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := os.Chmod(b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := apply(ctx, dir, change, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := read(t, a) + read(t, b); got != "package a\npackage a // b\n" {
		t.Errorf("files hold %q", got)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*unheap*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestApplyOutsideGit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	if err := os.WriteFile(name, []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	err := apply(t.Context(), dir, map[string][]byte{name: []byte("package b\n")}, false)
	if err == nil || !strings.Contains(err.Error(), "--force") || read(t, name) != "package a\n" {
		t.Errorf("err = %v", err)
	}
}
