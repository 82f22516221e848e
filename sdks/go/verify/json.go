package verify

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	nestingMax = 32
	numberMax  = 1<<53 - 1
)

// object is a JSON object; its values are object, []any, string, int64, bool or nil.
type object map[string]any

var errJSON = errors.New("malformed JSON")

// reader reads JSON. canonical: only the one form that a value has (RFC 8785 §3); otherwise any JSON without
// numbers of other kinds, in which no key occurs twice and no text has half a surrogate pair.
type reader struct {
	data      []byte
	at        int
	canonical bool
}

// readJSON panics with errJSON; use parseJSON.
func parseJSON(data []byte, canonical bool) (value any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if fault != errJSON {
				panic(fault)
			}
			err = errJSON
		}
	}()
	if !utf8.Valid(data) {
		return nil, errJSON
	}
	r := &reader{data: data, canonical: canonical}
	value = r.value(0)
	r.space()
	if r.at != len(data) {
		return nil, errJSON
	}
	return value, nil
}

func (r *reader) space() {
	for !r.canonical && r.at < len(r.data) && bytes.IndexByte([]byte(" \t\r\n"), r.data[r.at]) >= 0 {
		r.at++
	}
}

func (r *reader) peek() byte {
	if r.at >= len(r.data) {
		panic(errJSON)
	}
	return r.data[r.at]
}

func (r *reader) need(text string) {
	if !bytes.HasPrefix(r.data[r.at:], []byte(text)) {
		panic(errJSON)
	}
	r.at += len(text)
}

func (r *reader) skip(wanted byte) bool {
	r.space()
	if r.peek() != wanted {
		return false
	}
	r.at++
	return true
}

func (r *reader) value(depth int) any {
	if depth > nestingMax {
		panic(errJSON)
	}
	r.space()
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		return r.text()
	case c == 't':
		r.need("true")
		return true
	case c == 'f':
		r.need("false")
		return false
	case c == 'n':
		r.need("null")
		return nil
	default:
		return r.number()
	}
}

func (r *reader) number() int64 {
	start := r.at
	for r.at < len(r.data) && bytes.IndexByte([]byte("-+.eE0123456789"), r.data[r.at]) >= 0 {
		r.at++
	}
	text := string(r.data[start:r.at])
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(value, 10) != text || value > numberMax || value < -numberMax {
		panic(errJSON)
	}
	return value
}

func (r *reader) array(depth int) []any {
	r.at++
	found := []any{}
	if r.skip(']') {
		return found
	}
	for {
		found = append(found, r.value(depth+1))
		if r.skip(']') {
			return found
		}
		r.need(",")
	}
}

func (r *reader) object(depth int) object {
	r.at++
	found := object{}
	if r.skip('}') {
		return found
	}
	previous := ""
	for {
		r.space()
		key := r.text()
		if _, twice := found[key]; twice || r.canonical && len(found) > 0 && !before(previous, key) {
			panic(errJSON)
		}
		previous = key
		r.space()
		r.need(":")
		found[key] = r.value(depth + 1)
		if r.skip('}') {
			return found
		}
		r.need(",")
	}
}

// before compares by UTF-16 code units (RFC 8785 §3.2.3).
func before(a, b string) bool {
	left, right := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for n := range min(len(left), len(right)) {
		if left[n] != right[n] {
			return left[n] < right[n]
		}
	}
	return len(left) < len(right)
}

func (r *reader) text() string {
	r.need(`"`)
	start := r.at
	var out []byte
	for {
		switch c := r.peek(); {
		case c == '"':
			r.at++
			if r.canonical && !bytes.Equal(quoted(out), r.data[start-1:r.at]) {
				panic(errJSON)
			}
			return string(out)
		case c < 0x20:
			panic(errJSON)
		case c == '\\':
			out = r.escape(out)
		default:
			out = append(out, c)
			r.at++
		}
	}
}

var escapes = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func (r *reader) escape(out []byte) []byte {
	r.at++
	c := r.peek()
	r.at++
	if c != 'u' {
		plain, known := escapes[c]
		if !known {
			panic(errJSON)
		}
		return append(out, plain)
	}
	unit := r.unit()
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(out, unit)
	}
	r.need(`\u`)
	pair := utf16.DecodeRune(unit, r.unit())
	if pair == utf8.RuneError {
		panic(errJSON)
	}
	return utf8.AppendRune(out, pair)
}

func (r *reader) unit() rune {
	if r.at+4 > len(r.data) {
		panic(errJSON)
	}
	unit, err := strconv.ParseUint(string(r.data[r.at:r.at+4]), 16, 16)
	if err != nil {
		panic(errJSON)
	}
	r.at += 4
	return rune(unit)
}

// quoted is a text as RFC 8785 §3.2.2.2 writes it.
func quoted(text []byte) []byte {
	out := []byte{'"'}
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= 0x20:
			out = append(out, c)
		default:
			if at := bytes.IndexByte([]byte("\b\f\n\r\t"), c); at >= 0 {
				out = append(out, '\\', "bfnrt"[at])
			} else {
				out = append(out, `\u00`...)
				out = append(out, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
			}
		}
	}
	return append(out, '"')
}
