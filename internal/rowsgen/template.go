package rowsgen

import (
	_ "embed"
	"text/template"
)

//go:embed table.go.tmpl
var tableSource string

var tableTemplate = template.Must(template.New("table").Funcs(template.FuncMap{"inTable": inTable}).Parse(tableSource))
