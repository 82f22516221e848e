package verify

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"regexp"
	"sort"
	"strings"

	"acuse.dev/go/internal/note"
)

const (
	fileSizeMax    = 144 << 20 // bytes of a bundle's file
	totalSizeMax   = 96 << 20  // bytes of its entries
	entriesMax     = 512
	endSize        = 22
	centralSize    = 46
	localSize      = 30
	harmlessFlags  = 0x0806
	methodStored   = 0
	methodDeflated = 8
	kib            = 1 << 10
	mib            = 1 << 20
)

// kinds are the names that a bundle may have, with their limits: docs/evidence-format.md §8.
var kinds = []struct {
	name *regexp.Regexp
	size int
}{
	{whole(`VERIFY\.md`), 256 * kib},
	{whole(`report\.pdf`), 16 * mib},
	{whole(`manifest\.json`), 64 * kib},
	{whole(`openings\.json`), 256 * kib},
	{whole(`message\.eml`), 32 * mib},
	{whole(`submission\.bin`), 64 * mib},
	{whole(`parts/[0-9]{2,3}\.bin`), 32 * mib},
	{whole(`proof\.tlog-proof`), 320 * kib},
	{whole(`checkpoint\.txt`), 64 * kib},
	{whole(`history\.txt`), 128 * kib},
	{whole(`outcomes\.note`), 64 * kib},
	{whole(`log-end\.note`), 64 * kib},
	{whole(`constancia\.tsr`), 256 * kib},
	{whole(`message-constancia\.tsr`), 256 * kib},
	{whole(`chain/((message-)?constancia|(delivery|renewal)-[0-9]{2})\.pem`), 256 * kib},
	{whole(`revocation/[a-z0-9-]{1,64}\.(crl|ocsp)`), 16 * mib},
	{whole(`renewal/[0-9]{2}\.sums`), 64 * kib},
	{whole(`renewal/[0-9]{2}\.list`), 96 * kib},
	{whole(`renewal/[0-9]{2}\.tsr`), 256 * kib},
	{whole(outcomeName + `\.json`), 64 * kib},
	{whole(outcomeName + `\.openings\.json`), 64 * kib},
	{whole(outcomeName + `\.tlog-proof`), 320 * kib},
	{whole(outcomeName + `\.tsr`), 256 * kib},
	{whole(outcomeName + `\.transcript\.json`), 4 * mib},
	{whole(outcomeName + `\.dsn\.eml`), 16 * mib},
	{whole(`issued/((message-)?constancia|(delivery|renewal)-[0-9]{2})\.bin`), 2 * mib},
	{whole(`policy\.json`), 512 * kib},
	{whole(`SHA256SUMS`), 256 * kib},
}

const outcomeName = `delivery/[0-9]{2}-(sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)`

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

var required = []string{
	"VERIFY.md", "manifest.json", "openings.json", "proof.tlog-proof", "checkpoint.txt", "constancia.tsr",
	"chain/constancia.pem", "policy.json", "SHA256SUMS",
}

// rowOf is where a name stands in the table; -1 for one that is not there.
func rowOf(name string) int {
	for n, kind := range kinds {
		if kind.name.MatchString(name) {
			return n
		}
	}
	return -1
}

// looksLikeBundle: JSON or a ZIP, with the name that every bundle has.
func looksLikeBundle(data []byte) bool {
	packed := bytes.HasPrefix(data, []byte("{")) || bytes.Contains(data, []byte("PK\x03\x04"))
	return packed && bytes.Contains(data, []byte("proof.tlog-proof"))
}

// readContainer reads a bundle, ZIP or JSON, or refuses it.
func readContainer(data []byte) map[string][]byte {
	need(len(data) <= fileSizeMax, "bundle", "the file is too large")
	files := map[string][]byte{}
	if bytes.HasPrefix(data, []byte("{")) {
		readJSONBundle(data, files)
	} else {
		readZip(data, files)
	}
	folded := map[string]bool{}
	for name := range files {
		need(!folded[strings.ToLower(name)], "bundle", "a name twice")
		folded[strings.ToLower(name)] = true
	}
	for _, name := range required {
		_, there := files[name]
		need(there, "bundle", name+" is missing")
	}
	return files
}

func admit(name string, size, count, total int) {
	row := rowOf(name)
	need(row >= 0, "bundle", "a name that no bundle has")
	need(size <= kinds[row].size, "bundle", name+" is too large")
	need(count <= entriesMax && total <= totalSizeMax, "bundle", "too many entries or bytes")
}

