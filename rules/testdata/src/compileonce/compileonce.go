package compileonce

import (
	"io"
	"regexp"
	"sync"
	"text/template"
)

const word = "[a-z]+"

var already = regexp.MustCompile("x")

var lazy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("x") })

func init() { already = regexp.MustCompile("y") }

// Valid has a doc comment.
func Valid(s string) bool {
	// A comment inside.
	re := regexp.MustCompile("^" + word + "$") // safe // want `compiles the same constant`
	return re.MatchString(s)
}

func validRE2() {}

func valid(s string) bool {
	return regexp.MustCompile(`\d+`).MatchString(s) || // safe // want `compiles the same constant`
		regexp.MustCompilePOSIX(`\.`).MatchString(s) // safe // want `compiles the same constant`
}

func compile(s string) (string, error) {
	re, err := regexp.Compile("a+") // review // want `compiles the same constant`
	if err != nil {
		return "", err
	}
	return re.FindString(s), nil
}

func match(s string, b []byte) bool {
	ok, err := regexp.MatchString("a+", s)  // safe // want `compiles the same constant`
	if ok, _ := regexp.Match("b+", b); ok { // safe // want `compiles the same constant`
		return false
	}
	return ok && err == nil
}

type T struct{ re *regexp.Regexp }

func (t *T) stored() {
	t.re = regexp.MustCompile("a") // review // want `compiles the same constant`
}

func returned() *regexp.Regexp {
	return regexp.MustCompile("a") // review // want `compiles the same constant`
}

func passed() {
	re := regexp.MustCompile("a") // review // want `compiles the same constant`
	use(re)
}

func use(*regexp.Regexp) {}

func tmpl(w io.Writer) error {
	t := template.Must(template.New("t").Parse("{{.}}")) // safe // want `compiles the same constant`
	return t.Execute(w, 1)
}

// Changed afterwards.
func longest(s string) string {
	re := regexp.MustCompile("a|ab")
	re.Longest()
	return re.FindString(s)
}

func funcs(w io.Writer) error {
	t := template.Must(template.New("t").Parse("{{.}}"))
	t.Funcs(nil)
	return t.Execute(w, 1)
}

// Not constant, not valid, not visible at package level.
func others(s, pattern string) {
	regexp.MustCompile(pattern)
	regexp.MustCompile("(")
	const local = "x"
	regexp.MustCompile(local)
	template.Must(template.New("t").Parse("{{"))
	template.Must(template.New("t").Funcs(nil).Parse("{{.}}"))
	var once sync.Once
	once.Do(func() { already = regexp.MustCompile("x") })
}

func shadowed(s string) bool {
	regexp := other{}
	return regexp.MustCompile("x").MatchString(s)
}

type other struct{}

func (other) MustCompile(string) *regexp.Regexp { return already }

func generic[S ~string](s S) bool {
	return regexp.MustCompile("x").MatchString(string(s)) // safe // want `compiles the same constant`
}
