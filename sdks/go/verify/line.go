package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"acuse.dev/go/internal/note"
)

// Is a bundle one story? All outcomes that the log counted are here, all trees are one log, and no time
// contradicts another: docs/evidence-format.md §9.

const (
	clockTolerance = 5 * time.Minute // clocks that differ by no more do not contradict each other
	day            = 24 * time.Hour
	oldCount       = 30 * day
	outcomesMax    = 32
	unixTimeMax    = 253_402_300_799 // seconds, of the year 9999: no date of the format is later
)

// line is what was found on the way to it.
type line struct {
	message  leaf
	outcomes []outcome
	withheld [][]byte
	cosigned []time.Time // those that counted
	// secondLeftOut: a signature of ML-DSA-44 was not checked.
	secondLeftOut bool
	renewed       []time.Time
	// Zero unless the message has a time-stamp of its own.
	messageSealedAt time.Time
	// Zero unless the outcomes were counted.
	countedAt       time.Time
	historyNotShown bool
}

// outcome is one that holds. sealedAt is zero where it is not stamped.
type outcome struct {
	leaf
	entry                []byte
	occurredAt, sealedAt time.Time
}

// checkLine makes each of the four checks whatever the others gave.
func (b *bundle) checkLine() {
	var failed *stop
	for _, step := range []func(){b.checkOutcomes, b.checkHistory, b.checkOrder, b.checkTimeLine} {
		fault := attempt(step)
		if fault != nil && failed != nil {
			b.report.Checks = append(b.report.Checks, Check{failed.check, Failed, failed.detail})
		}
		if fault != nil {
			failed = fault
		}
	}
	if failed != nil {
		panic(failed)
	}
	b.warn()
}

func (b *bundle) checkOutcomes() {
	const check = "outcomes"
	data, counted := b.files["outcomes.note"]
	_, ended := b.files["log-end.note"]
	if !counted {
		need(!ended && len(b.line.withheld) == 0, check, "outcomes.note is missing, and something here rests on it")
		return
	}
	keys := b.keysOfLog()
	if ended {
		keys = append(keys, pinnedKey{Key: b.successor(keys)})
	}
	read, err := note.Parse(data)
	need(err == nil, check, "not a signed note")
	count, err := note.ParseCheckpoint(read.Text)
	need(err == nil && bytes.Count(read.Text, []byte("\n")) == 3, check, "outcomes.note is not three lines")
	need(count.Origin == b.manifest.log+"/m/"+hex.EncodeToString(b.manifest.hash), check, "of another message")
	need(count.Size > 0, check, "it does not count the message")
	at := b.countedAt(read, keys)
	entries := [][]byte{note.Leaf(b.manifest.hash)}
	for _, each := range b.line.outcomes {
		entries = append(entries, note.Leaf(each.entry))
	}
	for _, each := range b.line.withheld {
		entries = append(entries, note.Leaf(each))
	}
	need(len(entries) <= 1+outcomesMax, check, "too many outcomes")
	need(count.Size == uint64(len(entries)), check,
		fmt.Sprintf("on %s the operator signed %d outcomes; %d are here", told(at), count.Size-1, len(entries)-1))
	need(bytes.Equal(note.Root(entries), count.Root), check, "other outcomes were counted")
	b.line.countedAt = at
	b.passed(check)
}

// keysOfLog are those of the manifest's log, trusted at whatever time.
func (b *bundle) keysOfLog() []pinnedKey {
	var keys []pinnedKey
	for _, key := range b.policy.logKeys {
		if key.Name == b.manifest.log {
			keys = append(keys, key)
		}
	}
	return keys
}

