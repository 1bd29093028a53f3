package main

import (
	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/report"
)

func newDiagnose() *cobra.Command {
	var t target
	var o output
	cmd := &cobra.Command{
		Use:   "diagnose [packages]",
		Short: "Say which of your lines allocate, how much, and why",
		Long: `Diagnose runs the benchmarks of the packages (default: the one in the current
directory), traces every allocation to a line of your own code, says why the
compiler sent it to the heap and names the idiom. It changes nothing.`,
		Example: `  unheap diagnose
  unheap diagnose --bench 'Decode|Encode' ./codec
  unheap diagnose -C ../service --format json -o findings.json ./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			options, done := t.options(args, cmd.ErrOrStderr())
			result, err := diagnose.Run(cmd.Context(), options)
			done()
			if err != nil {
				return err
			}
			defer result.Close()
			return o.write(cmd.OutOrStdout(), result.Document, func(t report.Text) report.Handler { return t.Write })
		},
	}
	t.register(cmd)
	o.registerList(cmd)
	return cmd
}
