package verify

import (
	"bytes"
	"crypto"
	_ "crypto/sha1" // the hash of ESSCertID (RFC 2634 §5.4), which only names the signer
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"math/big"
	"slices"
	"time"
)

const (
	oidSignedData    = "1.2.840.113549.1.7.2"
	oidTSTInfo       = "1.2.840.113549.1.9.16.1.4"
	oidContentType   = "1.2.840.113549.1.9.3"
	oidMessageDigest = "1.2.840.113549.1.9.4"
	oidESSCertID     = "1.2.840.113549.1.9.16.2.12"
	oidESSCertIDv2   = "1.2.840.113549.1.9.16.2.47"
	oidRSA           = "1.2.840.113549.1.1.1"
	oidRSAPSS        = "1.2.840.113549.1.1.10"
	serialBits       = 160
)

var hashes = map[string]crypto.Hash{
	"2.16.840.1.101.3.4.2.1": crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

var hashNames = map[crypto.Hash]string{crypto.SHA256: "sha256", crypto.SHA384: "sha384", crypto.SHA512: "sha512"}

var algorithms = map[string]x509.SignatureAlgorithm{
	"1.2.840.113549.1.1.11": x509.SHA256WithRSA,
	"1.2.840.113549.1.1.12": x509.SHA384WithRSA,
	"1.2.840.113549.1.1.13": x509.SHA512WithRSA,
	"1.2.840.10045.4.3.2":   x509.ECDSAWithSHA256,
	"1.2.840.10045.4.3.3":   x509.ECDSAWithSHA384,
	"1.2.840.10045.4.3.4":   x509.ECDSAWithSHA512,
}

// carriedMax: certificates in a token.
const carriedMax = 16

var signatureHashes = map[x509.SignatureAlgorithm]crypto.Hash{
	x509.SHA256WithRSA: crypto.SHA256, x509.SHA384WithRSA: crypto.SHA384, x509.SHA512WithRSA: crypto.SHA512,
	x509.ECDSAWithSHA256: crypto.SHA256, x509.ECDSAWithSHA384: crypto.SHA384, x509.ECDSAWithSHA512: crypto.SHA512,
}

// token is a time-stamp (RFC 3161 §2.4.2, RFC 5652 §5).
type token struct {
	check      string
	content    []byte // of the TSTInfo
	policy     string
	hash       crypto.Hash
	imprint    []byte
	time       time.Time
	carried    [][]byte
	identifier element
	digest     crypto.Hash
	attributes map[string][]element
	signed     []byte
	algorithm  x509.SignatureAlgorithm
	signature  []byte
}

func digestOf(hash crypto.Hash, data []byte) []byte {
	sum := hash.New()
	sum.Write(data)
	return sum.Sum(nil)
}

// readToken reads a TimeStampResp or a bare TimeStampToken.
func readToken(reply []byte, check string) *token {
	outer := only(reply, check)
	parts := outer.sequence(1)
	t := &token{check: check}
	if parts[0].tag != tagOID {
		status := parts[0].sequence(1)[0]
		need((status.is(0) || status.is(1)) && len(parts) == 2, check, "the authority did not grant it")
		outer = parts[1]
	}
	info := outer.sequence(2)
	need(len(info) == 2 && info[0].oid() == oidSignedData && info[1].tag == tagContext, check, "no SignedData")
	data := only(info[1].content, check).sequence(4)
	need(data[0].is(3), check, "not SignedData version 3")
	inside := data[2].sequence(2)
	need(inside[0].oid() == oidTSTInfo && inside[1].tag == tagContext, check, "not signed as a TSTInfo")
	t.content = only(inside[1].content, check).octets()
	for _, each := range data[3 : len(data)-1] {
		if each.tag == tagContext {
			for _, certificate := range each.children(tagContext) {
				t.carried = append(t.carried, certificate.whole)
			}
		}
	}
	need(len(t.carried) <= carriedMax, check, "too many certificates")
	signers := data[len(data)-1].children(tagSet)
	need(len(signers) == 1, check, "not one signer")
	signer := signers[0].sequence(6)
	need(slices.ContainsFunc(data[1].children(tagSet), func(digest element) bool {
		return digest.fields(1, 2)[0].oid() == signer[2].fields(1, 2)[0].oid()
	}), check, "the digest algorithms lack the signer's")
	t.readSigner(signer)
	t.readInfo()
	return t
}

func (t *token) readInfo() {
	parts := only(t.content, t.check).sequence(5)
	need(parts[0].is(1), t.check, "not TSTInfo version 1")
	t.policy = parts[1].oid()
	imprint := parts[2].sequence(2)
	hashed := imprint[0].fields(1, 2)
	hash, known := hashes[hashed[0].oid()]
	need(known && isBare(hashed), t.check, "an imprint that is not SHA-2")
	t.hash, t.imprint = hash, imprint[1].octets()
	serial := parts[3].integer()
	limit := new(big.Int).Lsh(big.NewInt(1), serialBits)
	need(serial.Sign() >= 0 && serial.Cmp(limit) < 0, t.check, "a serial number that is negative or too long")
	t.time = parts[4].time()
}

func (t *token) readSigner(parts []element) {
	version := parts[0].integer()
	t.identifier = parts[1]
	expected := int64(3)
	if t.identifier.tag == tagSequence {
		expected = 1
	}
	need(version.IsInt64() && version.Int64() == expected, t.check, "another version of the signer")
	digests := parts[2].fields(1, 2)
	digest, known := hashes[digests[0].oid()]
	need(known && isBare(digests), t.check, "a digest that is not SHA-2")
	t.digest = digest
	need(parts[3].tag == tagContext, t.check, "no signed attributes")
	t.attributes = map[string][]element{}
	for _, attribute := range parts[3].children(tagContext) {
		pair := attribute.sequence(2)
		name := pair[0].oid()
		need(t.attributes[name] == nil, t.check, "a signed attribute twice")
		t.attributes[name] = pair[1].children(tagSet)
		need(len(t.attributes[name]) == 1, t.check, "a signed attribute has not one value")
	}
	// The signed bytes have the tag of a SET (RFC 5652 §5.4).
	t.signed = append([]byte{tagSet}, parts[3].whole[1:]...)
	t.algorithm = t.readAlgorithm(parts[4])
	t.signature = parts[5].octets()
	content := t.attributes[oidContentType]
	need(len(content) == 1 && content[0].oid() == oidTSTInfo, t.check, "not signed as a TSTInfo")
	stated := t.attributes[oidMessageDigest]
	need(len(stated) == 1 && bytes.Equal(stated[0].octets(), digestOf(t.digest, t.content)), t.check,
		"another message digest")
}

func (t *token) readAlgorithm(e element) x509.SignatureAlgorithm {
	parts := e.fields(1, 2)
	id := parts[0].oid()
	need(id == oidRSAPSS || isBare(parts), t.check, "an algorithm with parameters that it does not have")
	if known, there := algorithms[id]; there {
		need(signatureHashes[known] == t.digest, t.check, "two hashes")
		return known
	}
	stated := t.digest
	if id == oidRSAPSS {
		algorithm, hash := readPSS(parts, t.check)
		need(hash == t.digest, t.check, "two hashes")
		return algorithm
	}
	need(id == oidRSA, t.check, "a signature that is not over SHA-2")
	return map[crypto.Hash]x509.SignatureAlgorithm{
		crypto.SHA256: x509.SHA256WithRSA, crypto.SHA384: x509.SHA384WithRSA, crypto.SHA512: x509.SHA512WithRSA,
	}[stated]
}

// isBare: of the parts of an AlgorithmIdentifier, whose NULL says the same as no parameters.
func isBare(parts []element) bool {
	return len(parts) == 1 || bytes.Equal(parts[1].whole, []byte{5, 0})
}

// readPSS reads the parameters of RSA-PSS (RFC 4055 §3.1).
func readPSS(parts []element, check string) (x509.SignatureAlgorithm, crypto.Hash) {
	need(len(parts) == 2, check, "RSA-PSS without parameters")
	fields := parts[1].sequence(1)
	need(fields[0].tag == tagContext, check, "RSA-PSS over SHA-1")
	hash := hashes[only(fields[0].content, check).sequence(1)[0].oid()]
	algorithm, known := map[crypto.Hash]x509.SignatureAlgorithm{
		crypto.SHA256: x509.SHA256WithRSAPSS, crypto.SHA384: x509.SHA384WithRSAPSS,
		crypto.SHA512: x509.SHA512WithRSAPSS,
	}[hash]
	need(known, check, "RSA-PSS over a hash that is not SHA-2")
	return algorithm, hash
}

// isBy: does the signer identifier name this certificate?
func (t *token) isBy(certificate *x509.Certificate) bool {
	if t.identifier.tag != tagSequence {
		return t.identifier.tag == tagContextZero && len(certificate.SubjectKeyId) > 0 &&
			bytes.Equal(t.identifier.content, certificate.SubjectKeyId)
	}
	parts := t.identifier.sequence(2)
	return bytes.Equal(parts[0].whole, certificate.RawIssuer) &&
		parts[1].integer().Cmp(certificate.SerialNumber) == 0
}

// checkBinding: ESSCertID or ESSCertIDv2 names the signer (RFC 2634 §5.4, RFC 5035 §3).
func (t *token) checkBinding(certificate *x509.Certificate) {
	bound := false
	for _, name := range []string{oidESSCertID, oidESSCertIDv2} {
		values, there := t.attributes[name]
		if !there {
			continue
		}
		identifiers := values[0].sequence(1)[0].sequence(1)
		hash, parts := crypto.SHA1, identifiers[0].sequence(1)
		if name == oidESSCertIDv2 {
			hash = crypto.SHA256
			if parts[0].tag == tagSequence {
				hash = hashes[parts[0].sequence(1)[0].oid()]
				parts = parts[1:]
			}
		}
		need(hash != 0 && len(parts) > 0 && bytes.Equal(parts[0].octets(), digestOf(hash, certificate.Raw)), t.check,
			"another certificate is bound")
		if len(parts) > 1 {
			names := parts[1].sequence(2)
			issuer := names[0].sequence(1)
			isNamed := len(issuer) == 1 && issuer[0].tag == tagDirectoryName &&
				bytes.Equal(issuer[0].content, certificate.RawIssuer) &&
				names[1].integer().Cmp(certificate.SerialNumber) == 0
			need(isNamed, t.check, "another issuer or serial number is bound")
		}
		bound = true
	}
	need(bound, t.check, "no certificate is bound")
}
