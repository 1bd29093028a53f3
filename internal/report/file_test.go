package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unheap/unheap/finding"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report.txt")
	write := func(text string, err error) error {
		return WriteFile(name, func(w io.Writer) error {
			io.WriteString(w, text)
			return err
		})
	}
	if err := write("first", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write("half", errors.New("broke off")); err == nil || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("error = %v, want the renderer's", err)
	}
	if err := write("second", nil); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(name); string(data) != "second" {
		t.Errorf("file holds %q", data)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
		t.Errorf("permissions became %v", info.Mode())
	}
	if err := Writable(name); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "x")} {
		if err := Writable(bad); err == nil {
			t.Errorf("Writable(%s) = nil", bad)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestPatches(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "patches")
	d := document()
	d.Findings[0].Fixes[0].Rule = "../../evil rule"
	d.Findings = append(d.Findings, d.Findings[1]) // one fix for two findings
	names, err := Patches(dir, d)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"01-evilrule-3f1c9a52b7e0.patch", "02-sprintint-a1b2c3d4e5f6.patch", "combined.patch"}
	if !slices.Equal(names, want) {
		t.Errorf("names = %q, want %q", names, want)
	}
	for i, text := range []string{d.Findings[0].Fixes[0].Diff, d.Findings[1].Fixes[0].Diff, d.Combined} {
		if data, err := os.ReadFile(filepath.Join(dir, want[i])); err != nil || string(data) != text {
			t.Errorf("%s holds %q, %v", want[i], data, err)
		}
	}

	none := filepath.Join(t.TempDir(), "none")
	if names, err := Patches(none, &finding.Document{}); err != nil || len(names) > 0 {
		t.Errorf("Patches of nothing = %q, %v", names, err)
	}
	if _, err := os.Stat(none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory was made for no patches: %v", err)
	}
}

func TestProgressLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := NewProgressLine(&out, 20)
		time.Sleep(2 * interval)
		p.Update("running\x1b[2J benchmarks", 3, 12)
		time.Sleep(interval + 3*time.Second)
		p.Close()
		p.Update("late", 0, 0)
		lines := strings.Split(out.String(), eraseLine)
		if first := lines[1]; first != `running\x1b[2J ben…` {
			t.Errorf("first line = %q", first)
		}
		if last := lines[len(lines)-1]; last != "" {
			t.Errorf("Close leaves %q", last)
		}
	})
	p := &ProgressLine{}
	p.Update("trying guardlog", 3, 12)
	if got, want := p.text(83*time.Second+400*time.Millisecond), "trying guardlog 3/12  1m23s"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
	// Nothing is shown, so nothing erased, before the first word.
	var quiet strings.Builder
	NewProgressLine(&quiet, 80).Close()
	if quiet.Len() > 0 {
		t.Errorf("a line without progress wrote %q", quiet.String())
	}
}
