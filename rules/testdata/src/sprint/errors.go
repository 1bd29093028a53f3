// Package comment.
package sprint

import "fmt"

// A comment at the function.
func failed() error {
	// A comment inside.
	return fmt.Errorf("failed") // safe // want `fmt.Errorf boxes`
}
