package source

import (
	"os"
	"path/filepath"
	"testing"
)

func tree(t *testing.T) (*Tree, string) {
	t.Helper()
	dir := t.TempDir()
	app := filepath.Join(dir, "app")
	if err := os.MkdirAll(filepath.Join(app, "store"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(app, "store", "s.go"), []byte("package store\n\n\tvar X = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return NewTree(app, []Package{
		{Path: "example.com/app", Dir: app, Main: true},
		{Path: "example.com/app/store", Dir: filepath.Join(app, "store"), Main: true},
		{Path: "example.com/lib/codec", Dir: filepath.Join(dir, "mod", "lib@v1.2.0", "codec"), Module: "example.com/lib", Version: "v1.2.0"},
		{Path: "example.com/dep", Dir: filepath.Join(app, "vendor", "example.com", "dep")},
		{Path: "io", Dir: "/usr/lib/go/src/io", Standard: true},
	}, []string{"example.com/lib/...", "example.com/single"}), dir
}

func TestCanonical(t *testing.T) {
	tr, dir := tree(t)
	for _, tt := range []struct{ file, pkg, want string }{
		{filepath.Join(dir, "app", "store", "s.go"), "example.com/app/store", "example.com/app/store/s.go:3"},
		{filepath.Join(dir, "app", "main.go"), "main", "example.com/app/main.go:3"}, // a command's functions are in "main"
		{filepath.Join(dir, "app", "store", "x_test.go"), "example.com/app/store_test", "example.com/app/store_test/x_test.go:3"},
		{filepath.Join(dir, "app", "store", "s.go"), "", "example.com/app/store/s.go:3"},
		{"example.com/lib@v1.2.0/codec/c.go", "", "example.com/lib/codec/c.go:3"}, // -trimpath
		{"example.com/app/store/s.go", "main", "example.com/app/store/s.go:3"},    // -trimpath, main module
		{filepath.Join(dir, "app", "vendor", "example.com", "dep", "d.go"), "", "example.com/dep/d.go:3"},
		{"/elsewhere/io/io.go", "io", "io/io.go:3"}, // another GOROOT
		{"/elsewhere/x.go", "", "/x.go:3"},
	} {
		if got := tr.Canonical(tt.file, tt.pkg, 3, 0).String(); got != tt.want {
			t.Errorf("Canonical(%q, %q) = %s, want %s", tt.file, tt.pkg, got, tt.want)
		}
	}
}

func TestOwns(t *testing.T) {
	tr, _ := tree(t)
	for path, want := range map[string]bool{
		"example.com/app": true, "example.com/app_test": true, "example.com/app/store": true,
		"example.com/lib": true, "example.com/lib/codec": true, "example.com/library": false,
		"example.com/single": true, "example.com/single/sub": false, "example.com/dep": false, "io": false, "": false,
	} {
		if got := tr.Owns(path); got != want {
			t.Errorf("Owns(%q) = %v", path, got)
		}
	}
}

func TestFiles(t *testing.T) {
	tr, dir := tree(t)
	p := Pos{Package: "example.com/app/store", File: "s.go", Line: 3}
	if got := tr.Text(p); got != "var X = 1" {
		t.Errorf("Text = %q", got)
	}
	if got := tr.Rel(p); got != "store/s.go" {
		t.Errorf("Rel = %q", got)
	}
	if got, want := tr.Abs(p), filepath.Join(dir, "app", "store", "s.go"); got != want {
		t.Errorf("Abs = %q, want %q", got, want)
	}
	for _, p := range []Pos{{Package: "example.com/app/store", File: "s.go", Line: 99}, {Package: "none", File: "s.go", Line: 1}, {Package: "io", File: "gone.go", Line: 1}} {
		if got := tr.Text(p); got != "" {
			t.Errorf("Text(%v) = %q, want none", p, got)
		}
	}
	if got := tr.Rel(Pos{Package: "io", File: "io.go"}); got != "io/io.go" {
		t.Errorf("Rel outside the root = %q", got)
	}
}
