package verify

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // it picks a name in OCSP
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Revocation lists and OCSP answers, signed with the keys of contract/vectors.

const (
	instant = "20300101000000Z"
	earlier = "20291231235959Z"
	later   = "20300101000001Z"
)

var (
	vectors      = filepath.Join("..", "..", "..", "contract", "vectors")
	sha256RSA    = unhexed("300d06092a864886f70d01010b0500")
	sha1ID       = unhexed("300706052b0e03021a")
	basicID      = unhexed("06092b0601050507300101")
	ocspSigning  = unhexed("300a06082b06010505070309")
	timeStamping = unhexed("300a06082b06010505070308")
)

func unhexed(text string) []byte {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// world is a signer and its root.
type world struct {
	*testing.T
	signer, root *x509.Certificate
}

func openWorld(t *testing.T) *world {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectors, "bundles", "good", "sealed.zip"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	chain, err := readChain(readContainer(data)["chain/constancia.pem"])
	if err != nil || len(chain) != 2 {
		t.Fatal(err, len(chain))
	}
	return &world{t, chain[0], chain[1]}
}

func der(tag byte, content ...[]byte) []byte {
	data := bytes.Join(content, nil)
	switch size := len(data); {
	case size < 128:
		return append([]byte{tag, byte(size)}, data...)
	case size < 256:
		return append([]byte{tag, 0x81, byte(size)}, data...)
	default:
		return append([]byte{tag, 0x82, byte(size >> 8), byte(size)}, data...)
	}
}

func when(text string) []byte { return der(tagTime, []byte(text)) }

func (w *world) key(name string) *rsa.PrivateKey {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(vectors, "keys", name+".pem"))
	if err != nil {
		w.Fatal(err)
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		w.Fatal(err)
	}
	return key.(*rsa.PrivateKey)
}

func (w *world) signed(body []byte, key string, more ...[]byte) []byte {
	w.Helper()
	sum := sha256.Sum256(body)
	signature, err := rsa.SignPKCS1v15(rand.Reader, w.key(key), crypto.SHA256, sum[:])
	if err != nil {
		w.Fatal(err)
	}
	return der(tagSequence, body, sha256RSA, der(tagBits, []byte{0}, signature), bytes.Join(more, nil))
}

func serialOf(certificate *x509.Certificate) []byte {
	data := certificate.SerialNumber.Bytes()
	if data[0] >= 0x80 {
		data = append([]byte{0}, data...)
	}
	return der(tagInteger, data)
}

// crl has an entry for the signer, unless revoked is empty.
func (w *world) crl(revoked, next string, extensions ...[]byte) []byte {
	var entries, nextUpdate, own []byte
	if revoked != "" {
		entries = der(tagSequence, der(tagSequence, serialOf(w.signer), when(revoked)))
	}
	if next != "" {
		nextUpdate = when(next)
	}
	if len(extensions) > 0 {
		own = der(tagContext, der(tagSequence, extensions...))
	}
	return w.signed(der(tagSequence, der(tagInteger, []byte{1}), sha256RSA, w.root.RawSubject,
		when("20250101000000Z"), nextUpdate, entries, own), "root")
}

func (w *world) ocsp(status []byte, key string, carried ...[]byte) []byte {
	name := sha1.Sum(w.root.RawSubject)
	bits := sha1.Sum(only(w.root.RawSubjectPublicKeyInfo, "test").sequence(2)[1].bits())
	about := der(tagSequence, sha1ID, der(tagOctets, name[:]), der(tagOctets, bits[:]), serialOf(w.signer))
	single := der(tagSequence, about, status, when(earlier), der(tagContext, when(later)))
	data := der(tagSequence, der(tagContext+1, w.root.RawSubject), when(earlier), der(tagSequence, single))
	var certificates []byte
	if len(carried) > 0 {
		certificates = der(tagContext, der(tagSequence, carried...))
	}
	basic := der(tagOctets, w.signed(data, key, certificates))
	return der(tagSequence, []byte{tagEnumerated, 1, 0}, der(tagContext, der(tagSequence, basicID, basic)))
}

