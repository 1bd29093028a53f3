// Package profile turns pprof profiles into samples whose frames carry
// canonical positions, so that they meet the compiler's records and the
// user's source.
package profile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/unheap/unheap/internal/source"
)

// maxProfile bounds the uncompressed size of a profile that Read accepts.
const maxProfile = 512 << 20

// Read reads one pprof profile, compressed or not, of at most 512 MiB
// uncompressed.
func Read(r io.Reader) (*pprof.Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("reading profile: %w", err)
	}
	if len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b {
		gz, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("not a readable profile: %w; capture it again", err)
		}
		if data, err = io.ReadAll(io.LimitReader(gz, maxProfile+1)); err != nil {
			return nil, fmt.Errorf("not a readable profile: %w; capture it again", err)
		}
	}
	if len(data) > maxProfile {
		return nil, fmt.Errorf("profile is larger than %d MiB uncompressed", maxProfile>>20)
	}
	if len(data) == 0 {
		return nil, errors.New("profile is empty; capture it again")
	}
	p, err := pprof.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("not a readable profile: %w; capture it again", err)
	}
	return p, nil
}

// ReadFile reads the profile in the named file.
func ReadFile(name string) (*pprof.Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// A Frame is one function on a stack, at one place.
type Frame struct {
	Func string // as the runtime names it, with the import path
	Pos  source.Pos
}

// A Sample is one stack of a profile with its values.
type Sample struct {
	Stack []Frame // innermost first, inlined calls expanded
	// Physical is how many leading frames of Stack share the machine code
	// function of the leaf: the leaf itself and those it was inlined into.
	Physical int
	// Address is the leaf's, as the profile records it, and Mapping the
	// module it lies in (nil: unknown).
	Address uint64
	Mapping *pprof.Mapping
	// Runtime is the runtime's function that the leaf called, where frames of
	// the runtime below the leaf were left out; see Delta.
	Runtime string
	Values  []float64 // in the order of the names given to Samples
}

// Chain returns the positions of the leaf's inline chain, the outermost call
// site first: the order in which the compiler writes it.
func (s *Sample) Chain() []source.Pos {
	chain := make([]source.Pos, s.Physical)
	for i := range chain {
		chain[i] = s.Stack[s.Physical-1-i].Pos
	}
	return chain
}

// Own returns the index in Stack of the innermost frame for which own reports
// true, or -1 when there is none.
func (s *Sample) Own(own func(importPath string) bool) int {
	for i := range s.Stack {
		if own(s.Stack[i].Pos.Package) {
			return i
		}
	}
	return -1
}

// Samples returns p's samples with the named sample types as Values, each
// multiplied by scale. Samples of one stack are merged and those whose values
// are all zero left out.
func Samples(p *pprof.Profile, tree *source.Tree, scale float64, types ...string) ([]Sample, error) {
	d := newDecoder(tree, len(types))
	if err := d.add(p, scale, types); err != nil {
		return nil, err
	}
	return d.samples(), nil
}

// Delta returns the samples of large less those of small, divided by ops. Both
// profiles must come from the same executable. The runtime's own frames below
// the code that called it (growing a map, starting a goroutine) are left out,
// so that the leaf is always the code that asked for memory.
func Delta(small, large *pprof.Profile, ops float64, tree *source.Tree, types ...string) ([]Sample, error) {
	if ops <= 0 {
		return nil, fmt.Errorf("profile difference over %v operations", ops)
	}
	d := newDecoder(tree, len(types))
	d.skipRuntime = true
	if err := d.add(large, 1/ops, types); err != nil {
		return nil, err
	}
	if err := d.add(small, -1/ops, types); err != nil {
		return nil, err
	}
	return d.samples(), nil
}

// decoder merges the samples of profiles by stack.
type decoder struct {
	tree    *source.Tree
	width   int
	byStack map[string]int // index in merged
	merged  []Sample
	values  []float64 // width of each of merged
	frames  map[frameKey]Frame
	key     []byte
	// skipRuntime leaves out leading locations in the runtime.
	skipRuntime bool
}

type frameKey struct {
	fn, file string
	line     int64
}

func newDecoder(tree *source.Tree, width int) *decoder {
	return &decoder{tree: tree, width: width, byStack: make(map[string]int), frames: make(map[frameKey]Frame)}
}

func (d *decoder) add(p *pprof.Profile, scale float64, types []string) error {
	index := make([]int, len(types))
	for i, t := range types {
		index[i] = -1
		for j, st := range p.SampleType {
			if st.Type == t {
				index[i] = j
			}
		}
		if index[i] < 0 {
			return fmt.Errorf("profile has no %s samples (it has %s)", t, sampleTypes(p))
		}
	}
	for _, s := range p.Sample {
		some := false
		for _, j := range index {
			some = some || s.Value[j] != 0
		}
		if !some || len(s.Location) == 0 {
			continue
		}
		at := d.sample(s) * d.width
		for i, j := range index {
			d.values[at+i] += float64(s.Value[j]) * scale
		}
	}
	return nil
}

// sample returns the index of the merged sample for the stack of s.
func (d *decoder) sample(s *pprof.Sample) int {
	locations, called := s.Location, ""
	for d.skipRuntime && len(locations) > 1 {
		fn := physical(locations[0])
		if !inRuntime(fn) {
			break
		}
		called = fn
		locations = locations[1:]
	}
	d.key = append(d.key[:0], called...)
	for _, loc := range locations {
		addr := loc.Address
		if addr == 0 { // stripped by a tool: the location's number is all there is
			addr = 1<<63 | loc.ID
		}
		for range 8 {
			d.key = append(d.key, byte(addr))
			addr >>= 8
		}
	}
	if i, ok := d.byStack[string(d.key)]; ok {
		return i
	}
	n := 0
	for _, loc := range locations {
		n += max(1, len(loc.Line))
	}
	leaf := locations[0]
	sample := Sample{
		Stack: make([]Frame, 0, n), Physical: max(1, len(leaf.Line)),
		Address: leaf.Address, Mapping: leaf.Mapping, Runtime: called,
	}
	for _, loc := range locations {
		if len(loc.Line) == 0 {
			sample.Stack = append(sample.Stack, Frame{Func: fmt.Sprintf("0x%x", loc.Address)})
		}
		for _, line := range loc.Line {
			sample.Stack = append(sample.Stack, d.frame(line))
		}
	}
	i := len(d.merged)
	d.byStack[string(d.key)] = i
	d.merged = append(d.merged, sample)
	for range d.width {
		d.values = append(d.values, 0)
	}
	return i
}

// physical returns the name of the function whose machine code loc lies in.
func physical(loc *pprof.Location) string {
	if len(loc.Line) == 0 || loc.Line[len(loc.Line)-1].Function == nil {
		return ""
	}
	return loc.Line[len(loc.Line)-1].Function.Name
}

// inRuntime reports whether a function belongs to the runtime.
func inRuntime(fn string) bool {
	return strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "internal/runtime/")
}

