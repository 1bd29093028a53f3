package order

var prefix string

func next() string {
	prefix += "x"
	return prefix
}

// Go leaves open whether prefix is read before next changes it.
func reads(n int) string {
	s := ""
	for range n {
		s += prefix + next() // review // want `every iteration copies`
	}
	return s
}

func calls(n int) string {
	s := ""
	for range n {
		s += "," + next() // safe // want `every iteration copies`
	}
	return s
}
