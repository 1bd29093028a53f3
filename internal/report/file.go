package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes what render writes to the named file: completely, or not at
// all. The file keeps its permissions where it exists.
func WriteFile(name string, render func(io.Writer) error) error {
	f, mode, err := createFor(name)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once renamed
	err = render(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// Writable returns the error with which [WriteFile] would fail to begin.
func Writable(name string) error {
	f, _, err := createFor(name)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// createFor makes a temporary file beside the named one, and returns the
// permissions that the final file is to have.
func createFor(name string) (*os.File, os.FileMode, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return nil, 0, fmt.Errorf("%s is not a regular file: name another", name)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".unheap-*")
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be written: %w; name a file in a directory that can be written", name, err)
	}
	return f, mode, nil
}
