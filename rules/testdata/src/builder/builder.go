// Command builder prints strings that loops append to.
package main

import "fmt"

type item struct{ name, value string }

func plain(xs []string) string {
	s := ""
	for _, x := range xs {
		s += x // want `every iteration copies the whole of s`
	}
	return s
}

func separated(items []item) string {
	var s string
	for _, it := range items {
		if s != "" {
			s += ", " // want `every iteration copies the whole of s`
		}
		s += it.name + "=" + it.value // more of it
	}
	return s
}

func initial(s string, n int) string {
	for i := 0; i < n; i++ {
		s = s + "(" + fmt.Sprint(i) + ")" // want `every iteration copies the whole of s`
	}
	return s
}

func padded(s string, width int) string {
	for len(s) < width {
		s += "." // want `every iteration copies the whole of s`
	}
	return s
}

func formatted(xs []int) (int, string) {
	out := "numbers:"
	for i, x := range xs {
		out = fmt.Sprintf("%s %d/%d", out, i, x) // want `every iteration copies the whole of out`
	}
	return len(out), out
}

func converted(bs [][]byte, rs []rune) string {
	s := ""
	// Both loops append.
	for _, b := range bs {
		s += string(b) + fmt.Sprintf("%q", b) // want `every iteration copies the whole of s`
	}
	for _, r := range rs {
		s += string(r) // want `every iteration copies the whole of s`
	}
	return s
}

func nested(rows [][]string) string {
	s := ""
	for i, row := range rows {
		for _, x := range row {
			s += x // want `every iteration copies the whole of s`
		}
		switch i {
		case 1:
			s += "[one]" // related
		}
		s += "\n"
	}
	return s
}

func innerOnly(rows [][]string) []string {
	var lines []string
	for _, row := range rows {
		line := "> "
		for _, x := range row {
			line += x // want `every iteration copies the whole of line`
		}
		lines = append(lines, line)
	}
	return lines
}

func left(xs []string) (string, error) {
	s := ""
outer:
	for _, x := range xs {
		for _, c := range x {
			if c == '!' {
				break outer
			}
			if c == '?' {
				return "", fmt.Errorf("bad %q", x)
			}
		}
		s += x // want `every iteration copies the whole of s`
	}
	return s, nil
}

func result(xs []string) (s string) {
	sb := len(xs)
	for _, x := range xs {
		s += x // want `every iteration copies the whole of s`
	}
	s += fmt.Sprint(sb)
	return
}

// What follows is left alone.

func readInside(xs []string) (all []string) {
	s := ""
	for _, x := range xs {
		s += x
		all = append(all, s)
	}
	return all
}

func prepended(xs []string) string {
	s := ""
	for _, x := range xs {
		s = x + s
	}
	return s
}

func captured(xs []string) string {
	s := ""
	add := func(x string) { s += x }
	for _, x := range xs {
		add(x)
		s += "."
	}
	return s
}

func pointed(xs []string) string {
	s := ""
	p := &s
	for _, x := range xs {
		s += x
		if len(*p) > 3 {
			*p = ""
		}
	}
	return s
}

func recovered(xs []string) (s string) {
	defer func() { recover() }()
	for i := range 5 {
		s += xs[i]
	}
	return s
}

func returnedInside(xs []string) (s string) {
	for _, x := range xs {
		if x == "b" {
			return
		}
		s += x
	}
	return s
}

func reset(xs []string) string {
	s := ""
	for _, x := range xs {
		s += x
		if len(s) > 2 {
			s = ""
		}
	}
	return s
}

func endless(next func() string) string {
	s := ""
	for {
		x := next()
		if x == "" {
			return s
		}
		s += x
	}
}

func shadowed(xs []string) string {
	type strings []string
	s := ""
	for _, x := range strings(xs) {
		s += x
	}
	return s
}

func main() {
	for _, xs := range [][]string{nil, {"a"}, {"a", "bb", "ccc!", "d"}, {"é", "b", "c"}, {"x", "y?"}} {
		fmt.Printf("%q %q %q\n", plain(xs), nested([][]string{xs, xs, nil}), innerOnly([][]string{xs, {"z"}}))
		s, err := left(xs)
		fmt.Printf("%q %v %q\n", s, err, result(xs))
		fmt.Printf("%q %q %q %q %q %q %q %q\n", readInside(xs), prepended(xs), captured(xs), pointed(xs), recovered(xs), returnedInside(xs), reset(xs), shadowed(xs))
		i := 0
		fmt.Println(endless(func() string {
			if i++; i > len(xs) {
				return ""
			}
			return xs[i-1]
		}))
	}
	fmt.Println(separated(nil), separated([]item{{"a", "1"}, {"b", "2"}, {"", ""}}))
	fmt.Println(initial("", 0), initial("s", 3), padded("abc", 2), padded("abc", 9))
	fmt.Println(formatted(nil))
	fmt.Println(formatted([]int{3, 4}))
	fmt.Printf("%q\n", converted([][]byte{[]byte("x"), nil, {0xff}}, []rune{'a', 0xd800, -1, 'é'}))
}
