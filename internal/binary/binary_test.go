package binary

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/unheap/unheap/finding"
)

// toolchains names the Go releases to test besides the one that runs, as
// "go1.24.9,go1.21.13".
const toolchains = "UNHEAP_TEST_TOOLCHAINS"

const idioms = "testdata/idioms.go.txt"

// build builds the idioms program in a fresh module and returns its path.
func build(t testing.TB, env []string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	src, err := os.ReadFile(idioms)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.mod": []byte("module idioms\n\ngo 1.18\n"), "main.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", "program"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "program")
}

// heapProfile runs the program and returns its profile.
func heapProfile(t testing.TB, program string) *profile.Profile {
	t.Helper()
	path := program + ".pprof"
	if out, err := exec.Command(program, path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// alloc looks up a sample's innermost location.
func alloc(t testing.TB, f *File, s *profile.Sample) (Alloc, bool) {
	t.Helper()
	loc := s.Location[0]
	addr, ok := f.Adjust(loc.Address, loc.Mapping.Start, loc.Mapping.Limit, loc.Mapping.Offset)
	if !ok {
		t.Fatalf("address %#x is not in mapping %+v", loc.Address, loc.Mapping)
	}
	return f.At(addr)
}

func opened(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// wants reads the expectations of the idioms program by line.
func wants(t testing.TB) map[int64][]string {
	t.Helper()
	src, err := os.ReadFile(idioms)
	if err != nil {
		t.Fatal(err)
	}
	w := make(map[int64][]string)
	for sc, line := bufio.NewScanner(bytes.NewReader(src)), int64(1); sc.Scan(); line++ {
		if _, list, ok := strings.Cut(sc.Text(), "// want "); ok {
			for _, item := range strings.Split(list, " + ") {
				w[line] = append(w[line], strings.TrimSpace(item))
			}
		}
	}
	if len(w) < 40 {
		t.Fatalf("only %d lines of %s say what they allocate", len(w), idioms)
	}
	return w
}

type variant struct {
	name  string
	env   []string
	flags []string
}

func variants() []variant {
	vs := []variant{
		{name: "default"},
		{name: "stripped", flags: []string{"-ldflags=-s -w"}},
		{name: "unoptimised", flags: []string{"-gcflags=-N -l"}},
	}
	if !testing.Short() { // builds the standard library again
		vs = append(vs, variant{name: "pie", flags: []string{"-buildmode=pie"}})
		vs = append(vs, variant{name: "pie stripped", flags: []string{"-buildmode=pie", "-ldflags=-s -w"}})
	}
	if list := os.Getenv(toolchains); list != "" {
		for _, tc := range strings.Split(list, ",") {
			vs = append(vs, variant{name: tc, env: []string{"GOTOOLCHAIN=" + tc}})
			vs = append(vs, variant{name: tc + " stripped", env: []string{"GOTOOLCHAIN=" + tc}, flags: []string{"-ldflags=-s -w"}})
		}
	}
	return vs
}

func needsELF(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("programs built here are not ELF for amd64 or arm64")
	}
}

func TestIdioms(t *testing.T) {
	needsELF(t)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			program := build(t, v.env, v.flags...)
			p := heapProfile(t, program)
			f := opened(t, program)
			want := wants(t)
			got := make(map[int64][]string)
			for _, s := range p.Sample {
				line := s.Location[0].Line[0]
				if filepath.Base(line.Function.Filename) != "main.go" || want[line.Line] == nil {
					continue
				}
				a, _ := alloc(t, f, s)
				if item := a.Kind + "|" + a.Type; !slices.Contains(got[line.Line], item) {
					got[line.Line] = append(got[line.Line], item)
				}
				if size := blockSize(s); a.Kind == finding.KindNew || a.Kind == finding.KindBox || a.Kind == finding.KindClosure {
					if a.ElemSize > size || size > 16 && a.ElemSize < size*3/4 || a.PtrBytes > a.ElemSize {
						t.Errorf("line %d: %+v in a block of %d bytes", line.Line, a, size)
					}
				}
			}
			for line, items := range want {
				slices.Sort(items)
				slices.Sort(got[line])
				equal := slices.Equal(items, got[line])
				if v.name == "unoptimised" { // allocates more, and a type may stay unknown
					equal = !slices.ContainsFunc(items, func(item string) bool {
						kind, _, _ := strings.Cut(item, "|")
						return !slices.Contains(got[line], item) && !slices.Contains(got[line], kind+"|")
					})
				}
				if !equal {
					t.Errorf("line %d: got %q, want %q", line, got[line], items)
				}
			}
		})
	}
}

func blockSize(s *profile.Sample) int64 { return s.NumLabel["bytes"][0] }

// TestCoverage holds the share of all allocations of a program, the runtime's
// start-up and the standard library included, whose kind and type are known.
func TestCoverage(t *testing.T) {
	needsELF(t)
	program := build(t, nil)
	p := heapProfile(t, program)
	f := opened(t, program)
	var kind, typ int
	for _, s := range p.Sample {
		a, ok := alloc(t, f, s)
		if ok != (a.Kind != "") {
			t.Errorf("At says %v for %+v", ok, a)
		}
		if a.Kind == "" {
			t.Errorf("no kind for %s %#x: %+v", s.Location[0].Line[0].Function.Name, s.Location[0].Address, a)
		} else {
			kind++
		}
		if a.Type != "" {
			typ++
		}
	}
	share := func(n int) float64 { return float64(n) / float64(len(p.Sample)) }
	t.Logf("%d samples: kind %.1f%%, type %.1f%%", len(p.Sample), 100*share(kind), 100*share(typ))
	if share(typ) < 0.88 {
		t.Errorf("type known for %.1f%% of samples, want 88%%", 100*share(typ))
	}
}

