package verify

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"acuse.dev/go/internal/note"
)

// signedFields are there once each in a mail by which a recipient acknowledges, and signed.
var signedFields = []string{"from", "to", "subject"}

const (
	signaturesMax  = 8
	mailKeyBitsMin = 1024 // RFC 8301 §3.2
)

var (
	quotedText  = regexp.MustCompile(`"[^"]*"`)
	addressForm = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+$")
	dkimForm    = regexp.MustCompile(`^(relaxed|simple)?(?:/(relaxed|simple))?$`)
	folds       = regexp.MustCompile(`[ \t\r\n]+`)
	signatureIn = regexp.MustCompile(`(^|;)([ \t\r\n]*b[ \t\r\n]*=)[^;]*`)
)

// checkReply: where the recipient acknowledged by mail, whose mail it is and who signed it.
func (b *bundle) checkReply(base string, check string) {
	if _, there := b.files[base+".openings.json"]; !there {
		return
	}
	opened := b.document(base+".openings.json", check, "canonical_hash dsn facts transcript type", "")
	facts := fieldsOf(fieldsOf(opened["facts"], check, "salt value", "")["value"], check,
		"ip mx reply reported_by_mail tls", "acknowledgement")
	act, _ := facts["acknowledgement"].(object)
	key, byMail := act["dkim"].(object)
	if !byMail {
		return
	}
	mail, _ := facts["reported_by_mail"].(object)
	dsn, _ := opened["dsn"].(object)
	need(mail["sha256"] == dsn["sha256"], check, "the mail is not kept as it came")
	data := b.files[base+".dsn.eml"]
	fields := splitMessage(data).fields
	need(len(fields) <= fieldsMax, check, "too many header fields")
	values := map[string]string{}
	for _, name := range signedFields {
		found := fieldsNamed(fields, name)
		need(len(found) == 1, check, "not one field "+name)
		values[name] = strings.TrimSuffix(found[0].relaxed()[len(name)+1:], "\r\n")
	}
	id := strings.ReplaceAll(textOf(b.manifest.object["message_id"], check), "-", "")
	need(strings.HasPrefix(oneAddress(values["to"]), "ack+"+id+"-"), check, "not to this message's address alone")
	sender := oneAddress(values["from"])
	need(sender != "", check, "From is not one address")
	envelope, _ := b.openings["envelope"].(object)
	if opening, there := envelope["rcpt_to"].(object); there {
		need(lowerASCII(textOf(opening["value"], check)) == sender, check, "From is not the recipient")
	}
	domain := sender[strings.IndexByte(sender, '@')+1:]
	need(isAligned(strings.ToLower(textOf(key["domain"], check)), domain), check, "signed by another domain")
	signatures := fieldsNamed(fields, "dkim-signature")
	signatures = signatures[:min(len(signatures), signaturesMax)]
	held := slices.ContainsFunc(signatures, func(field headerField) bool { return dkimHolds(field, data, key) })
	need(held, check, "no signature holds under this key")
	b.passed(check)
}

func fieldsNamed(fields []headerField, name string) (found []headerField) {
	for _, field := range fields {
		if field.name == name {
			found = append(found, field)
		}
	}
	return found
}

// oneAddress is the address in a field, in lower case; "" if there is not exactly one.
func oneAddress(value string) string {
	bare := quotedText.ReplaceAllString(value, "")
	address, before := bare, ""
	if open := strings.IndexByte(bare, '<'); open >= 0 {
		var closed bool
		before = bare[:open]
		if address, closed = strings.CutSuffix(bare[open+1:], ">"); !closed {
			return ""
		}
	}
	if !addressForm.MatchString(address) || strings.ContainsAny(before, "@,;:()<>") {
		return ""
	}
	return strings.ToLower(address)
}

func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// isAligned: the same domain, or one of the two is above the other, and not a single label.
func isAligned(signer, domain string) bool {
	if !strings.Contains(signer, ".") || !strings.Contains(domain, ".") {
		return false
	}
	return signer == domain || strings.HasSuffix(signer, "."+domain) || strings.HasSuffix(domain, "."+signer)
}

