package note

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// Promise is the word of a log that it will hold an entry by a time (Unix seconds).
type Promise struct {
	Hash     []byte
	Deadline uint64
}

// The first line of the promise of a group, and its leaves.
const groupHeader = "acuse/promise/v2\n"

const groupSizeMax = 65_536

var (
	onePromise = regexp.MustCompile(`^acuse/promise/v1\n([^\n]+)\n([^\n]+)\n([1-9][0-9]{0,11})\n$`)
	groupProof = regexp.MustCompile(
		`^acuse/promise/v2\nentry ([^\n]+)\nindex (0|[1-9][0-9]{0,4})((?:\n[^\n]+){1,16})$`)
	groupText = regexp.MustCompile(
		`^acuse/promise-group/v1\n([^\n]+)\n([1-9][0-9]{0,4})\n([^\n]+)\n([1-9][0-9]{0,11})\n$`)
)

var errPromise = errors.New("not a promise")

// OpenPromise reads a promise that the key of its log has signed, of one entry or of a group's.
func OpenPromise(data []byte, key Key) (*Promise, error) {
	if bytes.HasPrefix(data, []byte(groupHeader)) {
		return openGroup(data, key)
	}
	found, err := signedAs(onePromise, data, key)
	if err != nil {
		return nil, err
	}
	hash, err := promisedHash(found[2])
	if err != nil {
		return nil, err
	}
	return promiseOf(hash, found[3])
}

func openGroup(data []byte, key Key) (*Promise, error) {
	head, rest, _ := bytes.Cut(data, []byte("\n\n"))
	proof := groupProof.FindStringSubmatch(string(head))
	if proof == nil {
		return nil, errPromise
	}
	hash, err := promisedHash(proof[1])
	if err != nil {
		return nil, err
	}
	index, err := Decimal(proof[2])
	if err != nil {
		return nil, err
	}
	var path [][]byte
	for _, line := range strings.Split(proof[3][1:], "\n") {
		sibling, err := promisedHash(line)
		if err != nil {
			return nil, err
		}
		path = append(path, sibling)
	}
	group, err := signedAs(groupText, rest, key)
	if err != nil {
		return nil, err
	}
	size, err := Decimal(group[2])
	if err != nil || size < 2 || size > groupSizeMax {
		return nil, errPromise
	}
	root, err := promisedHash(group[3])
	if err != nil {
		return nil, err
	}
	leaf := Leaf(append([]byte(groupHeader), hash...))
	if err := Included(leaf, index, size, path, root); err != nil {
		return nil, err
	}
	return promiseOf(hash, group[4])
}

// signedAs reads a note of this form, whose first group is the log that signed it.
func signedAs(form *regexp.Regexp, data []byte, key Key) ([]string, error) {
	read, err := Parse(data)
	if err != nil {
		return nil, err
	}
	found := form.FindStringSubmatch(string(read.Text))
	if found == nil {
		return nil, errPromise
	}
	names, err := read.SignedBy([]Key{key})
	if err != nil {
		return nil, err
	}
	if len(names) != 1 || found[1] != key.Name {
		return nil, errors.New("not signed by the key of its log")
	}
	return found, nil
}

func promisedHash(line string) ([]byte, error) {
	hash, err := Base64(line)
	if err != nil || len(hash) != sha256.Size {
		return nil, errPromise
	}
	return hash, nil
}

func promiseOf(hash []byte, deadline string) (*Promise, error) {
	seconds, err := strconv.ParseUint(deadline, 10, 64)
	if err != nil {
		return nil, errPromise
	}
	return &Promise{Hash: hash, Deadline: seconds}, nil
}
