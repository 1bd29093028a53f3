package capture

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

const trailerText = `# runtime.MemStats
# Alloc = 1000
# TotalAlloc = 5000
# Mallocs = 70
# Stack = 12 / 34
# NextGC = 4194304
# LastGC = 1700000000000000000
# PauseNs = [1 2 3]
# NumGC = 7
# GCCPUFraction = 0.25
# DebugGC = false
`

func sampleManifest() Manifest {
	at := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	return Manifest{Created: at, Seconds: 1, Targets: []Target{{Name: "host_6060", URL: "http://host:6060/debug/pprof/", Entries: []Entry{
		{Name: "host_6060/heap.pb.gz", Kind: Heap, Source: "/debug/pprof/heap", At: at},
		{Name: "host_6060/memstats.before.txt", Kind: Trailer, Phase: Before, At: at},
		{Name: "host_6060/memstats.after.txt", Kind: Trailer, Phase: After, At: at.Add(2 * time.Second)},
		{Name: "host_6060/news", Kind: "not known yet", At: at},
	}}}}
}

func sampleFiles() fs.FS {
	return fstest.MapFS{
		"host_6060/heap.pb.gz":          {Data: tinyProfile(0)},
		"host_6060/memstats.before.txt": {Data: []byte(trailerText)},
		"host_6060/memstats.after.txt":  {Data: []byte(strings.NewReplacer("5000", "7000", "= 70", "= 90", "= 7\n", "= 11\n").Replace(trailerText))},
		"host_6060/news":                {Data: []byte("news")},
	}
}

