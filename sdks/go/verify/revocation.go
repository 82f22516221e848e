package verify

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"slices"
	"strings"
	"time"
)

// Revoked certificates: docs/evidence-format.md §7, RFC 5280 §5, RFC 6960 §4.2.

const (
	crlSizeMax           = 4 * mib
	ocspSizeMax          = 64 * 1024
	ocspCertificatesMax  = 8
	oidDistributionPoint = "2.5.29.28"
	oidDeltaIndicator    = "2.5.29.27"
	oidReasonCode        = "2.5.29.21"
	oidInvalidityDate    = "2.5.29.24"
	noReason             = -1
	oidOCSPBasic         = "1.3.6.1.5.5.7.48.1.1"
	oidSHA1              = "1.3.14.3.2.26"
	tagBoolean           = 0x01
	tagBits              = 0x03
	tagEnumerated        = 0x0a
	tagUTCTime           = 0x17
	tagOCSPGood          = 0x80
	tagOCSPRevoked       = 0xa1
	tagOCSPUnknown       = 0x82
	checkRevocationName  = "revocation"
	utcTimeLayout        = "060102150405Z"
)

// goodBefore are the reasons by which a certificate was good until then: unspecified, affiliationChanged,
// superseded, cessationOfOperation. After any other, and after none, nobody knows since when it was not.
var goodBefore = []int{0, 3, 4, 5}

// standing is what a list or an answer says of one certificate.
type standing struct {
	// revoked is the earlier of revocation and invalidity date.
	revoked, thisUpdate, nextUpdate time.Time // zero: none
	// harmless: it was good until then.
	harmless bool
	// known: the responder knows the certificate, and all entries of the list are understood.
	known bool
}

type opinion int

const (
	saysNothing opinion = iota
	saysGood
	// saysDoubted: it was revoked later, which leaves open since when it was not good.
	saysDoubted
	saysRevoked
)

// at is what it says of a moment.
func (s *standing) at(moment time.Time) opinion {
	if !s.revoked.IsZero() && !s.revoked.After(moment) {
		return saysRevoked
	}
	if !s.revoked.IsZero() && !s.harmless {
		return saysDoubted
	}
	// Such data has whole seconds.
	second := moment.Truncate(time.Second)
	covers := !s.thisUpdate.Before(second) || !s.nextUpdate.IsZero() && !s.nextUpdate.Before(second)
	if s.known && covers {
		return saysGood
	}
	return saysNothing
}

// revocation is what a bundle holds about revoked certificates.
type revocation struct {
	pieces map[string][]byte
	used   map[string]bool
	known  map[string]*standing
	// revokedLater: a certificate was, after a renewal by others.
	revokedLater bool
}

// link is a time-stamp that holds, and its chain, signer first.
type link struct {
	time  time.Time
	chain []*x509.Certificate
}

// coversBefore: by then it was there, and by other keys than that of the certificate.
func (l link) coversBefore(moment time.Time, certificate *x509.Certificate) bool {
	return l.time.Before(moment) && !slices.ContainsFunc(l.chain, func(each *x509.Certificate) bool {
		return bytes.Equal(each.RawSubjectPublicKeyInfo, certificate.RawSubjectPublicKeyInfo)
	})
}

func newRevocation(files map[string][]byte) *revocation {
	r := &revocation{pieces: map[string][]byte{}, used: map[string]bool{}, known: map[string]*standing{}}
	for name, data := range files {
		if strings.HasPrefix(name, "revocation/") {
			r.pieces[name] = data
		}
	}
	return r
}

// check: none below the root was revoked then, nor later, unless for a harmless reason or after one of the
// renewals, those after it that hold; and, if the policy asks for it, each is shown to have been good.
func (r *revocation) check(stamp link, required bool, check string, renewals []link) {
	for n, issuer := range stamp.chain[1:] {
		certificate := stamp.chain[n]
		said, since := r.opinionOf(certificate, issuer, stamp.time)
		need(said != saysRevoked, check, "a certificate was revoked when it stamped")
		need(said != saysNothing || !required, check, "nothing shows that a certificate was good")
		if said == saysDoubted {
			covered := slices.ContainsFunc(renewals, func(each link) bool { return each.coversBefore(since, certificate) })
			need(covered, check, "a certificate was revoked later, and no renewal by others came before")
			r.revokedLater = true
		}
	}
}

func (r *revocation) checkNothingIdle() {
	for name := range r.pieces {
		need(r.used[name], checkRevocationName, name+" is about no certificate here, or cannot be read")
	}
}

