package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/unheap/unheap/internal/diagnose"
	"github.com/unheap/unheap/internal/fix"
)

func main() {
	t := time.Now()
	o := diagnose.Options{Dir: os.Args[2], Patterns: os.Args[3:], Progress: func(s string, d, n int) { fmt.Fprintf(os.Stderr, "%6.2fs %s %d/%d\n", time.Since(t).Seconds(), s, d, n) }}
	if os.Args[1] == "fix" {
		doc, err := fix.Run(context.Background(), fix.Options{Options: o})
		if err != nil {
			fmt.Println("ERR", err)
		}
		if doc != nil {
			doc.Write(os.Stdout)
		}
		return
	}
	r, err := diagnose.Run(context.Background(), o)
	if err != nil {
		fmt.Println("ERR", err)
		os.Exit(1)
	}
	defer r.Close()
	r.Document.Write(os.Stdout)
}
