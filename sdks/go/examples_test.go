package acuse

import (
	"encoding/json"
	"reflect"
	"testing"
)

type exampleVectors map[string]struct {
	Full, Minimal, Future json.RawMessage
	Others                []json.RawMessage
}

// TestExamplesComeBack decodes and encodes an instance of every schema: a field that is missing here, or one
// that a later server adds, would not come back.
func TestExamplesComeBack(t *testing.T) {
	var all exampleVectors
	vectors(t, "examples.json", &all)
	made := schemaTypes()
	for name, each := range all {
		create, known := made[name]
		if !known {
			t.Errorf("%s has no type", name)
			continue
		}
		for _, raw := range append(each.Others, each.Full, each.Minimal, each.Future) {
			if raw != nil {
				comesBack(t, name, raw, create())
			}
		}
	}
	for name := range made {
		if _, there := all[name]; !there {
			t.Errorf("%s is in no example", name)
		}
	}
}

func comesBack(t *testing.T, name string, raw json.RawMessage, into any) {
	t.Helper()
	var err error
	var out []byte
	if target := reflect.ValueOf(into).Elem(); target.Kind() == reflect.Interface {
		if err = decodeTextOrList(raw, target); err == nil {
			out, err = encodeTextOrList(target)
		}
	} else if err = json.Unmarshal(raw, into); err == nil {
		out, err = json.Marshal(into)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var was, is any
	_ = json.Unmarshal(raw, &was)
	_ = json.Unmarshal(out, &is)
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%s: %s came back as %s", name, raw, out)
	}
}

// TestAnOlderServer: all but what carries the meaning may be missing.
func TestAnOlderServer(t *testing.T) {
	var all exampleVectors
	vectors(t, "examples.json", &all)
	for name, create := range schemaTypes() {
		made := create()
		if reflect.ValueOf(made).Elem().Kind() != reflect.Struct {
			continue
		}
		for _, each := range shapeOf(reflect.TypeOf(made).Elem()).fields {
			var whole map[string]json.RawMessage
			if err := json.Unmarshal(all[name].Full, &whole); err != nil {
				t.Fatal(err)
			}
			delete(whole, each.name)
			less, _ := json.Marshal(whole)
			if err := json.Unmarshal(less, create()); (err != nil) != each.essential {
				t.Errorf("%s without %s: %v", name, each.name, err)
			}
		}
	}
}

func TestAKeyedSendIsTheSendAndItsKey(t *testing.T) {
	var all exampleVectors
	vectors(t, "examples.json", &all)
	var item BatchItem
	var send Send
	full := all["BatchItem"].Full
	if err := json.Unmarshal(full, &item); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(full, &send); err != nil {
		t.Fatal(err)
	}
	delete(send.Extra, "idempotency_key")
	text, err := json.Marshal(send.Keyed(item.IdempotencyKey))
	if err != nil {
		t.Fatal(err)
	}
	var was, is any
	_ = json.Unmarshal(full, &was)
	_ = json.Unmarshal(text, &is)
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%s became %s", full, text)
	}
}

func TestMissingFieldsAreErrors(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `null`, `{"id":null}`, `"x"`} {
		if err := json.Unmarshal([]byte(text), new(Message)); err == nil && text != "null" {
			t.Errorf("%s is a Message", text)
		}
	}
}
