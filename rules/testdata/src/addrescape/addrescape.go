// Command addrescape shares variables in closures and through pointers.
package main

import (
	"errors"
	"fmt"
	"sort"
	"sync"
)

type request struct {
	id      int
	headers [20]string
}

type guarded struct {
	sync.Mutex
	n int
}

var kept []*request

func keep(r *request) error {
	kept = append(kept, r)
	return errors.New(fmt.Sprint("kept ", r.id))
}

func rare(id int) (int, error) {
	req := request{id: id} // want `req is moved to the heap for a path that ends the function`
	req.headers[0] = "a"
	if id < 0 {
		req.id = -id
		return 0, keep(&req)
	}
	return req.id + len(req.headers[0]), nil
}

func param(req request, fail bool) error { // want `req is moved to the heap for a path`
	req.id++
	if fail {
		return keep(&req)
	} else if req.id == 5 {
		fmt.Println("five")
		return keep(&req)
	}
	return nil
}

func inSwitch(req request) func() int { // want `req is moved to the heap for a path`
	req.id *= 2
	switch {
	case req.id > 10:
		return func() int { return req.id }
	case req.id > 5:
		n := req.id
		return func() int { return n }
	}
	return nil
}

func workers(n int, limit int) int { // want `limit is moved to the heap, because closures in a loop capture it`
	if limit == 0 {
		limit = 10
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			total += limit + i
		}()
	}
	wg.Wait()
	return total
}

func callbacks(names []string) (fs []func() string) {
	prefix := "<" // want `prefix is moved to the heap, because closures in a loop capture it`
	if len(names) > 2 {
		prefix = "<<"
	}
	for _, name := range names {
		// The comment stays.
		fs = append(fs, func() string { return prefix + name })
	}
	return fs
}

func perRow(rows [][]int) (fs []func() int) {
	for i, row := range rows { // want `i is moved to the heap, because closures in a loop capture it`
		for _, x := range row {
			fs = append(fs, func() int { return i*100 + x })
		}
	}
	return fs
}

func counted(n int) (fs []func() int) {
	for i := 0; i < n; i++ { // want `i is moved to the heap, because closures in a loop capture it`
		for range 2 {
			fs = append(fs, func() int { return i })
		}
	}
	return fs
}

// What follows is left alone.

func assignedLater(n int) (fs []func() int) {
	x := 1
	x += n
	for range n {
		fs = append(fs, func() int { return x })
	}
	x = 7
	return fs
}

func assignedInLoop(n int) (fs []func() int) {
	x := 1
	for range n {
		x++
		fs = append(fs, func() int { return x })
	}
	return fs
}

func assignedInside(n int) (fs []func() int) {
	x := 1
	x += n
	for range n {
		fs = append(fs, func() int { x++; return x })
	}
	return fs
}

func pointed(n int) (fs []func() int) {
	x := 1
	x += n
	p := &x
	for range n {
		fs = append(fs, func() int { return x })
	}
	*p = 100
	return fs
}

func straight(n int) func() int {
	if n < 0 {
		n = -n
	}
	return func() int { return n }
}

func sorted(xs []int, descending bool) {
	sign := 1
	if descending {
		sign = -1
	}
	for range 2 {
		sort.Slice(xs, func(i, j int) bool { return xs[i]*sign < xs[j]*sign })
	}
}

func goesOn(id int) int {
	req := request{id: id}
	if id < 0 {
		keep(&req)
	}
	return req.id
}

func inLoop(ids []int) (n int) {
	req := request{}
	for _, id := range ids {
		req.id = id
		if id < 0 {
			keep(&req)
			continue
		}
		n += req.id
	}
	return n
}

func seenByDefer(id int) (err error) {
	req := request{id: id}
	defer func() { err = fmt.Errorf("%w %d", err, req.id) }()
	if id < 0 {
		req.id = 9
		return keep(&req)
	}
	return nil
}

func breaksOut(id int) int {
	req := request{id: id}
	for range 3 {
		if id < 0 {
			keep(&req)
			if id == -2 {
				break
			}
			return 0
		}
	}
	return req.id
}

func locked(fail bool) *guarded {
	var g guarded
	g.n = 4
	if fail {
		return &g
	}
	return &guarded{n: g.n}
}

func (r request) method() (out *request) {
	out = &request{id: r.id}
	return out
}

func main() {
	for _, id := range []int{-2, -1, 0, 1, 4, 5, 9} {
		n, err := rare(id)
		fmt.Println(n, err, param(request{id: id}, id == 9))
		if f := inSwitch(request{id: id}); f != nil {
			fmt.Println(f())
		}
		fmt.Println(workers(3, id), straight(id)(), goesOn(id), seenByDefer(id), breaksOut(id), locked(id == 1).n, request{id: id}.method().id)
	}
	for _, names := range [][]string{nil, {"a"}, {"a", "b", "c"}} {
		for _, f := range callbacks(names) {
			fmt.Println(f())
		}
	}
	for _, fs := range [][]func() int{perRow([][]int{{1, 2}, {3}}), counted(3), assignedLater(2), assignedInLoop(3), assignedInside(2), pointed(2)} {
		for _, f := range fs {
			fmt.Print(f(), " ")
		}
		fmt.Println()
	}
	xs := []int{3, 1, 2}
	sorted(xs, true)
	fmt.Println(xs, inLoop([]int{1, -1, 2}))
	for _, r := range kept {
		fmt.Print(r.id, " ")
	}
	fmt.Println()
}
