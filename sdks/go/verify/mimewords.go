package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// parameters are the value of a field, and what is named behind it.
type parameters struct {
	value string
	named map[string]string
}

var (
	fieldTokens  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?|\([^()]*\)|[;=]|[^\s;="()]+`)
	quotedPair   = regexp.MustCompile(`\\(.)`)
	betweenWords = regexp.MustCompile(`(\?=)\s+(=\?)`)
	encodedWord  = regexp.MustCompile(`=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=`)
	percent      = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// parameters reads value; name=value; …: the value and the names in lower case, the first of a name winning.
func (w *walk) parameters(text string) parameters {
	words := fieldTokens.FindAllString(text, -1)
	words = slices.DeleteFunc(words, func(word string) bool { return word[0] == '(' })
	end := slices.Index(words, ";")
	if end < 0 {
		end = len(words)
	}
	p := parameters{value: strings.ToLower(strings.Join(words[:end], ""))}
	raw := map[string]string{}
	for n := 0; n+2 < len(words); n++ {
		if words[n] != ";" || words[n+2] != "=" {
			continue
		}
		content := ""
		for _, word := range words[n+3:] {
			if word == ";" {
				break
			}
			content += unquote(word)
		}
		name := strings.ToLower(words[n+1])
		if _, twice := raw[name]; !twice {
			raw[name] = content
		}
	}
	p.named = w.decodeParameters(raw)
	return p
}

func unquote(word string) string {
	if word[0] != '"' {
		return word
	}
	return quotedPair.ReplaceAllString(strings.TrimSuffix(word[1:], `"`), "$1")
}

// decodeParameters joins name*0, name*1*, … and decodes name* (RFC 2231 §3, §4).
func (w *walk) decodeParameters(raw map[string]string) map[string]string {
	found := map[string]string{}
	for key := range raw {
		name, _, _ := strings.Cut(key, "*")
		extended, isExtended := raw[name+"*"]
		plain, isPlain := raw[name]
		_, first := raw[name+"*0"]
		_, firstExtended := raw[name+"*0*"]
		switch {
		case isExtended:
			charset, text := splitExtended(extended)
			found[name] = string(w.decode(percentDecode(text), charset, false))
		case first || firstExtended:
			found[name] = w.joined(name, raw)
		case isPlain:
			found[name] = w.encodedWords(plain)
		}
	}
	return found
}

func (w *walk) joined(name string, raw map[string]string) string {
	charset, data := "utf-8", []byte{}
	for n := 0; ; n++ {
		plain, isPlain := raw[fmt.Sprintf("%s*%d", name, n)]
		extended, isExtended := raw[fmt.Sprintf("%s*%d*", name, n)]
		switch {
		case isExtended && n == 0:
			given, text := splitExtended(extended)
			if given != "" {
				charset = given
			}
			data = append(data, percentDecode(text)...)
		case isExtended:
			data = append(data, percentDecode(extended)...)
		case isPlain:
			data = append(data, plain...)
		default:
			return string(w.decode(data, charset, false))
		}
	}
}

func splitExtended(value string) (charset, text string) {
	parts := strings.SplitN(value, "'", 3)
	if len(parts) < 3 {
		return "utf-8", value
	}
	return parts[0], parts[2]
}

func percentDecode(text string) []byte {
	return percent.ReplaceAllFunc([]byte(text), func(code []byte) []byte {
		return []byte{byte(unhex(code[1])<<4 | unhex(code[2]))}
	})
}

// encodedWords decodes =?charset?B?…?= and =?charset?Q?…?= (RFC 2047 §6).
func (w *walk) encodedWords(text string) string {
	if !strings.Contains(text, "=?") {
		return text
	}
	for betweenWords.MatchString(text) {
		text = betweenWords.ReplaceAllString(text, "$1$2")
	}
	return encodedWord.ReplaceAllStringFunc(text, func(word string) string {
		match := encodedWord.FindStringSubmatch(word)
		data := []byte(match[3])
		if strings.EqualFold(match[2], "B") {
			data = decodeBase64(data)
		} else {
			data = decodeQuotedPrintable([]byte(strings.ReplaceAll(match[3], "_", " ")))
		}
		return string(w.decode(data, match[1], false))
	})
}

// westernLabels are those that the Encoding Standard reads as windows-1252.
var westernLabels = []string{
	"ansi_x3.4-1968", "ascii", "cp1252", "cp819", "csisolatin1", "ibm819", "iso-8859-1", "iso-ir-100",
	"iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "l1", "latin1", "us-ascii", "windows-1252",
	"x-cp1252",
}

var utf8Labels = []string{"", "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"}

// western are the characters of windows-1252 from 80 to 9F.
var western = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// decode turns bytes of a charset into UTF-8. In a body, the bytes of UTF-8 and US-ASCII are kept as they are;
// in a name, what is malformed becomes U+FFFD.
func (w *walk) decode(data []byte, charset string, body bool) []byte {
	label := strings.ToLower(strings.TrimSpace(charset))
	ascii := label == "us-ascii" || label == "ascii"
	switch {
	case body && (ascii || label == "" || label == "utf-8" || label == "utf8"):
		return data
	case slices.Contains(utf8Labels, label):
		if utf8.Valid(data) {
			return data
		}
		w.unread = true
		return data
	case slices.Contains(westernLabels, label):
		var out []byte
		for _, each := range data {
			r := rune(each)
			if each >= 0x80 && each < 0xa0 {
				r = western[each-0x80]
			}
			out = utf8.AppendRune(out, r)
		}
		return out
	default:
		w.unread = true
		return data
	}
}
