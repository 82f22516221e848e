package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"acuse.dev/go/internal/note"
)

func sha(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

func shaHex(data []byte) string { return hex.EncodeToString(sha(data)) }

// document reads a JSON document in its canonical form, with exactly these fields.
func (b *bundle) document(name, check, fields, optional string) object {
	data, there := b.files[name]
	need(there, check, name+" is missing")
	value, err := parseJSON(data, true)
	need(err == nil, check, name+" is not in its canonical form")
	return fieldsOf(value, check, fields, optional)
}

func fieldsOf(value any, check, fields, optional string) object {
	found, ok := value.(object)
	need(ok, check, "something else in place of an object")
	allowed := map[string]bool{}
	for _, name := range strings.Fields(fields) {
		_, there := found[name]
		need(there, check, "the field "+name+" is missing")
		allowed[name] = true
	}
	for _, name := range strings.Fields(optional) {
		allowed[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		need(allowed[name], check, fmt.Sprintf("the field %.40q is not known", name))
	}
	return found
}

func listOf(value any, check string) []any {
	list, ok := value.([]any)
	need(ok, check, "something else in place of a list")
	return list
}

func textOf(value any, check string) string {
	text, ok := value.(string)
	need(ok, check, "something else in place of a text")
	return text
}

func numberOf(value any, check string) int64 {
	number, ok := value.(int64)
	need(ok && number >= 0, check, "something else in place of a number")
	return number
}

var (
	hexHash     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	uuidForm    = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	numberForm  = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})$`)
	visibleForm = regexp.MustCompile(`^[!-~]{1,253}$`)
	publicForm  = regexp.MustCompile(`^[A-Za-z0-9+/=]+$`)
)

const publicKeyMax = 2048

func hashOf(value any, check string) string {
	text := textOf(value, check)
	need(hexHash.MatchString(text), check, "not a hash in hex")
	return text
}

const timeLayout = "2006-01-02T15:04:05.000Z"

func timeOf(value any, check string) time.Time {
	text := textOf(value, check)
	moment, err := time.Parse(timeLayout, text)
	need(err == nil && moment.Format(timeLayout) == text && moment.Year() > 0, check, "not a time")
	return moment
}

// opens: the salt and the content's hash make the commitment.
func opens(opening object, expected any, check string) {
	salt, err := hex.DecodeString(hashOf(opening["salt"], check))
	content, failed := hex.DecodeString(hashOf(opening["sha256"], check))
	need(err == nil && failed == nil, check, "an opening is not hex")
	need(shaHex(append(salt, content...)) == expected, check, "an opening opens nothing")
}

// manifest is what the rest of the verification needs of manifest.json.
type manifest struct {
	object
	mail, envelope object
	parts          []any
	log            string
	hash           []byte
	acceptedAt     time.Time
	// Zero unless the message asks for an acknowledgement.
	acknowledgeUntil time.Time
}

func checkDkim(key any, check string) {
	each := fieldsOf(key, check, "algorithm domain public_key selector", "")
	need(each["algorithm"] == "rsa-sha256" || each["algorithm"] == "ed25519-sha256", check, "DKIM")
	domain, selector := textOf(each["domain"], check), textOf(each["selector"], check)
	need(visibleForm.MatchString(domain) && visibleForm.MatchString(selector), check, "a DKIM name")
	public := textOf(each["public_key"], check)
	need(len(public) <= publicKeyMax && publicForm.MatchString(public), check, "a DKIM key")
}

func (b *bundle) readManifest() {
	const check = "manifest"
	m := b.document("manifest.json", check, "accepted_at dkim envelope log mail message_id submission tenant_id "+
		"tenant_sequence type", "acknowledgement")
	need(m["type"] == "acuse/message/v1", check, "another type")
	var until time.Time
	if asked, there := m["acknowledgement"]; there {
		until = timeOf(fieldsOf(asked, check, "until", "")["until"], check)
	}
	mail := fieldsOf(m["mail"], check, "body header parts raw", "")
	envelope := fieldsOf(m["envelope"], check, "asserted_by mail_from rcpt_to", "")
	need(envelope["asserted_by"] == "operator", check, "asserted by somebody else")
	for _, value := range []any{m["submission"], mail["body"], mail["header"], mail["raw"],
		envelope["mail_from"], envelope["rcpt_to"]} {
		hashOf(value, check)
	}
	parts := listOf(mail["parts"], check)
	need(len(parts) <= 128, check, "too many parts")
	for _, part := range parts {
		hashOf(part, check)
	}
	for _, name := range []string{"message_id", "tenant_id"} {
		need(uuidForm.MatchString(textOf(m[name], check)), check, name+" is not a UUID")
	}
	need(numberForm.MatchString(textOf(m["tenant_sequence"], check)), check, "tenant_sequence")
	origin := textOf(m["log"], check)
	need(note.IsName(origin), check, "the log's name")
	keys := listOf(m["dkim"], check)
	need(len(keys) <= 8, check, "too many DKIM keys")
	for _, key := range keys {
		checkDkim(key, check)
	}
	b.manifest = manifest{
		object: m, mail: mail, envelope: envelope, parts: parts, log: origin,
		hash: sha(b.files["manifest.json"]), acceptedAt: timeOf(m["accepted_at"], check),
		acknowledgeUntil: until,
	}
	b.passed(check)
}
