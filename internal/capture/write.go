package capture

import (
	"archive/zip"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// manifestName is the manifest's name in the zip.
const manifestName = "manifest.json"

// Write writes a bundle of the files that m's entries name in files. It sets the version, sizes and sums in its own
// copy of m. An ended context ends it with the context's error.
func Write(ctx context.Context, w io.Writer, m Manifest, files fs.FS) error {
	m.Version = manifestVersion
	m.Targets = slices.Clone(m.Targets)
	zw := zip.NewWriter(w)
	// Entries follow one another: one compressor, which weighs a megabyte, serves them all.
	deflate, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		return err
	}
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		deflate.Reset(w)
		return deflate, nil
	})
	for i := range m.Targets {
		t := &m.Targets[i]
		t.Entries = slices.Clone(t.Entries)
		for j := range t.Entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := writeEntry(ctx, zw, &t.Entries[j], files); err != nil {
				return err
			}
		}
	}
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	// Writing what Open would refuse helps nobody.
	if err := m.check(); err != nil {
		return err
	}
	if len(data) > maxManifest {
		return fmt.Errorf("manifest is larger than %d MiB: capture fewer programs at once", maxManifest>>20)
	}
	mw, err := zw.Create(manifestName)
	if err != nil {
		return err
	}
	if _, err := mw.Write(data); err != nil {
		return err
	}
	return zw.Close()
}

func writeEntry(ctx context.Context, zw *zip.Writer, e *Entry, files fs.FS) error {
	f, err := files.Open(e.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := &zip.FileHeader{Name: e.Name, Modified: e.At.UTC(), Method: zip.Deflate}
	switch e.Kind {
	case CPU, Allocs, Heap, Goroutine: // compressed as they are
		h.Method = zip.Store
	}
	ew, err := zw.CreateHeader(h)
	if err != nil {
		return err
	}
	sum := sha256.New()
	e.Size, err = io.Copy(io.MultiWriter(ew, sum), contextReader{ctx, f})
	e.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// A contextReader ends with the context's error.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
