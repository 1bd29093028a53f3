package hard

import "fmt"

type checker struct{ prefix string }

func (c *checker) assert(ok bool, format string, args ...any) {
	if ok {
		return
	}
	panic(c.prefix + fmt.Sprintf(format, args...))
}

type server struct{ check *checker }

// A nil server must go on panicking.
func receiver(s *server, n int) {
	s.check.assert(n > 0, "n is %d", n) // review // want `arguments of s.check.assert`
}

func local(c *checker, n int) {
	c.assert(n > 0, "n is %d", n) // safe // want `arguments of c.assert`
}