// opinionOf is the worst that any piece says, and since when.
func (r *revocation) opinionOf(certificate, issuer *x509.Certificate, moment time.Time) (opinion, time.Time) {
	result, since := saysNothing, time.Time{}
	for name, data := range r.pieces {
		found := r.standingIn(name, data, certificate, issuer)
		if found == nil {
			continue
		}
		r.used[name] = true
		result = max(result, found.at(moment))
		if !found.revoked.IsZero() && !found.harmless && (since.IsZero() || found.revoked.Before(since)) {
			since = found.revoked
		}
	}
	return result, since
}

// standingIn is nil where the piece is not about the certificate, cannot be read, or is not vouched for.
func (r *revocation) standingIn(name string, data []byte, certificate, issuer *x509.Certificate) *standing {
	key := name + "\x00" + string(sha(certificate.Raw)) + string(sha(issuer.Raw))
	if known, there := r.known[key]; there {
		return known
	}
	var found *standing
	failed := attempt(func() {
		if strings.HasSuffix(name, ".crl") {
			found = listStanding(data, certificate, issuer)
		} else {
			found = answerStanding(data, certificate, issuer)
		}
	})
	if failed != nil {
		found = nil
	}
	r.known[key] = found
	return found
}

// fields are the children of a sequence of at least and at most so many.
func (e element) fields(least, most int) []element {
	found := e.sequence(least)
	need(len(found) <= most, e.check, "the DER has another number of elements")
	return found
}

func (e element) inside() element {
	need(e.tag == tagContext || e.tag == tagContext+1, e.check, "another element of the DER is expected")
	return only(e.content, e.check)
}

// bits are those of a BIT STRING of whole octets.
func (e element) bits() []byte {
	need(e.tag == tagBits && len(e.content) > 0 && e.content[0] == 0, e.check, "no bits")
	return e.content[1:]
}

func (e element) isTrue() bool {
	need(e.tag == tagBoolean && len(e.content) == 1, e.check, "no boolean")
	need(e.content[0] == 0 || e.content[0] == 0xff, e.check, "a boolean that is not DER")
	return e.content[0] == 0xff
}

// moment reads a UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5). time.Parse takes a fraction of a second where
// the layout has none: what is written again must be the same.
func (e element) moment() time.Time {
	if e.tag != tagUTCTime {
		return e.time()
	}
	moment, err := time.Parse(utcTimeLayout, string(e.content))
	need(err == nil && moment.Format(utcTimeLayout) == string(e.content), e.check, "no UTCTime in DER")
	if moment.Year() >= 2050 {
		moment = moment.AddDate(-100, 0, 0)
	}
	return moment
}

// signature reads an AlgorithmIdentifier that signs over SHA-2.
func (e element) signature() x509.SignatureAlgorithm {
	parts := e.fields(1, 2)
	id := parts[0].oid()
	if id == oidRSAPSS {
		algorithm, _ := readPSS(parts, e.check)
		return algorithm
	}
	algorithm, known := algorithms[id]
	need(known && isBare(parts), e.check, "a signature that is not over SHA-2")
	return algorithm
}

type extension struct {
	critical bool
	value    []byte
}

// extensions are those of a SEQUENCE, by their OID (RFC 5280 §4.2).
func (e element) extensions() map[string]extension {
	found := map[string]extension{}
	for _, each := range e.sequence(0) {
		parts := each.fields(2, 3)
		name := parts[0].oid()
		_, there := found[name]
		need(!there, e.check, "an extension twice")
		found[name] = extension{len(parts) == 3 && parts[1].isTrue(), parts[len(parts)-1].octets()}
	}
	return found
}

// readRevoked is, of one revocation: since when, why, and whether all that must be understood is (RFC 5280
// §5.3, RFC 6960 §4.4.5).
func readRevoked(since time.Time, found map[string]extension) (_ time.Time, reason int, understood bool) {
	reason, understood = noReason, true
	for name, each := range found {
		switch name {
		case oidReasonCode:
			reason = only(each.value, checkRevocationName).reason()
		case oidInvalidityDate:
			if invalid := only(each.value, checkRevocationName).time(); invalid.Before(since) {
				since = invalid
			}
		default:
			understood = understood && !each.critical
		}
	}
	return since, reason, understood
}

// reason of a revocation; noReason for one that is unknown.
func (e element) reason() int {
	need(e.tag == tagEnumerated, e.check, "no reason")
	if len(e.content) != 1 {
		return noReason
	}
	return int(e.content[0])
}

// --- revocation lists, RFC 5280 §5.1

