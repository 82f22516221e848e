package note

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/bits"
)

// Hashes gives the hash of a perfect subtree: of 2^height leaves, the index-th from the left.
type Hashes func(height, index uint64) ([]byte, error)

// split is the largest power of two below n.
func split(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }

// root is the hash over count leaves from start, where start is a multiple of the first power of two.
func (h Hashes) root(start, count uint64) ([]byte, error) {
	if count&(count-1) == 0 {
		height := uint64(bits.TrailingZeros64(count))
		return h(height, start>>height)
	}
	k := split(count)
	left, err := h.root(start, k)
	if err != nil {
		return nil, err
	}
	right, err := h.root(start+k, count-k)
	if err != nil {
		return nil, err
	}
	return Node(left, right), nil
}

// InclusionPath is the path of a leaf in a tree (RFC 6962 §2.1.1).
func InclusionPath(index, size uint64, hashes Hashes) ([][]byte, error) {
	var path [][]byte
	start := uint64(0)
	for size > 1 {
		k := split(size)
		from, count := start+k, size-k
		if index >= k {
			from, count = start, k
		}
		hash, err := hashes.root(from, count)
		if err != nil {
			return nil, err
		}
		path = append([][]byte{hash}, path...)
		if index >= k {
			start, index, size = start+k, index-k, size-k
		} else {
			size = k
		}
	}
	return path, nil
}

// ConsistencyPath proves that a tree continues an earlier one (RFC 6962 §2.1.2).
func ConsistencyPath(before, size uint64, hashes Hashes) ([][]byte, error) {
	var path [][]byte
	start, whole := uint64(0), true
	for before != size {
		k := split(size)
		from, count := start+k, size-k
		if before > k {
			from, count = start, k
		}
		hash, err := hashes.root(from, count)
		if err != nil {
			return nil, err
		}
		path = append([][]byte{hash}, path...)
		if before > k {
			start, before, size, whole = start+k, before-k, size-k, false
		} else {
			size = k
		}
	}
	if whole {
		return path, nil
	}
	hash, err := hashes.root(start, size)
	return append([][]byte{hash}, path...), err
}

var errInconsistent = errors.New("the tree does not continue the earlier one")

// Consistent checks such a proof (RFC 9162 §2.1.4.2).
func Consistent(before, size uint64, oldRoot, root []byte, path [][]byte) error {
	switch {
	case before > size:
		return errInconsistent
	case before == size:
		if len(path) > 0 || !bytes.Equal(oldRoot, root) {
			return errInconsistent
		}
		return nil
	case before == 0:
		empty := sha256.Sum256(nil)
		if len(path) > 0 || !bytes.Equal(oldRoot, empty[:]) {
			return errInconsistent
		}
		return nil
	}
	if before&(before-1) == 0 {
		path = append([][]byte{oldRoot}, path...)
	}
	if len(path) == 0 {
		return errInconsistent
	}
	first, second := before-1, size-1
	for first&1 == 1 {
		first, second = first>>1, second>>1
	}
	was, is := path[0], path[0]
	for _, hash := range path[1:] {
		if second == 0 {
			return errInconsistent
		}
		if first&1 == 1 || first == second {
			was, is = Node(hash, was), Node(hash, is)
			for first&1 == 0 && first != 0 {
				first, second = first>>1, second>>1
			}
		} else {
			is = Node(is, hash)
		}
		first, second = first>>1, second>>1
	}
	if second != 0 || !bytes.Equal(was, oldRoot) || !bytes.Equal(is, root) {
		return errInconsistent
	}
	return nil
}
