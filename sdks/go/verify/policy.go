package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"acuse.dev/go/internal/note"
)

const (
	policyListMax = 16
	// authorityListMax is of roots, policies and the like of one.
	authorityListMax = 32
	nameMax          = 200
)

var oidForm = regexp.MustCompile(`^[0-2](\.(0|[1-9][0-9]*)){1,20}$`)

// policy is whom this verification trusts.
type policy struct {
	logKeys, witnessKeys []pinnedKey
	// secondKeys are the ML-DSA-44 keys of logs.
	secondKeys  []pinnedKey
	quorum      int
	authorities []authority
}

// authority is a time-stamping authority.
type authority struct {
	name, profile       string
	roots               [][]byte
	development         bool
	leafEKU, policies   []string
	hashes              []string
	revocationIsNeeded  bool
	takesEveryAlgorithm bool
	window              window
}

func (b *bundle) readPolicies(given *Policy) {
	b.policy = readPolicy(b.files["policy.json"], true)
	if !given.bundle {
		b.policy = readPolicy(given.data, false)
	}
	b.passed("trust")
}

// readPolicy reads policy.json. A policy of the verifier's own may be written in any way, and demands its
// whole quorum.
func readPolicy(data []byte, ofBundle bool) policy {
	const check = "trust"
	value, err := parseJSON(data, ofBundle)
	if !ofBundle {
		need(json.Valid(data), check, "it is not JSON")
		need(err == nil, check, "it is not JSON that reads one way")
	}
	need(err == nil, check, "the policy is malformed, or not in its canonical form")
	form := fieldsOf(value, check, "log_keys time_stamps type witness_keys witness_quorum", "witness_reached")
	need(form["type"] == "acuse/policy/v1", check, "another type")
	p := policy{quorum: int(numberOf(form["witness_quorum"], check))}
	if reached, there := form["witness_reached"]; there {
		fewer := int(numberOf(reached, check))
		need(fewer < p.quorum, check, "witness_reached is not below the quorum")
		if ofBundle {
			p.quorum = fewer
		}
	}
	p.logKeys, p.secondKeys = logKeysOf(form["log_keys"])
	p.witnessKeys = witnessKeysOf(form["witness_keys"])
	for _, witness := range p.witnessKeys {
		for _, log := range p.logKeys {
			own := bytes.Equal(witness.Public(), log.Public()) || hostOf(witness.Name) == hostOf(log.Name)
			need(!own, check, "a log is its own witness")
		}
	}
	stamps := listOf(form["time_stamps"], check)
	need(len(stamps) <= policyListMax, check, "too many authorities")
	for _, each := range stamps {
		p.authorities = append(p.authorities, readAuthority(each))
	}
	return p
}

// logKeysOf are those of Ed25519, and those of ML-DSA-44.
func logKeysOf(value any) (keys, second []pinnedKey) {
	const check = "trust"
	list := listOf(value, check)
	need(len(list) <= policyListMax, check, "too many keys")
	for _, each := range list {
		line, window := pinnedOf(each)
		if key, err := note.ParseKey(line, note.KindSecond); err == nil {
			second = append(second, pinnedKey{key, window})
			continue
		}
		key, err := note.ParseKey(line, note.KindLog)
		need(err == nil, check, "a key: malformed, of another kind, or weak")
		keys = append(keys, pinnedKey{key, window})
	}
	return keys, second
}

// pinnedOf is a verifier key as a line, and when it is trusted.
func pinnedOf(value any) (string, window) {
	const check = "trust"
	if text, alone := value.(string); alone {
		value = object{"key": text} // the form of older bundles
	}
	form := fieldsOf(value, check, "key", "from until")
	return textOf(form["key"], check), readWindow(form)
}

