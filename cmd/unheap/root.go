package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newRoot returns the command with all its subcommands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "unheap",
		Short: "From a Go benchmark's allocations to a fix that is measured",
		Long: `Unheap finds the lines that put work on the garbage collector, says why the
compiler sent that memory to the heap, rewrites what can be rewritten and
proves the gain with tests and benchmarks.

Exit codes: 0 clean, 1 failure, 2 usage, 3 findings (with --exit-code).`,
		Example: `  unheap diagnose ./...          # what allocates, and why
  unheap fix ./codec             # try fixes; change nothing
  unheap fix --apply ./codec     # and write those that won`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: asUsage(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q", args[0])
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.AddCommand(newFix(), newDiagnose(), newExplain(), newCapture(), newGCTrace(), newRules(), newRows(), newVersion())
	return root
}
