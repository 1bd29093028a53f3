// Package review holds what a person has to decide.
package review

import (
	"io"
	"net"
	"os"
)

func intoFile(name string, src io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, src); err != nil { // want `unless the kernel copies`
		return err
	}
	return f.Close()
}

func files(dst, src *os.File) (int64, error) {
	return io.Copy(dst, src) // want `unless the kernel copies`
}

func connection(dst io.Writer, src *net.TCPConn) {
	io.Copy(dst, src) // want `unless the kernel copies`
}

func unchecked(src io.Reader) {
	f, _ := os.OpenFile("/dev/null", os.O_RDWR, 0)
	defer f.Close()
	io.Copy(f, src) // want `the device's errors will not be seen`
}
