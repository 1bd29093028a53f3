//go:build !quiet

package lib

import "fmt"

// Tagged has another body in builds with the tag quiet.
func Tagged(args ...any) {
	if !Verbose {
		return
	}
	fmt.Println(args...)
}
