package main

import (
	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/report"
)

func newExplain() *cobra.Command {
	var t target
	var o output
	cmd := &cobra.Command{
		Use:   "explain FILE:LINE [packages]",
		Short: "Show everything known about one line that allocates",
		Long: `Explain runs the benchmarks like diagnose and shows one line in full: each
allocation below it, the calls that lead there, the whole reason and the fixes.
FILE is relative to the module's root, or the end of such a name.`,
		Example: `  unheap explain codec/decode.go:120 ./codec
  unheap explain decode.go:120`,
		Args: asUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, done := t.options(args[1:], cmd.ErrOrStderr())
			result, err := diagnose.Run(cmd.Context(), options)
			done()
			if err != nil {
				return err
			}
			defer result.Close()
			doc, err := result.Explain(args[0])
			if err != nil {
				return err
			}
			return o.write(cmd.OutOrStdout(), doc, func(t report.Text) report.Handler { return t.Explain })
		},
	}
	t.register(cmd)
	o.register(cmd)
	return cmd
}
