package capture

import (
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	pprof "github.com/google/pprof/profile"
)

var (
	releaseRE   = regexp.MustCompile(`^(?:devel )?(go1(?:\.\d{1,4}){0,2}(?:(?:rc|beta)\d{1,3})?)(?:[ -].*)?$`)
	toolchainRE = regexp.MustCompile(`/toolchain@v0\.0\.1-(go1(?:\.\d{1,4}){1,2}(?:(?:rc|beta)\d{1,3})?)\.`)
)

// goVersion returns the release in a version as the runtime prints it, "go1.26.1" or "go1.26.1 X:...".
func goVersion(s string) string {
	if m := releaseRE.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// learn takes from a profile what it tells of the program and is not known yet.
func (t *Target) learn(p *pprof.Profile) {
	if len(p.Mapping) > 0 {
		if m := p.Mapping[0]; m != nil {
			if t.BuildID == "" && isHex(m.BuildID) {
				t.BuildID = m.BuildID
			}
			if t.Program == "" {
				t.Program = baseName(m.File)
			}
		}
	}
	for _, f := range p.Function {
		if t.GoVersion == "" {
			if m := toolchainRE.FindStringSubmatch(f.Filename); m != nil {
				t.GoVersion = m[1]
			}
		}
		if strings.HasPrefix(f.Name, "runtime.") || strings.HasPrefix(f.Name, "internal/runtime/") || strings.HasPrefix(f.Name, "syscall.") {
			t.learnPlatform(path.Base(f.Filename))
		}
	}
}

// learnPlatform reads the constraint in the name of one of the runtime's files: _GOOS, _GOARCH or _GOOS_GOARCH.
func (t *Target) learnPlatform(file string) {
	stem, _, _ := strings.Cut(file, ".")
	parts := strings.Split(stem, "_")
	if len(parts) < 2 {
		return
	}
	for _, word := range parts[max(1, len(parts)-2):] {
		switch word {
		case "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "linux", "netbsd", "openbsd", "plan9", "solaris", "windows":
			if t.GOOS == "" {
				t.GOOS = word
			}
		case "386", "amd64", "arm", "arm64", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le", "riscv64", "s390x":
			if t.GOARCH == "" {
				t.GOARCH = word
			}
		}
	}
}

// keepBuild copies the lines of runtime/debug.BuildInfo but for linker flags, which are a place for keys.
func keepBuild(w io.Writer, r io.Reader) error {
	return eachLine(r, func(line []byte) error {
		if strings.HasPrefix(string(line), "build\t-ldflags=") {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s\n", line)
		return err
	})
}

// learnBuild reads what runtime/debug.BuildInfo prints of itself.
func (t *Target) learnBuild(r io.Reader) (*debug.BuildInfo, error) {
	data, err := io.ReadAll(io.LimitReader(r, smallAnswer))
	if err != nil {
		return nil, err
	}
	info, err := debug.ParseBuildInfo(string(data))
	if err != nil {
		return nil, err
	}
	// The parser passes over this line, and over all that it does not know.
	line, _, _ := strings.Cut(string(data), "\n")
	release, ok := strings.CutPrefix(line, "go\t")
	if info.GoVersion = goVersion(release); !ok || info.GoVersion == "" {
		return nil, errors.New("no Go release in the build information")
	}
	t.GoVersion = info.GoVersion
	for _, s := range info.Settings {
		switch {
		case s.Key == "GOOS" && len(s.Value) < 20:
			t.GOOS = s.Value
		case s.Key == "GOARCH" && len(s.Value) < 20:
			t.GOARCH = s.Value
		}
	}
	return info, nil
}

func isHex(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// baseName returns the last element of a path of any system, empty for none.
func baseName(file string) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if len(file) > 200 || strings.ContainsFunc(file, func(r rune) bool { return r < ' ' }) {
		return ""
	}
	return file
}
