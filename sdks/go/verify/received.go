package verify

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// A received copy against what was sealed: docs/evidence-format.md §10.

// CopyVerdict is how a message that somebody received compares with the one that was sealed.
type CopyVerdict string

// CopySame: byte for byte, or but for white space and the fields in which relays write. CopyParts: the parts
// that the bundle opens are in it, and nothing is said of the rest. CopyNotComparable: the bundle is invalid,
// or its content was erased.
const (
	CopySame          CopyVerdict = "same"
	CopyParts         CopyVerdict = "parts"
	CopyDiffers       CopyVerdict = "differs"
	CopyNotComparable CopyVerdict = "not_comparable"
)

// Copy is how a received message compares with the sealed one.
type Copy struct {
	Verdict CopyVerdict
	// Bytes: it is the sealed message, behind fields of relays. Relaxed: header and body are the same but for
	// white space. Parts: every part that the bundle opens is in it.
	Bytes, Relaxed, Parts bool
	// PartsUnread: a part is in a charset that this library does not read, and Parts says nothing.
	PartsUnread bool
}

const (
	receivedSizeMax = 64 * mib // ours, and what relays put before it
	receivedLineMax = 998
	receivedCheck   = "received_copy"
)

// traceFields are what relays write. The list is closed.
var traceFields = []string{
	"arc-authentication-results", "arc-message-signature", "arc-seal", "authentication-results",
	"authentication-results-original", "delivered-to", "delivery-date", "dkim-filter", "dkim-signature",
	"dmarc-filter", "domainkey-signature", "envelope-to", "old-authentication-results",
	"original-authentication-results", "received", "received-spf", "return-path",
}

// shownFields are those that mail programs show or act upon, although their names begin with X-.
var shownFields = []string{
	"x-confirm-reading-to", "x-face", "x-image-url", "x-message-flag", "x-msmail-priority", "x-original-from",
	"x-originalfrom", "x-priority", "x-reply-to", "x-sender", "x-unsent",
}

var (
	lineEnds  = regexp.MustCompile("\r\n?|\n")
	plainName = regexp.MustCompile(`^[!-9;-~]+:`)
)

// compare sets the report's Copy.
func (b *bundle) compare(received []byte) {
	failed := slices.ContainsFunc(b.report.Checks, func(check Check) bool { return check.Outcome == Failed })
	if failed || b.openings["content"] == "erased" {
		b.report.Copy = &Copy{Verdict: CopyNotComparable}
		return
	}
	unread := false
	malformed := attempt(func() {
		need(len(received) <= receivedSizeMax, receivedCheck, "too large")
		b.report.Copy, unread = b.judge(lineEnds.ReplaceAll(received, []byte("\r\n")))
	})
	if malformed != nil {
		b.report.Copy = &Copy{Verdict: CopyDiffers}
	}
	if unread {
		b.notChecked(receivedCheck, "a part is in a charset that this library does not read: acuse verify reads it")
	}
}

// judge: unread where the verdict hangs on a charset that is not read here.
func (b *bundle) judge(message []byte) (found *Copy, unread bool) {
	mail, _ := b.openings["mail"].(object)
	received := splitMessage(message)
	need(len(received.fields) < fieldsMax, receivedCheck, "too many header fields")
	var own []headerField
	if sealed, there := b.files["message.eml"]; there {
		own = splitMessage(sealed).fields
	}
	found = &Copy{Verdict: CopyDiffers, Bytes: isWhole(message, received.fields, mail["raw"])}
	found.Relaxed = isOpened(received.relaxedHeader(), mail["header"]) &&
		hasNothingStrange(received.fields, own) && isOpened(relaxedBody(received.body), mail["body"])
	found.Parts, found.PartsUnread = b.hasParts(message, mail["parts"])
	_, raw := mail["raw"]
	_, body := mail["body"]
	partsAlone := !raw && !body
	switch {
	case found.Bytes || found.Relaxed:
		found.Verdict = CopySame
	case partsAlone && found.PartsUnread:
		return nil, true
	case partsAlone && found.Parts:
		found.Verdict = CopyParts
	}
	return found, false
}

// hasParts: every part that the bundle opens, at least one, is in the message.
func (b *bundle) hasParts(message []byte, opened any) (all, unread bool) {
	list := listOf(opened, receivedCheck)
	if len(list) == 0 {
		return false, false
	}
	found, unread := leafParts(message)
	if unread {
		return false, true
	}
	for _, each := range b.openParts(list) {
		if !slices.ContainsFunc(found, func(is part) bool {
			return shaHex(is.content) == each.sha && int64(len(is.content)) == each.size &&
				is.mediaType == each.mediaType && is.filename == each.filename
		}) {
			return false, false
		}
	}
	return true, false
}

func isOpened(layer []byte, opening any) bool {
	opened, there := opening.(object)
	return there && shaHex(layer) == opened["sha256"]
}

// isWhole: from its first evidence field on it is the sealed message, and before that is trace alone.
func isWhole(message []byte, fields []headerField, opening any) bool {
	start := 0
	for _, field := range fields {
		if field.name == "service-evidence" {
			return isOpened(message[start:], opening)
		}
		if !field.isTrace() {
			return false
		}
		start += len(field.raw) + len("\r\n")
	}
	return false
}

func (f headerField) isTrace() bool {
	named := slices.Contains(traceFields, f.name) ||
		strings.HasPrefix(f.name, "x-") && !slices.Contains(shownFields, f.name)
	return named && f.isPlain()
}

// isPlain: every program sees the same field in it.
func (f headerField) isPlain() bool {
	if !plainName.Match(f.raw) {
		return false
	}
	for _, line := range bytes.Split(f.raw, []byte("\r\n")) {
		if len(bytes.Trim(line, " \t")) == 0 || len(line) > receivedLineMax {
			return false
		}
		for _, each := range line {
			if each != '\t' && (each < 0x20 || each == 0x7f) {
				return false
			}
		}
	}
	return true
}

// hasNothingStrange: each field is covered by the seal, trace, or occurs equally often in the sealed message.
func hasNothingStrange(received, sealed []headerField) bool {
	left := map[string]int{}
	for _, field := range sealed {
		left[field.relaxed()]++
	}
	for _, field := range received {
		plain := field.isPlain()
		if field.isTrace() || plain && slices.Contains(relaxedFields, field.name) {
			continue
		}
		relaxed := field.relaxed()
		left[relaxed]--
		if !plain || left[relaxed] < 0 {
			return false
		}
	}
	return true
}
