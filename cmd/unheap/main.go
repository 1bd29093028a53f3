// Unheap goes from a Go benchmark's allocations to a fix that is measured.
//
// Run unheap help for its commands, or see the package comment of
// github.com/unheap/unheap for how it works.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(execute(ctx, newRoot(), os.Stderr))
}

// execute runs the command line and returns the process's exit code. A panic
// becomes one line, unless GOTRACEBACK asks for the stack.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) (code int) {
	defer func() {
		if os.Getenv("GOTRACEBACK") != "" {
			return
		}
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "unheap: internal error: %s; please report it, with the version (%s) and this line, at %s\n",
				report.Clean(fmt.Sprint(p)), version(), issues)
			code = exitFailure
		}
	}()
	return exitCode(ctx, root.ExecuteContext(ctx), stderr)
}

const issues = "https://github.com/unheap/unheap/issues"
