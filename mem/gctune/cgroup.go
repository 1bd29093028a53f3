package gctune

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	maxProcFile = 4 << 20 // bytes read of a file in /proc; a host with thousands of mounts has less
	maxDepth    = 64      // control groups within each other
)

// A cgroup holds the files that limit the memory of the process's control group
// and of the groups around it, open so that reading them again allocates
// nothing.
type cgroup struct {
	files []*os.File
	buf   [64]byte
}

var errNoCgroup = errors.New("gctune: the process is in no control group with a memory controller: use Bytes or MemoryLimit")

// openCgroup finds the control group through root/proc, as described in
// cgroups(7) and proc_pid_mountinfo(5).
func openCgroup(root string) (*cgroup, error) {
	var groups groups
	if err := readLines(filepath.Join(root, "proc/self/cgroup"), groups.add); err != nil {
		return nil, err
	}
	var m mount
	if err := readLines(filepath.Join(root, "proc/self/mountinfo"), func(line string) { m.consider(line, groups) }); err != nil {
		return nil, err
	}
	if m.dir == "" {
		return nil, errNoCgroup
	}
	dirs := m.ancestry()
	if len(dirs) > maxDepth {
		return nil, fmt.Errorf("gctune: more than %d control groups within each other: use Bytes or MemoryLimit", maxDepth)
	}
	c := &cgroup{}
	for _, dir := range dirs {
		f, err := os.Open(filepath.Join(root, dir, m.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the outermost group of version 2 has none
		}
		if err != nil {
			c.close()
			return nil, fmt.Errorf("gctune: the control group's memory limit: %w; use Bytes or MemoryLimit", err)
		}
		c.files = append(c.files, f)
	}
	if len(c.files) == 0 {
		return nil, errNoCgroup
	}
	return c, nil
}

func (c *cgroup) close() {
	if c == nil {
		return
	}
	for _, f := range c.files {
		f.Close()
	}
}

var errUnlimited = errors.New("gctune: the control group has no memory limit: set one, or use Bytes or MemoryLimit")

// limit returns the lowest limit in bytes.
func (c *cgroup) limit() (uint64, error) {
	lowest := uint64(math.MaxUint64)
	for _, f := range c.files {
		n, err := f.ReadAt(c.buf[:], 0)
		if err != nil && err != io.EOF {
			return 0, fmt.Errorf("gctune: the control group's memory limit: %w", err)
		}
		limit, ok := parseLimit(c.buf[:n])
		if !ok {
			return 0, fmt.Errorf("gctune: %s: no memory limit but %.64q", f.Name(), c.buf[:n])
		}
		lowest = min(lowest, limit)
	}
	// Version 1 has no word for it, but the largest multiple of the page
	// size.
	if lowest >= 1<<62 {
		return 0, errUnlimited
	}
	return lowest, nil
}

// parseLimit reads the contents of memory.max or memory.limit_in_bytes.
func parseLimit(b []byte) (uint64, bool) {
	b = bytes.TrimSuffix(b, []byte("\n"))
	if string(b) == "max" {
		return math.MaxUint64, true
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	return n, err == nil
}

// groups are the paths of the process in the hierarchies that can limit its
// memory, empty if it has none.
type groups struct{ v1, v2 string }

// add reads a line of /proc/self/cgroup: "4:memory,cpu:/path" or "0::/path".
func (g *groups) add(line string) {
	id, rest, _ := strings.Cut(line, ":")
	controllers, dir, ok := strings.Cut(rest, ":")
	switch {
	case !ok || !path.IsAbs(dir):
	case id == "0" && controllers == "":
		g.v2 = dir
	case hasWord(controllers, "memory"):
		g.v1 = dir
	}
}

// A mount is where the process's group can be found in the file system.
type mount struct {
	point string // where the hierarchy, or a part of it, is mounted
	dir   string // the group's directory, point or below it
	file  string // the file with the limit
	holds bool   // whether the group is known to be in dir
}

// consider takes the mount that a line of /proc/self/mountinfo describes, if it
// holds the group. Version 1 goes first: if the memory controller is there,
// version 2 does not have it.
//
//	36 35 98:0 /root /mount/point rw,noatime shared:1 - type source options
func (m *mount) consider(line string, g groups) {
	left, right, ok := strings.Cut(line, " - ")
	fields, kind := strings.Fields(left), strings.Fields(right)
	if !ok || len(fields) < 6 || len(kind) < 3 {
		return
	}
	root, point := unescape(fields[3]), unescape(fields[4])
	if !path.IsAbs(root) || !path.IsAbs(point) {
		return
	}
	group, file := "", ""
	switch {
	case kind[0] == "cgroup" && g.v1 != "" && hasWord(kind[2], "memory"):
		group, file = g.v1, "memory.limit_in_bytes"
	case kind[0] == "cgroup2" && g.v1 == "" && g.v2 != "":
		group, file = g.v2, "memory.max"
	default:
		return
	}
	// The root of the mount is a path in the hierarchy, like the group. A
	// group that is not below it lies outside what the container can see,
	// which is then all within the group.
	rel, holds := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(path.Clean(root), "/"))
	if !holds || rel != "" && rel[0] != '/' {
		rel, holds = "", false
	}
	if m.holds && !holds {
		return
	}
	point = path.Clean(point)
	*m = mount{point: point, dir: path.Join(point, rel), file: file, holds: holds}
}

// ancestry returns the group's directory and those around it, up to the mount
// or to one more than is allowed.
func (m mount) ancestry() []string {
	dirs := []string{m.dir}
	for dir := m.dir; dir != m.point && len(dirs) <= maxDepth; {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// hasWord reports whether word is in a list separated by commas.
func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// unescape undoes the octal escapes of mountinfo, such as \040 for a space.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readLines calls line for each line of a file in /proc.
func readLines(name string, line func(string)) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("gctune: no control groups here: %w; use Bytes or MemoryLimit", err)
	}
	defer f.Close()
	in := bufio.NewScanner(io.LimitReader(f, maxProcFile))
	for in.Scan() {
		line(in.Text())
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("gctune: %s: %w; use Bytes or MemoryLimit", name, err)
	}
	return nil
}
