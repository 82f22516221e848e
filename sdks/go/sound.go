package acuse

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

const (
	depthMax  = 64 // levels of an answer
	numberMax = 64 // characters of a number
)

// sound refuses what libraries of other languages could not read, or would read as something else: text that is
// not UTF-8, half of a surrogate pair, a level beyond the 64th, a number of more than 64 characters.
func sound(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	depth, digits := 0, 0
	for at := 0; at < len(data); at++ {
		switch char := data[at]; {
		case char == '"':
			length, err := soundText(data[at+1:])
			if err != nil {
				return err
			}
			at, digits = at+length, 0
			continue
		case char == '[' || char == '{':
			depth++
		case char == ']' || char == '}':
			depth--
		case bytes.IndexByte([]byte("+-.0123456789eE"), char) >= 0:
			if digits++; digits > numberMax {
				return errors.New("a number is too long")
			}
			continue
		}
		digits = 0
		if depth > depthMax {
			return errors.New("it is nested too deeply")
		}
	}
	return nil
}

// soundText says how long a text is, with the quotation mark at its end.
func soundText(data []byte) (int, error) {
	high := false
	for at := 0; at < len(data); at++ {
		unit := rune(0)
		switch {
		case data[at] == '"' && !high:
			return at + 1, nil
		case data[at] == '\\':
			at++
			if at+4 < len(data) && data[at] == 'u' {
				number, _ := strconv.ParseUint(string(data[at+1:at+5]), 16, 16)
				unit = rune(number)
				at += 4
			}
		}
		low := unit >= 0xdc00 && unit <= 0xdfff
		if low != high {
			return 0, errors.New("a text has half of a surrogate pair")
		}
		high = unit >= 0xd800 && unit <= 0xdbff
	}
	return len(data), nil
}