// dkimHolds: a signature over the whole body (RFC 6376, RFC 8463) under this key.
func dkimHolds(field headerField, data []byte, key object) bool {
	tags := dkimTags(field.value)
	forms := dkimForm.FindStringSubmatch(tags["c"])
	of := []any{strings.ToLower(tags["d"]), tags["s"], tags["a"]}
	if !slices.Equal(of, []any{key["domain"], key["selector"], key["algorithm"]}) || forms == nil {
		return false
	}
	names := strings.Split(strings.ToLower(tags["h"]), ":")
	_, partial := tags["l"]
	unsigned := func(name string) bool { return !slices.Contains(names, name) }
	if tags["v"] != "1" || partial || slices.ContainsFunc(signedFields, unsigned) {
		return false
	}
	mail := splitMessage(data)
	bodyHash, err := base64.StdEncoding.Strict().DecodeString(tags["bh"])
	if err != nil || !bytes.Equal(bodyHash, sha(dkimBody(mail.body, forms[2]))) {
		return false
	}
	var text []byte
	for _, name := range names {
		for at := len(mail.fields) - 1; at >= 0; at-- {
			if mail.fields[at].name == name && name != "" {
				text = append(text, dkimField(mail.fields[at], forms[1])...)
				mail.fields = slices.Delete(mail.fields, at, at+1)
				break
			}
		}
	}
	at := signatureIn.FindSubmatchIndex(field.value)
	if at == nil {
		return false
	}
	value := append(bytes.Clone(field.value[:at[5]]), field.value[at[1]:]...)
	raw := append(bytes.Clone(field.raw[:len(field.raw)-len(field.value)]), value...)
	own := dkimField(headerField{name: field.name, value: value, raw: raw}, forms[1])
	return dkimSigned(append(text, bytes.TrimSuffix(own, []byte("\r\n"))...), tags, key)
}

func dkimSigned(text []byte, tags map[string]string, key object) bool {
	signature, err := base64.StdEncoding.Strict().DecodeString(tags["b"])
	public, unread := base64.StdEncoding.Strict().DecodeString(key["public_key"].(string))
	if err != nil || unread != nil {
		return false
	}
	if key["algorithm"] == "ed25519-sha256" {
		return len(public) == ed25519.PublicKeySize && !note.IsWeak(public) && ed25519.Verify(public, sha(text), signature)
	}
	read, err := x509.ParsePKIXPublicKey(public)
	of, isRSA := read.(*rsa.PublicKey)
	if err != nil || !isRSA || of.N.BitLen() < mailKeyBitsMin {
		return false
	}
	return rsa.VerifyPKCS1v15(of, crypto.SHA256, sha(text), signature) == nil
}

// dkimTags are those of a signature; none if it is not ASCII or a tag is there twice (RFC 6376 §3.2).
func dkimTags(value []byte) map[string]string {
	tags := map[string]string{}
	if bytes.ContainsFunc(value, func(r rune) bool { return r > 0x7e }) {
		return nil
	}
	for _, part := range strings.Split(string(value), ";") {
		name, tag, is := strings.Cut(part, "=")
		if !is {
			continue
		}
		name = strings.Trim(name, " \t\r\n\v\f")
		if _, twice := tags[name]; twice {
			return nil
		}
		tags[name] = folds.ReplaceAllString(tag, "")
	}
	return tags
}

func dkimBody(body []byte, form string) []byte {
	if form == "relaxed" {
		return relaxedBody(body)
	}
	for bytes.HasSuffix(body, []byte("\r\n")) {
		body = body[:len(body)-2]
	}
	return append(bytes.Clone(body), "\r\n"...)
}

func dkimField(field headerField, form string) []byte {
	if form == "relaxed" {
		return []byte(field.relaxed())
	}
	return append(bytes.Clone(field.raw), "\r\n"...)
}
