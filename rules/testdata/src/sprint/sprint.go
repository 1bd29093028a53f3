package sprint

import (
	"fmt"
)

// The last use of fmt goes, with its import.
func last(n int) string {
	return fmt.Sprintf("%d", n) // safe // want `fmt.Sprintf boxes`
}
