package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/gctrace"
	"github.com/unheap/unheap/internal/report"
)

// A traceCommand is the flags of gctrace.
type traceCommand struct {
	format, svg string
	process     int
	all         bool
}

func newGCTrace() *cobra.Command {
	var c traceCommand
	cmd := &cobra.Command{
		Use:   "gctrace FILE|-",
		Short: "Sum up the garbage collections in a log, and say what is wrong",
		Long: `Gctrace reads the lines that GODEBUG=gctrace=1 makes a Go program write, of every
Go release, from a log of any length. Other lines are skipped, damaged ones
counted. A log that mixes several processes is split by process. FILE may be -
for standard input, which is read to its end.`,
		Example: `  GODEBUG=gctrace=1 ./program 2> gc.log
  unheap gctrace gc.log
  unheap gctrace --svg gc.svg gc.log
  GODEBUG=gctrace=1 ./program 2>&1 | unheap gctrace --format csv - > gc.csv`,
		Args: asUsage(cobra.ExactArgs(1)),
		PreRunE: func(*cobra.Command, []string) error {
			return c.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, in, err := openTrace(cmd, args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			return c.run(cmd.OutOrStdout(), name, in)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.format, "format", "text", "write the report as `FORMAT`: text, json, or csv with one row a cycle")
	f.StringVar(&c.svg, "svg", "", "also draw the timeline of one process, the busiest or that of --process, to `FILE`")
	f.IntVar(&c.process, "process", -1, "report process `N` alone; -1: all")
	f.BoolVar(&c.all, "all", false, "show all processes in full, not one screen of them")
	return cmd
}

func (c *traceCommand) check() error {
	switch c.format {
	case "text", "json":
	case "csv":
		if c.svg != "" {
			return usageError{errors.New("--format csv writes cycles while it reads them, --svg needs them all: use --svg with --format text or json")}
		}
	default:
		return usageError{fmt.Errorf("--format: unknown format %q: use text, json or csv", c.format)}
	}
	if c.process < -1 {
		return usageError{fmt.Errorf("--process: no process has the number %d: the first is 0, and -1 stands for all", c.process)}
	}
	if c.svg != "" {
		return report.Writable(c.svg)
	}
	return nil
}

// openTrace opens a log. An interrupt ends the reading of a file with an error,
// but not that of standard input: it ends the program that writes there, whose last lines count.
func openTrace(cmd *cobra.Command, name string) (string, io.ReadCloser, error) {
	if name == "-" {
		return "standard input", io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", nil, fmt.Errorf("%w: name the file that holds the program's standard error, or - for standard input", err)
	}
	return name, fileUntil{f, cmd.Context()}, nil
}

// A fileUntil is a file that is read until the context ends.
type fileUntil struct {
	*os.File
	ctx context.Context
}

// Read fails once the context is done.
func (f fileUntil) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

// run reads a log and writes the report.
func (c *traceCommand) run(stdout io.Writer, name string, in io.Reader) error {
	if c.format == "csv" {
		rows, err := report.TraceCSV(stdout, in, c.process)
		if err == nil && rows == 0 {
			err = c.nothing(name, c.process >= 0)
		}
		return err
	}
	r, err := gctrace.Read(in)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	found := len(r.Processes) > 0
	if c.process >= 0 {
		r = only(r, c.process)
	}
	if len(r.Processes) == 0 {
		return c.nothing(name, found)
	}
	tr := &report.Trace{Tool: tool(), Name: name, Report: r}
	if c.svg != "" {
		if err := report.WriteFile(c.svg, func(w io.Writer) error { return report.Chart(w, r.Busiest()) }); err != nil {
			return err
		}
	}
	if c.format == "json" {
		return report.TraceJSON(stdout, tr)
	}
	t := screen(stdout, os.Getenv)
	if c.all {
		t.Lines = 0
	}
	return t.Trace(stdout, tr)
}

// nothing returns the error for a log without cycles, or without those asked for.
func (c *traceCommand) nothing(name string, process bool) error {
	if process {
		return fmt.Errorf("%s has no process %d that can be told apart: leave out --process to see which it has", name, c.process)
	}
	return fmt.Errorf("%s has no line of a garbage collection: run GODEBUG=gctrace=1 ./program 2> gc.log and read gc.log", name)
}

// only returns the report with one process.
func only(r gctrace.Report, process int) gctrace.Report {
	all := r.Processes
	r.Processes, r.Others = nil, gctrace.Others{}
	for _, p := range all {
		if p.Process == process {
			r.Processes = append(r.Processes, p)
		}
	}
	return r
}
