package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchunit"

	"github.com/unheap/unheap/internal/capture"
	"github.com/unheap/unheap/internal/report"
)

func newCapture() *cobra.Command {
	o := capture.Defaults()
	var file string
	var headers []string
	maxResponse, maxTotal := o.MaxResponse>>20, o.MaxTotal>>20
	cmd := &cobra.Command{
		Use:   "capture URL...",
		Short: "Take profiles, traces and memory statistics from running programs into one file",
		Long: `Capture asks programs that serve net/http/pprof for a CPU profile, for what they
allocate in the same seconds, for their heap, goroutines and memory statistics
and for a short execution trace, and writes all of it to one zip file: a bundle,
to take to another machine. A URL is host:port, a base URL, or that of
/debug/pprof. Several URLs are the replicas of one service, asked at the same
time. What a program does not offer is a warning in the bundle.

A bundle holds function and file names, but no headers, passwords, arguments of
the command line or query strings.`,
		Example: `  unheap capture localhost:6060
  unheap capture --seconds 30 -o fleet.zip http://10.0.0.1:6060 http://10.0.0.2:6060
  unheap capture -H 'Authorization: Bearer ...' https://service.example.com/admin/debug/pprof`,
		Args: asUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.URLs, o.Tool = args, tool()
			o.MaxResponse, o.MaxTotal = maxResponse<<20, maxTotal<<20
			header, err := capture.ParseHeaders(headers)
			if err != nil {
				return usageError{fmt.Errorf("--header: %w", err)}
			}
			o.Header = header
			if err := o.Check(); err != nil {
				return usageError{err}
			}
			if file == "" {
				file = time.Now().Format("unheap-20060102-150405.zip")
			}
			if err := report.Writable(file); err != nil {
				return err
			}
			if err := runCapture(cmd.Context(), o, file, cmd.ErrOrStderr()); err != nil {
				return err
			}
			return writeCapture(cmd.OutOrStdout(), file)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&file, "output", "o", "", "write the bundle to `FILE` (default unheap-DATE-TIME.zip)")
	f.IntVar(&o.Seconds, "seconds", o.Seconds, "profile for `N` seconds")
	f.IntVar(&o.TraceSeconds, "trace", o.TraceSeconds, "then trace for `N` seconds; 0: no trace")
	f.StringArrayVarP(&headers, "header", "H", nil, "send this header, `'Name: value'`, with every request (repeatable)")
	f.StringVar(&o.TLS.CACert, "cacert", "", "trust the authorities in this PEM `FILE`")
	f.StringVar(&o.TLS.Cert, "cert", "", "show the certificate in this PEM `FILE`")
	f.StringVar(&o.TLS.Key, "key", "", "key of --cert, a PEM `FILE`")
	f.BoolVar(&o.TLS.Insecure, "insecure", false, "do not check the servers' certificates")
	f.BoolVar(&o.Follow, "follow", false, "follow redirects to other servers, without the headers")
	f.Int64Var(&maxResponse, "max-response", maxResponse, "read at most `MIB` of one answer")
	f.Int64Var(&maxTotal, "max-total", maxTotal, "read at most `MIB` of all answers together")
	f.DurationVar(&o.Patience, "timeout", o.Patience, "wait for an answer this `TIME` beyond the seconds asked for")
	return cmd
}

// runCapture captures into the named file.
func runCapture(ctx context.Context, o capture.Options, file string, stderr io.Writer) error {
	var done func()
	o.Progress, done = progress(stderr)
	c, err := capture.Run(ctx, o)
	done()
	if err != nil {
		return err
	}
	defer c.Close()
	return report.WriteFile(file, func(w io.Writer) error { return c.Write(ctx, w) })
}

// writeCapture says what is in the bundle, as it reads back.
func writeCapture(w io.Writer, file string) error {
	b, err := capture.Open(file)
	if err != nil {
		return err
	}
	defer b.Close()
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	files := 0
	var fleet []*capture.Health
	for i := range b.Manifest.Targets {
		t := &b.Manifest.Targets[i]
		files += len(t.Entries)
		h, err := b.Health(t)
		if err != nil {
			return err
		}
		fleet = append(fleet, h)
	}
	fmt.Fprintf(w, "%s: %d files from %d of %d programs, %s\n", report.Clean(file), files, answered(b), len(fleet), binary(float64(info.Size())))
	for i, h := range fleet {
		writeTarget(w, &b.Manifest.Targets[i], h)
	}
	outliers := capture.Outliers(fleet)
	if len(outliers) > 0 {
		fmt.Fprintln(w)
	}
	for _, o := range outliers {
		times := "above a median of 0"
		if o.Median != 0 {
			times = fmt.Sprintf("%.3g times the fleet's median", o.Value/o.Median)
		}
		fmt.Fprintf(w, "outlier: %s: its %s is %s\n", report.Clean(o.Target), o.Figure, times)
	}
	return nil
}

// answered counts the programs that gave anything.
func answered(b *capture.Bundle) (n int) {
	for i := range b.Manifest.Targets {
		if len(b.Manifest.Targets[i].Entries) > 0 {
			n++
		}
	}
	return n
}

func writeTarget(w io.Writer, t *capture.Target, h *capture.Health) {
	fmt.Fprintf(w, "\n%s", report.Clean(t.URL))
	for _, s := range []string{t.Program, t.GoVersion, t.GOOS, t.GOARCH} {
		if s != "" {
			fmt.Fprintf(w, " %s", report.Clean(s))
		}
	}
	fmt.Fprintln(w)
	for _, l := range []struct {
		label  string
		figure capture.Figure
		text   func(float64) string
	}{
		{"allocates", h.AllocBytesPerS, func(v float64) string { return binary(v) + "/s" }},
		{"objects", h.MallocsPerS, perSecond},
		{"cycles", h.CyclesPerS, perSecond},
		{"GC CPU", h.GCCPU, percent},
		{"GC CPU so far", h.GCCPUTotal, percent},
		{"live heap", h.LiveBytes, binary},
		{"heap goal", h.GoalBytes, binary},
	} {
		if l.figure.Known() {
			fmt.Fprintf(w, "  %-13s %-10s (%s)\n", l.label, l.text(l.figure.Value), report.Clean(l.figure.Source))
		}
	}
	for _, s := range append(t.Warnings[:len(t.Warnings):len(t.Warnings)], h.Warnings...) {
		fmt.Fprintf(w, "  warning: %s\n", report.Clean(s))
	}
}

func binary(v float64) string {
	if v >= 1<<62 { // how the runtime writes a goal that there is not
		return "none"
	}
	return benchunit.Scale(v, benchunit.Binary) + "B"
}

func perSecond(v float64) string { return benchunit.Scale(v, benchunit.Decimal) + "/s" }

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
