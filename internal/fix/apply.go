package fix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unheap/unheap/internal/run"
)

// apply writes the contents over the files they are for, each atomically: a
// reader sees the old file or the new one. All files are checked before the
// first is written; files with uncommitted changes are refused unless forced.
func apply(ctx context.Context, root string, contents map[string][]byte, force bool) error {
	var names []string
	for name := range contents {
		names = append(names, name)
	}
	slices.Sort(names)
	if !force {
		if err := clean(ctx, root, names); err != nil {
			return err
		}
	}
	staged := make(map[string]string)
	defer func() {
		for _, tmp := range staged {
			os.Remove(tmp)
		}
	}()
	for _, name := range names {
		tmp, err := stage(name, contents[name])
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return fmt.Errorf("%s cannot be written: %w; nothing was changed: use --patch-dir to have the fixes as patches", name, err)
			}
			return fmt.Errorf("%s: %w; nothing was changed", name, err)
		}
		staged[name] = tmp
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, name := range names {
		if err := os.Rename(staged[name], name); err != nil {
			return fmt.Errorf("%s: %w; %d of %d files were written: see git diff", name, err, i, len(names))
		}
		delete(staged, name)
	}
	return nil
}

// stage writes data beside the file that it will replace, with its mode.
func stage(name string, data []byte) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	// A rename would get around a file that is marked as read-only.
	if info.Mode().Perm()&0o200 == 0 {
		return "", fs.ErrPermission
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".unheap-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// clean returns an error if one of the files has changes that are not
// committed to git, so that what apply overwrites can always be had back.
func clean(ctx context.Context, root string, names []string) error {
	args := append([]string{"status", "--porcelain", "-z", "--"}, names...)
	out, err := run.Output(run.Command(ctx, root, nil, "git", args...))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("cannot tell whether the files to change are committed (%s): commit them to git, or use --force", firstLine(err))
	}
	if len(bytes.TrimRight(out, "\x00")) > 0 {
		first, _, _ := strings.Cut(string(out), "\x00")
		return fmt.Errorf("%s has uncommitted changes: commit or stash them, or use --force", strings.TrimSpace(first[min(3, len(first)):]))
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
