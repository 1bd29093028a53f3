package binary

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// small builds the smallest useful program: a Go executable cut down to what
// the package reads is far below the fuzzer's limit once its zeros are gone.
func small(f *testing.F) []byte {
	f.Helper()
	r, err := os.Open("testdata/small.elf.gz")
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	z, err := gzip.NewReader(r)
	if err != nil {
		f.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		f.Fatal(err)
	}
	return data
}
