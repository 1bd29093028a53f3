package rowsgen

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// game is the package that has a field of each kind. Its table is generated
// code that was committed, and its tests are those of what it does.
var game = filepath.Join("..", "..", "mem", "rows", "internal", "game")

// TestGolden also shows that the source is the same each time.
func TestGolden(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(game, "player_rows.go"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		file, got, err := Generate(context.Background(), Options{Dir: game, Types: []string{"Player", "Mark", "Hero", "User"}})
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) != "player_rows.go" {
			t.Errorf("the file is %s", file)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("the source differs from %s: run go generate in %s and look at the difference", file, game)
		}
	}
}

// module writes a module with the given files and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/shop\n\ngo 1.24\n"
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	return dir
}

// TestRefusals: each is told by the name of the field.
func TestRefusals(t *testing.T) {
	const shapes = `package shop

import ("sync"; "unsafe"; "example.com/shop/other")

type Tree struct { Left, Right *Tree }
type Self struct { Children []Self }
type Named map[string]int
type Pair[T any] struct { A T }
type Empty struct{}
type Alias = Good
type Number int
type Good struct { N int }
type GoodTable struct{}
type Keeper struct { N int }
type keeper struct { N int }
`
	for _, tt := range []struct {
		fields string
		want   []string
	}{
		{"M map[string]int", []string{"Row.M:", "map", "slice of structs"}},
		{"M Named", []string{"Row.M:", "map"}},
		{"C chan int", []string{"Row.C:", "channel"}},
		{"F func()", []string{"Row.F:", "function"}},
		{"I any", []string{"Row.I:", "interface"}},
		{"E error", []string{"Row.E:", "interface"}},
		{"P unsafe.Pointer", []string{"Row.P:", "unsafe.Pointer"}},
		{"P *int", []string{"Row.P:", "pointer to int"}},
		{"P **Good", []string{"Row.P:", "pointer to"}},
		{"P [2]*Good", []string{"Row.P:", "array of pointers"}},
		{"P []*int", []string{"Row.P:", "slice of pointers to int"}},
		{"P [][]int", []string{"Row.P:", "slice of lists", "wrap"}},
		{"P [][]byte; Q [][2]string", []string{"Row.Q:", "slice of arrays"}},
		{"P [0]int", []string{"Row.P:", "length 0"}},
		{"T *Tree", []string{"Row.T:", "Left and Right"}},
		{"S Self", []string{"Row.S.Children[0]:", "contains itself"}},
		{"S struct{ A string }", []string{"Row.S:", "without a name"}},
		{"G Pair[int]", []string{"Row.G:", "generic"}},
		{"E Empty", []string{"Row.E:", "no fields"}},
		{"Mu sync.Mutex", []string{"Row.Mu.", "sync"}},
		{"H other.Hidden", []string{"Row.H.name:", "does not export"}},
		{"H other.Shown", []string{"Row.H.Deep.M:", "map"}},
		{"U Unknown", []string{"Row.U:", "not known"}},
		{"Next *Row", []string{"Row.Next:", "links rows", "`rows:\"-\"`"}},
		{"Deep []struct{ N int }", []string{"Row.Deep[0]:", "without a name"}},
		{"a int; A int", []string{"Row.A:", "first letter"}},
		{"Copy int", []string{"Row.Copy:", "method"}},
		{"Handle int", []string{"Row.Handle:", "method"}},
		{"Items []int; ItemsLen int", []string{"Row.ItemsLen:", "method"}},
		{"F float64 `rows:\"key\"`", []string{"Row.F:", "integer or a string"}},
		{"F int `rows:\"kee\"`", []string{"Row.F:", "unknown tag", "kee"}},
		{"G Indexed", []string{"Row.G.N:", "only fields of Row"}},
		{"", []string{"Row:", "no fields"}},
	} {
		t.Run(tt.fields, func(t *testing.T) {
			dir := module(t, map[string]string{
				"shop.go":        shapes + "type Indexed struct { N int `rows:\"index\"` }\ntype Row struct {\n" + strings.ReplaceAll(tt.fields, "; ", "\n") + "\n}\nvar _ sync.Mutex\nvar _ unsafe.Pointer\nvar _ other.Hidden\n",
				"other/other.go": "package other\ntype Hidden struct { name string }\ntype Shown struct { Deep Deep }\ntype Deep struct { M map[int]int }\n",
			})
			_, _, err := Generate(context.Background(), Options{Dir: dir, Types: []string{"Row"}})
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error = %q, want %q in it", err, want)
				}
			}
		})
	}
	dir := module(t, map[string]string{"shop.go": strings.ReplaceAll(shapes, `import ("sync"; "unsafe"; "example.com/shop/other")`, "")})
	for name, want := range map[string]string{
		"Missing":       "no type of this name",
		"Number":        "no struct",
		"Alias":         "alias",
		"Good":          "shop.go:13 declares this name",
		"Pair":          "generic",
		"Keeper,Keeper": "named twice",
		"Keeper,keeper": "both declare",
		"":              "no type of this name",
	} {
		_, _, err := Generate(context.Background(), Options{Dir: dir, Types: strings.Split(name, ",")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("type %q: error = %v, want %q in it", name, err, want)
		}
	}
	if _, _, err := Generate(context.Background(), Options{Dir: dir}); err == nil {
		t.Error("no types were taken")
	}
	if _, _, err := Generate(context.Background(), Options{Dir: t.TempDir(), Types: []string{"Row"}}); err == nil {
		t.Error("a directory without Go code was taken")
	}
	broken := module(t, map[string]string{"shop.go": "package shop\n\ntype Row struct {\n"})
	if _, _, err := Generate(context.Background(), Options{Dir: broken, Types: []string{"Row"}}); err == nil || !strings.Contains(err.Error(), "shop.go") {
		t.Errorf("broken source: error = %v", err)
	}
}

