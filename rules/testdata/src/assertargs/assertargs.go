package assertargs

import (
	"testing"

	"assertargs/must"
)

type point struct{ x, y int }

func next() int { return 0 }

func calls(t *testing.T, n, max int, p *point, f float64, ok bool, ch chan int, v point) {
	must.Be(n < max, "n is %d", n)            // safe // want `arguments of must.Be are boxed`
	must.Be(n+1 == max && ok, "n is %d", n)   // safe // want `arguments of must.Be are boxed`
	must.Be(n == 0 || max != 0, "n is %d", n) // safe // want `arguments of must.Be are boxed`
	must.Be(!ok, "n is %d", n)                // safe // want `arguments of must.Be are boxed`
	must.Be(ok, "n is %d", n)                 // safe // want `arguments of must.Be are boxed`
	must.Be(f < 1, "f is %f", f)              // safe // want `arguments of must.Be are boxed`
	must.Be(v == point{}, "%v", v)            // safe // want `arguments of must.Be are boxed`
	must.Be(v != (point{}), "%v", v)          // safe // want `arguments of must.Be are boxed`
	must.Early(n < max, n)                    // safe // want `arguments of must.Early are boxed`
	must.NotBe(n < max, "n is %d", n)         // safe // want `arguments of must.NotBe are boxed`
	must.NotBe(n < max || ok, "n is %d", n)   // safe // want `arguments of must.NotBe are boxed`
	must.Equal(t, n == max, n)                // safe // want `arguments of must.Equal are boxed`
	must.If(n < max, n)                       // safe // want `arguments of must.If are boxed`
	must.Be(p.x < max, "p is %d", p.y)        // safe // want `arguments of must.Be are boxed`
	must.Be(                                  // safe // want `arguments of must.Be are boxed`
		n < max,
		"n is %d", n) // the number
	must.Be(next() > 0, "n is %d", n)           // review // want `arguments of must.Be are boxed`
	must.Be(n < max, "n is %d", next())         // review // want `arguments of must.Be are boxed`
	must.Be(n < max, "n is %d", <-ch)           // none // want `test the condition in an if statement`
	must.Be(func() bool { return ok }(), "", n) // none // want `test the condition in an if statement`
	if p != nil {
		p = nil
		must.Be(n < max, "p is %d", p.y) // review // want `arguments of must.Be are boxed`
	}

	// Nothing is boxed.
	must.Be(n < max, "text")
	must.Be(n < max, "%v", p)
	// Decided.
	must.Be(false, "n is %d", n)
	if n >= max {
		must.Be(false, "n is %d", n)
	}
	// Not only an assertion.
	must.Count(n < max, n)
}

func shadowed(n int, false bool) {
	must.Be(n < 3, "n is %d", n) // none // want `test the condition in an if statement`
}
