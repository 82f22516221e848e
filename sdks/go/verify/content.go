package verify

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// checkOpenings checks openings.json and the content that it opens: docs/evidence-format.md §4.
func (b *bundle) checkOpenings() {
	const check = "openings"
	form := b.document("openings.json", check, "canonical_hash content envelope mail type", "submission withheld")
	need(form["type"] == "acuse/openings/v1", check, "another type")
	need(form["canonical_hash"] == fmt.Sprintf("%x", b.manifest.hash), check, "of another message")
	mail := fieldsOf(form["mail"], check, "parts", "body header raw")
	envelope := fieldsOf(form["envelope"], check, "", "mail_from rcpt_to")
	opened := 0
	for _, name := range []string{"body", "header", "raw"} {
		if value, there := mail[name]; there {
			opens(fieldsOf(value, check, "salt sha256", ""), b.manifest.mail[name], check)
			opened++
		}
	}
	submission, submitted := form["submission"]
	if submitted {
		opens(fieldsOf(submission, check, "salt sha256", ""), b.manifest.object["submission"], check)
		opened++
	}
	for name, value := range envelope {
		opening := fieldsOf(value, check, "salt sha256 value", "")
		need(shaHex([]byte(textOf(opening["value"], check))) == opening["sha256"], check, "an address")
		opens(opening, b.manifest.envelope[name], check)
		opened++
	}
	parts := b.openParts(listOf(mail["parts"], check))
	opened += len(parts)
	every := 6 + len(b.manifest.parts)
	switch form["content"] {
	case "complete":
		need(opened == every, check, "it says complete and opens less")
	case "erased":
		need(opened == 0, check, "it says erased and opens something")
	default:
		need(form["content"] == "disclosed", check, "another word for its content")
	}
	b.readWithheld(form)
	b.checkPresence(mail, submitted, parts)
	b.openings = form
	b.passed(check)
	if submitted {
		content, there := b.files["submission.bin"]
		need(there && shaHex(content) == submission.(object)["sha256"], "submission", "another submission")
		b.passed("submission")
	}
	b.checkLayers(mail, parts)
}

// readWithheld reads the canonical hashes of the outcomes that the maker of the bundle left out.
func (b *bundle) readWithheld(form object) {
	const check = "openings"
	value, there := form["withheld"]
	if !there {
		return
	}
	list := listOf(value, check)
	need(len(list) > 0 && len(list) <= outcomesMax && form["content"] == "disclosed", check,
		"withheld is empty or too long, or the content is not said to be disclosed")
	for _, each := range list {
		hash, err := hex.DecodeString(hashOf(each, check))
		need(err == nil, check, "not a hash in hex")
		b.line.withheld = append(b.line.withheld, hash)
	}
}

// facts are those of an opened part.
type facts struct {
	index          int
	filename       any
	mediaType, sha string
	size           int64
}

func (b *bundle) openParts(list []any) []facts {
	const check = "openings"
	var found []facts
	for _, each := range list {
		part := fieldsOf(each, check, "filename index media_type salt sha256 size", "")
		f := facts{
			index: int(numberOf(part["index"], check)), filename: part["filename"],
			mediaType: textOf(part["media_type"], check), sha: hashOf(part["sha256"], check),
			size: numberOf(part["size"], check),
		}
		name := "null"
		if f.filename != nil {
			name = string(quoted([]byte(textOf(f.filename, check))))
		}
		need(f.index < len(b.manifest.parts), check, "a part that the message does not have")
		need(len(found) == 0 || found[len(found)-1].index < f.index, check, "parts are not in order")
		text := fmt.Sprintf(`{"filename":%s,"media_type":%s,"sha256":"%s","size":%d}`,
			name, quoted([]byte(f.mediaType)), f.sha, f.size)
		opens(object{"salt": part["salt"], "sha256": shaHex([]byte(text))}, b.manifest.parts[f.index], check)
		found = append(found, f)
	}
	return found
}

func partName(index int) string { return fmt.Sprintf("parts/%02d.bin", index) }

// checkPresence: no content is there that is not opened.
func (b *bundle) checkPresence(mail object, submitted bool, parts []facts) {
	shown := map[string]bool{"submission.bin": submitted}
	_, raw := mail["raw"]
	shown["message.eml"] = raw
	for _, part := range parts {
		shown[partName(part.index)] = !raw
	}
	for name := range b.files {
		content := name == "message.eml" || name == "submission.bin" || strings.HasPrefix(name, "parts/")
		need(!content || shown[name], "openings", "content that is not opened")
	}
}

