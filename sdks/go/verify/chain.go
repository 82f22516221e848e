package verify

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"slices"
	"time"
)

const (
	oidTimeStamping = "1.3.6.1.5.5.7.3.8"
	chainMax        = 8 // certificates
	rsaBitsMin      = 2048
	rsaBitsMax      = 8192
)

var (
	extendedKeyUsage = asn1.ObjectIdentifier{2, 5, 29, 37}

	// limiting: name constraints, policy mappings and policy constraints limit what is below, critical or not.
	limiting = []asn1.ObjectIdentifier{{2, 5, 29, 30}, {2, 5, 29, 33}, {2, 5, 29, 36}}
)

// readChain reads certificates in PEM.
func readChain(text []byte) ([]*x509.Certificate, error) {
	var found []*x509.Certificate
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || block.Type != "CERTIFICATE" {
			return nil, errors.New("a certificate is malformed")
		}
		found = append(found, certificate)
	}
	if len(found) == 0 || len(found) > chainMax {
		return nil, errors.New("no certificate, or too many")
	}
	return found, nil
}

// stamped is what a time-stamp must be about, and when its chain must hold beside its own time.
// renewals: those after it that hold.
type stamped struct {
	data     []byte
	hash     string
	alsoAt   time.Time
	renewals []link
}

// checkToken checks a time-stamp and its chain.
func (b *bundle) checkToken(file, name, check string, want stamped) link {
	reply, there := b.files[file]
	need(there, check, file+" is missing")
	t := readToken(reply, check)
	text := b.files["chain/"+name+".pem"]
	chain, err := readChain(text)
	need(err == nil, check+"_chain", "no chain")
	need(bytes.Equal(text, written(chain)), check+"_chain", "bytes beside the certificates")
	need(t.isBy(chain[0]), check+"_chain", "its first certificate is not the signer's")
	if len(t.carried) > 0 {
		carries := slices.ContainsFunc(t.carried, func(raw []byte) bool { return bytes.Equal(raw, chain[0].Raw) })
		need(carries, check+"_chain", "the token carries another signer")
	}
	t.checkSignature(chain[0])
	authority := b.authorityOf(t, chain, want)
	b.passed(check)
	b.passed(check + "_chain")
	if needed := authority.revocationIsNeeded; needed || len(b.revocation.pieces) > 0 {
		b.revocation.check(link{t.time, chain}, needed, check+"_revocation", want.renewals)
		b.passed(check + "_revocation")
	}
	b.report.Development = b.report.Development || authority.development
	return link{t.time, chain}
}

// isSoundKey: x509 bounds the exponents, and knows P-224 besides the curves of the format.
func isSoundKey(certificate *x509.Certificate) bool {
	switch key := certificate.PublicKey.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= rsaBitsMin && key.N.BitLen() <= rsaBitsMax
	case *ecdsa.PublicKey:
		return key.Curve != elliptic.P224()
	}
	return false
}

func written(chain []*x509.Certificate) []byte {
	var out []byte
	for _, each := range chain {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: each.Raw})...)
	}
	return out
}

func (t *token) checkSignature(leaf *x509.Certificate) {
	t.checkBinding(leaf)
	err := leaf.CheckSignature(t.algorithm, t.signed, t.signature)
	need(err == nil && isSoundKey(leaf), t.check, "the signature does not verify")
	usage := leaf.KeyUsage
	const signs = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
	need(usage == 0 || usage&signs != 0 && usage&x509.KeyUsageCertSign == 0, t.check, "another key usage")
}

// authorityOf is the first authority of the policy under which the token and its chain hold. When none is,
// the reason is that of the last.
func (b *bundle) authorityOf(t *token, chain []*x509.Certificate, want stamped) authority {
	reason := &stop{t.check, "no authority is trusted"}
	for _, each := range b.policy.authorities {
		if !each.window.holds(t.time) {
			continue
		}
		failed := attempt(func() {
			t.checkAssertion(each, want)
			t.checkUsage(chain[0], each)
			t.checkChain(chain, each, want.alsoAt)
		})
		if failed == nil {
			return each
		}
		reason = failed
	}
	panic(reason)
}

// attempt runs a step and returns how it failed.
func attempt(step func()) (failed *stop) {
	defer func() {
		if fault := recover(); fault != nil {
			known, ok := fault.(*stop)
			if !ok {
				panic(fault)
			}
			failed = known
		}
	}()
	step()
	return nil
}

func (t *token) checkAssertion(a authority, want stamped) {
	need(hashNames[t.hash] == want.hash, t.check, "another hash for the imprint")
	need(a.takesEveryAlgorithm || slices.Contains(a.hashes, want.hash), t.check, "a hash that is not taken")
	need(bytes.Equal(t.imprint, digestOf(t.hash, want.data)), t.check, "another imprint")
	open := a.profile == "rfc3161" && len(a.policies) == 0
	need(open || slices.Contains(a.policies, t.policy), t.check, "another policy")
}

func (t *token) checkUsage(leaf *x509.Certificate, a authority) {
	var purposes []string
	critical := false
	for _, extension := range leaf.Extensions {
		if !extension.Id.Equal(extendedKeyUsage) {
			continue
		}
		critical = extension.Critical
		for _, each := range only(extension.Value, t.check).sequence(1) {
			purposes = append(purposes, each.oid())
		}
	}
	if a.profile == "nom151" && len(a.leafEKU) > 0 {
		allowed := len(purposes) > 0
		for _, each := range purposes {
			allowed = allowed && slices.Contains(a.leafEKU, each)
		}
		need(allowed, t.check, "another extended key usage")
		return
	}
	need(critical && len(purposes) == 1 && purposes[0] == oidTimeStamping, t.check, "another extended key usage")
}

// checkChain: signer first, pinned root last. The root alone is trusted; every other is issued by the next.
func (t *token) checkChain(chain []*x509.Certificate, a authority, alsoAt time.Time) {
	root := chain[len(chain)-1]
	pinned := slices.ContainsFunc(a.roots, func(raw []byte) bool { return bytes.Equal(raw, root.Raw) })
	need(pinned, t.check, "under no trusted root")
	moments := []time.Time{t.time.Truncate(time.Second)}
	if !alsoAt.IsZero() {
		moments = append(moments, alsoAt.Truncate(time.Second))
	}
	for n, each := range chain {
		for _, moment := range moments {
			valid := !moment.Before(each.NotBefore) && !moment.After(each.NotAfter)
			need(valid, t.check, "a certificate was not valid at that time")
		}
		need(len(each.UnhandledCriticalExtensions) == 0, t.check, "a critical extension that is not known")
		for _, extension := range each.Extensions {
			limits := slices.ContainsFunc(limiting, extension.Id.Equal)
			need(!limits, t.check, "limits on names or policies are not read here")
		}
		if n == len(chain)-1 {
			break
		}
		above := chain[n+1]
		need(isSoundKey(above), t.check, "a key that is too short, or of another kind")
		need(bytes.Equal(each.RawIssuer, above.RawSubject), t.check, "a certificate is of another issuer")
		need(each.CheckSignatureFrom(above) == nil, t.check, "a certificate was not made by the next one")
		limited := above.MaxPathLen > 0 || above.MaxPathLenZero
		need(!limited || n <= above.MaxPathLen, t.check, "the chain is longer than a certificate allows")
	}
}