func witnessKeysOf(value any) []pinnedKey {
	const check = "trust"
	list := listOf(value, check)
	need(len(list) <= policyListMax, check, "too many keys")
	var keys []pinnedKey
	for _, each := range list {
		line, window := pinnedOf(each)
		key, err := note.ParseKey(line, note.KindWitness)
		need(err == nil, check, "a key: malformed, of another kind, or weak")
		for _, other := range keys {
			need(other.Material != key.Material, check, "one key under two names")
			need(other.Name != key.Name, check, "one witness with two keys")
		}
		keys = append(keys, pinnedKey{key, window})
	}
	return keys
}

func readAuthority(value any) authority {
	const check = "trust"
	form := fieldsOf(value, check, "name profile roots",
		"development leafEku policies hashAlgorithms nonce revocation from until")
	a := authority{name: textOf(form["name"], check), profile: textOf(form["profile"], check)}
	need(a.profile == "rfc3161" || a.profile == "nom151", check, "another profile")
	named := utf8.RuneCountInString(a.name)
	need(named > 0 && named <= nameMax && !strings.ContainsFunc(a.name, unicode.IsControl), check, "its name")
	for _, root := range textsOf(form["roots"]) {
		certificates, err := readChain([]byte(root))
		need(err == nil, check, "a root is malformed")
		for _, each := range certificates {
			a.roots = append(a.roots, each.Raw)
		}
	}
	need(len(a.roots) > 0, check, "an authority pins no root")
	a.window = readWindow(form)
	for _, flag := range []string{"development", "nonce"} {
		value, there := form[flag]
		_, isFlag := value.(bool)
		need(!there || isFlag, check, flag+" is not true or false")
	}
	a.development = form["development"] == true
	a.leafEKU = optionalTexts(form, "leafEku")
	a.policies = optionalTexts(form, "policies")
	for _, oid := range slices.Concat(a.leafEKU, a.policies) {
		need(oidForm.MatchString(oid), check, "an object identifier")
	}
	a.hashes = optionalTexts(form, "hashAlgorithms")
	for _, hash := range a.hashes {
		need(slices.Contains([]string{"sha256", "sha384", "sha512"}, hash), check, "another hash")
	}
	_, limited := form["hashAlgorithms"]
	a.takesEveryAlgorithm = !limited
	if word, there := form["revocation"]; there {
		need(word == "required", check, "revocation")
		a.revocationIsNeeded = true
	}
	return a
}

func optionalTexts(form object, name string) []string {
	if _, there := form[name]; !there {
		return nil
	}
	return textsOf(form[name])
}

func textsOf(value any) []string {
	var texts []string
	list := listOf(value, "trust")
	need(len(list) <= authorityListMax, "trust", "too long a list")
	for _, each := range list {
		texts = append(texts, textOf(each, "trust"))
	}
	return texts
}

// operatorOf is the host in a witness's name: what one operator runs counts once.
func operatorOf(witness string) string {
	host, _, _ := strings.Cut(witness, "/")
	return strings.ToLower(host)
}

// hostOf is the host of a witness or a log, without a port and the dot that a full name may end in.
func hostOf(name string) string {
	host, _, _ := strings.Cut(operatorOf(name), ":")
	return strings.TrimSuffix(host, ".")
}

// leaf is what the log holds of an entry: its checkpoint, and where it is in that tree.
type leaf struct {
	text  []byte
	index uint64
	tree  note.Checkpoint
}

