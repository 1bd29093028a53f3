package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/unheap/unheap/internal/diagnose"
)

// A target is the flags that say what is measured.
type target struct {
	dir, bench, tags string
	own              []string
}

func (t *target) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&t.dir, "dir", "C", "", "work in the module that holds `DIR`")
	f.StringVar(&t.bench, "bench", ".", "run the benchmarks that match `RE`")
	f.StringSliceVar(&t.own, "own", nil, "count the packages of this import-path `PATTERN` as yours, as example.com/kit/... (repeatable)")
	f.StringVar(&t.tags, "tags", "", "build with these comma-separated `TAGS`")
}

// options returns what to diagnose, with progress shown on stderr where that
// is a terminal, and a function that ends the showing.
func (t *target) options(patterns []string, stderr io.Writer) (o diagnose.Options, done func()) {
	o = diagnose.Options{Dir: t.dir, Patterns: patterns, Bench: t.bench, Own: t.own, Tags: t.tags}
	o.Progress, done = progress(stderr)
	return o, done
}