// listStanding is what a complete CRL says of a certificate. nil: it is not about it, or its issuer does not
// vouch for it.
func listStanding(data []byte, certificate, issuer *x509.Certificate) *standing {
	const check = checkRevocationName
	need(len(data) <= crlSizeMax, check, "a revocation list that is too large")
	outer := only(data, check).fields(3, 3)
	body := outer[0].fields(3, 7)
	if body[0].tag == tagInteger {
		need(body[0].is(1), check, "a revocation list of another version")
		body = body[1:]
	}
	need(len(body) >= 3 && bytes.Equal(body[0].whole, outer[1].whole), check, "two algorithms for one signature")
	name, rest := body[1], body[3:]
	found := &standing{thisUpdate: body[2].moment(), known: true}
	if len(rest) > 0 && (rest[0].tag == tagUTCTime || rest[0].tag == tagTime) {
		found.nextUpdate, rest = rest[0].moment(), rest[1:]
	}
	if len(rest) > 0 && rest[0].tag == tagSequence {
		found.lookUp(rest[0].content, certificate)
		rest = rest[1:]
	}
	checkWhole(rest)
	may := issuer.KeyUsage == 0 || issuer.KeyUsage&x509.KeyUsageCRLSign != 0
	if !may || name.tag != tagSequence || !bytes.Equal(name.whole, certificate.RawIssuer) {
		return nil
	}
	if issuer.CheckSignature(outer[1].signature(), outer[0].whole, outer[2].bits()) != nil {
		return nil
	}
	return found
}

// checkWhole: it leaves no certificate out, and has nothing that must be understood and is not (RFC 5280 §5.2).
func checkWhole(rest []element) {
	const check = checkRevocationName
	need(len(rest) <= 1, check, "a revocation list of another form")
	if len(rest) == 0 {
		return
	}
	need(rest[0].tag == tagContext, check, "a revocation list of another form")
	for name, each := range rest[0].inside().extensions() {
		whole := !each.critical && name != oidDeltaIndicator
		if name == oidDistributionPoint {
			// The name of the point is the only field of it that limits nothing.
			limits := only(each.value, check).sequence(0)
			whole = !slices.ContainsFunc(limits, func(each element) bool { return each.tag != tagContext })
		}
		need(whole, check, "a revocation list that is limited, or must be understood in another way")
	}
}

// lookUp looks at one entry after the other: a list may have a hundred thousand.
func (s *standing) lookUp(entries []byte, certificate *x509.Certificate) {
	s.harmless = true
	for len(entries) > 0 {
		var entry element
		entry, entries = readElement(entries, checkRevocationName)
		parts := entry.fields(2, 3)
		own := parts[0].integer().Cmp(certificate.SerialNumber) == 0
		if !own && len(parts) == 2 {
			continue
		}
		extensions := map[string]extension{}
		if len(parts) == 3 {
			extensions = parts[2].extensions()
		}
		since, reason, understood := readRevoked(parts[1].moment(), extensions)
		s.known = s.known && understood
		if own {
			s.harmless = s.harmless && slices.Contains(goodBefore, reason)
			if s.revoked.IsZero() || since.Before(s.revoked) {
				s.revoked = since
			}
		}
	}
	s.harmless = s.harmless && s.known
}

// --- OCSP, RFC 6960 §4.2.1

// answerStanding is what a responder's answer says of a certificate. nil: it is not about it, or its issuer
// does not vouch for it.
func answerStanding(data []byte, certificate, issuer *x509.Certificate) *standing {
	const check = checkRevocationName
	need(len(data) <= ocspSizeMax, check, "an OCSP answer that is too large")
	outer := only(data, check).fields(2, 2)
	granted := outer[0].tag == tagEnumerated && bytes.Equal(outer[0].content, []byte{0})
	need(granted && outer[1].tag == tagContext, check, "an OCSP answer that refuses to tell")
	kind := outer[1].inside().fields(2, 2)
	need(kind[0].oid() == oidOCSPBasic, check, "an OCSP answer of another kind")
	basic := only(kind[1].octets(), check).fields(3, 4)
	var carried []element
	if len(basic) == 4 {
		need(basic[3].tag == tagContext, check, "an OCSP answer of another form")
		carried = basic[3].inside().fields(0, ocspCertificatesMax)
	}
	produced, found := readAnswers(basic[0], certificate, issuer)
	if found == nil || !isVouchedFor(basic, carried, issuer, produced) {
		return nil
	}
	return found
}

