package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/report"
	"github.com/unheap/unheap/internal/run"
)

// Exit codes.
const (
	exitClean    = 0
	exitFailure  = 1
	exitUsage    = 2
	exitFindings = 3
)

// errFindings ends a command that was asked to fail where there are findings.
var errFindings = errors.New("there are findings")

// usageError marks a command line that is wrong in itself.
type usageError struct{ error }

// asUsage makes the errors of an argument check usage errors.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
		}
		return nil
	}
}

// exitCode tells the user on stderr what went wrong, in one line, and returns
// the exit code for it.
func exitCode(ctx context.Context, err error, stderr io.Writer) int {
	var flags usageError
	var request *diagnose.UsageError
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case run.Interrupted(ctx, err):
		fmt.Fprintln(stderr, "unheap: interrupted: nothing was changed")
		return exitFailure
	}
	fmt.Fprintln(stderr, "unheap:", report.Clean(err.Error()))
	if errors.As(err, &flags) || errors.As(err, &request) {
		return exitUsage
	}
	return exitFailure
}
