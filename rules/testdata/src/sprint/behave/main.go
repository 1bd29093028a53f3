// The program must print the same without fmt's help.
package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
)

type id int

type name string

type verbose int

func (v verbose) String() string { return "verbose" }

type errno uint8

func (errno) Error() string { return "errno" }

type special int

func (special) Format(f fmt.State, verb rune) { f.Write([]byte("special")) }

type flag bool

func main() {
	var out []string
	add := func(s string) { out = append(out, s) }
	for _, n := range []int{0, 1, -1, 255, -255, math.MaxInt, math.MinInt} {
		add(fmt.Sprintf("%d", n))                               // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprintf("%x", n))                               // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprint(n))                                      // safe // want `fmt.Sprint boxes`
		add(fmt.Sprintf("%v|%d|%d", int8(n), uint16(n), id(n))) // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprintf("%x %x", int64(n), uint64(n)))          // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprintf("%d %t", verbose(n), n > 0))            // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprint(n, n, "x", n, true))                     // safe // want `fmt.Sprint boxes`
		add(fmt.Sprintln("x", n, "y"))                          // safe // want `fmt.Sprintln boxes`
		add(fmt.Sprintf("%v", verbose(n)))
		add(fmt.Sprintf("%x", verbose(n)))
		add(fmt.Sprintf("%v", errno(n)))
		add(fmt.Sprintf("%d", special(n)))
		add(fmt.Sprintf("%5d", n))
		add(fmt.Sprintf("%c", rune('a')))
		add(fmt.Sprintf("%s", n))
		add(fmt.Sprintf("%d %d", n))
		add(fmt.Sprintf("%d", n, n))
		add(fmt.Sprintf("%d%%", n)) // safe // want `fmt.Sprintf boxes`
	}
	for _, s := range []string{"", "a", "\x00\xff\n\"`"} {
		add(fmt.Sprintf("%s", s))                     // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprintf("%q", s))                     // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprintf("%v=%s;\n\"q\"", s, name(s))) // safe // want `fmt.Sprintf boxes`
		add(fmt.Sprint(s, s))                         // safe // want `fmt.Sprint boxes`
		add(fmt.Sprint(s, 1, flag(true)))             // safe // want `fmt.Sprint boxes`
		add(fmt.Errorf("failed: %s", s).Error())      // safe // want `fmt.Errorf boxes`
		add(fmt.Sprintf("%x", s))
		add(fmt.Sprintf("%d", s))
		if fmt.Sprintf("%s%s", s, "x") == "x" { // safe // want `fmt.Sprintf boxes`
			add("equal")
		}
		add(fmt.Sprintf("%s%s", s, "x")[len(s):]) // safe // want `fmt.Sprintf boxes`
		var b strings.Builder
		fmt.Fprintf(&b, "%s=%d;", s, len(s)) // safe // want `fmt.Fprintf boxes`
		fmt.Fprint(&b, s)                    // safe // want `fmt.Fprint boxes`
		w := &b
		fmt.Fprintln(w, s, 3) // safe // want `fmt.Fprintln boxes`
		var buf bytes.Buffer
		fmt.Fprintf(&buf, "%d", len(s)) // safe // want `fmt.Fprintf boxes`
		add(b.String() + buf.String())
	}
	var err error
	add(fmt.Sprintf("%v", err))
	add(fmt.Errorf("text").Error())       // safe // want `fmt.Errorf boxes`
	add(fmt.Errorf("100%% sure").Error()) // safe // want `fmt.Errorf boxes`
	add(fmt.Errorf("%w", os.ErrExist).Error())
	add(fmt.Sprintf("%v %v", 1.5, []int{1}))
	for _, s := range out {
		fmt.Printf("%q\n", s)
	}
}