// checkLeaf checks that the log holds an entry. `at`: when the keys under its checkpoint must be trusted.
func (b *bundle) checkLeaf(proof, entry []byte, prefix string, at time.Time) leaf {
	check := prefix + "checkpoint"
	head, signed, found := strings.Cut(string(proof), "\n\n")
	need(found, check, "not a proof")
	lines := strings.Split(head, "\n")
	need(len(lines) >= 2 && lines[0] == "c2sp.org/tlog-proof@v1", check, "not a proof")
	number, plain := strings.CutPrefix(lines[1], "index ")
	index, err := note.Decimal(number)
	need(plain && err == nil, check, "not a proof")
	var path [][]byte
	for _, line := range lines[2:] {
		hash, err := note.Base64(line)
		need(err == nil && len(hash) == sha256.Size, check, "a hash of the path is malformed")
		path = append(path, hash)
	}
	read, err := note.Parse([]byte(signed))
	need(err == nil, check, "not a signed note")
	checkpoint, err := note.ParseCheckpoint(read.Text)
	need(err == nil, check, "not a checkpoint")
	need(checkpoint.Origin == b.manifest.log, check, "of another log")
	names, err := read.SignedBy(trustedAt(b.policy.logKeys, at))
	need(err == nil, check, "a signature does not verify, or is there twice")
	need(slices.Contains(names, b.manifest.log), check, "not signed by a trusted key of its log")
	b.checkSecond(read, b.manifest.log, at, check)
	b.passed(check)
	err = note.Included(note.Leaf(entry), index, checkpoint.Size, path, checkpoint.Root)
	need(err == nil, prefix+"inclusion", "the path does not lead to the root")
	b.passed(prefix + "inclusion")
	b.checkWitnesses(read, prefix+"witness", at)
	return leaf{read.Text, index, *checkpoint}
}

// checkSecond checks that each second key of this name that was trusted then signed too, and returns the times that
// they state. Zero: the time cannot be read, which is refused anyway.
func (b *bundle) checkSecond(read *note.Note, name string, at time.Time, check string) []uint64 {
	if at.IsZero() {
		return nil
	}
	return b.signedByAll(read, named(trustedAt(b.policy.secondKeys, at), name), check)
}

// checkCounter is checkSecond for whoever counted the outcomes: the log itself, or the log that goes on. The end of a
// log, which names the latter, has no second signature: it must not spare the count one, whatever time that states.
func (b *bundle) checkCounter(read *note.Note, name string, at time.Time, check string) []uint64 {
	log := b.manifest.log
	if name == log || len(named(trustedAt(b.policy.secondKeys, at), log)) == 0 {
		return b.checkSecond(read, name, at, check)
	}
	listed := named(trustedAt(b.policy.secondKeys, time.Time{}), name)
	need(len(listed) > 0, check, "counted by a log without a second key")
	return b.signedByAll(read, listed, check)
}

func named(keys []note.Key, name string) (found []note.Key) {
	for _, key := range keys {
		if key.Name == name {
			found = append(found, key)
		}
	}
	return found
}

func (b *bundle) signedByAll(read *note.Note, keys []note.Key, check string) (seconds []uint64) {
	for _, key := range keys {
		stated, err := read.Second(key)
		need(err == nil, check, "not signed by the ML-DSA-44 key of its log")
		b.line.secondLeftOut = true
		seconds = append(seconds, stated)
	}
	return seconds
}

// checkWitnesses: a cosignature does not count at a time at which nobody can have seen the message.
func (b *bundle) checkWitnesses(read *note.Note, check string, at time.Time) {
	found, err := read.Signatures(trustedAt(b.policy.witnessKeys, at))
	need(err == nil, check, "a cosignature does not verify, or is there twice")
	operators := map[string]bool{}
	for _, each := range found {
		seen := time.Unix(int64(each.Seconds), 0).UTC()
		early := seen.Before(b.manifest.acceptedAt.Add(-clockTolerance))
		if each.Seconds == 0 || early || seen.After(b.now.Add(day)) {
			continue
		}
		operators[operatorOf(each.Name)] = true
		b.line.cosigned = append(b.line.cosigned, seen)
	}
	need(len(operators) >= b.policy.quorum, check, "fewer operators cosigned than the quorum requires")
	b.passed(check)
}

func (b *bundle) checkCheckpoint() {
	b.line.message = b.checkLeaf(b.files["proof.tlog-proof"], b.manifest.hash, "", b.timeOfToken("constancia.tsr"))
	need(string(b.line.message.text) == string(b.files["checkpoint.txt"]), "stamped_checkpoint", "another text is stamped")
	b.passed("stamped_checkpoint")
}
