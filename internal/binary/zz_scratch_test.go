package binary

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

func TestScratch(t *testing.T) {
	bin, prof := os.Getenv("BIN"), os.Getenv("PROF")
	if bin == "" {
		t.Skip()
	}
	t0 := time.Now()
	f, err := Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	t1 := time.Now()
	r, _ := os.Open(prof)
	p, err := profile.Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	t2 := time.Now()
	var n, kind, typ, nb, kb, tb int64
	gaps := map[string]int64{}
	for _, s := range p.Sample {
		l := s.Location[0]
		a := l.Address
		var st, li, of uint64
		if l.Mapping != nil {
			st, li, of = l.Mapping.Start, l.Mapping.Limit, l.Mapping.Offset
		}
		a, _ = f.Adjust(a, st, li, of)
		al, ok := f.At(a)
		n++
		nb += s.Value[1]
		fn := l.Line[len(l.Line)-1].Function.Name
		if ok {
			kind++
			kb += s.Value[1]
		}
		if al.Type != "" {
			typ++
			tb += s.Value[1]
		}
		if !ok || al.Type == "" {
			gaps[fmt.Sprintf("%v %s/%s in %s %s:%d %#x", ok, al.Kind, al.Callee, fn, l.Line[0].Function.Filename[strings.LastIndex(l.Line[0].Function.Filename, "/")+1:], l.Line[0].Line, a)] += s.Value[1]
		}
		if os.Getenv("ALL") != "" {
			fmt.Printf("%-30s %3d %-12s %-30s %3d %3d %s\n", fn, l.Line[0].Line, al.Kind, al.Type, al.ElemSize, al.PtrBytes, al.Callee)
		}
	}
	fmt.Printf("open %v at %v samples %d kind %.1f%% type %.1f%%; bytes kind %.1f%% type %.1f%%\n", t1.Sub(t0), time.Since(t2), n, 100*float64(kind)/float64(n), 100*float64(typ)/float64(n), 100*float64(kb)/float64(nb), 100*float64(tb)/float64(nb))
	var keys []string
	for k := range gaps {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return gaps[keys[i]] > gaps[keys[j]] })
	for i, k := range keys {
		if i < 60 {
			fmt.Println(gaps[k], k)
		}
	}
}
