// The program must print the same with and without the conditions outside.
package main

import "fmt"

func assert(cond bool, format string, args ...any) {
	if !cond {
		panic(fmt.Sprintf(format, args...))
	}
}

var calls int

func check(n int) bool {
	calls++
	return n < 3
}

func run(n int) {
	defer func() { fmt.Println(n, calls, recover()) }()
	assert(n != 1, "one: %d", n)             // safe // want `arguments of assert are boxed`
	assert(check(n), "%d %d", n, calls)      // review // want `arguments of assert are boxed`
	assert(!(n == 0 || n > 5), "zero %d", n) // safe // want `arguments of assert are boxed`
	assert(n*2 <= 3 && n > 0, "two %d", n)   // safe // want `arguments of assert are boxed`
}

func main() {
	for n := range 8 {
		run(n)
	}
}
