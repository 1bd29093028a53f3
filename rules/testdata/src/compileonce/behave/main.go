// The program must print the same when everything is compiled once.
package main

import (
	"fmt"
	"html/template"
	"os"
	"regexp"
)

func check(s string) {
	re := regexp.MustCompile(`^([a-z]+)=(\d*)$`) // safe // want `compiles the same constant`
	fmt.Println(re.FindStringSubmatch(s), re.ReplaceAllString(s, "$2=$1"))
	ok, err := regexp.MatchString("[x-z]", s) // safe // want `compiles the same constant`
	fmt.Println(ok, err)
	if re, err := regexp.Compile("=+"); err == nil { // review // want `compiles the same constant`
		fmt.Println(re.Split(s, -1))
	}
	t := template.Must(template.New("page").Parse("<p>{{.}}</p>\n")) // safe // want `compiles the same constant`
	if err := t.Execute(os.Stdout, s); err != nil {
		fmt.Println(err)
	}
}

func main() {
	fmt.Println(regexp.MustCompile("a").MatchString("a"))
	for _, s := range []string{"", "abc=12", "x==<b>", "a=1"} {
		check(s)
	}
}
