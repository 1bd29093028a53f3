package rows

import (
	"fmt"
	"reflect"
)

// mustBeFlat panics if a value of type T has pointers in it.
func mustBeFlat[T any]() {
	if path, kind := pointerIn(reflect.TypeFor[T]()); kind != reflect.Invalid {
		panic(fmt.Sprintf("rows: %s%s is a %s, which has a pointer in it: rows are made of numbers, arrays, structs and Refs", reflect.TypeFor[T](), path, kind))
	}
}

// pointerIn returns the path to a part of t that is or has a pointer, and
// that part's kind; Invalid if there is none.
func pointerIn(t reflect.Type) (path string, kind reflect.Kind) {
	switch t.Kind() {
	case reflect.Array:
		if path, kind = pointerIn(t.Elem()); kind != reflect.Invalid {
			return "[0]" + path, kind
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if path, kind = pointerIn(f.Type); kind != reflect.Invalid {
				return "." + f.Name + path, kind
			}
		}
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func,
		reflect.Interface, reflect.Slice, reflect.String:
		return "", t.Kind()
	}
	return "", reflect.Invalid
}