func (b *bundle) checkLayers(mail object, parts []facts) {
	if raw, there := mail["raw"].(object); there {
		message, whole := b.files["message.eml"]
		need(whole && shaHex(message) == raw["sha256"], "message", "another message")
		b.passed("message")
		b.checkRelaxed(message, mail)
		b.checkMessageParts(message, parts)
		return
	}
	for _, part := range parts {
		content, there := b.files[partName(part.index)]
		need(there && shaHex(content) == part.sha && int64(len(content)) == part.size, "message_parts",
			"another part")
	}
	if len(parts) > 0 {
		b.passed("message_parts")
	}
}

func (b *bundle) checkRelaxed(message []byte, mail object) {
	const check = "message_relaxed"
	head := splitMessage(message)
	need(len(head.fields) <= fieldsMax, check, "too many header fields")
	if header, there := mail["header"].(object); there {
		need(shaHex(head.relaxedHeader()) == header["sha256"], check, "another header")
	}
	if body, there := mail["body"].(object); there {
		need(shaHex(relaxedBody(head.body)) == body["sha256"], check, "another body")
	}
	b.passed(check)
}

func (b *bundle) checkMessageParts(message []byte, parts []facts) {
	const check = "message_parts"
	found, unread := leafParts(message)
	if unread {
		b.notChecked(check, "a part is in a charset that this library does not read")
		return
	}
	for _, part := range parts {
		need(part.index < len(found), check, "the message has fewer parts")
		is := found[part.index]
		same := shaHex(is.content) == part.sha && int64(len(is.content)) == part.size &&
			is.mediaType == part.mediaType && is.filename == part.filename
		need(same, check, "another part")
	}
	b.passed(check)
}

const fieldsMax = 2000

// relaxedFields are those of L1, in this order.
var relaxedFields = []string{
	"from", "to", "cc", "subject", "date", "message-id", "reply-to", "in-reply-to", "references",
	"mime-version", "content-type", "content-transfer-encoding", "service-evidence",
}

type headerField struct {
	name  string // in lower case
	value []byte
	raw   []byte // the whole field without its last CRLF
}

type entity struct {
	fields []headerField
	body   []byte
}

// splitMessage: the header ends at the first empty line.
func splitMessage(message []byte) entity {
	head, body, _ := bytes.Cut(append([]byte("\r\n"), message...), []byte("\r\n\r\n"))
	e := entity{body: body}
	var lines [][]byte
	for _, line := range bytes.Split(head, []byte("\r\n"))[1:] {
		if len(lines) > 0 && len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			last := len(lines) - 1
			lines[last] = append(append(bytes.Clone(lines[last]), "\r\n"...), line...)
			continue
		}
		lines = append(lines, line)
	}
	for n, line := range lines {
		if name, value, found := bytes.Cut(line, []byte(":")); found {
			e.fields = append(e.fields, headerField{strings.ToLower(strings.TrimRight(string(name), " \t")), value, line})
		} else if len(line) > 0 || n < len(lines)-1 {
			e.fields = append(e.fields, headerField{raw: line})
		}
	}
	return e
}

var blanks = regexp.MustCompile(`[ \t]+`)

func (e entity) relaxedHeader() []byte {
	var out []byte
	for _, wanted := range relaxedFields {
		for _, field := range e.fields {
			if field.name == wanted {
				out = append(out, field.relaxed()...)
			}
		}
	}
	return out
}

// relaxed is the field's name and value but for white space (RFC 6376 §3.4.2).
func (f headerField) relaxed() string {
	value := bytes.ReplaceAll(f.value, []byte("\r\n"), nil)
	return f.name + ":" + string(bytes.Trim(blanks.ReplaceAll(value, []byte(" ")), " ")) + "\r\n"
}

func relaxedBody(body []byte) []byte {
	body = append(blanks.ReplaceAll(body, []byte(" ")), "\r\n"...)
	body = bytes.ReplaceAll(body, []byte(" \r\n"), []byte("\r\n"))
	for bytes.HasSuffix(body, []byte("\r\n")) {
		body = body[:len(body)-2]
	}
	if len(body) == 0 {
		return nil
	}
	return append(body, "\r\n"...)
}
