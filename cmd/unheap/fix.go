package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/fix"
	"github.com/unheap/unheap/internal/report"
)

func newFix() *cobra.Command {
	var t target
	var o output
	var options fix.Options
	var patchDir string
	cmd := &cobra.Command{
		Use:   "fix [packages]",
		Short: "Try fixes for the lines that allocate, and keep those that are proved",
		Long: `Fix diagnoses the packages (default: the one in the current directory) and tries
the rewrites that its rules propose, each through every test: it must compile,
the compiler must agree, benchmarks must allocate less, tests must pass and no
benchmark may slow down. All trials run on copies; your files stay as they are
unless you give --apply.`,
		Example: `  unheap fix
  unheap fix --bench Encode --patch-dir patches ./codec
  unheap fix -C ../service --apply ./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var done func()
			options.Options, done = t.options(args, cmd.ErrOrStderr())
			doc, err := fix.Run(cmd.Context(), options)
			done()
			if doc == nil {
				return err
			}
			// What was found is told even where writing it back failed.
			if patchErr := writePatches(cmd.ErrOrStderr(), patchDir, doc); err == nil {
				err = patchErr
			}
			writeErr := o.write(cmd.OutOrStdout(), doc, func(t report.Text) report.Handler { return t.Write })
			if err != nil {
				return err
			}
			switch {
			case doc.Combined == "":
			case options.Apply:
				fmt.Fprintln(cmd.ErrOrStderr(), "unheap: the accepted fixes were written to your files: see git diff")
			case patchDir == "":
				fmt.Fprintln(cmd.ErrOrStderr(), "unheap: nothing was changed: --apply writes the accepted fixes, --patch-dir DIR saves them")
			}
			return writeErr
		},
	}
	t.register(cmd)
	o.registerList(cmd)
	f := cmd.Flags()
	f.BoolVar(&options.Apply, "apply", false, "write the accepted fixes of class safe to your files")
	f.BoolVar(&options.Review, "review", false, "with --apply: also those of class review")
	f.BoolVar(&options.Force, "force", false, "with --apply: also to files with uncommitted changes")
	f.IntVar(&options.Rounds, "count", 10, "compare times over `N` runs of each variant")
	f.DurationVar(&options.Budget, "budget", 5*time.Minute, "stop trying after this `TIME`")
	f.StringVar(&patchDir, "patch-dir", "", "save each accepted fix, and all in one, as patches in `DIR`")
	return cmd
}

// writePatches saves the accepted fixes to dir, if one is given.
func writePatches(stderr io.Writer, dir string, doc *finding.Document) error {
	if dir == "" {
		return nil
	}
	names, err := report.Patches(dir, doc)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "unheap: %d patches written to %s\n", len(names), report.Clean(dir))
	return err
}