// countedAt is when the first of the keys signed the count that was trusted then: a key may stand twice, for two times.
// All that one of them signed must verify.
func (b *bundle) countedAt(read *note.Note, keys []pinnedKey) time.Time {
	const check = "outcomes"
	var by string
	var seconds uint64
	why := "outcomes.note is not signed by a trusted key of the log"
	for _, key := range keys {
		signed, err := read.Signatures([]note.Key{key.AsWitness()})
		need(err == nil, check, "its signature does not verify, or is there twice")
		if len(signed) == 0 || by != "" {
			continue
		}
		stated := signed[0].Seconds
		if stated <= unixTimeMax && key.window.holds(time.Unix(int64(stated), 0)) {
			by, seconds = key.Name, stated
		}
		why = "it was signed when its key was not trusted"
	}
	need(by != "", check, why)
	at := time.Unix(int64(seconds), 0).UTC()
	for _, stated := range b.checkCounter(read, by, at, check) {
		need(stated == seconds, check, "its signatures are of two times")
	}
	return at
}

// successor is the key of the log that goes on, named by a key of this one that was trusted at its end.
func (b *bundle) successor(keys []pinnedKey) note.Key {
	for _, key := range keys {
		end, err := openLogEnd(b.files["log-end.note"], key.Key)
		if err == nil && key.window.holds(end.at) {
			return end.successor
		}
	}
	panic(&stop{"outcomes", "log-end.note is not the end of this log, signed by a trusted key"})
}

// trees are those of the checkpoints in the bundle, by their size.
func (b *bundle) trees() []note.Checkpoint {
	shown := []note.Checkpoint{b.line.message.tree}
	for _, each := range b.line.outcomes {
		shown = append(shown, each.tree)
	}
	return shown
}

func (b *bundle) checkHistory() {
	const check = "history"
	roots := map[uint64][]byte{}
	for _, tree := range b.trees() {
		root, there := roots[tree.Size]
		need(!there || bytes.Equal(root, tree.Root), check, fmt.Sprintf("two trees of %d leaves", tree.Size))
		roots[tree.Size] = tree.Root
	}
	text, shown := b.files["history.txt"]
	if !shown {
		b.line.historyNotShown = len(roots) > 1
		b.passed(check)
		return
	}
	need(len(roots) > 1, check, "every proof is of one tree")
	sizes := slices.Sorted(maps.Keys(roots))
	blocks := strings.Split(string(text), "\n\n")
	need(len(blocks) == len(sizes) && blocks[len(blocks)-1] == "", check, "not a proof for each two sizes")
	for n, block := range blocks[:len(blocks)-1] {
		before, size := sizes[n], sizes[n+1]
		lines := strings.Split(block, "\n")
		need(lines[0] == fmt.Sprintf("consistency %d %d", before, size), check, "a proof of other sizes")
		var path [][]byte
		for _, each := range lines[1:] {
			hash, err := note.Base64(each)
			need(err == nil && len(hash) == sha256.Size, check, "a line is not a hash")
			path = append(path, hash)
		}
		err := note.Consistent(before, size, roots[before], roots[size], path)
		need(err == nil, check, fmt.Sprintf("the tree of %d leaves is not the beginning of that of %d", before, size))
	}
	b.passed(check)
}

func (b *bundle) checkOrder() {
	before := b.line.message.index
	for n, each := range b.line.outcomes {
		need(each.index > before, "order", fmt.Sprintf("outcome %d is not behind what it follows in the log", n+1))
		before = each.index
	}
	b.passed("order")
}

// stated is a time that the bundle states, and whose it is. `size`: of the tree that was stamped, or 0.
type stated struct {
	what string
	at   time.Time
	size uint64
}

func told(at time.Time) string { return at.UTC().Format(timeLayout) }

func (s stated) String() string { return s.what + " at " + told(s.at) }

