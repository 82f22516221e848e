package verify

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	entitiesMax   = 128
	multipartsMax = 20
	fieldTextMax  = 8192 // bytes of one field that are looked at
)

// part is a leaf part as a reader gets it; filename is a string or nil.
type part struct {
	filename  any
	mediaType string
	content   []byte
}

type walk struct {
	parts    []part
	entities int
	unread   bool
}

// leafParts are the leaf parts in document order; unread reports a charset that this library does not know.
func leafParts(message []byte) (parts []part, unread bool) {
	w := &walk{}
	w.collect(message, 0)
	return w.parts, w.unread
}

var mediaForm = regexp.MustCompile(`^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$`)

func (e entity) text(name string) (string, bool) {
	for _, field := range e.fields {
		if field.name == name {
			value := field.value[:min(len(field.value), fieldTextMax)]
			return strings.TrimSpace(strings.ReplaceAll(asText(value), "\r\n", "")), true
		}
	}
	return "", false
}

// asText is UTF-8 where it is, else Latin-1.
func asText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	runes := make([]rune, len(data))
	for n, each := range data {
		runes[n] = rune(each)
	}
	return string(runes)
}

func (w *walk) collect(data []byte, depth int) {
	w.entities++
	need(w.entities <= entitiesMax, "message_parts", "too many parts")
	e := splitMessage(data)
	header, there := e.text("content-type")
	if !there {
		header = "text/plain"
	}
	kind := w.parameters(header)
	if !mediaForm.MatchString(kind.value) {
		kind = parameters{value: "text/plain"}
	}
	boundary := kind.named["boundary"]
	if !strings.HasPrefix(kind.value, "multipart/") || boundary == "" {
		w.leaf(e, kind)
		return
	}
	need(depth < multipartsMax, "message_parts", "nested too deeply")
	for _, child := range splitMultipart(e.body, boundary) {
		w.collect(child, depth+1)
	}
}

func (w *walk) leaf(e entity, kind parameters) {
	disposition, _ := e.text("content-disposition")
	p := part{mediaType: kind.value, content: e.body}
	if name, there := w.parameters(disposition).named["filename"]; there {
		p.filename = name
	} else if name, there := kind.named["name"]; there {
		p.filename = name
	}
	encoding, _ := e.text("content-transfer-encoding")
	switch strings.ToLower(encoding) {
	case "base64":
		p.content = decodeBase64(e.body)
	case "quoted-printable":
		p.content = decodeQuotedPrintable(e.body)
	}
	if strings.HasPrefix(p.mediaType, "text/") && p.filename == nil {
		p.content = trimLines(w.decode(p.content, kind.named["charset"], true))
	}
	w.parts = append(w.parts, p)
}

// splitMultipart: what stands between the delimiter lines (RFC 2046 §5.1.1).
func splitMultipart(body []byte, boundary string) [][]byte {
	var parts [][]byte
	start := -1
	for at := 0; at < len(body); {
		end := bytes.IndexByte(body[at:], '\n')
		line, next := body[at:], len(body)
		if end >= 0 {
			line, next = body[at:at+end+1], at+end+1
		}
		rest, found := bytes.CutPrefix(line, []byte("--"+boundary))
		rest = bytes.TrimRight(rest, "\r\n")
		last := bytes.HasPrefix(rest, []byte("--"))
		if found && len(bytes.Trim(bytes.TrimPrefix(rest, []byte("--")), " \t")) == 0 {
			if start >= 0 {
				parts = append(parts, body[start:max(start, at-2)])
			}
			need(len(parts) < entitiesMax, "message_parts", "too many parts")
			if last {
				return parts
			}
			start = next
		}
		at = next
	}
	if start >= 0 {
		parts = append(parts, body[start:])
	}
	return parts
}

// trimLines: LF for CRLF and CR, no white space before one, nor at the end.
func trimLines(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	lines := bytes.Split(text, []byte("\n"))
	for n, line := range lines {
		lines[n] = bytes.TrimRight(line, " \t")
	}
	return bytes.TrimRight(bytes.Join(lines, []byte("\n")), " \t\n")
}

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeBase64 skips what is not of the alphabet; padding ends it (RFC 2045 §6.8).
func decodeBase64(encoded []byte) []byte {
	var values [256]int8
	for n := range values {
		values[n] = -1
	}
	for n := range base64Alphabet {
		values[base64Alphabet[n]] = int8(n)
	}
	out := make([]byte, 0, len(encoded)*3/4)
	group, bits := uint32(0), 0
	for _, each := range encoded {
		if each == '=' {
			break
		}
		if values[each] < 0 {
			continue
		}
		group = group<<6 | uint32(values[each])
		if bits += 6; bits >= 8 {
			bits -= 8
			out = append(out, byte(group>>bits))
		}
	}
	return out
}

var softBreak = regexp.MustCompile(`^[ \t]*(\r\n|\n|$)`)

// decodeQuotedPrintable joins soft line breaks, drops white space at line ends, and leaves a malformed =XX as
// it is (RFC 2045 §6.7).
func decodeQuotedPrintable(encoded []byte) []byte {
	out := make([]byte, 0, len(encoded))
	solid := 0
	for at := 0; at < len(encoded); at++ {
		c := encoded[at]
		switch {
		case c == ' ' || c == '\t':
			out = append(out, c)
			continue
		case c == '\r' || c == '\n':
			out = append(out[:solid], c)
		case c == '=':
			rest := encoded[at+1:]
			if end := softBreak.FindIndex(rest[:min(len(rest), lineMax(rest))]); end != nil {
				at += end[1]
			} else if len(rest) >= 2 && unhex(rest[0]) >= 0 && unhex(rest[1]) >= 0 {
				out = append(out, byte(unhex(rest[0])<<4|unhex(rest[1])))
				at += 2
			} else {
				out = append(out, c)
			}
		default:
			out = append(out, c)
		}
		solid = len(out)
	}
	return out[:solid]
}

// lineMax is the length of the first line with its end.
func lineMax(data []byte) int {
	if at := bytes.IndexByte(data, '\n'); at >= 0 {
		return at + 1
	}
	return len(data)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}
