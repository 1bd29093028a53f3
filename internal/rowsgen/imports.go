package rowsgen

import (
	"bytes"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

const rowsPath = "github.com/unheap/unheap/mem/rows"

// imports gives the packages that the generated code uses their names.
type imports struct {
	pkg   *types.Package
	names map[string]string // by path
	real  map[string]string // the packages' own names, by path
}

func newImports(pkg *types.Package) *imports {
	return &imports{pkg, map[string]string{}, map[string]string{}}
}

// locals are the variables of the generated code.
var locals = []string{"b", "bit", "changed", "e", "end", "err", "f", "h", "hash", "i", "id", "isNil", "list", "n", "ok", "out", "r", "run", "s", "seq", "slot", "start", "t", "u", "v", "x", "yield"}

// use returns the name of a package, and imports it.
func (im *imports) use(path, name string) string {
	if got, ok := im.names[path]; ok {
		return got
	}
	im.real[path] = name
	free := name
	for i := 2; im.taken(free); i++ {
		free = fmt.Sprint(name, i)
	}
	im.names[path] = free
	return free
}

func (im *imports) taken(name string) bool {
	if im.pkg.Scope().Lookup(name) != nil || slices.Contains(locals, name) {
		return true
	}
	for _, n := range im.names {
		if n == name {
			return true
		}
	}
	return false
}

// typ returns a type as it is written in the generated code.
func (im *imports) typ(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == im.pkg {
			return ""
		}
		return im.use(p.Path(), p.Name())
	})
}

// print writes the import declaration, the standard library first.
func (im *imports) print(out *bytes.Buffer) {
	var groups [2][]string
	for _, path := range slices.Sorted(maps.Keys(im.names)) {
		spec := fmt.Sprintf("%q", path)
		if im.names[path] != im.real[path] {
			spec = im.names[path] + " " + spec
		}
		group := 0
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			group = 1
		}
		groups[group] = append(groups[group], spec)
	}
	fmt.Fprintf(out, "import (\n%s\n\n%s\n)\n", strings.Join(groups[0], "\n"), strings.Join(groups[1], "\n"))
}
