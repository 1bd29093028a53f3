package measure

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// memString is the method as it stands in Go 1.21 to 1.26.
const memString = `func (r BenchmarkResult) MemString() string {
	return fmt.Sprintf("%8d B/op\t%8d allocs/op",
		r.AllocedBytesPerOp(), r.AllocsPerOp())
}
`

const resultType = `package testing

import "fmt"

type BenchmarkResult struct {
	N         int
	MemAllocs uint64
	MemBytes  uint64
	Extra     map[string]float64
}

`

func TestPatchMemString(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		ok        bool
	}{
		{"as shipped", resultType + memString, true},
		{"other receiver name", resultType + strings.ReplaceAll(strings.Replace(memString, "(r ", "(res ", 1), "r.Alloc", "res.Alloc"), true},
		{"other format", resultType + strings.Replace(memString, "%8d B", "%d B", 1), false},
		{"other arguments", resultType + strings.Replace(memString, "r.AllocsPerOp()", "r.MemAllocs", 1), false},
		{"more statements", resultType + strings.Replace(memString, "\treturn", "\t_ = r\n\treturn", 1), false},
		{"pointer receiver", resultType + strings.Replace(memString, "(r B", "(r *B", 1), false},
		{"other field type", strings.Replace(resultType, "N         int", "N int64", 1) + memString, false},
		{"no method", resultType, false},
		{"no type", "package testing\n" + memString, false},
		{"not Go", "hello", false},
		{"empty", "", false},
	} {
		out, ok := patchMemString([]byte(tt.src))
		if ok != tt.ok {
			t.Errorf("%s: ok = %v, want %v", tt.name, ok, tt.ok)
		}
		if ok && (!bytes.Contains(out, []byte(unitTotalAllocs)) || bytes.Contains(out, []byte("%8d"))) {
			t.Errorf("%s: not replaced:\n%s", tt.name, out)
		}
	}
}

func TestExactCounters(t *testing.T) {
	root := goroot(t)
	file, content, ok := ExactCounters(root)
	if !ok {
		t.Fatal("this toolchain's testing package cannot be changed: Go's source moved on, adapt patchMemString")
	}
	if want := filepath.Join(root, "src", "testing", "benchmark.go"); file != want {
		t.Errorf("file %s, want %s", file, want)
	}
	if !bytes.Contains(content, []byte(unitTotalBytes)) {
		t.Error("the content does not print totals")
	}
	if _, _, ok := ExactCounters(t.TempDir()); ok {
		t.Error("ok for a directory that holds no toolchain")
	}
}

func TestExactCountersInModuleCache(t *testing.T) {
	for _, tt := range []struct {
		version string
		ok      bool
	}{{"go1.21.13", true}, {"go1.24.9", true}, {"go1.25.3", false}, {"go1.26rc1", false}} {
		root := filepath.Join(t.TempDir(), "golang.org", "toolchain@v0.0.1-"+tt.version+".linux-amd64")
		for name, data := range map[string]string{
			"VERSION":                  tt.version + "\ntime 2025-01-01T00:00:00Z\n",
			"src/testing/benchmark.go": resultType + memString,
		} {
			name = filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, ok := ExactCounters(root); ok != tt.ok {
			t.Errorf("%s: ok = %v, want %v", tt.version, ok, tt.ok)
		}
	}
}

func FuzzPatchMemString(f *testing.F) {
	f.Add([]byte(resultType + memString))
	f.Add([]byte("package p\nfunc (r BenchmarkResult) MemString() string"))
	f.Add([]byte("package p\ntype BenchmarkResult struct{ int; N, M int }\nfunc (BenchmarkResult) MemString() {}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if out, ok := patchMemString(src); ok && !bytes.Contains(out, []byte(unitTotalBytes)) {
			t.Error("patched without effect")
		}
	})
}
