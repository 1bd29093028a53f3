package lib

import "fmt"

var Verbose bool

type Logger struct{ On bool }

func (l *Logger) Note(format string, args ...any) {
	if !Verbose {
		return
	}
	fmt.Printf(format, args...)
}

func (l *Logger) Both(format string, args ...any) {
	if !Verbose || !l.On {
		return
	}
	fmt.Printf(format, args...)
}

func Failed(err error, args ...any) {
	if err == nil {
		return
	}
	fmt.Println(args...)
}

type Failure struct{}

func (*Failure) Error() string { return "failure" }

func FailedWith(f *Failure, args ...any) {
	Failed(f, args...)
}

func Half(x float64, args ...any) {
	if x/2 < 0.3 {
		return
	}
	fmt.Println(args...)
}
