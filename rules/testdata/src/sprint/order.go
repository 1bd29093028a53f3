package sprint

import "fmt"

func next(n *int) int { *n++; return *n }

// Whether n is read before or after the call is up to the compiler.
func order(n int) string {
	fmt.Println()
	_ = fmt.Sprintf("%d", next(&n))          // safe // want `fmt.Sprintf boxes`
	return fmt.Sprintf("%d %d", n, next(&n)) // review // want `fmt.Sprintf boxes`
}
