package verify

import (
	"fmt"
	"slices"
	"strings"

	"encoding/hex"
)

// events are the ETSI events by kind and source; "" is null.
var events = map[string]string{
	"sent session":                  "RelayToNonERDS",
	"bounced session":               "RelayToNonERDSFailure",
	"bounced operator":              "RelayToNonERDSFailure",
	"bounced reported_by_mail":      "ReceivedFromNonERDS",
	"cancelled operator":            "",
	"complained reported_by_mail":   "ReceivedFromNonERDS",
	"acknowledged recipient_page":   "",
	"acknowledged reported_by_mail": "ReceivedFromNonERDS",
	"refused recipient_page":        "",
	"displayed reported_by_mail":    "ReceivedFromNonERDS",
	"unanswered operator":           "",
}

var asserted = []any{"attempt", "dsn", "facts", "kind", "occurred_at", "source", "transcript"}
var verifiable = []any{"message_canonical_hash", "previous"}

func (b *bundle) checkDelivery() {
	var bases []string
	for name := range b.files {
		if strings.HasPrefix(name, "delivery/") {
			base, _, _ := strings.Cut(name, ".")
			bases = append(bases, base)
		}
	}
	slices.Sort(bases)
	bases = slices.Compact(bases)
	need(len(bases) <= outcomesMax, "delivery", "too many outcomes")
	for n, base := range bases {
		need(strings.HasPrefix(base, fmt.Sprintf("delivery/%02d-", n+1)), "delivery", "a number is missing")
		_, there := b.files[base+".json"]
		need(there, "delivery", base+".json is missing")
	}
	previous := hex.EncodeToString(b.manifest.hash)
	for n, base := range bases {
		previous = b.checkOutcome(base, n+1, previous)
	}
	if len(bases) > 0 {
		b.passed("delivery")
	}
}

func (b *bundle) checkOutcome(base string, number int, previous string) string {
	check := fmt.Sprintf("delivery.%02d", number)
	m := b.document(base+".json", check, "attempt dsn etsi facts kind log message_canonical_hash message_id "+
		"occurred_at previous source transcript trust type", "")
	need(m["type"] == "acuse/delivery/v1", check, "another type")
	trust := fieldsOf(m["trust"], check, "operator_asserted third_party_verifiable", "")
	need(slices.Equal(listOf(trust["operator_asserted"], check), asserted) &&
		slices.Equal(listOf(trust["third_party_verifiable"], check), verifiable), check, "another trust")
	kind, source := textOf(m["kind"], check), textOf(m["source"], check)
	need(base == fmt.Sprintf("delivery/%02d-%s", number, kind), check, "another kind than its name says")
	event, known := events[kind+" "+source]
	var uri any
	if event != "" {
		uri = "http://uri.etsi.org/19522/Event/" + event
	}
	need(known && m["etsi"] == uri, check, "another event or source")
	unreported := source == "recipient_page" || kind == "cancelled" || kind == "unanswered"
	need(!unreported || m["dsn"] == nil, check, "a report about what nobody reports")
	need(!isReply(kind, source) || m["dsn"] != nil, check, "a reply that is not there")
	need(source == "session" || m["transcript"] == nil, check, "a transcript without a session")
	need(m["log"] == b.manifest.object["log"] && m["message_id"] == b.manifest.object["message_id"], check,
		"of another message or log")
	need(m["message_canonical_hash"] == hex.EncodeToString(b.manifest.hash), check, "of another message")
	need(m["previous"] == previous, check, "not chained to the one before")
	hashOf(m["facts"], check)
	occurredAt := timeOf(m["occurred_at"], check)
	if kind == "unanswered" {
		until := b.manifest.acknowledgeUntil
		need(!until.IsZero(), check, "it answers what the message did not ask for")
		need(!occurredAt.Before(until), check, "unanswered while the recipient still had time to answer")
	}
	numberOf(m["attempt"], check)
	entry := sha(b.files[base+".json"])
	b.openOutcome(base, m, hex.EncodeToString(entry), check)
	b.checkReply(base, check+".reply")
	of := outcome{occurredAt: occurredAt, entry: entry}
	of.leaf = b.checkLeaf(b.files[base+".tlog-proof"], entry, check+".", b.timeOfToken(base+".tsr"))
	if _, there := b.files[base+".tsr"]; there {
		of.sealedAt = b.checkToken(base+".tsr", fmt.Sprintf("delivery-%02d", number), check+".timestamp",
			stamped{data: of.text, hash: "sha256"}).time
	}
	b.line.outcomes = append(b.line.outcomes, of)
	b.passed(check)
	return hex.EncodeToString(entry)
}

