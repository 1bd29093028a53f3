package must

import (
	"fmt"
	"testing"
)

func Be(cond bool, format string, args ...any) { // want Be:"guard !.1"
	if !cond {
		panic(fmt.Sprintf(format, args...))
	}
}

func Early(cond bool, args ...any) { // want Early:"guard !.1"
	if cond {
		return
	}
	panic(fmt.Sprint(args...))
}

// A wrapper that turns the sense around.
func NotBe(cond bool, format string, args ...any) { Be(!cond, format, args...) } // want NotBe:"guard .1"

func Equal(t testing.TB, ok bool, args ...any) { // want Equal:"guard !.2"
	t.Helper()
	if !ok {
		t.Fatal(args...)
	}
}

func If(on bool, args ...any) { // want If:"guard .1"
	if on {
		fmt.Println(args...)
	}
}

// It does something else as well.
func Count(cond bool, args ...any) {
	fmt.Println("counted")
	if !cond {
		panic(fmt.Sprint(args...))
	}
}
