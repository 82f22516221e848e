package acuse

import (
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"unicode"
)

// Secret is a text that no way of printing shows. Reveal returns it.
type Secret string

// Reveal returns the text itself.
func (s Secret) Reveal() string { return string(s) }

// String shows which secret it is, not what it says.
func (s Secret) String() string { return mask(string(s)) }

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// Format prints String for every verb.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// LogValue is what log/slog shows.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

var (
	keyPattern    = regexp.MustCompile(`acuse_([0-9A-Za-z-]{1,64})_[^\s"',;<>]+`)
	secretPattern = regexp.MustCompile(`whsec_[^\s"',;<>]+`)
)

// mask shows a secret as acuse_<key id>_*** or whsec_***.
func mask(secret string) string {
	if match := keyPattern.FindStringSubmatch(secret); match != nil && strings.HasPrefix(secret, "acuse_") {
		return "acuse_" + match[1] + "_***"
	}
	if strings.HasPrefix(secret, "whsec_") {
		return "whsec_***"
	}
	return "***"
}

// plain replaces what would end a line, colour a terminal or turn a text around.
func plain(r rune) rune {
	switch {
	case unicode.IsControl(r), r == 0x61c, r == 0x200e, r == 0x200f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return unicode.ReplacementChar
	}
	return r
}

// masked hides every key and secret in a text of somebody else, and the given one in any form.
func masked(text string, secret string) string {
	if secret != "" {
		text = strings.ReplaceAll(text, secret, mask(secret))
	}
	text = keyPattern.ReplaceAllString(text, "acuse_${1}_***")
	return strings.Map(plain, secretPattern.ReplaceAllString(text, "whsec_***"))
}

// formatFields prints the type of a value and the names of its fields that are set.
func formatFields(state fmt.State, value any) {
	source := reflect.ValueOf(value)
	names := []string{}
	for _, each := range shapeOf(source.Type()).fields {
		if !isAbsent(source.Field(each.index)) {
			names = append(names, source.Type().Field(each.index).Name)
		}
	}
	_, _ = fmt.Fprintf(state, "acuse.%s{%s}", source.Type().Name(), strings.Join(names, " "))
}
