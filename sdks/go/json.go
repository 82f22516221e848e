package acuse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is a field of a generated type: where it is, what it is called, what the contract says of it.
type field struct {
	index    int
	name     string
	required bool
	// essential: the meaning is lost without it. Other required fields of an answer may be missing.
	essential bool
	nullable  bool
}

type shape struct {
	fields []field
	extra  int
}

var shapes sync.Map // reflect.Type -> *shape

var extraType = reflect.TypeFor[map[string]json.RawMessage]()

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	made := &shape{extra: -1}
	for n := range t.NumField() {
		member := t.Field(n)
		name := member.Tag.Get("json")
		switch {
		case member.Name == "Extra" && member.Type == extraType:
			made.extra = n
		case name != "" && name != "-":
			made.fields = append(made.fields, field{
				index:     n,
				name:      name,
				required:  member.Tag.Get("acuse") != "",
				essential: member.Tag.Get("acuse") == "essential",
				nullable:  strings.HasPrefix(member.Type.Name(), "Opt[") || acceptsNull(member.Type),
			})
		}
	}
	known, _ := shapes.LoadOrStore(t, made)
	return known.(*shape)
}

func acceptsNull(t reflect.Type) bool {
	return t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface && t.PkgPath() == ""
}

// decodeObject reads an object into a generated struct. Names are compared exactly; unknown fields are kept
// in Extra; an essential field that is missing is an error, another has its zero value.
func decodeObject(data []byte, into any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	if members == nil {
		return fmt.Errorf("%s: null in place of an object", target.Type().Name())
	}
	shape := shapeOf(target.Type())
	for _, each := range shape.fields {
		raw, there := members[each.name]
		if !there && each.essential {
			return fmt.Errorf("%s: the field %s is missing", target.Type().Name(), each.name)
		}
		if !there {
			continue
		}
		delete(members, each.name)
		if err := decodeField(raw, each, target.Field(each.index)); err != nil {
			return fmt.Errorf("%s.%s: %w", target.Type().Name(), each.name, err)
		}
	}
	if shape.extra >= 0 && len(members) > 0 {
		target.Field(shape.extra).Set(reflect.ValueOf(members))
	}
	return nil
}

func decodeField(raw json.RawMessage, each field, target reflect.Value) error {
	if bytes.Equal(raw, []byte("null")) && !each.nullable {
		if each.required {
			return fmt.Errorf("null in place of a value")
		}
		return nil
	}
	if target.Kind() == reflect.Interface && target.Type().PkgPath() != "" {
		return decodeTextOrList(raw, target)
	}
	return json.Unmarshal(raw, target.Addr().Interface())
}

func decodeTextOrList(raw json.RawMessage, target reflect.Value) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		target.Set(reflect.ValueOf(text))
		return nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	target.Set(reflect.ValueOf(list))
	return nil
}

// encodeObject writes the fields of a generated struct that are set, then those of Extra.
func encodeObject(value any) ([]byte, error) {
	source := reflect.ValueOf(value)
	shape := shapeOf(source.Type())
	var out bytes.Buffer
	out.WriteByte('{')
	for _, each := range shape.fields {
		member := source.Field(each.index)
		if !each.required && isAbsent(member) {
			continue
		}
		encoded, err := encodeField(member)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", source.Type().Name(), each.name, err)
		}
		writeMember(&out, each.name, encoded)
	}
	if shape.extra >= 0 {
		extra := source.Field(shape.extra).Interface().(map[string]json.RawMessage)
		for _, name := range slices.Sorted(maps.Keys(extra)) {
			writeMember(&out, name, extra[name])
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func writeMember(out *bytes.Buffer, name string, encoded []byte) {
	if out.Len() > 1 {
		out.WriteByte(',')
	}
	quoted, _ := json.Marshal(name)
	out.Write(quoted)
	out.WriteByte(':')
	out.Write(encoded)
}

func isAbsent(member reflect.Value) bool {
	if zero, ok := member.Interface().(interface{ IsZero() bool }); ok {
		return zero.IsZero()
	}
	switch member.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface:
		return member.IsNil()
	default:
		return member.IsZero()
	}
}

func encodeField(member reflect.Value) ([]byte, error) {
	switch member.Kind() {
	case reflect.Slice:
		if member.IsNil() {
			return []byte("[]"), nil
		}
	case reflect.Map:
		if member.IsNil() {
			return []byte("{}"), nil
		}
	case reflect.Interface:
		if member.Type().PkgPath() != "" {
			return encodeTextOrList(member)
		}
	}
	return json.Marshal(member.Interface())
}

func encodeTextOrList(member reflect.Value) ([]byte, error) {
	switch value := member.Interface().(type) {
	case string, []string:
		return json.Marshal(value)
	case nil:
		return nil, fmt.Errorf("nothing is given; give a string or a []string")
	default:
		return nil, fmt.Errorf("%T is given; give a string or a []string", value)
	}
}
