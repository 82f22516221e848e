package verify

import (
	"regexp"
	"slices"
	"strings"
)

// checkSums: SHA256SUMS lists every other entry in the order of the table, names of one row by their bytes.
func (b *bundle) checkSums() {
	var names []string
	for name := range b.files {
		if name != "SHA256SUMS" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(sumsKey(a), sumsKey(b)) })
	var expected strings.Builder
	for _, name := range names {
		expected.WriteString(shaHex(b.files[name]) + "  " + name + "\n")
	}
	need(string(b.files["SHA256SUMS"]) == expected.String(), "sums", "the sums are not those of the entries")
	b.passed("sums")
}

// sumsKey sorts by rows, and within one by the name.
func sumsKey(name string) string { return string(rune('A'+rowOf(name))) + name }

var tokenKind = regexp.MustCompile(`\.tsr$|-(sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)`)

// checkEntries: every chain, document, list and sums belongs to a time-stamp.
func (b *bundle) checkEntries() {
	stamped := map[string]bool{}
	for name := range b.files {
		if strings.HasSuffix(name, ".tsr") {
			stamped[strings.ReplaceAll(tokenKind.ReplaceAllString(name, ""), "/", "-")] = true
		}
	}
	for name := range b.files {
		switch {
		case strings.HasPrefix(name, "chain/"):
			need(stamped[strings.TrimSuffix(name[len("chain/"):], ".pem")], "entries", "a chain without its time-stamp")
		case strings.HasPrefix(name, "issued/"):
			need(stamped[strings.TrimSuffix(name[len("issued/"):], ".bin")], "entries", "a document without its time-stamp")
		case strings.HasSuffix(name, ".sums"), strings.HasSuffix(name, ".list"):
			_, there := b.files[name[:len(name)-len(".sums")]+".tsr"]
			need(there, "entries", "a list without its time-stamp")
		}
	}
	b.passed("entries")
}
