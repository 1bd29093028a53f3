package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/unheap/unheap/finding"
	"github.com/unheap/unheap/internal/report"
	"github.com/unheap/unheap/internal/run"
)

// An output is the flags that say how, and where to, a document is written.
type output struct {
	format, file string
	all          bool
	exitFindings bool
}

func (o *output) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "write the report as `FORMAT`: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.file, "output", "o", "", "write the whole report to `FILE`, not to standard output")
	// Wrong values are to be told before minutes of measuring, not after.
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if _, err := report.ForFormat(o.format, nil); err != nil {
			return usageError{fmt.Errorf("--format: %w", err)}
		}
		if o.file != "" {
			return report.Writable(o.file)
		}
		return nil
	}
}

// registerList adds the flags of commands that list findings.
func (o *output) registerList(cmd *cobra.Command) {
	o.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "show all findings in full, not one screen of them")
	f.BoolVar(&o.exitFindings, "exit-code", false, "exit with 3 if there are findings")
}

// write writes the document; text is its form for people.
func (o *output) write(stdout io.Writer, d *finding.Document, text func(report.Text) report.Handler) error {
	d.Tool = tool()
	t := screen(stdout, os.Getenv)
	if o.file != "" {
		t = report.Text{}
	}
	if o.all {
		t.Lines = 0
	}
	handler, err := report.ForFormat(o.format, text(t))
	if err != nil {
		return err
	}
	if o.file != "" {
		err = report.WriteFile(o.file, func(w io.Writer) error { return handler(w, d) })
	} else {
		err = handler(stdout, d)
	}
	if err == nil && o.exitFindings && len(d.Findings) > 0 {
		return errFindings
	}
	return err
}

const (
	pipeLines     = 40 // of a report that goes to no terminal
	terminalLines = 24 // of a terminal that does not tell
)

// screen returns how text is to be laid out on w.
func screen(w io.Writer, env func(string) string) report.Text {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.Text{Lines: pipeLines}
	}
	t := report.Text{Lines: terminalLines, Colour: env("NO_COLOR") == "" && env("TERM") != "dumb"}
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		t.Width = width
		t.Lines = max(height-1, terminalLines-1) // the shell's next prompt takes a line
	}
	return t
}

// progress returns what shows progress on stderr, nil where that is no terminal, and a function that ends it.
func progress(stderr io.Writer) (run.Progress, func()) {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	line := report.NewProgressLine(f, width)
	return line.Update, line.Close
}
