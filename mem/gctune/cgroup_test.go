package gctune

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes files below root, with the directories that they need.
func write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	mountV1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
	mountV2 = "41 31 0:38 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
	unified = "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	others  = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
	fileV1  = "memory.limit_in_bytes"
	fileV2  = "memory.max"
	noneV1  = "9223372036854771712\n"
)

func TestCgroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		group, mounts string
		files         map[string]string // below /sys/fs/cgroup
		want          uint64
		err           string
	}{
		"v2 container": {group: "0::/\n", mounts: others + mountV2,
			files: map[string]string{fileV2: "104857600\n"}, want: 100 * mib},
		"v2 host, lowest of the ancestors": {group: "0::/a.slice/b.scope\n", mounts: mountV2,
			files: map[string]string{"a.slice/" + fileV2: "1048576\n", "a.slice/b.scope/" + fileV2: "max\n"}, want: mib},
		"v2 unlimited": {group: "0::/a\n", mounts: mountV2,
			files: map[string]string{"a/" + fileV2: "max\n"}, err: "no memory limit"},
		"v2 without the controller": {group: "0::/a\n", mounts: mountV2,
			files: map[string]string{"a/cgroup.procs": ""}, err: "no control group with a memory controller"},
		"v1 in its own namespace": {group: "4:memory:/\n0::/\n", mounts: mountV1 + unified,
			files: map[string]string{"memory/" + fileV1: "2097152\n"}, want: 2 * mib},
		"v1 nested": {group: "5:cpu,memory:/docker/1f\n", mounts: mountV1,
			files: map[string]string{"memory/" + fileV1: noneV1, "memory/docker/1f/" + fileV1: "3145728\n"}, want: 3 * mib},
		"v1 bind mount": {group: "5:memory:/docker/1f/in\n", mounts: strings.Replace(mountV1, "/ /sys", "/docker/1f /sys", 1),
			files: map[string]string{"memory/" + fileV1: "4194304\n", "memory/in/" + fileV1: noneV1}, want: 4 * mib},
		"v1 group out of sight": {group: "5:memory:/docker/1f\n", mounts: strings.Replace(mountV1, "/ /sys", "/docker/1 /sys", 1),
			files: map[string]string{"memory/" + fileV1: "5242880\n"}, want: 5 * mib},
		"a mount with the group goes before one without": {group: "0::/a\n",
			mounts: mountV2 + "50 31 0:38 /b /sys/fs/cgroup/elsewhere rw - cgroup2 cgroup2 rw\n",
			files:  map[string]string{"a/" + fileV2: "6291456\n", "elsewhere/" + fileV2: "1\n"}, want: 6 * mib},
		"v1 unlimited": {group: "4:memory:/\n", mounts: mountV1,
			files: map[string]string{"memory/" + fileV1: noneV1}, err: "no memory limit"},
		"v1 goes before v2": {group: "4:memory:/\n0::/\n", mounts: unified + mountV1 + unified,
			files: map[string]string{"memory/" + fileV1: "1\n", "unified/" + fileV2: "2\n"}, want: 1},
		"escaped mount point": {group: "0::/\n", mounts: `41 31 0:38 / /sys/fs/cgroup/a\040b rw - cgroup2 none rw` + "\n",
			files: map[string]string{"a b/" + fileV2: "7\n"}, want: 7},

		"nothing": {err: "no control group with a memory controller"},
		"garbage": {group: "::::\n4\n\x00\nmemory\n", mounts: "- - -\n - cgroup2\n\\\\\\\n" + others,
			err: "no control group with a memory controller"},
		"relative":          {group: "0::../../etc\n", mounts: mountV2, err: "no control group with a memory controller"},
		"way out":           {group: "0::/../../../../../../etc\n", mounts: mountV2, files: map[string]string{"etc/" + fileV2: "8\n"}, want: 8},
		"deep":              {group: "0::" + strings.Repeat("/a", 5000) + "\n", mounts: mountV2, err: "more than 64 control groups"},
		"endless line":      {group: strings.Repeat("a", maxProcFile+1), err: "token too long"},
		"endless file":      {group: strings.Repeat("\n", maxProcFile) + "0::/\n", mounts: mountV2, err: "no control group with a memory controller"},
		"empty limit":       {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2: ""}, err: "no memory limit but"},
		"word for limit":    {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2: "maximum\n"}, err: "no memory limit but"},
		"negative limit":    {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2: "-1\n"}, err: "no memory limit but"},
		"limit too large":   {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2: "18446744073709551616\n"}, err: "no memory limit but"},
		"long limit":        {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2: strings.Repeat("1", 1<<20)}, err: "no memory limit but"},
		"limit is a folder": {group: "0::/\n", mounts: mountV2, files: map[string]string{fileV2 + "/x": ""}, err: "is a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, map[string]string{"proc/self/cgroup": c.group, "proc/self/mountinfo": c.mounts})
			write(t, filepath.Join(root, "sys/fs/cgroup"), c.files)
			got, err := limitBelow(root)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Fatalf("error %v, want %q", err, c.err)
			}
			if got != c.want {
				t.Errorf("limit %d, want %d", got, c.want)
			}
		})
	}
	t.Run("no proc", func(t *testing.T) {
		if _, err := limitBelow(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no control groups here") {
			t.Errorf("error %v", err)
		}
	})
}

func limitBelow(root string) (uint64, error) {
	c, err := openCgroup(root)
	if err != nil {
		return 0, err
	}
	defer c.close()
	return c.limit()
}

func FuzzCgroup(f *testing.F) {
	f.Add("0::/a.slice/b\n", mountV2, "max\n")
	f.Add("5:cpu,memory:/docker/1f\n", mountV1, noneV1)
	f.Add("0::/\n", `41 31 0:38 /\040 /sys/\0 rw - cgroup2 none rw`, "104857600\n")
	f.Fuzz(func(t *testing.T, group, mounts, limit string) {
		var g groups
		for line := range strings.SplitSeq(group, "\n") {
			g.add(line)
		}
		var m mount
		for line := range strings.SplitSeq(mounts, "\n") {
			m.consider(line, g)
		}
		if m.dir != "" {
			dirs := m.ancestry()
			for _, dir := range dirs {
				if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
					t.Errorf("directory %q", dir)
				}
			}
			if last := dirs[len(dirs)-1]; last != m.point && len(dirs) <= maxDepth {
				t.Errorf("%q ends at %q, not at the mount %q", dirs, last, m.point)
			}
		}
		if n, ok := parseLimit([]byte(limit)); !ok && n != 0 && n != math.MaxUint64 {
			t.Errorf("limit %d of %q", n, limit)
		}
	})
}
