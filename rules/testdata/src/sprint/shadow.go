package sprint

import "fmt"

func shadowed(strconv, n int) string {
	return fmt.Sprintf("%d", n+strconv) // none // want `fmt.Sprintf boxes`
}

func notFmt(n int) string {
	fmt := printer{}
	return fmt.Sprintf("%d", n)
}

type printer struct{}

func (printer) Sprintf(string, ...any) string { return "" }

func shadowedType(n uint8) string {
	type uint64 string
	return fmt.Sprintf("%d", n)
}

func commented(n int) string {
	return fmt.Sprintf("%d" /* the number */, n)
}

func typeParam[T ~int](n T) string { return fmt.Sprintf("%d", n) }

func spread(args ...any) string { return fmt.Sprintf("%d", args...) }
