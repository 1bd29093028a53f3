// The program must print the same with and without the guards.
package main

import "fmt"

type level int

const debug level = 2

type logger struct {
	level level
	out   []string
}

func (l *logger) debugf(format string, args ...any) {
	if l.level < debug {
		return
	}
	l.out = append(l.out, fmt.Sprintf(format, args...))
}

func (l *logger) both(a, b any) {
	if l == nil {
		return
	}
	if l.level >= debug {
		l.out = append(l.out, fmt.Sprint(a, b))
	}
}

func run(l *logger, xs []int) {
	for i, x := range xs {
		l.debugf("%d %d %s", i, x, "s") // safe // want `arguments of debugf are boxed`
		if x > 3 {
			l.debugf("%d", xs[i]) // safe // want `arguments of debugf are boxed`
		} else {
			l.both(x, i) // safe // want `arguments of both are boxed`
		}
	}
}

func main() {
	for lv := level(0); lv < 4; lv++ {
		l := &logger{level: lv}
		run(l, []int{1, 5, 3})
		fmt.Println(lv, l.out)
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		run(nil, []int{1})
	}()
}
