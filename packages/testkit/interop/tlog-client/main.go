// Command tlog-client follows a C2SP tlog-tiles log with clients that others wrote, knowing its URL and key alone.
//
//	tlog-client <URL of the log> <verifier key> [<older checkpoint, a file>...]
//
// It checks the newest checkpoint's signature, inclusion proofs of the first and last entries and of some between, and
// that each older checkpoint is a prefix: once with the client of transparency-dev/tessera, and once with
// golang.org/x/mod/sumdb/tlog, the Go checksum database's own. Prints what it saw as one line of JSON; exits with 1 and a
// reason on standard error otherwise.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight of C2SP tlog-tiles.
const tileHeight = 8

// timeout of the whole run: a log that does not answer must not hold up whoever asks.
const timeout = 2 * time.Minute

type report struct {
	Origin string `json:"origin"`
	Size   uint64 `json:"size"`
	Root   string `json:"root"`
	// Of all entries behind one another.
	EntriesSHA256  string   `json:"entries_sha256"`
	ConsistentWith []uint64 `json:"consistent_with"`
}

func main() {
	if len(os.Args) < 3 {
		fail(errors.New("usage: tlog-client <URL> <verifier key> [<older checkpoint>...]"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	seen, err := follow(ctx, os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func follow(ctx context.Context, logURL, key string, older []string) (*report, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	root, err := url.Parse(strings.TrimSuffix(logURL, "/") + "/")
	if err != nil {
		return nil, err
	}
	fetcher, err := client.NewHTTPFetcher(root, http.DefaultClient)
	if err != nil {
		return nil, err
	}
	newest, _, _, err := client.FetchCheckpoint(ctx, fetcher.ReadCheckpoint, verifier, verifier.Name())
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	seen := &report{
		Origin: newest.Origin,
		Size:   newest.Size,
		Root:   hex.EncodeToString(newest.Hash),
	}
	olds, err := readCheckpoints(older, verifier)
	if err != nil {
		return nil, err
	}
	if err := checkWithTessera(ctx, fetcher, newest, olds, seen); err != nil {
		return nil, fmt.Errorf("tessera: %w", err)
	}
	if err := checkWithSumDB(ctx, fetcher, newest, olds); err != nil {
		return nil, fmt.Errorf("sumdb: %w", err)
	}
	return seen, nil
}

func readCheckpoints(files []string, verifier note.Verifier) ([]*log.Checkpoint, error) {
	var olds []*log.Checkpoint
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		old, _, _, err := log.ParseCheckpoint(raw, verifier.Name(), verifier)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		olds = append(olds, old)
	}
	return olds, nil
}

func checkWithTessera(ctx context.Context, fetcher *client.HTTPFetcher, newest *log.Checkpoint, olds []*log.Checkpoint, seen *report) error {
	builder, err := client.NewProofBuilder(ctx, newest.Size, fetcher.ReadTile)
	if err != nil {
		return err
	}
	entries := sha256.New()
	for index := uint64(0); index < newest.Size; {
		bundle, err := client.GetEntryBundle(ctx, fetcher.ReadEntryBundle, index/256, newest.Size)
		if err != nil {
			return fmt.Errorf("entries from %d: %w", index, err)
		}
		for _, entry := range bundle.Entries {
			entries.Write(entry)
			if !proven(index, newest.Size) {
				index++
				continue
			}
			path, err := builder.InclusionProof(ctx, index)
			if err != nil {
				return fmt.Errorf("proof of leaf %d: %w", index, err)
			}
			leaf := rfc6962.DefaultHasher.HashLeaf(entry)
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, newest.Size, leaf, path, newest.Hash); err != nil {
				return fmt.Errorf("leaf %d: %w", index, err)
			}
			index++
		}
	}
	seen.EntriesSHA256 = hex.EncodeToString(entries.Sum(nil))
	for _, old := range olds {
		path, err := builder.ConsistencyProof(ctx, old.Size, newest.Size)
		if err != nil {
			return fmt.Errorf("proof from %d: %w", old.Size, err)
		}
		if err := proof.VerifyConsistency(rfc6962.DefaultHasher, old.Size, newest.Size, path, old.Hash, newest.Hash); err != nil {
			return fmt.Errorf("from %d: %w", old.Size, err)
		}
		seen.ConsistentWith = append(seen.ConsistentWith, old.Size)
	}
	return nil
}

// proven tells whether an entry's inclusion is checked: proofs of all of a large log would take minutes.
func proven(index, size uint64) bool {
	const atEdges, between = 600, 101
	return index < atEdges || index+atEdges >= size || index%between == 0
}

// tiles reads a log's tiles for tlog, which checks each of them against the root before it believes a hash in it.
type tiles struct {
	ctx     context.Context
	fetcher *client.HTTPFetcher
}

func (t tiles) Height() int { return tileHeight }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range wanted {
		hashes, err := t.fetcher.ReadTile(t.ctx, uint64(tile.L), uint64(tile.N), uint8(tile.W%(1<<tileHeight)))
		if err != nil {
			return nil, err
		}
		read = append(read, hashes)
	}
	return read, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func checkWithSumDB(ctx context.Context, fetcher *client.HTTPFetcher, newest *log.Checkpoint, olds []*log.Checkpoint) error {
	tree := tlog.Tree{N: int64(newest.Size), Hash: tlog.Hash(newest.Hash)}
	reader := tlog.TileHashReader(tree, tiles{ctx, fetcher})
	for index := int64(0); index < tree.N; index += 1 + tree.N/50 {
		hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
		if err != nil {
			return fmt.Errorf("leaf %d: %w", index, err)
		}
		path, err := tlog.ProveRecord(tree.N, index, reader)
		if err != nil {
			return fmt.Errorf("proof of leaf %d: %w", index, err)
		}
		if err := tlog.CheckRecord(path, tree.N, tree.Hash, index, hashes[0]); err != nil {
			return fmt.Errorf("leaf %d: %w", index, err)
		}
	}
	for _, old := range olds {
		path, err := tlog.ProveTree(tree.N, int64(old.Size), reader)
		if err != nil {
			return fmt.Errorf("proof from %d: %w", old.Size, err)
		}
		if err := tlog.CheckTree(path, tree.N, tree.Hash, int64(old.Size), tlog.Hash(old.Hash)); err != nil {
			return fmt.Errorf("from %d: %w", old.Size, err)
		}
		if same, err := tlog.TreeHash(int64(old.Size), reader); err != nil || !bytes.Equal(same[:], old.Hash) {
			return fmt.Errorf("the tree of %d has another root: %v", old.Size, err)
		}
	}
	return nil
}
