package profile

import (
	"bytes"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/unheap/unheap/internal/source"
)

func testTree() *source.Tree {
	return source.NewTree("/src/app", []source.Package{
		{Path: "example.com/app", Dir: "/src/app", Main: true},
		{Path: "example.com/app/a.b", Dir: "/src/app/a.b", Main: true},
		{Path: "io", Dir: "/go/src/io", Standard: true},
	}, nil)
}

// heap returns a heap profile of one stack: io.copyBuffer called by Copy, both
// inlined or not, called by example.com/app.Fetch.
func heap(n int64) *pprof.Profile {
	fn := func(id uint64, name, file string) *pprof.Function {
		return &pprof.Function{ID: id, Name: name, Filename: file}
	}
	copyBuffer, cp, fetch := fn(1, "io.copyBuffer", "/go/src/io/io.go"), fn(2, "io.Copy", "/go/src/io/io.go"), fn(3, "example.com/app.(*Client).Fetch", "/src/app/fetch.go")
	m := &pprof.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000}
	leaf := &pprof.Location{ID: 1, Address: 0x401000, Mapping: m, Line: []pprof.Line{{Function: copyBuffer, Line: 416}, {Function: cp, Line: 388}}}
	root := &pprof.Location{ID: 2, Address: 0x402000, Mapping: m, Line: []pprof.Line{{Function: fetch, Line: 7}}}
	return &pprof.Profile{
		SampleType: []*pprof.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}},
		Sample:     []*pprof.Sample{{Location: []*pprof.Location{leaf, root}, Value: []int64{n, n * 32768}}},
		Location:   []*pprof.Location{leaf, root}, Function: []*pprof.Function{copyBuffer, cp, fetch}, Mapping: []*pprof.Mapping{m},
	}
}

func TestDelta(t *testing.T) {
	got, err := Delta(heap(5), heap(105), 50, testTree(), "alloc_objects", "alloc_space")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Values[0] != 2 || got[0].Values[1] != 65536 {
		t.Fatalf("got %+v, want one sample of 2 objects and 65536 bytes", got)
	}
	s := got[0]
	if chain := s.Chain(); len(chain) != 2 || chain[0].Line != 388 || chain[1].Line != 416 || chain[0].Package != "io" {
		t.Errorf("chain = %v, want io.go:388 then io.go:416", chain)
	}
	if own := s.Own(testTree().Owns); own != 2 || s.Stack[own].Pos.String() != "example.com/app/fetch.go:7" {
		t.Errorf("own frame = %d", own)
	}
}

func TestDeltaCancels(t *testing.T) {
	got, err := Delta(heap(5), heap(5), 1, testTree(), "alloc_space")
	if err != nil || len(got) != 0 {
		t.Errorf("equal profiles leave %v, %v", got, err)
	}
}

func TestDeltaErrors(t *testing.T) {
	if _, err := Delta(heap(1), heap(2), 0, testTree(), "alloc_space"); err == nil {
		t.Error("no error for zero operations")
	}
	_, err := Samples(heap(1), testTree(), 1, "cpu")
	if err == nil || !strings.Contains(err.Error(), "no cpu samples (it has alloc_objects, alloc_space)") {
		t.Errorf("err = %v", err)
	}
}

func TestFuncNames(t *testing.T) {
	for _, tt := range []struct{ in, pkg, name string }{
		{"example.com/app.(*Client).Fetch", "example.com/app", "(*Client).Fetch"},
		{"example.com/x/gopkg%2ein.Do.func1", "example.com/x/gopkg.in", "Do.func1"},
		{"slices.SortFunc[go.shape.[]example.com/app.T,go.shape.int]", "slices", "SortFunc[go.shape.[]example.com/app.T,go.shape.int]"},
		{"main.main", "main", "main"},
		{"runtime", "", "runtime"},
		{"", "", ""},
	} {
		if got := FuncPackage(tt.in); got != tt.pkg {
			t.Errorf("FuncPackage(%q) = %q, want %q", tt.in, got, tt.pkg)
		}
		if got := FuncName(tt.in); got != tt.name {
			t.Errorf("FuncName(%q) = %q, want %q", tt.in, got, tt.name)
		}
	}
}

func TestReadRefusesGarbage(t *testing.T) {
	for _, in := range []string{"", "\x1f\x8b", "\x1f\x8bgarbage", "not a profile at all"} {
		if _, err := Read(strings.NewReader(in)); err == nil {
			t.Errorf("Read(%q) gave no error", in)
		}
	}
}

func FuzzRead(f *testing.F) {
	var buf bytes.Buffer
	if err := heap(3).Write(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	buf.Reset()
	if err := heap(3).WriteUncompressed(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		// A profile that reads must also walk.
		for i := range p.SampleType {
			samples, err := Samples(p, testTree(), 1, p.SampleType[i].Type)
			if err != nil {
				t.Fatal(err)
			}
			for j := range samples {
				samples[j].Chain()
			}
		}
	})
}

// TestDeltaBudget holds what walking a profile may allocate: for each distinct
// stack its frames and its key, and little besides.
func TestDeltaBudget(t *testing.T) {
	const stacks = 300
	small, large := wide(stacks), wide(stacks)
	for _, s := range large.Sample {
		s.Value[0] = 11
	}
	tree := testTree()
	got := testing.AllocsPerRun(5, func() {
		if _, err := Delta(small, large, 10, tree, "alloc_objects", "alloc_space"); err != nil {
			t.Fatal(err)
		}
	})
	if budget := 2.2 * stacks; got > budget {
		t.Errorf("%.0f allocations for %d stacks, budget %.0f", got, stacks, budget)
	}
}

func BenchmarkDelta(b *testing.B) {
	small, large := wide(300), wide(300)
	for _, s := range large.Sample {
		s.Value[0] *= 11
		s.Value[1] *= 11
	}
	tree := testTree()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Delta(small, large, 10, tree, "alloc_objects", "alloc_space"); err != nil {
			b.Fatal(err)
		}
	}
}

// wide returns a profile of n stacks, 30 frames deep.
func wide(n int) *pprof.Profile {
	p := heap(1)
	root := p.Location[1]
	p.Sample = nil
	for i := range n {
		leaf := *p.Location[0]
		leaf.ID, leaf.Address = uint64(i+10), 0x401000+uint64(i)
		stack := []*pprof.Location{&leaf}
		for range 29 {
			stack = append(stack, root)
		}
		p.Location = append(p.Location, &leaf)
		p.Sample = append(p.Sample, &pprof.Sample{Location: stack, Value: []int64{1, 64}})
	}
	return p
}