func (d *decoder) frame(line pprof.Line) Frame {
	if line.Function == nil {
		return Frame{Func: "?"}
	}
	k := frameKey{line.Function.Name, line.Function.Filename, line.Line}
	f, ok := d.frames[k]
	if !ok {
		f = Frame{Func: k.fn, Pos: d.tree.Canonical(k.file, FuncPackage(k.fn), int(k.line), 0)}
		d.frames[k] = f
	}
	return f
}

// samples returns the merged samples whose values are not all zero.
func (d *decoder) samples() []Sample {
	out := d.merged[:0]
	for i, s := range d.merged {
		s.Values = d.values[i*d.width : (i+1)*d.width : (i+1)*d.width]
		if slices.ContainsFunc(s.Values, func(v float64) bool { return v != 0 }) {
			out = append(out, s)
		}
	}
	return out
}

func sampleTypes(p *pprof.Profile) string {
	var names []string
	for _, st := range p.SampleType {
		names = append(names, st.Type)
	}
	return strings.Join(names, ", ")
}

// FuncPackage returns the import path in a function's name as the runtime
// writes it: "example.com/a%2eb.(*T).M[...]" is in "example.com/a.b".
func FuncPackage(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 { // type arguments may hold slashes
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/')
	dot := strings.IndexByte(name[slash+1:], '.')
	if dot < 0 {
		return ""
	}
	pkg := name[:slash+1+dot]
	// Only the last element is escaped, and only dots matter in practice.
	return strings.ReplaceAll(pkg, "%2e", ".")
}

// FuncName returns a function's name without its import path:
// "(*T).M[...]", "init.0", "F.func1".
func FuncName(name string) string {
	bare := name
	if i := strings.IndexByte(name, '['); i >= 0 {
		bare = name[:i]
	}
	slash := strings.LastIndexByte(bare, '/')
	if dot := strings.IndexByte(bare[slash+1:], '.'); dot >= 0 {
		return name[slash+1+dot+1:]
	}
	return name
}
