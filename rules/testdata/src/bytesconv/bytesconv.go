// Command bytesconv searches and writes through conversions.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

const sep = ","

type text string

func search(b, c []byte) []any {
	return []any{
		strings.Contains(string(b), "x"),                                                 // want `the argument is copied to convert it`
		strings.HasPrefix(string(b), sep),                                                // want `the argument is copied to convert it`
		strings.Index(string(b), string(c)),                                              // want `the argument is copied to convert it`
		strings.EqualFold(string(b), "ÉX"),                                               // want `the argument is copied to convert it`
		strings.IndexByte(string(b), ','),                                                // want `the argument is copied to convert it`
		strings.LastIndexAny(string(b), "é,\xff"),                                        // want `the argument is copied to convert it`
		strings.ContainsRune((string(b)), 'é'),                                           // want `the argument is copied to convert it`
		strings.Compare(string(b), string(c)),                                            // want `the argument is copied to convert it`
		!strings.HasSuffix(string(b[:len(b)/2]), "") || strings.Count(string(c), "") > 2, // want `the argument` `the argument`
	}
}

func build(b []byte) string {
	var sb strings.Builder
	n, err := sb.WriteString(string(b)) // want `the argument is copied to convert it`
	return fmt.Sprint(n, err, sb.String())
}

func buffered(s string) string {
	var sb strings.Builder
	bw := bufio.NewWriterSize(&sb, 16)
	bw.Write([]byte(s))   // want `the argument is copied to convert it`
	bw.Write([]byte("/")) // want `the argument is copied to convert it`
	bw.Flush()
	return sb.String()
}

func file(f *os.File, s string) (int, error) {
	return f.Write([]byte(s)) // want `the argument is copied to convert it`
}

// What follows is left alone.

type loud struct{ strings.Builder }

func (l *loud) Write(b []byte) (int, error) { return l.Builder.WriteString(strings.ToUpper(string(b))) }

func left(b []byte, t text, r rune, change func() string) []any {
	var l loud
	l.WriteString(string(b))
	l.WriteString(string(t))
	l.WriteString(string(r))
	return []any{
		l.String(),
		strings.Contains(string(b), change()),
		strings.Contains("abc", string(b)),
		strings.Contains(string(t), "x"),
		strings.ToUpper(string(b)),
		strings.Fields(string(b)),
	}
}

func shadowed(b []byte, bytes int) bool {
	return bytes > 0 && strings.Contains(string(b), "x")
}

func main() {
	for _, s := range []string{"", "x", ",é", "éx", "a long text with x, and more than 32 bytes", "\xff"} {
		b := []byte(s)
		fmt.Println(search(b, []byte(",")), search(b, nil))
		fmt.Println(build(b), buffered(s))
		fmt.Println(left(b, text(s), 'é', func() string { clear(b); return "x" }), shadowed(b, 1))
	}
	fmt.Println(file(os.Stdout, "written\n"))
	fmt.Println(file(nil, "x"))
}
