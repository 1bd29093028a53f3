package measure

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxTestingSource bounds what is read of the toolchain's benchmark.go (30 kB
// in Go 1.26).
const maxTestingSource = 4 << 20

// Units that only a binary built with [ExactCounters] prints.
const (
	unitTotalBytes  = "total-B"
	unitTotalAllocs = "total-allocs"
)

// memStringBody replaces the body of testing.BenchmarkResult.MemString. The
// verb %[1]s is the receiver. What b.ReportMetric set still wins.
const memStringBody = `{
	perOp := func(unit string, total uint64) float64 {
		if v, ok := %[1]s.Extra[unit]; ok {
			return v
		}
		if %[1]s.N <= 0 {
			return 0
		}
		return float64(total) / float64(%[1]s.N)
	}
	return fmt.Sprintf("%%v B/op\t%%v allocs/op\t%%d ` + unitTotalBytes + `\t%%d ` + unitTotalAllocs + `",
		perOp("B/op", %[1]s.MemBytes), perOp("allocs/op", %[1]s.MemAllocs), %[1]s.MemBytes, %[1]s.MemAllocs)
}`

// ExactCounters returns the toolchain's testing/benchmark.go, changed so that
// benchmarks report fractions of bytes and allocations, and the counters
// themselves, in place of quotients rounded down. It is meant for an overlay
// of the build (see [run.Scratch.WriteOverlay]): file is the name to replace.
//
// It reports false when that file is not as expected, or when the go command
// would refuse to replace it: Go 1.25 and later do below the module cache,
// where downloaded toolchains live. Counts are then integers, and [Count] warns.
func ExactCounters(goroot string) (file string, content []byte, ok bool) {
	if strings.Contains(filepath.ToSlash(goroot), "/golang.org/toolchain@") && version.Compare(toolchainVersion(goroot), "go1.25") >= 0 {
		return "", nil, false
	}
	file = filepath.Join(goroot, "src", "testing", "benchmark.go")
	src, err := readBounded(file, maxTestingSource)
	if err != nil {
		return "", nil, false
	}
	content, ok = patchMemString(src)
	if !ok {
		return "", nil, false
	}
	return file, content, true
}

// patchMemString swaps the body of MemString if it does what that of Go 1.21
// to 1.26 does.
func patchMemString(src []byte) ([]byte, bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "benchmark.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	fields := make(map[string]string)
	var method *ast.FuncDecl
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == "MemString" && receiver(d) != "" {
				method = d
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok || t.Name.Name != "BenchmarkResult" {
					continue
				}
				if st, ok := t.Type.(*ast.StructType); ok {
					for _, field := range st.Fields.List {
						for _, name := range field.Names {
							fields[name.Name] = nodeString(field.Type)
						}
					}
				}
			}
		}
	}
	if method == nil || method.Body == nil || len(method.Body.List) != 1 ||
		fields["N"] != "int" || fields["MemAllocs"] != "uint64" || fields["MemBytes"] != "uint64" || fields["Extra"] != "map[string]float64" {
		return nil, false
	}
	r := receiver(method)
	ret, ok := method.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil, false
	}
	call, ok := ret.Results[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 3 || nodeString(call.Fun) != "fmt.Sprintf" ||
		nodeString(call.Args[0]) != strconv.Quote("%8d B/op\t%8d allocs/op") ||
		nodeString(call.Args[1]) != r+".AllocedBytesPerOp()" || nodeString(call.Args[2]) != r+".AllocsPerOp()" {
		return nil, false
	}
	tf := fset.File(f.FileStart)
	from, to := tf.Offset(method.Body.Pos()), tf.Offset(method.Body.End())
	var out bytes.Buffer
	out.Write(src[:from])
	fmt.Fprintf(&out, memStringBody, r)
	out.Write(src[to:])
	return out.Bytes(), true
}

// receiver returns the receiver's name of a method on BenchmarkResult, else "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) != 1 || len(d.Recv.List[0].Names) != 1 || nodeString(d.Recv.List[0].Type) != "BenchmarkResult" {
		return ""
	}
	return d.Recv.List[0].Names[0].Name
}

// nodeString returns the syntax of a node as gofmt writes it.
func nodeString(n ast.Node) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), n); err != nil {
		return ""
	}
	return b.String()
}

// toolchainVersion reads the version, as "go1.26.1", from GOROOT/VERSION.
func toolchainVersion(goroot string) string {
	data, err := readBounded(filepath.Join(goroot, "VERSION"), 4096)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}

func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return data, err
}
