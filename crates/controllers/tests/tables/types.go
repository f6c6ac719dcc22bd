// Prints the fields of a pod template as Go has them, for src/hash/types.txt.
package main

import (
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
)

var seen = map[reflect.Type]bool{}
var names = map[string]reflect.Type{}

func expression(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + expression(t.Elem())
	case reflect.Slice:
		return "[]" + expression(t.Elem())
	case reflect.Map:
		return "map=" + t.String() + "," + expression(t.Elem())
	case reflect.Struct:
		return t.String()
	}
	if t.PkgPath() == "" {
		return t.Kind().String()
	}
	return t.Kind().String() + "=" + t.String()
}

func leaf(t reflect.Type) bool {
	return t.String() == "resource.Quantity" || t.String() == "v1.Time" || t.String() == "intstr.IntOrString" || t.String() == "v1.FieldsV1"
}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		visit(t.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[t] || leaf(t) {
		return
	}
	seen[t] = true
	if other, ok := names[t.String()]; ok && other != t {
		panic(t.String())
	}
	names[t.String()] = t
	fmt.Println(t.String())
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name := strings.Split(tag, ",")[0]
		if name == "" {
			name = "-"
		}
		e := expression(f.Type)
		fmt.Println(" " + f.Name + " " + name + " " + e)
	}
	for i := range t.NumField() {
		visit(t.Field(i).Type)
	}
}

func main() {
	visit(reflect.TypeOf(v1.PodTemplateSpec{}))
}