// TestModule generates a table in a module of its own whose code needs the
// table already, and runs that code's tests. The type has what the example in
// game has not: names that the generated code uses itself, foreign structs,
// one embedded, and many parts.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a build")
	}
	parts := new(strings.Builder)
	for i := range 20 {
		parts.WriteString("\tP" + string(rune('a'+i)) + " *Part\n")
	}
	dir := module(t, map[string]string{
		"shop.go": `package shop

import (
	"example.com/shop/iter"
	"example.com/shop/rows"
)

//go:generate unheap rows -type order,Bill

type order struct {
	id string ` + "`rows:\"key\"`" + `
	Tag
	rows, heap, present iter.Point
	linkState, v, r, h  int
	State               uint64 ` + "`rows:\"index\"`" + `
	Big                 uint64 ` + "`rows:\"key\"`" + `
	Lines               []rows.Line
	Raw                 [][]byte
	Grid                [2][3]int8
	Marks               [2]Tag
	_                   int
` + parts.String() + `}

type Part struct{ Name string }

type Tag struct{ Key, Value string }

type Bill struct {
	Lines []rows.Line
	Part  *Part
}

func state(t *OrderTable, id string) uint64 {
	o, _ := t.GetById(id)
	return o.State
}
`,
		"iter/iter.go": "package iter\n\ntype Point struct{ X, Y float32 }\n",
		"rows/rows.go": "package rows\n\ntype Line struct {\n\tText string\n\tAt *int64 `rows:\"-\"`\n\tWords []string\n}\n",
		"shop_test.go": `package shop

import (
	"reflect"
	"testing"

	"example.com/shop/rows"
)

func TestOrders(t *testing.T) {
	table := NewOrderTable()
	o := order{
		id: "one", Tag: Tag{"k", "v"}, linkState: 5, v: 6, r: 7, h: 8, State: 1 << 63, Big: 9,
		Lines: []rows.Line{{Text: "text", Words: []string{"a", ""}}, {}},
		Raw: [][]byte{nil, {}, {1}}, Grid: [2][3]int8{{1, -2, 3}}, Marks: [2]Tag{1: {"m", "n"}},
		Pa: &Part{"a"}, Pt: &Part{"t"},
	}
	h, err := table.Insert(&o)
	if err != nil {
		t.Fatal(err)
	}
	if state(table, "one") != 1<<63 {
		t.Error("the state is wrong")
	}
	if got, err := table.Get(h); err != nil || !reflect.DeepEqual(got, o) {
		t.Errorf("Get = %+v, %v", got, err)
	}
	packed, err := table.Evict(h, []byte("prefix"))
	if err != nil {
		t.Fatal(err)
	}
	if h, err = table.Unpack(packed[len("prefix"):]); err != nil {
		t.Fatal(err)
	}
	if got, err := table.Get(h); err != nil || !reflect.DeepEqual(got, o) {
		t.Errorf("unpacked: %+v, %v", got, err)
	}
	o.Pa, o.Pb = nil, &Part{"b"}
	if err := table.Update(h, &o); err != nil {
		t.Fatal(err)
	}
	table.View(func(x OrderReader) {
		v, ok := x.ByBig(9)
		if _, hasA := v.Pa(); !ok || hasA {
			t.Error("a part that was taken away is there")
		}
		if b, hasB := v.Pb(); !hasB || b.Name() != "b" || v.Tag().Value() != "v" || v.MarksAt(1).Key() != "m" || v.LinesAt(0).WordsAt(0) != "a" {
			t.Error("the view is wrong")
		}
		n := 0
		for range x.ByState(1 << 63) {
			n++
		}
		if n != 1 {
			t.Errorf("%d orders have the state", n)
		}
	})
	if err := table.AppendRaw(h, []byte{2}); err != nil {
		t.Fatal(err)
	}
	if err := NewBillTable().Delete(BillHandle{}); err == nil {
		t.Error("the zero handle was taken")
	}
}
`,
	})
	file, source, err := Generate(context.Background(), Options{Dir: dir, Types: []string{"order", "Bill"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		t.Fatal(err)
	}
	mem, err := filepath.Abs(filepath.Join("..", "..", "mem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "edit", "-require=github.com/unheap/unheap/mem@v0.0.0", "-replace=github.com/unheap/unheap/mem=" + mem},
		{"vet", "./..."},
		{"test", "./..."},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	// The earlier version of the file is no obstacle, and changes nothing.
	_, again, err := Generate(context.Background(), Options{Dir: dir, Types: []string{"order", "Bill"}})
	if err != nil || !bytes.Equal(source, again) {
		t.Errorf("generated again, the source differs: %v", err)
	}
	if lines := regexp.MustCompile(`(?m)^.*[ \t]$`).FindAll(source, 3); lines != nil {
		t.Errorf("lines end in space: %q", lines)
	}
}
