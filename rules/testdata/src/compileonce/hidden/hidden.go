package hidden

import "regexp"

type checker interface{ check(string) bool }

type word struct{}

func (word) check(s string) bool {
	return regexp.MustCompile("x").MatchString(s) // review // want `compiles the same constant`
}

// The compiler does not see that this runs word.check.
var valid = run(word{})

func run(c checker) bool { return c.check("x") }