// times are the stamps over the message or a checkpoint; of each outcome what is said; the renewals; the count.
func (b *bundle) times() (stamps, occurred, renewed, counted []stated) {
	stamps = []stated{{"sealed", b.sealedAt, b.line.message.tree.Size}}
	if own := b.line.messageSealedAt; !own.IsZero() {
		stamps = append(stamps, stated{"the message's own time-stamp", own, 0})
	}
	for n, each := range b.line.outcomes {
		what := fmt.Sprintf("outcome %d", n+1)
		occurred = append(occurred, stated{what: what, at: each.occurredAt})
		if !each.sealedAt.IsZero() {
			stamps = append(stamps, stated{what + " sealed", each.sealedAt, each.tree.Size})
		}
	}
	for n, at := range b.line.renewed {
		renewed = append(renewed, stated{what: fmt.Sprintf("renewal %02d", n+1), at: at})
	}
	if !b.line.countedAt.IsZero() {
		counted = []stated{{what: "outcomes counted", at: b.line.countedAt}}
	}
	for _, list := range [][]stated{stamps, renewed} {
		for n := range list {
			list[n].at = list[n].at.Truncate(time.Millisecond)
		}
	}
	return stamps, occurred, renewed, counted
}

func (b *bundle) accepted() stated { return stated{what: "accepted", at: b.manifest.acceptedAt} }

func notAfter(earlier, later stated) {
	need(!earlier.at.After(later.at.Add(clockTolerance)), "times", fmt.Sprint(earlier, ", yet ", later))
}

func (b *bundle) checkTimeLine() {
	accepted := b.accepted()
	stamps, occurred, renewed, counted := b.times()
	for _, stamp := range stamps {
		notAfter(accepted, stamp)
	}
	for n, each := range occurred {
		notAfter(accepted, each)
		for _, stamp := range stamps {
			if stamp.size > b.line.outcomes[n].index {
				notAfter(each, stamp)
			}
		}
		for _, count := range counted {
			notAfter(each, count)
		}
	}
	sealed := stamps[0]
	for _, count := range counted {
		notAfter(sealed, count)
	}
	before := sealed
	for _, each := range renewed {
		notAfter(before, each)
		before = each
	}
	for _, each := range slices.Concat([]stated{accepted}, occurred, stamps, renewed, counted) {
		need(!each.at.After(b.now.Add(day)), "times", fmt.Sprint(each, ", and it is ", told(b.now), " here"))
	}
	b.passed("times")
}

// warn tells what is odd and breaks nothing.
func (b *bundle) warn() {
	accepted := b.accepted()
	stamps, occurred, renewed, counted := b.times()
	says := func(name, detail string) {
		for _, each := range b.report.Warnings {
			if each.Name == name {
				return
			}
		}
		b.report.Warnings = append(b.report.Warnings, Warning{name, detail})
	}
	all := slices.Concat([]stated{accepted}, occurred, stamps, renewed, counted)
	for _, at := range b.line.cosigned {
		all = append(all, stated{what: "cosigned", at: at})
	}
	for _, each := range all {
		if each.at.After(b.now.Add(clockTolerance)) {
			says("clock", fmt.Sprint(each, ", and it is ", told(b.now), " here: your clock or theirs is wrong"))
		}
	}
	if sealed := stamps[0]; sealed.at.After(accepted.at.Add(day)) {
		says("sealed_late", fmt.Sprint(accepted, " and ", sealed, ": that it was accepted before is the operator's word"))
	}
	for n, each := range occurred {
		for _, later := range occurred[n+1:] {
			if each.at.After(later.at.Add(clockTolerance)) {
				says("occurred_order", fmt.Sprint(each, ", after an outcome that was recorded later"))
			}
		}
	}
	for n, each := range b.line.outcomes {
		if each.sealedAt.IsZero() {
			says("outcome_unstamped", fmt.Sprintf("outcome %d has no time-stamp of its own here: when it was recorded "+
				"is the operator's word", n+1))
		}
	}
	for _, count := range counted {
		if count.at.Before(b.now.Add(-oldCount)) {
			says("outcomes_old", fmt.Sprint(count, ": later outcomes are not in this file"))
		}
	}
	if b.revocation.revokedLater {
		says("revoked_later", "a certificate was revoked later, after a renewal by others")
	}
	if b.line.secondLeftOut {
		says("mldsa44_not_checked", "ML-DSA-44 signature not checked here")
	}
}