// readAnswers is when it was made, and the first thing that it says of the certificate.
func readAnswers(data element, certificate, issuer *x509.Certificate) (produced time.Time, found *standing) {
	const check = checkRevocationName
	fields := data.fields(3, 5)
	if fields[0].tag == tagContext {
		fields = fields[1:]
	}
	named := fields[0].tag == tagContext+1 || fields[0].tag == tagContext+2
	need(named && len(fields) >= 3 && len(fields) <= 4, check, "an OCSP answer of another form")
	refuseCritical(fields[3:])
	for _, each := range fields[2].sequence(0) {
		about, said := readSingle(each)
		if found == nil && isAbout(about, certificate, issuer) {
			found = said
		}
	}
	return fields[1].time(), found
}

func readSingle(answer element) (about []element, said *standing) {
	const check = checkRevocationName
	fields := answer.fields(3, 5)
	status, rest := fields[1], fields[3:]
	said = &standing{thisUpdate: fields[2].time(), known: status.tag != tagOCSPUnknown}
	if len(rest) > 0 && rest[0].tag == tagContext {
		said.nextUpdate, rest = rest[0].inside().time(), rest[1:]
	}
	need(len(rest) <= 1, check, "an OCSP answer of another form")
	extensions := map[string]extension{}
	if len(rest) == 1 {
		need(rest[0].tag == tagContext+1, check, "an OCSP answer of another form")
		extensions = rest[0].inside().extensions()
	}
	_, _, understood := readRevoked(said.thisUpdate, extensions)
	need(understood, check, "an extension that must be understood")
	switch status.tag {
	case tagOCSPGood, tagOCSPUnknown:
	case tagOCSPRevoked:
		inside := status.children(tagOCSPRevoked)
		need(len(inside) > 0 && len(inside) <= 2, check, "an OCSP answer of another form")
		said.revoked, _, _ = readRevoked(inside[0].time(), extensions)
		if len(inside) == 2 {
			need(inside[1].tag == tagContext, check, "an OCSP answer of another form")
			said.harmless = slices.Contains(goodBefore, inside[1].inside().reason())
		}
	default:
		need(false, check, "an OCSP answer of another form")
	}
	return fields[0].fields(4, 4), said
}

func refuseCritical(rest []element) {
	const check = checkRevocationName
	need(len(rest) <= 1, check, "an OCSP answer of another form")
	if len(rest) == 0 {
		return
	}
	need(rest[0].tag == tagContext+1, check, "an OCSP answer of another form")
	for _, each := range rest[0].inside().extensions() {
		need(!each.critical, check, "an extension that must be understood")
	}
}

func isAbout(about []element, certificate, issuer *x509.Certificate) bool {
	const check = checkRevocationName
	id := about[0].fields(1, 2)[0].oid()
	hash, known := hashes[id]
	if id == oidSHA1 {
		// It picks a name here, and nothing rests on it (RFC 5019 §2.1.1).
		hash, known = crypto.SHA1, true
	}
	if !known || about[3].integer().Cmp(certificate.SerialNumber) != 0 {
		return false
	}
	key := only(issuer.RawSubjectPublicKeyInfo, check).fields(2, 2)[1].bits()
	return bytes.Equal(about[1].octets(), digestOf(hash, issuer.RawSubject)) &&
		bytes.Equal(about[2].octets(), digestOf(hash, key))
}

// isVouchedFor: by the issuer, or by a responder that it certified for this, at that time (RFC 6960 §4.2.2.2).
func isVouchedFor(basic, carried []element, issuer *x509.Certificate, produced time.Time) bool {
	algorithm, signature := basic[1].signature(), basic[2].bits()
	if issuer.CheckSignature(algorithm, basic[0].whole, signature) == nil {
		return true
	}
	for _, each := range carried {
		responder, err := x509.ParseCertificate(each.whole)
		if err == nil && mayRespond(responder, issuer, produced) &&
			responder.CheckSignature(algorithm, basic[0].whole, signature) == nil {
			return true
		}
	}
	return false
}

func mayRespond(responder, issuer *x509.Certificate, moment time.Time) bool {
	return bytes.Equal(responder.RawIssuer, issuer.RawSubject) &&
		slices.Contains(responder.ExtKeyUsage, x509.ExtKeyUsageOCSPSigning) &&
		len(responder.UnhandledCriticalExtensions) == 0 &&
		!moment.Before(responder.NotBefore) && !moment.After(responder.NotAfter) &&
		issuer.CheckSignature(responder.SignatureAlgorithm, responder.RawTBSCertificate, responder.Signature) == nil
}
