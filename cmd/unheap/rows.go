package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/report"
	"github.com/unheap/unheap/internal/rowsgen"
)

func newRows() *cobra.Command {
	return &cobra.Command{
		Use:   "rows -type Player[,Guild] [-o file] [-tags tags] [directory]",
		Short: "Generate a table whose rows the collector need not look into",
		Long: `Rows generates, for struct types of the package in the current directory, tables
that hold them in memory without pointers, so that millions of rows cost the
collector nothing to mark. It is meant for a comment in the package:

  //go:generate unheap rows -type Player

The generated code uses the package github.com/unheap/unheap/mem/rows. What
cannot be stored without pointers is refused by name. Struct tags choose:

  rows:"key"    look rows up by this field; no two rows share a value
  rows:"index"  look rows up by this field
  rows:"-"      leave the field out

Flags:
  -type TYPES  the struct types, separated by commas
  -o FILE      write to FILE (default: the first type in lower case, with _rows.go)
  -tags TAGS   read the package with these comma-separated build tags`,
		// Directives of go generate have their flags with one dash by custom,
		// which the package flag reads, as well as two.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			var o rowsgen.Options
			var names string
			flags := flag.NewFlagSet(cmd.CommandPath(), flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			flags.StringVar(&names, "type", "", "")
			flags.StringVar(&o.File, "o", "", "")
			flags.StringVar(&o.Tags, "tags", "", "")
			switch err := flags.Parse(args); {
			case errors.Is(err, flag.ErrHelp):
				return cmd.Help()
			case err != nil:
				return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
			case names == "":
				return usageError{fmt.Errorf("no types are given: name at least one struct type, as in %s -type Player", cmd.CommandPath())}
			case flags.NArg() > 1:
				return usageError{fmt.Errorf("several directories are given: run %s once for each package", cmd.CommandPath())}
			}
			o.Dir, o.Types = flags.Arg(0), strings.Split(names, ",")
			return writeRows(cmd, o)
		},
	}
}

func writeRows(cmd *cobra.Command, o rowsgen.Options) error {
	if o.File != "" {
		// The file is named from where the command runs, not from the package.
		file, err := filepath.Abs(o.File)
		if err != nil {
			return err
		}
		o.File = file
	}
	file, source, err := rowsgen.Generate(cmd.Context(), o)
	if err != nil {
		return err
	}
	return report.WriteFile(file, func(w io.Writer) error {
		_, err := w.Write(source)
		return err
	})
}
