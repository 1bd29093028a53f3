// Package review holds what a person has to decide.
package review

import (
	"bytes"
	"fmt"
	"net/http"
)

func respond(w http.ResponseWriter, s string, n int) {
	w.Write([]byte(s))                    // want `the argument is copied to convert it`
	w.Write([]byte("constant"))           // want `the argument is copied to convert it`
	w.Write([]byte(fmt.Sprintf("%d", n))) // want `the argument is copied to convert it`
}

func buffer(buf *bytes.Buffer, b []byte) {
	buf.WriteString(string(b)) // want `the argument is copied to convert it`
}