// responder is a certificate of signer-2's key.
func (w *world) responder(purposes []byte, by, ends string) []byte {
	w.Helper()
	key, err := x509.MarshalPKIXPublicKey(&w.key("signer-2").PublicKey)
	if err != nil {
		w.Fatal(err)
	}
	usage := der(tagSequence, unhexed("0603551d25"), der(tagOctets, purposes))
	return w.signed(der(tagSequence, der(tagContext, der(tagInteger, []byte{2})), der(tagInteger, []byte{0x55}),
		sha256RSA, w.root.RawSubject, der(tagSequence, when("20250101000000Z"), when(ends)), der(tagSequence), key,
		der(tagContext+3, der(tagSequence, usage))), by)
}

// said is good, revoked, doubted, unknown, or idle where the piece is about nobody.
func (w *world) said(data []byte, kind string) string {
	at := time.Date(2030, 1, 1, 0, 0, 0, 250_000_000, time.UTC)
	return saidOf(link{at, []*x509.Certificate{w.signer, w.root}}, data, kind)
}

func saidOf(stamp link, data []byte, kind string) string {
	r := newRevocation(map[string][]byte{"revocation/x." + kind: data})
	failed := attempt(func() { r.check(stamp, true, "x", nil) })
	if attempt(r.checkNothingIdle) != nil {
		return "idle"
	}
	switch {
	case failed == nil:
		return "good"
	case strings.Contains(failed.detail, "revoked later"):
		return "doubted"
	case strings.Contains(failed.detail, "revoked"):
		return "revoked"
	default:
		return "unknown"
	}
}

