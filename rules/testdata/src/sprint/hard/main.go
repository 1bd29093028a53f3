// Command hard prints what a careless rewrite would change.
package main

import (
	"bytes"
	"fmt"
)

func main() {
	a, b := "one", "two"
	fmt.Println(fmt.Sprintf("%s", a+b)[4:]) // want `fmt.Sprintf boxes`

	// The type of a shift's constant comes from where it stands.
	n := uint(40)
	fmt.Println(fmt.Sprintf("%x", 1<<n))

	// The second operand lies in the memory that the first write goes to.
	var buf bytes.Buffer
	buf.WriteString("old")
	old := buf.Bytes()
	buf.Reset()
	fmt.Fprintf(&buf, "%s%s", a, string(old))
	fmt.Println(buf.String())
}