// TestARM64 holds the types found in arm64 code against those of the same
// program's amd64 code, function by function.
func TestARM64(t *testing.T) {
	count := func(arch string) map[string]int {
		f := opened(t, build(t, []string{"GOOS=linux", "GOARCH=" + arch}))
		n := make(map[string]int)
		for i := range f.funcs.count {
			name := f.funcs.name(f.image, i)
			if !strings.HasPrefix(name, "main.") && !strings.HasPrefix(name, "fmt.") && !strings.HasPrefix(name, "strings.") {
				continue
			}
			_, start, end, ok := f.funcs.find(f.funcs.entry(i))
			if !ok {
				t.Fatalf("no function at its own entry: %s", name)
			}
			for _, s := range f.analyse(i, start, end) {
				if s.alloc.Kind != "" && s.alloc.Kind != finding.KindRuntime {
					n[fmt.Sprintf("%s: %s|%s", name, s.alloc.Kind, s.alloc.Type)]++
				}
			}
		}
		return n
	}
	x86, arm := count("amd64"), count("arm64")
	var total, differ int
	for key, n := range x86 {
		total += n
		if d := n - arm[key]; d > 0 {
			differ += d
			t.Logf("%s: %d on amd64, %d on arm64", key, n, arm[key])
		}
	}
	if total < 100 || float64(differ) > 0.05*float64(total) {
		t.Errorf("%d of %d allocations differ on arm64", differ, total)
	}
}

func TestAddresses(t *testing.T) {
	needsELF(t)
	f := opened(t, build(t, nil))
	var start, end uint64
	for i := range f.funcs.count {
		if f.funcs.name(f.image, i) == "main.objects" {
			_, start, end, _ = f.funcs.find(f.funcs.entry(i))
		}
	}
	sites := f.sitesOf(start)
	if len(sites) < 5 {
		t.Fatalf("%d calls in main.objects", len(sites))
	}
	for _, s := range sites {
		want := s.alloc
		for _, addr := range []uint64{s.pc, s.end - 1, s.end} {
			if got, _ := f.At(addr); got != want {
				t.Errorf("At(%#x) = %+v, want %+v of the call at %#x", addr, got, want, s.pc)
			}
		}
	}
	for _, addr := range []uint64{0, 1, end + 1<<40, ^uint64(0)} {
		if a, ok := f.At(addr); ok || a != (Alloc{}) {
			t.Errorf("At(%#x) = %+v, %v", addr, a, ok)
		}
	}
}

func TestAdjust(t *testing.T) {
	f := &File{image: &image{kind: elf.ET_DYN, segments: []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Off: 0, Vaddr: 0, Filesz: 0x1000},
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Off: 0x1000, Vaddr: 0x11000, Filesz: 0x2000},
	}}}
	for _, c := range []struct {
		addr, start, limit, offset, want uint64
		ok                               bool
	}{
		{0x555000001234, 0x555000001000, 0x555000003000, 0x1000, 0x11234, true},
		{0x555000000fff, 0x555000001000, 0x555000003000, 0x1000, 0, false}, // before the mapping
		{0x555000003000, 0x555000001000, 0x555000003000, 0x1000, 0, false}, // after it
		{0x555000001234, 0x555000001000, 0x555000003000, 0, 0, false},      // not code
		{0x11234, 0, 0, 0, 0x11234, true},                                  // no mapping
	} {
		if got, ok := f.Adjust(c.addr, c.start, c.limit, c.offset); got != c.want || ok != c.ok {
			t.Errorf("Adjust(%#x, %#x, %#x, %#x) = %#x, %v; want %#x, %v", c.addr, c.start, c.limit, c.offset, got, ok, c.want, c.ok)
		}
	}
	f.image.kind = elf.ET_EXEC
	if got, ok := f.Adjust(0x401234, 0x400000, 0x500000, 0); got != 0x401234 || !ok {
		t.Errorf("Adjust moved the address of a fixed executable to %#x, %v", got, ok)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ data, want string }{
		"empty":   {"", "not an ELF executable"},
		"text":    {strings.Repeat("#!/bin/sh\n", 20), "not an ELF executable"},
		"mach-o":  {"\xcf\xfa\xed\xfe" + strings.Repeat("\x00", 100), "Mach-O"},
		"elf32":   {"\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 100), "64-bit"},
		"riscv":   {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + "\xf3" + strings.Repeat("\x00", 100), "EM_RISCV"},
		"no code": {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + "\x3e" + strings.Repeat("\x00", 100), "no Go function table"},
		"cut":     {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + "\x3e" + strings.Repeat("\x00", 37) + "\xff" + strings.Repeat("\x00", 10), "cut short"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.data), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := Open(dir); err == nil {
		t.Error("a directory opens")
	}
	if _, err := Open(filepath.Join(dir, "absent")); !os.IsNotExist(err) {
		t.Errorf("absent file: %v", err)
	}
}

func BenchmarkOpen(b *testing.B) {
	needsELF(b)
	program := build(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(program)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// BenchmarkAt measures a whole profile's addresses: cold with a new file each
// time, warm with one that has answered them before.
func BenchmarkAt(b *testing.B) {
	needsELF(b)
	program := build(b, nil)
	p := heapProfile(b, program)
	all := func(f *File) {
		for _, s := range p.Sample {
			f.At(s.Location[0].Address)
		}
	}
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := Open(program)
			if err != nil {
				b.Fatal(err)
			}
			all(f)
			f.Close()
		}
	})
	b.Run("warm", func(b *testing.B) {
		f := opened(b, program)
		all(f)
		b.ReportAllocs()
		for b.Loop() {
			all(f)
		}
	})
}
