// Command scratch prints what functions with scratch buffers return.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

const room = 100 << 10

func reversed(s string) string {
	buf := make([]byte, len(s)) // want `scratch buffer buf is made anew`
	for i := range buf {
		buf[i] = s[len(s)-1-i]
	}
	return string(buf)
}

func zeroes(n int) (count int) {
	buf := make([]byte, n) // want `scratch buffer buf is made anew`
	for _, b := range buf {
		if b == 0 {
			count++
		}
	}
	for i := range buf {
		buf[i] = 1
	}
	return count*1000 + cap(buf)
}

func large(n uint16) uint64 {
	buf := make([]byte, room) // want `scratch buffer buf is made anew`
	half := buf[room/2:]
	binary.LittleEndian.PutUint16(half, n)
	half[2]++
	return binary.LittleEndian.Uint64(buf[room/2 : room/2+8])
}

func joined(n int, parts ...string) string {
	// The comment stays.
	out := make([]byte, 0, n) // want `scratch buffer out is made anew`
	for _, p := range parts {
		out = append(out, p...)
	}
	return fmt.Sprint(cap(out) >= n, len(out), string(out))
}

func encoded(s string) string {
	if s == "" {
		return "nothing"
	}
	dst := make([]byte, base64.StdEncoding.EncodedLen(len(s))) // want `scratch buffer dst is made anew`
	base64.StdEncoding.Encode(dst, []byte(s))
	pooled := strings.ToUpper(hex.EncodeToString(dst))
	return pooled
}

func file(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	buf := make([]byte, 70000) // want `scratch buffer buf is made anew`
	n, err := f.Read(buf)
	return fmt.Sprint(n, err, bytes.Count(buf[:n], []byte("\n")))
}

func early(n int8) (result string, err error) {
	defer func() { result += "!" }()
	if n < 0 {
		return "", fmt.Errorf("%d", n)
	}
	buf := make([]byte, n) // want `scratch buffer buf is made anew`
	if len(buf) > 3 {
		return string(buf[:3]), nil
	}
	return string(buf), nil
}

// What follows is left alone: it stays on the stack, or its memory goes
// somewhere.

func onStack(s string) string {
	buf := make([]byte, 64)
	n := copy(buf, s)
	return string(buf[:n])
}

func returned(n int) []byte {
	buf := make([]byte, n)
	return buf[:n/2]
}

func throughAlias(n int) []byte {
	buf := make([]byte, n)
	x := buf[:1]
	y := x
	return append(y, 'a')
}

func viaBuffer(n int) int {
	buf := make([]byte, n)
	return bytes.NewBuffer(buf).Len()
}

func trimmed(n int) []byte {
	buf := make([]byte, n)
	return bytes.TrimSpace(buf)
}

func inClosure(n int) func() byte {
	buf := make([]byte, n)
	return func() byte { return buf[0] }
}

func element(n int) *byte {
	buf := make([]byte, n)
	return &buf[n-1]
}

func inLoop(n int) (s string) {
	for range 3 {
		buf := make([]byte, n)
		s += string(buf)
	}
	return s
}

func goroutine(n int) {
	buf := make([]byte, n)
	done := make(chan bool)
	go func(b []byte) { b[0] = 1; done <- true }(buf)
	<-done
}

func listed(n int) [][]byte {
	buf := make([]byte, n)
	return append([][]byte{}, buf)
}

func appended(n int) []byte {
	buf := make([]byte, 0, n)
	return binary.BigEndian.AppendUint16(buf, 7)
}

func main() {
	for _, s := range []string{"", "a", "longer", strings.Repeat("x", 300), "short"} {
		fmt.Println(reversed(s), encoded(s), onStack(s[:min(len(s), 9)]))
	}
	for _, n := range []int{1, 300, 5, 0, 70000} {
		fmt.Println(zeroes(n), large(uint16(n)), joined(n, "a", "bc"), joined(n))
		if n > 0 {
			fmt.Println(len(returned(n)), throughAlias(n)[1], viaBuffer(n), len(trimmed(n)), inClosure(n)(), *element(n), len(inLoop(n)), len(listed(n)), appended(n))
			goroutine(n)
		}
	}
	fmt.Println(file("/none"))
	fmt.Println(file("/dev/null"))
	for _, n := range []int8{-1, 0, 2, 100} {
		s, err := early(n)
		fmt.Printf("%q %v\n", s, err)
	}
}
