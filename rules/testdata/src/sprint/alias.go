package sprint

import (
	f "fmt"
	sc "strconv"
)

var _ = sc.Itoa

func aliased(n int) string {
	return f.Sprintf("%d", n) // safe // want `fmt.Sprintf boxes`
}
