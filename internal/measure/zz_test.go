package measure
import ("testing";"os";"strings";"path/filepath";"context";"github.com/unheap/unheap/internal/run";"github.com/unheap/unheap/internal/source";"time")
func TestZZ(t *testing.T) {
	for _, v := range []string{"go1.21.13","go1.24.9","go1.25.3"} {
		dir := t.TempDir()
		src := "package target\nimport \"testing\"\nvar sink any\nfunc BenchmarkBox(b *testing.B){ for i:=0;i<b.N;i++ { if i%4!=0 { sink = 1000+i } } }\nfunc BenchmarkSub(b *testing.B){ f:=func(b *testing.B){ for i:=0;i<b.N;i++ { sink = new([4]int) } }; b.Run(\"a\", f); b.Run(\"a/b\", f) }\n"
		if v != "go1.21.13" { src += "func BenchmarkLoop(b *testing.B){ i:=0; for b.Loop() { i++;  if i%4!=0 { sink = 1000+i } } }\n" }
		os.WriteFile(filepath.Join(dir,"go.mod"), []byte("module x.test/t\n\ngo "+strings.TrimSuffix(v[2:6],".")+"\n"), 0o666)
		os.WriteFile(filepath.Join(dir,"a_test.go"), []byte(src), 0o666)
		g := run.Go{Dir: dir, Env: []string{"GOWORK=off","GOFLAGS=","GOTOOLCHAIN="+v}}
		vars, err := g.Variables(context.Background(), "GOROOT"); if err != nil { t.Fatal(err) }
		file, content, ok := ExactCounters(vars["GOROOT"])
		t.Log(v, ok, file)
		var o run.BuildOptions
		if ok { sc := &run.Scratch{Dir: dir}; o.Overlay, _ = sc.WriteOverlay(map[string][]byte{file: content}) }
		b, _, err := g.BuildTest(context.Background(), &source.Package{Path:"x.test/t", Dir: dir}, filepath.Join(dir,"t.test"), o)
		if err != nil { t.Fatal(err) }
		rs, err := List(context.Background(), Variant{Name:v, Binary:b}, ListOptions{Time: 20*time.Millisecond})
		if err != nil { t.Fatal(err) }
		for _, r := range rs { c, err := Count(context.Background(), Variant{Name:v, Binary:b}, r, CountOptions{Budget: 50*time.Millisecond, Dir: dir}); t.Logf("%+v\n   %+v %v", r, c, err) }
	}
}
