package compiler
import ("testing";"fmt")
func TestScratch(t *testing.T){
	m := newModule(t, "flows.txtar", "./...")
	r := m.diagnose([]string{"example.com/m/a","example.com/m/log"}, m.builds("","test","./a"))
	fmt.Println(r.Warnings())
	p := m.params()
	for _, rec := range r.Records() {
		if rec.Code==Leak { continue }
		fmt.Println("#", rec.Code, rec.Subject, rec.Func, rec.Kind, rec.Moved, rec.Chain)
		if rec.Code!=Stays {fmt.Print(format(r.Explain(rec,p,m.tree)))}
	}
}