func TestWhatEachReasonMeans(t *testing.T) {
	openWorld(t)
	var told struct {
		Reasons []struct {
			Code       int
			GoodBefore bool `json:"good_before"`
		}
		Chain string
		At    time.Time
		Cases []struct {
			Name, Kind, Standing string
			Data                 []byte
		}
	}
	data, err := os.ReadFile(filepath.Join(vectors, "revocation.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &told); err != nil {
		t.Fatal(err)
	}
	for _, each := range told.Reasons {
		if slices.Contains(goodBefore, each.Code) != each.GoodBefore {
			t.Errorf("reason %d", each.Code)
		}
	}
	chain, err := readChain([]byte(told.Chain))
	if err != nil || len(told.Cases) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, each := range told.Cases {
		want := cmp.Or(each.Standing, "idle")
		if found := saidOf(link{told.At, chain}, each.Data, each.Kind); found != want {
			t.Errorf("%s %s: %s, and not %s", each.Kind, each.Name, found, want)
		}
	}
}

func (w *world) expect(want string, data []byte, kind string) {
	w.Helper()
	if found := w.said(data, kind); found != want {
		w.Errorf("%s, and not %s", found, want)
	}
}

func TestListsSayWhoWasRevokedAndWhen(t *testing.T) {
	w := openWorld(t)
	w.expect("good", w.crl("", instant), "crl")
	w.expect("doubted", w.crl(later, instant), "crl")
	w.expect("revoked", w.crl(earlier, instant), "crl")
	w.expect("revoked", w.crl(instant, instant), "crl")
	w.expect("unknown", w.crl("", earlier), "crl")
	w.expect("unknown", w.crl("", ""), "crl")
}

func TestListsThatLeaveSomebodyOutSayNothing(t *testing.T) {
	w := openWorld(t)
	critical := []byte{tagBoolean, 1, 0xff}
	point := func(content []byte) []byte {
		return der(tagSequence, unhexed("0603551d1c"), critical, der(tagOctets, der(tagSequence, content)))
	}
	delta := der(tagSequence, unhexed("0603551d1b"), critical, der(tagOctets, []byte{tagInteger, 1, 1}))
	w.expect("good", w.crl("", instant, point([]byte{0xa0, 0})), "crl")
	w.expect("idle", w.crl("", instant, point([]byte{0x81, 1, 0xff})), "crl")
	w.expect("idle", w.crl("", instant, delta), "crl")
}

// TestListsAreDER: a flag or a time in another form is refused, and not read as something harmless.
func TestListsAreDER(t *testing.T) {
	w := openWorld(t)
	for _, flag := range []byte{1, 0x7f, 0xfe} {
		critical := []byte{tagBoolean, 1, flag}
		delta := der(tagSequence, unhexed("0603551d1b"), critical, der(tagOctets, []byte{tagInteger, 1, 1}))
		w.expect("idle", w.crl("", instant, delta), "crl")
	}
	w.expect("good", w.crl("", "20300101000000.5Z"), "crl")
	for _, next := range []string{
		"20300101000000,5Z", "20300101000000.50Z", "20300101000000.Z", "20300101000000", "20300101000000+0000",
		"20301301000000Z", "20300230000000Z", "20300101240000Z", "20300101000060Z", "300101000000Z",
	} {
		w.expect("idle", w.crl("", next), "crl")
	}
}

func TestTimesOfTwoDigits(t *testing.T) {
	for text, want := range map[string]int{
		"491231235959Z": 2049, "500101000000Z": 1950, "680101000000Z": 1968, "690101000000Z": 1969,
		"300101000000.5Z": 0, "300101000000,5Z": 0, "3001010000Z": 0, "20300101000000Z": 0,
	} {
		year := 0
		_ = attempt(func() { year = only(der(tagUTCTime, []byte(text)), "test").moment().Year() })
		if year != want {
			t.Errorf("%s: %d, and not %d", text, year, want)
		}
	}
}

func TestAnswersAreTheIssuersOrItsRespondersOwn(t *testing.T) {
	w := openWorld(t)
	good := []byte{tagOCSPGood, 0}
	w.expect("good", w.ocsp(good, "root"), "ocsp")
	w.expect("unknown", w.ocsp([]byte{tagOCSPUnknown, 0}, "root"), "ocsp")
	w.expect("revoked", w.ocsp(der(tagOCSPRevoked, when(instant)), "root"), "ocsp")
	w.expect("doubted", w.ocsp(der(tagOCSPRevoked, when(later)), "root"), "ocsp")
	w.expect("idle", w.ocsp(good, "stranger"), "ocsp")
	for _, each := range []struct {
		want     string
		purposes []byte
		by, ends string
	}{
		{"good", ocspSigning, "root", later},
		{"idle", timeStamping, "root", later},
		{"idle", ocspSigning, "stranger", later},
		{"idle", ocspSigning, "root", "20291231235958Z"},
	} {
		made := w.responder(each.purposes, each.by, each.ends)
		if _, err := x509.ParseCertificate(made); err != nil {
			t.Fatal(err)
		}
		w.expect(each.want, w.ocsp(good, "signer-2", made), "ocsp")
	}
}

// TestRevocationBits: no single bit may change, and nothing may be cut.
func TestRevocationBits(t *testing.T) {
	w := openWorld(t)
	source := mathrand.New(mathrand.NewPCG(1, 3))
	pieces := map[string][]byte{"crl": w.crl(instant, instant), "ocsp": w.ocsp([]byte{tagOCSPGood, 0}, "root")}
	for kind, good := range pieces {
		for range 1000 {
			changed, bit := slices.Clone(good), source.IntN(8*len(good))
			changed[bit/8] ^= 1 << (bit % 8)
			if found := w.said(changed, kind); found != "idle" {
				t.Errorf("%s, bit %d: %s", kind, bit, found)
			}
		}
		for length := range good {
			if found := w.said(good[:length], kind); found != "idle" {
				t.Errorf("%s, %d bytes: %s", kind, length, found)
			}
		}
		w.expect("idle", append(slices.Clone(good), 0), kind)
	}
}

func TestPiecesThatCannotBeRead(t *testing.T) {
	w := openWorld(t)
	for _, data := range [][]byte{{}, {0}, {tagSequence, 0}, {tagSequence, 0x80}, make([]byte, 5*mib)} {
		w.expect("idle", data, "crl")
		w.expect("idle", data, "ocsp")
	}
}
