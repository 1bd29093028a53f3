package main

import (
	"context"
	"fmt"
	"os"

	"github.com/unheap/unheap/internal/diagnose"
)

func main() {
	o := diagnose.Options{Dir: os.Args[1], Patterns: os.Args[2:]}
	r, err := diagnose.Run(context.Background(), o)
	if err != nil {
		fmt.Println("ERR", err)
		os.Exit(1)
	}
	defer r.Close()
	for _, m := range r.Matches {
		hot := ""
		for i, p := range r.Places {
			if _, ok := m.Covers(p); ok {
				hot = fmt.Sprintf("HOT %.2f%%", 100*r.Document.Findings[i].Alloc.BytesShare)
			}
		}
		fmt.Println(m.Rule, m.Class, m.Spans[0].Pos, m.Message, len(m.Fixes), hot)
	}
}