func readJSONBundle(data []byte, files map[string][]byte) {
	value, err := parseJSON(data, false)
	need(err == nil, "bundle", "malformed JSON")
	form := fieldsOf(value, "bundle", "type entries", "")
	need(form["type"] == "acuse/bundle/v1", "bundle", "another type")
	total := 0
	for _, each := range listOf(form["entries"], "bundle") {
		entry := fieldsOf(each, "bundle", "name", "text base64")
		name := textOf(entry["name"], "bundle")
		need(len(entry) == 2, "bundle", "an entry has text or base64")
		var content []byte
		if text, plain := entry["text"]; plain {
			content = []byte(textOf(text, "bundle"))
		} else {
			content, err = note.Base64(textOf(entry["base64"], "bundle"))
			need(err == nil, "bundle", "malformed base64")
		}
		_, twice := files[name]
		need(!twice, "bundle", "a name twice")
		total += len(content)
		admit(name, len(content), len(files)+1, total)
		files[name] = content
	}
}

type place struct {
	name         string
	method       uint16
	crc          uint32
	packed, full int
	offset       int
	header       []byte
}

// readZip: each byte belongs to one entry, the directory or the end; an entry's two headers say the same.
func readZip(data []byte, files map[string][]byte) {
	need(len(data) >= endSize, "bundle", "not a ZIP")
	end := data[len(data)-endSize:]
	need(string(end[:4]) == "PK\x05\x06" && u16(end[20:]) == 0, "bundle",
		"not a ZIP, or a comment or bytes behind it")
	count, size, start := int(u16(end[10:])), int(u32(end[12:])), int(u32(end[16:]))
	need(u32(end[4:]) == 0 && int(u16(end[8:])) == count, "bundle", "a ZIP of several disks")
	need(start+size == len(data)-endSize, "bundle", "the directory is elsewhere")
	need(count <= entriesMax, "bundle", "too many entries")
	places := readDirectory(data[start:len(data)-endSize], count)
	sort.Slice(places, func(a, b int) bool { return places[a].offset < places[b].offset })
	free := 0
	for _, each := range places {
		need(each.offset == free, "bundle", "bytes that belong to no entry, or to two")
		need(free+localSize+len(each.name)+each.packed <= start, "bundle", "an entry is cut short")
		local := data[free : free+localSize]
		need(string(local[:4]) == "PK\x03\x04", "bundle", "an entry is not where the directory says")
		need(bytes.Equal(local[4:28], each.header) && u16(local[28:]) == 0, "bundle",
			"the two headers of an entry differ, or it has extra fields")
		at := free + localSize + len(each.name)
		need(string(data[free+localSize:at]) == each.name, "bundle", "two names for one entry")
		free = at + each.packed
		_, twice := files[each.name]
		need(!twice, "bundle", "a name twice")
		files[each.name] = each.content(data[at:free])
	}
	need(free == start, "bundle", "bytes that belong to no entry")
}

func u16(data []byte) uint16 { return binary.LittleEndian.Uint16(data) }
func u32(data []byte) uint32 { return binary.LittleEndian.Uint32(data) }

func readDirectory(data []byte, count int) []place {
	var places []place
	total := 0
	for n := range count {
		need(len(data) >= centralSize && string(data[:4]) == "PK\x01\x02", "bundle", "the directory is damaged")
		length := int(u16(data[28:]))
		need(len(data) >= centralSize+length, "bundle", "the directory is damaged")
		each := place{
			name: string(data[centralSize : centralSize+length]), method: u16(data[10:]), crc: u32(data[16:]),
			packed: int(u32(data[20:])), full: int(u32(data[24:])), offset: int(u32(data[42:])),
			header: data[6:30],
		}
		attributes := u32(data[38:])
		mode := attributes >> 16
		need(u32(data[30:]) == 0 && u16(data[34:]) == 0, "bundle", "extra fields, a comment or a disk")
		need(u16(data[8:])&^harmlessFlags == 0, "bundle", "encrypted, or sizes after the content")
		need(each.method == methodStored && each.packed == each.full || each.method == methodDeflated, "bundle",
			"packed in another way")
		need(mode&0o170000 == 0 || mode&0o170000 == 0o100000, "bundle", "a link, or no plain file")
		need(mode&0o7000 == 0 && attributes&0x18 == 0, "bundle", "no plain file")
		total += each.full
		admit(each.name, each.full, n+1, total)
		places = append(places, each)
		data = data[centralSize+length:]
	}
	need(len(data) == 0, "bundle", "the directory is damaged")
	return places
}

func (p place) content(packed []byte) []byte {
	content := packed
	if p.method == methodDeflated {
		source := bytes.NewReader(packed)
		unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(source), int64(p.full)+1))
		need(err == nil && source.Len() == 0, "bundle", "compressed content that does not end at its end")
		content = unpacked
	}
	need(len(content) == p.full && crc32.ChecksumIEEE(content) == p.crc, "bundle", p.name+" is damaged")
	return content
}
