package bufio

import (
	"bufio"
	"os"
)

// The writer behind w may have a WriteString method, which then is called.
func buffered(w *bufio.Writer, s string) {
	w.Write([]byte(s)) // review // want `the argument is copied`
}

func file(f *os.File, s string) {
	f.Write([]byte(s)) // safe // want `the argument is copied`
}
