package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	pages "github.com/unheap/unheap/docs/rules"
	"github.com/unheap/unheap/internal/recognise"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules [NAME]",
		Short: "List the allocation idioms that unheap knows, or explain one",
		Args:  asUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return writeRule(cmd.OutOrStdout(), args[0])
			}
			return listRules(cmd.OutOrStdout())
		},
	}
}

func listRules(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "RULE\tFIX\tFROM\tIDIOM")
	for _, r := range recognise.All() {
		classes, from := string(r.Class), r.Adopted
		if from == "" {
			from = "unheap"
			page, err := pages.Read(r.Name)
			if err != nil {
				return err
			}
			classes = page.Classes
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, classes, from, title(r))
	}
	return tw.Flush()
}

// title returns the first line of a rule's documentation, without the name
// that adopted analyzers put before it.
func title(r recognise.Rule) string {
	first, _, _ := strings.Cut(r.Doc, "\n")
	return strings.TrimPrefix(first, r.Name+": ")
}

func writeRule(w io.Writer, name string) error {
	for _, r := range recognise.All() {
		if r.Name != name {
			continue
		}
		text := fmt.Sprintf("# %s\n\n%s\n\nFix: %s. Adopted from %s.\n", r.Name, strings.TrimSpace(r.Doc), r.Class, r.Adopted)
		if r.Adopted == "" {
			page, err := pages.Read(name)
			if err != nil {
				return err
			}
			text = page.Text
		}
		_, err := io.WriteString(w, text)
		return err
	}
	return usageError{fmt.Errorf("no rule is named %q: unheap rules lists them", name)}
}
