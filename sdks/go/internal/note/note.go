// Package note reads signed notes (C2SP signed-note), checkpoints and cosignatures: docs/evidence-format.md
// §6 has the rules.
package note

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of keys: of a log, of a witness, and the second one of a log, of ML-DSA-44.
const (
	KindLog     = 1
	KindWitness = 4
	KindSecond  = 6
)

const (
	signaturesMax        = 100
	noteSizeMax          = 256 << 10
	keyIDSize            = 4
	nameSizeMax          = 255
	mldsa44KeySize       = 1312
	mldsa44SignatureSize = 2420
)

// Key is a verifier key.
type Key struct {
	Name     string
	Material string
	id       []byte
	kind     byte
	public   ed25519.PublicKey
}

var keyLine = regexp.MustCompile(`^([^+]+)\+([0-9a-f]{8})\+([0-9A-Za-z+/=]+)$`)

// IsName reports whether a log or a witness may be called so.
func IsName(name string) bool {
	isOther := func(each rune) bool { return each == '+' || unicode.IsSpace(each) || unicode.IsControl(each) }
	return name != "" && len(name) <= nameSizeMax && utf8.ValidString(name) && !strings.ContainsFunc(name, isOther)
}

// ParseKey reads a verifier key of this kind.
func ParseKey(line string, kind byte) (Key, error) {
	match := keyLine.FindStringSubmatch(line)
	if match == nil || !IsName(match[1]) {
		return Key{}, errors.New("a verifier key is malformed")
	}
	material, err := Base64(match[3])
	size := ed25519.PublicKeySize
	if kind == KindSecond {
		size = mldsa44KeySize
	}
	if err != nil || len(material) != 1+size || material[0] != kind {
		return Key{}, errors.New("a verifier key is of another kind")
	}
	sum := sha256.Sum256(append([]byte(match[1]+"\n"), material...))
	if hex.EncodeToString(sum[:keyIDSize]) != match[2] {
		return Key{}, errors.New("a verifier key has another id")
	}
	return Key{Name: match[1], Material: match[3], id: sum[:keyIDSize], kind: kind, public: material[1:]}, nil
}

// Public is the key itself.
func (k Key) Public() []byte { return k.public }

// AsWitness is the same key as one of a witness, which is how a log counts outcomes.
func (k Key) AsWitness() Key {
	material := append([]byte{KindWitness}, k.public...)
	sum := sha256.Sum256(append([]byte(k.Name+"\n"), material...))
	return Key{
		Name: k.Name, Material: base64.StdEncoding.EncodeToString(material), id: sum[:keyIDSize],
		kind: KindWitness, public: k.public,
	}
}

// smallOrder are the y-coordinates of the points of small order, little-endian (RFC 8032 §5.1).
var smallOrder = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0100000000000000000000000000000000000000000000000000000000000000",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
}

// IsWeak reports a key that anybody can sign under, or one of another length, or one whose y is not below the prime 2^255 − 19.
func IsWeak(public []byte) bool {
	if len(public) != ed25519.PublicKeySize {
		return true
	}
	y := slices.Clone(public)
	y[31] &= 0x7f
	if slices.Contains(smallOrder, hex.EncodeToString(y)) {
		return true
	}
	if y[31] != 0x7f || y[0] < 0xed {
		return false
	}
	for _, each := range y[1:31] {
		if each != 0xff {
			return false
		}
	}
	return true
}

// Base64 reads the one spelling that bytes have.
func Base64(text string) ([]byte, error) {
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || base64.StdEncoding.EncodeToString(data) != text {
		return nil, errors.New("not base64 in its one spelling")
	}
	return data, nil
}

// Note is a text with its signatures.
type Note struct {
	Text       []byte
	signatures []signature
}

type signature struct {
	name string
	data []byte
}

var signatureLine = regexp.MustCompile(`^— ([^ +]+) ([0-9A-Za-z+/=]+)$`)

// Parse reads a note.
func Parse(data []byte) (*Note, error) {
	if len(data) > noteSizeMax || !utf8.Valid(data) || !bytes.HasSuffix(data, []byte("\n")) ||
		bytes.ContainsFunc(data, func(each rune) bool { return each < ' ' && each != '\n' }) {
		return nil, errors.New("not a signed note")
	}
	at := bytes.LastIndex(data, []byte("\n\n"))
	if at < 0 || at+2 >= len(data) {
		return nil, errors.New("not a signed note")
	}
	n := &Note{Text: data[:at+1]}
	lines := strings.Split(string(data[at+2:len(data)-1]), "\n")
	if len(lines) > signaturesMax {
		return nil, errors.New("too many signatures")
	}
	for _, line := range lines {
		match := signatureLine.FindStringSubmatch(line)
		if match == nil || !IsName(match[1]) {
			return nil, errors.New("a signature line is malformed")
		}
		decoded, err := Base64(match[2])
		if err != nil || len(decoded) <= keyIDSize {
			return nil, errors.New("a signature line is malformed")
		}
		n.signatures = append(n.signatures, signature{match[1], decoded})
	}
	return n, nil
}

