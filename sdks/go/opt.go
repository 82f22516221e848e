package acuse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Opt is a value that may be left out or be null. Its zero value is left out of requests.
type Opt[T any] struct {
	value T
	state optState
}

type optState uint8

const (
	absent optState = iota
	null
	present
)

// Some is an Opt that holds a value.
func Some[T any](value T) Opt[T] { return Opt[T]{value: value, state: present} }

// Null is an Opt that is written as null: in a change, it removes what is there.
func Null[T any]() Opt[T] { return Opt[T]{state: null} }

// Get returns the value, and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.state == present }

// Or returns the value, or the fallback when there is none.
func (o Opt[T]) Or(fallback T) T {
	if o.state == present {
		return o.value
	}
	return fallback
}

// IsSet reports whether there is a value.
func (o Opt[T]) IsSet() bool { return o.state == present }

// IsNull reports whether null stands in the place of a value.
func (o Opt[T]) IsNull() bool { return o.state == null }

// IsZero reports whether it was left out.
func (o Opt[T]) IsZero() bool { return o.state == absent }

// String shows the value, or nothing.
func (o Opt[T]) String() string {
	if o.state == present {
		return fmt.Sprint(o.value)
	}
	return ""
}

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads a value, or null.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		*o = Null[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*o = Some(value)
	return nil
}

// Time is a moment as the API writes it, in RFC 3339. It stays the text that it was.
type Time string

// At is a moment as the API reads it.
func At(moment time.Time) Time { return Time(moment.Format(time.RFC3339Nano)) }

// Time is the moment; the zero time when the text is none.
func (t Time) Time() time.Time {
	moment, err := time.Parse(time.RFC3339Nano, string(t))
	if err != nil {
		return time.Time{}
	}
	return moment
}

// AnyOf is one value of a filter, or several of them: "bounced", or OneOf(acuse.MessageStatusSent, …).
type AnyOf[T ~string] string

// OneOf is a filter for any of the values.
func OneOf[T ~string](values ...T) AnyOf[T] {
	texts := make([]string, len(values))
	for n, value := range values {
		texts[n] = string(value)
	}
	return AnyOf[T](strings.Join(texts, ","))
}
