// Unheap goes from a Go benchmark's allocations to a fix that is measured.
//
// Run unheap help for its commands, or see the package comment of
// github.com/unheap/unheap for how it works.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/unheap/unheap/internal/report"
)

func main() { os.Exit(execute()) }

// execute runs the command line and returns the process's exit code.
func execute() (code int) {
	defer func() {
		if os.Getenv("GOTRACEBACK") != "" {
			return // somebody wants to see the stack
		}
		if p := recover(); p != nil {
			fmt.Fprintf(os.Stderr, "unheap: internal error: %s; please report it, with the version (%s) and this line, at %s\n",
				report.Clean(fmt.Sprint(p)), version(), issues)
			code = exitFailure
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	return exitCode(ctx, newRoot().ExecuteContext(ctx), os.Stderr)
}

const issues = "https://github.com/unheap/unheap/issues"