func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.zip")
	var buf bytes.Buffer
	if err := Write(t.Context(), &buf, sampleManifest(), sampleFiles()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, buf.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	h, err := b.Health(&b.Manifest.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	// 2000 bytes, 20 objects and 4 cycles in 2 s.
	for what, f := range map[string]struct {
		Figure
		want float64
	}{"bytes": {h.AllocBytesPerS, 1000}, "objects": {h.MallocsPerS, 10}, "cycles": {h.CyclesPerS, 2}, "GC CPU": {h.GCCPUTotal, 0.25}, "goal": {h.GoalBytes, 4 << 20}, "live": {h.LiveBytes, 50}} {
		between(t, what, f.Figure, f.want, f.want)
	}
	if h.GCCPU.Known() {
		t.Errorf("GC CPU over the window without a start time: %+v", h.GCCPU)
	}
}

// pack returns a zip of files in order, name and content in turn.
func pack(files ...string) []byte {
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for i := 0; i < len(files); i += 2 {
		if _, err := must(zw.Create(files[i])).Write([]byte(files[i+1])); err != nil {
			panic(err)
		}
	}
	if err := zw.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func manifest(entries ...Entry) string {
	m := Manifest{Version: manifestVersion, Targets: []Target{{Name: "h", Entries: entries}}}
	return string(must(json.Marshal(m)))
}

func TestHostileBundles(t *testing.T) {
	var good bytes.Buffer
	if err := Write(t.Context(), &good, sampleManifest(), sampleFiles()); err != nil {
		t.Fatal(err)
	}
	a := Entry{Name: "h/a", Size: 1, SHA256: "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4fa72b9807785afee48b"}
	big := a
	big.Size = maxEntry + 1
	elsewhere := a
	elsewhere.Name = "g/a"
	up := a
	up.Name = "h/../../a"
	for _, tt := range []struct {
		what string
		data []byte
		want string
	}{
		{"nothing", nil, "not a complete bundle"},
		{"truncated", good.Bytes()[:good.Len()-30], "not a complete bundle"},
		{"no zip", []byte(strings.Repeat("x", 1000)), "not a complete bundle"},
		{"another zip", pack("readme", "x"), "no manifest.json in this zip file"},
		{"newer", pack(manifestName, `{"version": 2, "targets": 5}`), "bundle is of version 2 and this unheap reads up to 1: install a newer unheap"},
		{"no version", pack(manifestName, `{}`), "manifest version 0"},
		{"no JSON", pack(manifestName, `{`), "manifest: unexpected end of JSON input"},
		{"up", pack(manifestName, manifest(), "../a", "x"), `entry name "../a" is not a plain relative path`},
		{"absolute", pack(manifestName, manifest(), "/a", "x"), `entry name "/a"`},
		{"backslash", pack(manifestName, manifest(), `a\..\b`, "x"), "entry name"},
		{"drive", pack(manifestName, manifest(), "c:a", "x"), "entry name"},
		{"folder", pack(manifestName, manifest(), "h/", ""), "entry name"},
		{"twice", pack(manifestName, manifest(a), "h/a", "a", "h/a", "b"), `entry "h/a" is there twice`},
		{"two manifests", pack(manifestName, manifest(), manifestName, manifest()), "is there twice"},
		{"listed twice", pack(manifestName, manifest(a, a), "h/a", "a"), "is listed twice"},
		{"another folder", pack(manifestName, manifest(elsewhere), "g/a", "a"), "in another program's folder"},
		{"manifest up", pack(manifestName, manifest(up)), "entry name"},
		{"missing", pack(manifestName, manifest(a)), `entry "h/a" is missing`},
		{"not listed", pack(manifestName, manifest(), "h/a", "a"), "1 entries are not in the manifest"},
		{"wrong size", pack(manifestName, manifest(a), "h/a", "aa"), `entry "h/a" has 2 bytes, the manifest says 1`},
		{"too big", pack(manifestName, manifest(big), "h/a", "a"), "at most 1073741824 are allowed"},
		{"program name", pack(manifestName, `{"version":1,"targets":[{"name":".."}]}`), "program name"},
		{"programs twice", pack(manifestName, `{"version":1,"targets":[{"name":"h"},{"name":"h"}]}`), "program name"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			_, err := NewBundle(bytes.NewReader(tt.data), int64(len(tt.data)))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("err = %v, want %q", err, tt.want)
			}
			if !strings.ContainsAny(err.Error(), ";:") {
				t.Errorf("no next step: %v", err)
			}
		})
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestChangedContent has entries whose content is not what the directory or the manifest says.
func TestChangedContent(t *testing.T) {
	a := Entry{Name: "h/a", Size: 1, SHA256: strings.Repeat("0", 64)}
	data := pack(manifestName, manifest(a), "h/a", "a")
	wantEntry(t, data, "does not have the sum")

	// A bomb: 1 MiB of zeros behind a declared size of 1.
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	raw := must(zw.CreateRaw(&zip.FileHeader{Name: "h/a", Method: zip.Deflate, UncompressedSize64: 1, CompressedSize64: uint64(len(deflated(1 << 20)))}))
	raw.Write(deflated(1 << 20))
	must(zw.Create(manifestName)).Write([]byte(manifest(a)))
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	wantEntry(t, buf.Bytes(), "bundle is damaged")

	// A flipped byte of a profile.
	buf.Reset()
	if err := Write(t.Context(), &buf, sampleManifest(), sampleFiles()); err != nil {
		t.Fatal(err)
	}
	data = buf.Bytes()
	data[bytes.Index(data, []byte{0x1f, 0x8b})+40] ^= 1
	b, err := NewBundle(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Profile(&b.Manifest.Targets[0], Heap); err == nil || !strings.Contains(err.Error(), "host_6060/heap.pb.gz") {
		t.Errorf("err = %v", err)
	}
}

func wantEntry(t *testing.T, data []byte, want string) {
	t.Helper()
	b, err := NewBundle(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Open(&b.Manifest.Targets[0].Entries[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := io.Copy(io.Discard, r); err == nil || n > 1 || !strings.Contains(err.Error(), want) {
		t.Errorf("%d bytes, err = %v, want %q", n, err, want)
	}
}

func gzipped(data []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// deflated returns n zeros as zip compresses them: gzip without its header and trailer.
func deflated(n int) []byte {
	data := gzipped(make([]byte, n))
	return data[10 : len(data)-8]
}

func TestWriteRefusesWhatOpenWould(t *testing.T) {
	m := sampleManifest()
	m.Targets[0].Entries = append(m.Targets[0].Entries, m.Targets[0].Entries[0])
	if err := Write(t.Context(), io.Discard, m, sampleFiles()); err == nil || !strings.Contains(err.Error(), "listed twice") {
		t.Errorf("err = %v", err)
	}
	m = sampleManifest()
	m.Targets[0].Entries[0].Name = "host_6060/none"
	if err := Write(t.Context(), io.Discard, m, sampleFiles()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

// FuzzManifest gets past the zip's own checks, which FuzzBundle seldom does.
func FuzzManifest(f *testing.F) {
	f.Add(manifest(Entry{Name: "h/a", Kind: Trailer, Phase: After, Size: int64(len(trailerText))}), "h/a", trailerText)
	f.Add(manifest(Entry{Name: "h/a", Kind: Heap, Size: 1}), "h/b", "a")
	f.Fuzz(func(t *testing.T, text, name, content string) {
		var buf bytes.Buffer
		zw := zip.NewWriter(&buf)
		for _, file := range [][2]string{{manifestName, text}, {name, content}} {
			w, err := zw.Create(file[0])
			if err != nil {
				return
			}
			if _, err := io.WriteString(w, file[1]); err != nil {
				return
			}
		}
		if err := zw.Close(); err != nil {
			return
		}
		b, err := NewBundle(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		if err != nil {
			return
		}
		for i := range b.Manifest.Targets {
			tg := &b.Manifest.Targets[i]
			for _, e := range tg.Entries {
				if !filepath.IsLocal(e.Name) || !strings.HasPrefix(e.Name, tg.Name+"/") {
					t.Errorf("entry %q of %q was let in", e.Name, tg.Name)
				}
			}
			if h, err := b.Health(tg); err == nil {
				if _, err := json.Marshal(h); err != nil {
					t.Error(err)
				}
			}
		}
		b.Merged(Heap)
	})
}

func FuzzBundle(f *testing.F) {
	var buf bytes.Buffer
	if err := Write(f.Context(), &buf, sampleManifest(), sampleFiles()); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add(pack(manifestName, manifest(Entry{Name: "h/a", Kind: Heap, Size: 1}), "h/a", "a"))
	f.Add(pack("../a", "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := NewBundle(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			return
		}
		var fleet []*Health
		for i := range b.Manifest.Targets {
			tg := &b.Manifest.Targets[i]
			for j := range tg.Entries {
				e := &tg.Entries[j]
				r, err := b.Open(e)
				if err != nil {
					continue
				}
				n, err := io.Copy(io.Discard, r)
				if n > e.Size || err == nil && n != e.Size {
					t.Errorf("%s: %d bytes of %d, %v", e.Name, n, e.Size, err)
				}
			}
			if h, err := b.Health(tg); err == nil {
				fleet = append(fleet, h)
			}
		}
		if _, err := json.Marshal(Outliers(fleet)); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(fleet); err != nil {
			t.Error(err)
		}
		b.Merged(Heap)
	})
}

func BenchmarkWrite(b *testing.B) {
	m, files := sampleManifest(), sampleFiles()
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(b.Context(), io.Discard, m, files); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	var entries []Entry
	files := make(fstest.MapFS)
	for i := range 1000 {
		name := fmt.Sprintf("h/%d", i)
		entries = append(entries, Entry{Name: name})
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	var buf bytes.Buffer
	if err := Write(b.Context(), &buf, Manifest{Targets: []Target{{Name: "h", Entries: entries}}}, files); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewBundle(bytes.NewReader(buf.Bytes()), int64(buf.Len())); err != nil {
			b.Fatal(err)
		}
	}
}
