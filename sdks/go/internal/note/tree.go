package note

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/bits"
)

// Leaf is the hash of an entry in the tree (RFC 6962 §2.1).
func Leaf(entry []byte) []byte {
	sum := sha256.Sum256(append([]byte{0}, entry...))
	return sum[:]
}

// Node is the hash over two others.
func Node(left, right []byte) []byte {
	sum := sha256.Sum256(append(append([]byte{1}, left...), right...))
	return sum[:]
}

// Root is that of a tree of these leaves, one at least (RFC 6962 §2.1).
func Root(leaves [][]byte) []byte {
	if len(leaves) == 1 {
		return leaves[0]
	}
	left := 1 << (bits.Len(uint(len(leaves)-1)) - 1)
	return Node(Root(leaves[:left]), Root(leaves[left:]))
}

// Included checks the path from a leaf's hash to the root (RFC 6962 §2.1.1). The path has exactly the length
// that index and size require.
func Included(leaf []byte, index, size uint64, path [][]byte, root []byte) error {
	if index >= size {
		return errors.New("the index is not in the tree")
	}
	node, last := leaf, size-1
	for _, sibling := range path {
		if last == 0 || len(sibling) != sha256.Size {
			return errors.New("the path is too long, or not of hashes")
		}
		if index%2 == 1 || index == last {
			node = Node(sibling, node)
			for index%2 == 0 && index > 0 {
				index, last = index/2, last/2
			}
		} else {
			node = Node(node, sibling)
		}
		index, last = index/2, last/2
	}
	if last != 0 || !bytes.Equal(node, root) {
		return errors.New("the path leads to another root")
	}
	return nil
}

// Peaks are the perfect trees that a tree of this size is made of, from the left: first leaf and height.
func Peaks(size uint64) [][2]uint64 {
	var found [][2]uint64
	for start := uint64(0); size > 0; {
		height := uint64(bits.Len64(size) - 1)
		found = append(found, [2]uint64{start, height})
		start += 1 << height
		size -= 1 << height
	}
	return found
}
