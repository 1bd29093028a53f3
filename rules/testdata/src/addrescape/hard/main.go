// Command hard prints what a careless rewrite would change.
package main

import (
	"errors"
	"fmt"
)

type request struct{ n int }

var last *request

func keep(r *request) error {
	last = r
	return errors.New("kept")
}

func nested(n int) error {
	req := request{n} // want `req is moved to the heap`
	if n > 1 {
		p := &req
		if n > 2 {
			q := &req
			q.n *= 10
			return keep(p)
		}
		return keep(&req)
	}
	fmt.Println(req.n)
	return nil
}

var funcs []func() int

func twice(n int) {
	limit := 0 // want `limit is moved to the heap`
	limit = n
	for i := range 2 {
		funcs = append(funcs, func() int { return limit + i })
		funcs = append(funcs, func() int { return limit - i })
	}
	fmt.Println(limit)
}

func main() {
	for n := range 4 {
		fmt.Println(nested(n))
		if last != nil {
			fmt.Println(last.n)
		}
	}
	twice(7)
	for _, f := range funcs {
		fmt.Println(f())
	}
}
