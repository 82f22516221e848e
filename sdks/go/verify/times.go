package verify

import (
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	renewalsMax     = 32
	renewalLinesMax = 512
)

// checkTimes checks the renewals from the last to the first, then the constancia: each chain held when the
// next was made, and the newest at the time that was asked for.
func (b *bundle) checkTimes() {
	count := 0
	for name := range b.files {
		if strings.HasPrefix(name, "renewal/") && strings.HasSuffix(name, ".tsr") {
			count++
		}
	}
	need(count <= renewalsMax, "renewal", "too many renewals")
	after := b.at
	var renewals []link
	for number := count; number > 0; number-- {
		check := fmt.Sprintf("renewal.%02d", number)
		text := b.renewedText(number, check+".covers")
		b.passed(check + ".covers")
		held := b.checkToken(fmt.Sprintf("renewal/%02d.tsr", number), fmt.Sprintf("renewal-%02d", number), check,
			stamped{text, "sha512", after, renewals})
		renewals, after = append(renewals, held), held.time
		b.line.renewed = slices.Insert(b.line.renewed, 0, after)
	}
	b.sealedAt = b.checkToken("constancia.tsr", "constancia", "timestamp",
		stamped{b.files["checkpoint.txt"], "sha256", after, renewals}).time
	if _, there := b.files["message-constancia.tsr"]; there {
		b.line.messageSealedAt = b.checkToken("message-constancia.tsr", "message-constancia", "message_timestamp",
			stamped{data: b.files["manifest.json"], hash: "sha256"}).time
	}
}

var listForm = regexp.MustCompile(`^([0-9a-f]{128}\n)+$`)

func sha512Hex(data []byte) string {
	sum := sha512.Sum512(data)
	return hex.EncodeToString(sum[:])
}

// renewedText is what a renewal stamps: its sums, or a list that they are on.
func (b *bundle) renewedText(number int, check string) []byte {
	sums, there := b.files[fmt.Sprintf("renewal/%02d.sums", number)]
	need(there, check, "no sums")
	names := []string{"checkpoint.txt", "constancia.tsr", "chain/constancia.pem"}
	for earlier := 1; earlier < number; earlier++ {
		for name := range b.files {
			if strings.HasPrefix(name, fmt.Sprintf("renewal/%02d.", earlier)) {
				names = append(names, name)
			}
		}
		names = append(names, fmt.Sprintf("chain/renewal-%02d.pem", earlier))
	}
	for name := range b.files {
		if strings.HasPrefix(name, "revocation/") && strings.Contains(string(sums), "  "+name+"\n") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var expected strings.Builder
	for _, name := range names {
		expected.WriteString(sha512Hex(b.files[name]) + "  " + name + "\n")
	}
	need(expected.String() == string(sums), check, "not what was to be renewed")
	list, listed := b.files[fmt.Sprintf("renewal/%02d.list", number)]
	if !listed {
		return sums
	}
	need(listForm.Match(list), check, "the list has another form")
	lines := strings.Split(strings.TrimSuffix(string(list), "\n"), "\n")
	ascending := slices.IsSorted(lines) && len(slices.Compact(slices.Clone(lines))) == len(lines)
	need(ascending && len(lines) <= renewalLinesMax, check, "the list is not in order")
	need(slices.Contains(lines, sha512Hex(sums)), check, "not on its list")
	return list
}