const timeSize = 8

// Signature says that a key signed. Seconds is when a witness did (Unix time), 0 for a log.
type Signature struct {
	Name    string
	Seconds uint64
}

// Signatures returns those of the keys, each once and truly. One of them that does not verify is an error.
func (n *Note) Signatures(keys []Key) ([]Signature, error) {
	var found []Signature
	for _, key := range keys {
		signed := false
		for _, each := range n.signatures {
			if each.name != key.Name || !bytes.Equal(each.data[:keyIDSize], key.id) {
				continue
			}
			if signed {
				return nil, fmt.Errorf("%s signed twice", key.Name)
			}
			if !key.verifies(n.Text, each.data[keyIDSize:]) {
				return nil, fmt.Errorf("the signature of %s does not verify", key.Name)
			}
			signed = true
			signature := Signature{Name: key.Name}
			if key.kind == KindWitness {
				signature.Seconds = binary.BigEndian.Uint64(each.data[keyIDSize:])
			}
			found = append(found, signature)
		}
	}
	return found, nil
}

// SignedBy returns the names of the keys that signed, each once and truly. A signature of one of them that
// does not verify is an error.
func (n *Note) SignedBy(keys []Key) ([]string, error) {
	found, err := n.Signatures(keys)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, each := range found {
		names = append(names, each.Name)
	}
	return names, nil
}

// Second is when the second key of a log signed, in Unix seconds: once, a text of three lines. The signature itself
// is not checked: there is no ML-DSA-44 in the Go that this module supports.
func (n *Note) Second(key Key) (uint64, error) {
	var found [][]byte
	for _, each := range n.signatures {
		if each.name == key.Name && bytes.Equal(each.data[:keyIDSize], key.id) {
			found = append(found, each.data[keyIDSize:])
		}
	}
	if len(found) != 1 || len(found[0]) != timeSize+mldsa44SignatureSize {
		return 0, fmt.Errorf("not signed once by the ML-DSA-44 key of %s", key.Name)
	}
	if bytes.Count(n.Text, []byte("\n")) != 3 {
		return 0, errors.New("has extension lines, which ML-DSA-44 signatures do not cover")
	}
	seconds := binary.BigEndian.Uint64(found[0])
	if seconds > sizeMax {
		return 0, errors.New("an ML-DSA-44 signature without a time")
	}
	return seconds, nil
}

func (k Key) verifies(text, signature []byte) bool {
	message := text
	if k.kind == KindWitness {
		if len(signature) < timeSize {
			return false
		}
		seconds := binary.BigEndian.Uint64(signature)
		if seconds > sizeMax {
			return false
		}
		message = append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", seconds)), text...)
		signature = signature[timeSize:]
	}
	if len(signature) != ed25519.SignatureSize || IsWeak(k.public) {
		return false
	}
	return ed25519.Verify(k.public, message, signature)
}

// Checkpoint is the state of a log.
type Checkpoint struct {
	Origin string
	Size   uint64
	Root   []byte
}

const sizeMax = 1<<53 - 1

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})$`)

// Decimal reads a whole number up to 2^53 − 1, in its one spelling.
func Decimal(text string) (uint64, error) {
	value, err := strconv.ParseUint(text, 10, 64)
	if !decimal.MatchString(text) || err != nil || value > sizeMax {
		return 0, errors.New("not a whole number")
	}
	return value, nil
}

// ParseCheckpoint reads the text of a note. Extensions are accepted and given no meaning.
func ParseCheckpoint(text []byte) (*Checkpoint, error) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) < 3 || slices.Contains(lines, "") {
		return nil, errors.New("not a checkpoint")
	}
	size, err := Decimal(lines[1])
	root, failed := Base64(lines[2])
	if err != nil || failed != nil || len(root) != sha256.Size {
		return nil, errors.New("not a checkpoint")
	}
	return &Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}

// Signed reads a checkpoint that the key of its log has signed.
func Signed(data []byte, key Key) (*Checkpoint, error) {
	read, err := Parse(data)
	if err != nil {
		return nil, err
	}
	checkpoint, err := ParseCheckpoint(read.Text)
	if err != nil {
		return nil, err
	}
	names, err := read.SignedBy([]Key{key})
	if err != nil {
		return nil, err
	}
	if len(names) != 1 || checkpoint.Origin != key.Name {
		return nil, errors.New("the checkpoint is not signed by the key of its log")
	}
	return checkpoint, nil
}
