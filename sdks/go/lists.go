package acuse

import "iter"

// pages asks for one page after the other.
func pages[P any](first string, fetch func(after string) (*P, Opt[string], error)) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		seen := map[string]bool{first: true}
		for after := first; ; {
			page, next, err := fetch(after)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(page, nil) {
				return
			}
			cursor, more := next.Get()
			if !more {
				return
			}
			if seen[cursor] {
				yield(nil, &ProtocolError{Message: "the list names a page again that it has shown already"})
				return
			}
			seen[cursor] = true
			after = cursor
		}
	}
}

// items are those of all pages.
func items[P, T any](all iter.Seq2[*P, error], of func(*P) []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for page, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			data := of(page)
			for n := range data {
				if !yield(&data[n], nil) {
					return
				}
			}
		}
	}
}
