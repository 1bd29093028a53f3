package gctune_test

import (
	"expvar"
	"fmt"
	"log"
	"strings"

	"github.com/unheap/unheap/mem/gctune"
)

// A small live heap does not need the whole target: GOGC stays at its ceiling.
func ExampleStart() {
	c, err := gctune.Start(gctune.Options{Target: gctune.Bytes(400 << 20)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Stop()
	r := c.Last()
	fmt.Printf("GOGC %d, %s, target %d MiB\n", r.GOGC, r.State, r.Target>>20)
	// Output: GOGC 500, ceiling, target 400 MiB
}

// A program that is out of room ends with a clear message, rather than spend
// its time collecting.
func ExampleOptions() {
	c, err := gctune.Start(gctune.Options{
		Target: gctune.Bytes(400 << 20),
		Report: func(r gctune.Report) {
			if r.TightCycles >= 10 {
				log.Fatalf("out of memory: %d MiB live, target %d MiB", r.Live>>20, r.Target>>20)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Stop()
	fmt.Println(c.Last().State)
	// Output: off
}

// A dry run tells what the controller would do, here through a variable that a
// program would publish with expvar.Publish.
func ExampleController_String() {
	c, err := gctune.Start(gctune.Options{Target: gctune.Bytes(400 << 20), DryRun: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Stop()
	var v expvar.Var = c
	fmt.Println(strings.HasPrefix(v.String(), `{"state":"ceiling","gogc":500,`))
	// Output: true
}