func (b *bundle) openOutcome(base string, m object, hash, check string) {
	opened := object{}
	_, there := b.files[base+".openings.json"]
	if there {
		opened = b.document(base+".openings.json", check, "canonical_hash dsn facts transcript type", "")
		need(opened["type"] == "acuse/delivery-openings/v1" && opened["canonical_hash"] == hash, check,
			"openings of another outcome")
		facts := fieldsOf(opened["facts"], check, "salt value", "")
		checkFacts(facts["value"], textOf(m["kind"], check), textOf(m["source"], check), check)
		text := factsText(b.files[base+".openings.json"], check)
		opens(object{"salt": facts["salt"], "sha256": shaHex(text)}, m["facts"], check)
	}
	for label, name := range map[string]string{"transcript": ".transcript.json", "dsn": ".dsn.eml"} {
		content, shown := b.files[base+name]
		opening := opened[label]
		need((opening == nil) == !shown, check, "content that is not opened, or none")
		if !there {
			continue
		}
		need((opening == nil) == (m[label] == nil), check, "not opened as it was committed to")
		if opening != nil {
			fields := fieldsOf(opening, check, "salt sha256", "")
			need(shaHex(content) == fields["sha256"], check, "another "+label)
			opens(fields, m[label], check)
		}
	}
}

// factsText is the canonical text of facts.value: the document is canonical, so that it stands there as it is.
func factsText(document []byte, check string) []byte {
	const before = `"value":`
	at := strings.Index(string(document), `"facts":{`)
	need(at >= 0, check, "no facts")
	start := at + strings.Index(string(document[at:]), before) + len(before)
	r := &reader{data: document, at: start, canonical: true}
	r.value(0)
	return document[start:r.at]
}

// checkFacts: what a mail reported never takes the place of a server that was spoken to.
func checkFacts(value any, kind, source, check string) {
	facts := fieldsOf(value, check, "ip mx reply reported_by_mail tls", "acknowledgement")
	checkAct(facts, kind, source, check)
	nullableText(facts, check, "ip mx")
	checkReply(facts["reply"], check)
	if facts["tls"] != nil {
		tls := fieldsOf(facts["tls"], check, "cipher peer_certificate_sha256 version", "")
		textsIn(tls, check, "cipher version")
		nullableText(tls, check, "peer_certificate_sha256")
	}
	if facts["reported_by_mail"] != nil {
		checkReport(facts["reported_by_mail"], check)
	}
	spoken := facts["ip"] != nil || facts["mx"] != nil || facts["tls"] != nil
	need(source == "session" || !spoken, check, "a server without a session")
	reported := facts["reported_by_mail"] != nil
	need(reported == (source == "reported_by_mail"), check, "another source")
	answered := source == "session" || source == "operator"
	need(answered || facts["reply"] == nil, check, "a reply without a session")
}

// isReply: the recipient's own reply by mail, which is the proof itself.
func isReply(kind, source string) bool {
	return kind == "acknowledged" && source == "reported_by_mail"
}

// checkAct: the recipient's own act, in the facts of the outcomes that have one.
func checkAct(facts object, kind, source, check string) {
	act, there := facts["acknowledgement"]
	due := source == "recipient_page" || isReply(kind, source)
	need(there == due, check, "an act of the recipient in another place")
	switch {
	case isReply(kind, source):
		checkDkim(fieldsOf(act, check, "dkim", "")["dkim"], check)
	case due:
		page := fieldsOf(act, check, "code_sent_at ip language name reason sentence", "")
		timeOf(page["code_sent_at"], check)
		textsIn(page, check, "ip name sentence")
		nullableText(page, check, "reason")
		need(page["language"] == "en" || page["language"] == "es", check, "another language")
	}
}

func textsIn(fields object, check, names string) {
	for _, name := range strings.Fields(names) {
		textOf(fields[name], check)
	}
}

func nullableText(fields object, check, names string) {
	for _, name := range strings.Fields(names) {
		if fields[name] != nil {
			textOf(fields[name], check)
		}
	}
}

func checkReply(value any, check string) {
	if value == nil {
		return
	}
	reply := fieldsOf(value, check, "code enhanced text", "")
	nullableText(reply, check, "enhanced text")
	if reply["code"] != nil {
		numberOf(reply["code"], check)
	}
}

var results = []string{"fail", "neutral", "none", "not_checked", "pass", "permerror", "softfail", "temperror"}
var vouchers = []any{nil, "dkim", "helo", "network", "spf"}

const domainsMax = 8

// checkReport: what a mail reported has its form.
func checkReport(value any, check string) {
	report := fieldsOf(value, check, "claims dkim mail_from peer sha256 spf vouched_by", "")
	const told = "feedback_type final_recipient original_recipient remote_mta"
	claims := fieldsOf(report["claims"], check, told+" reply", "")
	nullableText(claims, check, told)
	checkReply(claims["reply"], check)
	dkim := fieldsOf(report["dkim"], check, "domains result", "")
	domains := listOf(dkim["domains"], check)
	need(len(domains) <= domainsMax, check, "too many domains")
	for _, domain := range domains {
		textOf(domain, check)
	}
	textOf(report["mail_from"], check)
	peer := fieldsOf(report["peer"], check, "helo ip tls", "")
	textsIn(peer, check, "helo ip")
	if peer["tls"] != nil {
		textsIn(fieldsOf(peer["tls"], check, "cipher version", ""), check, "cipher version")
	}
	hashOf(report["sha256"], check)
	spf := fieldsOf(report["spf"], check, "domain result", "")
	nullableText(spf, check, "domain")
	for _, said := range []any{dkim["result"], spf["result"]} {
		need(slices.Contains(results, textOf(said, check)), check, "another result")
	}
	need(slices.Contains(vouchers, report["vouched_by"]), check, "vouched for by something else")
}
