package note

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// tree is the one of contract/vectors: entries are the SHA-256 of "entry <n>".
func tree(size int) Hashes {
	leaves := make([][]byte, size)
	for n := range leaves {
		entry := sha256.Sum256(fmt.Appendf(nil, "entry %d", n))
		leaves[n] = Leaf(entry[:])
	}
	return func(height, index uint64) ([]byte, error) {
		hashes := append([][]byte(nil), leaves[index<<height:(index+1)<<height]...)
		for len(hashes) > 1 {
			for n := range len(hashes) / 2 {
				hashes[n] = Node(hashes[2*n], hashes[2*n+1])
			}
			hashes = hashes[:len(hashes)/2]
		}
		return hashes[0], nil
	}
}

func TestPathsOfEveryTree(t *testing.T) {
	const largest = 70
	hashes := tree(largest)
	for size := uint64(1); size <= largest; size++ {
		root, _ := hashes.root(0, size)
		for index := range size {
			path, _ := InclusionPath(index, size, hashes)
			leaf, _ := hashes(0, index)
			if err := Included(leaf, index, size, path, root); err != nil {
				t.Fatalf("%d of %d: %v", index, size, err)
			}
		}
		for before := uint64(1); before < size; before++ {
			old, _ := hashes.root(0, before)
			path, _ := ConsistencyPath(before, size, hashes)
			if err := Consistent(before, size, old, root, path); err != nil {
				t.Fatalf("%d to %d: %v", before, size, err)
			}
			if Consistent(before, size, root, root, path) == nil {
				t.Fatalf("%d to %d: another root is consistent", before, size)
			}
		}
	}
}

func TestConsistencyVectors(t *testing.T) {
	var all struct {
		Consistency []struct {
			Valid   bool
			Why     string
			OldSize uint64 `json:"old_size"`
			OldRoot string `json:"old_root"`
			NewSize uint64 `json:"new_size"`
			NewRoot string `json:"new_root"`
			Path    []string
		}
	}
	vectors(t, "merkle.json", &all)
	for _, each := range all.Consistency {
		var path [][]byte
		for _, hash := range each.Path {
			path = append(path, unhex(t, hash))
		}
		err := Consistent(each.OldSize, each.NewSize, unhex(t, each.OldRoot), unhex(t, each.NewRoot), path)
		if (err == nil) != each.Valid {
			t.Errorf("%d to %d, %s: %v", each.OldSize, each.NewSize, each.Why, err)
		}
	}
}
