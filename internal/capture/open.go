package capture

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/unheap/unheap/internal/profile"
)

// Bounds of what a bundle may hold. No honest one comes near them.
const (
	maxManifest = 16 << 20
	maxEntries  = 20_000
	maxTargets  = 1_000
	maxEntry    = 1 << 30 // uncompressed bytes
	maxBundle   = 8 << 30 // uncompressed bytes of all entries
)

// A Bundle is an open bundle file. Its methods may be used from several goroutines.
type Bundle struct {
	Manifest Manifest
	entries  map[string]*zip.File
	file     *os.File
}

// Open opens the named bundle and checks that its directory and its manifest agree. The content of an entry is checked
// as it is read. The caller must close the bundle.
func Open(name string) (*Bundle, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file: name the file that unheap capture wrote")
	}
	var b *Bundle
	if err == nil {
		b, err = NewBundle(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.file = f
	return b, nil
}

// NewBundle is [Open] for a bundle of size bytes that is held elsewhere.
func NewBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	zr, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a complete bundle: %w; copy it again from where it was captured", err)
	}
	if len(zr.File) > maxEntries {
		return nil, fmt.Errorf("not a bundle: %d entries, at most %d are allowed; name the file that unheap capture wrote", len(zr.File), maxEntries)
	}
	b := &Bundle{entries: make(map[string]*zip.File, len(zr.File))}
	for _, f := range zr.File {
		if err := validName(f.Name); err != nil {
			return nil, err
		}
		if b.entries[f.Name] != nil {
			return nil, spoilt("entry %q is there twice", f.Name)
		}
		b.entries[f.Name] = f
	}
	mf := b.entries[manifestName]
	if mf == nil {
		return nil, fmt.Errorf("not a bundle: no %s in this zip file; name the file that unheap capture wrote", manifestName)
	}
	delete(b.entries, manifestName)
	if err := readManifest(mf, &b.Manifest); err != nil {
		return nil, err
	}
	return b, b.match()
}

// spoilt returns an error about a bundle that cannot have been written like this.
func spoilt(format string, args ...any) error {
	return fmt.Errorf("bundle is damaged or was changed: "+format+"; copy it again from where it was captured", args...)
}

// validName refuses names that could lead out of a directory on any system.
func validName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\:\x00") || len(name) > 300 {
		return spoilt("entry name %.80q is not a plain relative path", name)
	}
	return nil
}

func readManifest(f *zip.File, m *Manifest) error {
	if f.UncompressedSize64 > maxManifest {
		return spoilt("manifest of %d bytes", f.UncompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return spoilt("manifest: %v", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return spoilt("manifest: %v", err)
	}
	if len(data) > maxManifest {
		return spoilt("manifest of over %d bytes", maxManifest)
	}
	// A newer version may have changed anything but this.
	var v struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return spoilt("manifest: %v", err)
	}
	switch {
	case v.Version > manifestVersion:
		return fmt.Errorf("bundle is of version %d and this unheap reads up to %d: install a newer unheap", v.Version, manifestVersion)
	case v.Version < 1:
		return spoilt("manifest version %d", v.Version)
	}
	if err := json.Unmarshal(data, m); err != nil {
		return spoilt("manifest: %v", err)
	}
	return m.check()
}

// check returns what is wrong with a manifest in itself.
func (m *Manifest) check() error {
	if len(m.Targets) > maxTargets {
		return fmt.Errorf("bundle of %d programs: at most %d go into one; capture them in parts", len(m.Targets), maxTargets)
	}
	names := make(map[string]bool)
	var total int64
	for i := range m.Targets {
		t := &m.Targets[i]
		if err := validName(t.Name); err != nil || names[t.Name] || strings.Contains(t.Name, "/") {
			return spoilt("program name %.80q", t.Name)
		}
		names[t.Name] = true
		for _, e := range t.Entries {
			if err := validName(e.Name); err != nil {
				return err
			}
			if !strings.HasPrefix(e.Name, t.Name+"/") || names[e.Name] {
				return spoilt("entry %q is listed twice or in another program's folder", e.Name)
			}
			names[e.Name] = true
			if e.Size < 0 || e.Size > maxEntry {
				return fmt.Errorf("entry %q of %d bytes: at most %d are allowed; capture again for fewer seconds", e.Name, e.Size, maxEntry)
			}
			total += e.Size
			if total > maxBundle {
				return fmt.Errorf("bundle holds over %d bytes: capture again for fewer seconds or fewer programs", int64(maxBundle))
			}
		}
	}
	return nil
}

// match returns how the zip's directory and the manifest differ.
func (b *Bundle) match() error {
	listed := 0
	for i := range b.Manifest.Targets {
		for _, e := range b.Manifest.Targets[i].Entries {
			f := b.entries[e.Name]
			if f == nil {
				return spoilt("entry %q is missing", e.Name)
			}
			if f.UncompressedSize64 != uint64(e.Size) {
				return spoilt("entry %q has %d bytes, the manifest says %d", e.Name, f.UncompressedSize64, e.Size)
			}
			listed++
		}
	}
	if listed != len(b.entries) {
		return spoilt("%d entries are not in the manifest", len(b.entries)-listed)
	}
	return nil
}

// Close closes the bundle's file.
func (b *Bundle) Close() error {
	if b.file == nil {
		return nil
	}
	return b.file.Close()
}

// Open opens an entry. Reading it ends with an error, and not with io.EOF, where the content is not what was captured.
func (b *Bundle) Open(e *Entry) (io.ReadCloser, error) {
	f := b.entries[e.Name]
	if f == nil {
		return nil, fmt.Errorf("no entry %q in the bundle", e.Name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, spoilt("entry %q: %v", e.Name, err)
	}
	return &entryReader{entry: e, r: r, sum: sha256.New()}, nil
}

// An entryReader checks an entry while it is read.
type entryReader struct {
	entry *Entry
	r     io.ReadCloser
	sum   hash.Hash
	n     int64
}

func (r *entryReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.n += int64(n)
	r.sum.Write(p[:n])
	switch {
	case r.n > r.entry.Size:
		return 0, spoilt("entry %q is longer than its %d bytes", r.entry.Name, r.entry.Size)
	case err == io.EOF && r.n < r.entry.Size:
		return n, spoilt("entry %q ends after %d of %d bytes", r.entry.Name, r.n, r.entry.Size)
	case err == io.EOF && hex.EncodeToString(r.sum.Sum(nil)) != r.entry.SHA256:
		return n, spoilt("entry %q does not have the sum that the manifest gives", r.entry.Name)
	case err != nil && err != io.EOF:
		return n, spoilt("entry %q: %v", r.entry.Name, err)
	}
	return n, err
}

func (r *entryReader) Close() error { return r.r.Close() }

// ErrNone says that a bundle has no entry of the kind that was asked for.
var ErrNone = errors.New("not in the bundle")

// Profile reads the profile of the given kind of one target, which must be one of b.Manifest.Targets. The error
// is [ErrNone] where it was not captured; the target's warnings say why.
func (b *Bundle) Profile(t *Target, k Kind) (*pprof.Profile, error) {
	e := t.entry(k, "")
	if e == nil {
		return nil, fmt.Errorf("%s profile of %s: %w", k, t.Name, ErrNone)
	}
	r, err := b.Open(e)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := profile.Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	return p, nil
}
