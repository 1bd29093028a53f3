// Command copybuffer copies in all forms that the rule knows and prints what
// came out.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strings"
	"testing/iotest"
)

// plain hides all methods but Read.
type plain struct{ io.Reader }

func toString(src io.Reader) (string, int64, error) {
	var sb strings.Builder
	n, err := io.Copy(&sb, src) // want `io.Copy allocates a buffer`
	return sb.String(), n, err
}

func inCondition(dst io.Writer, src io.Reader) error {
	if _, err := io.Copy(dst, src); err != nil { // want `io.Copy allocates a buffer`
		return err
	}
	return nil
}

func nilBuffer(dst io.Writer, src io.Reader) (int64, error) {
	return io.CopyBuffer(dst, src, nil) // want `io.CopyBuffer allocates a buffer`
}

func checksum(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f) // want `io.Copy allocates a buffer`
	return fmt.Sprintf("%d %v %x", n, err, h.Sum(nil))
}

func discard(src io.Reader) (int64, error) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(f, src) // want `only to write to the null device`
}

// No buffer is made in what follows.

func fromString(dst io.Writer, s string) (int64, error) {
	return io.Copy(dst, strings.NewReader(s))
}

func intoBuffer(src io.Reader) string {
	var buf bytes.Buffer
	io.Copy(&buf, src)
	return buf.String()
}

func ownBuffer(dst io.Writer, src io.Reader) (int64, error) {
	return io.CopyBuffer(dst, src, make([]byte, 512))
}

func drain(src io.Reader) (int64, error) {
	return io.Copy(io.Discard, src)
}

func few(dst io.Writer, src io.Reader) (int64, error) {
	return io.CopyN(dst, src, 16)
}

func main() {
	long := strings.Repeat("0123456789", 10000)
	for _, s := range []string{"", "short", long} {
		for _, wrap := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r },
			func(r io.Reader) io.Reader { return plain{r} },
			iotest.DataErrReader, iotest.TimeoutReader,
		} {
			out, n, err := toString(wrap(strings.NewReader(s)))
			fmt.Println(len(out), out == s, n, err)
			var buf strings.Builder
			fmt.Println(inCondition(&buf, wrap(strings.NewReader(s))), buf.Len())
			n, err = nilBuffer(&buf, wrap(strings.NewReader(s)))
			fmt.Println(n, err, buf.Len())
			for _, copyFor := range []func(io.Writer, io.Reader) (int64, error){exactly(0), exactly(5), exactly(2000), exactly(50000), few, ownBuffer} {
				n, err = copyFor(&buf, wrap(strings.NewReader(s)))
				fmt.Println(n, err, buf.Len())
			}
			n, err = drain(wrap(strings.NewReader(s)))
			fmt.Println(n, err, len(intoBuffer(wrap(strings.NewReader(s)))))
		}
		n, err := discard(plain{strings.NewReader(s)})
		fmt.Println(n, err)
		n, err = fromString(io.Discard, s)
		fmt.Println(n, err)
	}
	fmt.Println(checksum("/dev/null"), checksum("/none"))
}
