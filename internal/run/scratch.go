package run

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Scratch is a temporary directory that holds everything a run writes.
type Scratch struct {
	Dir string
	n   int
}

// NewScratch makes a scratch directory below the system's temporary directory.
func NewScratch() (*Scratch, error) {
	dir, err := os.MkdirTemp("", "unheap-")
	if err != nil {
		return nil, fmt.Errorf("no room for temporary files: %w; set TMPDIR to a directory that can be written", err)
	}
	// The compiler writes resolved paths; so must we.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return &Scratch{Dir: dir}, nil
}

// Close removes the directory and all in it.
func (s *Scratch) Close() error { return os.RemoveAll(s.Dir) }

// Fresh returns the name of a directory that no earlier call returned, made,
// with the given prefix. It is not safe for concurrent use.
func (s *Scratch) Fresh(prefix string) (string, error) {
	s.n++
	dir := filepath.Join(s.Dir, fmt.Sprintf("%s%d", prefix, s.n))
	return dir, os.Mkdir(dir, 0o777)
}

// WriteOverlay writes the given contents, keyed by the absolute name of the
// file that each replaces, to a fresh directory, and returns the name of the
// overlay file for the go command's -overlay flag. An empty map gives "".
func (s *Scratch) WriteOverlay(files map[string][]byte) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	dir, err := s.Fresh("overlay")
	if err != nil {
		return "", err
	}
	replace := make(map[string]string, len(files))
	for name, content := range files {
		to := filepath.Join(dir, fmt.Sprintf("%d_%s", len(replace), filepath.Base(name)))
		if err := os.WriteFile(to, content, 0o666); err != nil {
			return "", err
		}
		replace[name] = to
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}

// CopyTree copies the regular files and directories of src to dst, which must
// not exist, leaving out version control's own. Symbolic links inside src are
// copied as links; those that lead outside are refused.
func CopyTree(dst, src string) error {
	root, err := os.OpenRoot(src)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dst, filepath.FromSlash(name))
		switch {
		case d.IsDir():
			if name == ".git" || name == ".hg" || name == ".svn" {
				return fs.SkipDir
			}
			return os.MkdirAll(to, 0o777)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(filepath.Join(src, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			if !filepath.IsLocal(filepath.Join(filepath.Dir(filepath.FromSlash(name)), link)) {
				return nil
			}
			return os.Symlink(link, to)
		case !d.Type().IsRegular():
			return nil
		}
		in, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer in.Close()
		info, err := in.Stat()
		if err != nil {
			return err
		}
		out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
		if err != nil {
			return err
		}
		if _, err := io.Copy(out, in); err != nil {
			out.Close()
			return err
		}
		return out.Close()
	})
}
