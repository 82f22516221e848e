package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"acuse.dev/go"
)

// helpers are methods that are no operation of the contract but made of some.
var helpers = []string{
	"evidence.downloadBundle", "evidence.waitUntilSealed", "log.pinnedCheckpoint", "log.follow", "log.checkPromise",
}

// wordsOf splits a Go name: capitals that follow one another are one word, up to the last before a small one.
func wordsOf(name string) []string {
	var found []string
	for at := 0; at < len(name); {
		end := at + 1
		for end < len(name) && isUpper(name[end]) && (end+1 == len(name) || !isLower(name[end+1])) {
			end++
		}
		for end < len(name) && !isUpper(name[end]) {
			end++
		}
		found = append(found, strings.ToLower(name[at:end]))
		at = end
	}
	return found
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

func camel(name string) string {
	parts := wordsOf(name)
	for n := range parts[1:] {
		parts[n+1] = strings.ToUpper(parts[n+1][:1]) + parts[n+1][1:]
	}
	return strings.Join(parts, "")
}

func snake(name string) string { return strings.Join(wordsOf(name), "_") }

// methods are those of the client's resources, by their neutral names.
func methods(services acuse.Services) map[string]reflect.Value {
	found := map[string]reflect.Value{}
	all := reflect.ValueOf(services)
	for n := range all.NumField() {
		resource := all.Field(n)
		for m := range resource.NumMethod() {
			method := resource.Type().Method(m).Name
			name := camel(all.Type().Field(n).Name) + "." + camel(method)
			if !slices.Contains(helpers, name) {
				found[name] = resource.Method(m)
			}
		}
	}
	return found
}

func operations(services acuse.Services) []string {
	var names []string
	for name := range methods(services) {
		if !strings.HasSuffix(name, "Pages") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

type callArgs struct {
	Operation string                     `json:"operation"`
	Params    map[string]json.RawMessage `json:"params"`
	Body      json.RawMessage            `json:"body"`
	Key       string                     `json:"idempotency_key"`
	Take      *int                       `json:"take"`
}

// invoke calls a method with what its parameters ask for; the last result is the error, if there is one.
func (c *call) invoke(args callArgs, suffix string) ([]reflect.Value, error) {
	method, known := methods(c.client.Services)[args.Operation+suffix]
	if !known {
		return nil, shimError("the operation %s is not known", args.Operation)
	}
	in := []reflect.Value{reflect.ValueOf(c.ctx)}
	names := pathNames(args, method.Type())
	for n := 1; n < method.Type().NumIn(); n++ {
		value := reflect.New(method.Type().In(n)).Elem()
		var err error
		switch {
		case isPlain(value.Kind()) && len(names) > 0:
			err = setText(value, args.Params[names[0]])
			names = names[1:]
		case value.Kind() == reflect.String:
			value.SetString(args.Key)
		case value.Kind() == reflect.Struct && isParams(value.Type()):
			err = fill(value, args.Params)
		case value.Type() == reflect.TypeFor[[]byte]():
			value.SetBytes(bodyBytes(args.Body))
		default:
			err = json.Unmarshal(args.Body, value.Addr().Interface())
		}
		if err != nil {
			return nil, shimError("%s: %v", args.Operation, err)
		}
		in = append(in, value)
	}
	return method.Call(in), nil
}

func isPlain(kind reflect.Kind) bool { return kind == reflect.String || kind == reflect.Int64 }

// isParams: the types of queries are not JSON.
func isParams(t reflect.Type) bool {
	return !t.Implements(reflect.TypeFor[json.Marshaler]())
}

// pathNames are the parameters that no field of the query has: id comes first in every path.
func pathNames(args callArgs, method reflect.Type) []string {
	fields := map[string]bool{}
	for n := 1; n < method.NumIn(); n++ {
		if in := method.In(n); in.Kind() == reflect.Struct && isParams(in) {
			for m := range in.NumField() {
				fields[snake(in.Field(m).Name)] = true
			}
		}
	}
	var names []string
	for name := range args.Params {
		if !fields[name] {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case a == "id":
			return -1
		case b == "id":
			return 1
		default:
			return strings.Compare(a, b)
		}
	})
	return names
}

func setText(value reflect.Value, raw json.RawMessage) error {
	text := strings.Trim(string(raw), `"`)
	if value.Kind() == reflect.Int64 {
		var number int64
		_, err := fmt.Sscan(text, &number)
		value.SetInt(number)
		return err
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		text = strings.Join(list, ",")
	} else {
		_ = json.Unmarshal(raw, &text)
	}
	value.SetString(text)
	return nil
}

func fill(params reflect.Value, given map[string]json.RawMessage) error {
	for n := range params.NumField() {
		raw, set := given[snake(params.Type().Field(n).Name)]
		if !set || string(raw) == "null" {
			continue
		}
		field := params.Field(n)
		var err error
		if isPlain(field.Kind()) {
			err = setText(field, raw)
		} else {
			err = json.Unmarshal(raw, field.Addr().Interface())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
