package acuse

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"acuse.dev/go/internal/note"
)

// LogReason says what is wrong with a log.
type LogReason string

// The fault in a log. Keep the checkpoints: two that contradict each other are the proof of it.
const (
	LogWentBack     LogReason = "went_back"
	LogForked       LogReason = "forked"
	LogBadSignature LogReason = "bad_signature"
)

// LogError says that a log is not what it promised to be.
type LogError struct {
	Reason  LogReason
	Message string
}

func (e *LogError) Error() string { return fmt.Sprintf("acuse: the log (%s): %s", e.Reason, e.Message) }
func (*LogError) acuseError()     {}

// LogCheckpoint is a state of the log that its key has signed. Keep Note, and give it to Follow.
type LogCheckpoint struct {
	Origin   string
	TreeSize uint64
	RootHash []byte
	// Note is the signed text.
	Note string
}

// around a pinned key this is no part of it: files and answers end in a line end.
const around = " \t\r\n"

func pinned(text string) (note.Key, error) {
	key, err := note.ParseKey(strings.Trim(text, around), note.KindLog)
	if err != nil {
		err = refused("the pinned key must be the log's, name+id+base64: " + err.Error())
	}
	return key, err
}

func readCheckpoint(text, pinnedKey string) (*LogCheckpoint, error) {
	key, err := pinned(pinnedKey)
	if err != nil {
		return nil, err
	}
	checkpoint, err := note.Signed([]byte(text), key)
	if err != nil {
		return nil, &LogError{LogBadSignature, err.Error()}
	}
	return &LogCheckpoint{checkpoint.Origin, checkpoint.Size, checkpoint.Root, text}, nil
}

// PinnedCheckpoint asks for the newest checkpoint and verifies it under a key that you have from elsewhere.
func (s *LogService) PinnedCheckpoint(ctx context.Context, pinnedKey string) (*LogCheckpoint, error) {
	if _, err := pinned(pinnedKey); err != nil {
		return nil, err
	}
	text, err := s.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	return readCheckpoint(text, pinnedKey)
}

// Follow asks for the newest checkpoint, and proves from the log's tiles that it continues the saved one.
func (s *LogService) Follow(ctx context.Context, pinnedKey, saved string) (*LogCheckpoint, error) {
	before, err := readCheckpoint(saved, pinnedKey)
	if err != nil {
		return nil, err
	}
	now, err := s.PinnedCheckpoint(ctx, pinnedKey)
	if err != nil {
		return nil, err
	}
	if now.TreeSize < before.TreeSize {
		return nil, &LogError{LogWentBack, fmt.Sprintf("it held %d entries, and now %d", before.TreeSize, now.TreeSize)}
	}
	if now.TreeSize == before.TreeSize && !bytes.Equal(now.RootHash, before.RootHash) {
		return nil, &LogError{LogForked, "two checkpoints of one size have different roots"}
	}
	if before.TreeSize == 0 || now.TreeSize == before.TreeSize {
		return now, nil
	}
	tree := &tiles{ctx: ctx, log: s, size: now.TreeSize, seen: map[string][]byte{}}
	path, err := note.ConsistencyPath(before.TreeSize, now.TreeSize, tree.hash)
	if err != nil {
		return nil, err
	}
	if note.Consistent(before.TreeSize, now.TreeSize, before.RootHash, now.RootHash, path) != nil {
		return nil, &LogError{LogForked, "the newest checkpoint does not continue the saved one"}
	}
	return now, nil
}

// tiles are those of a tree of some size (C2SP tlog-tiles), each asked for once.
type tiles struct {
	ctx  context.Context
	log  *LogService
	size uint64
	seen map[string][]byte
}

const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
	hashSize   = 32
)

// hash is the one of a perfect subtree: of 2^height leaves, the index-th from the left.
func (t *tiles) hash(height, index uint64) ([]byte, error) {
	level, rest := height/tileHeight, height%tileHeight
	first := index << rest
	tile, err := t.tile(level, first/tileWidth)
	if err != nil {
		return nil, err
	}
	at := int(first%tileWidth) * hashSize
	count := 1 << rest
	if len(tile) < at+count*hashSize {
		return nil, &LogError{LogForked, "a tile of it is too short"}
	}
	hashes := make([][]byte, count)
	for n := range hashes {
		hashes[n] = tile[at+n*hashSize : at+(n+1)*hashSize]
	}
	for len(hashes) > 1 {
		for n := range len(hashes) / 2 {
			hashes[n] = note.Node(hashes[2*n], hashes[2*n+1])
		}
		hashes = hashes[:len(hashes)/2]
	}
	return hashes[0], nil
}

func (t *tiles) tile(level, index uint64) ([]byte, error) {
	path := fmt.Sprintf("%d/%s", level, tileNumber(index))
	if width := t.size>>(tileHeight*level) - index*tileWidth; width < tileWidth {
		path += ".p/" + strconv.FormatUint(width, 10)
	}
	if known, there := t.seen[path]; there {
		return known, nil
	}
	data, err := t.log.Tile(t.ctx, path)
	t.seen[path] = data
	return data, err
}

// tileNumber writes an index in groups of three digits, all but the last after an x.
func tileNumber(index uint64) string {
	text := fmt.Sprintf("%03d", index%1000)
	for index /= 1000; index > 0; index /= 1000 {
		text = fmt.Sprintf("x%03d/%s", index%1000, text)
	}
	return text
}

// PromiseState is the outcome of the promise that a send returned.
type PromiseState string

// The outcome of a promise: the log holds the message, may still take its time, or broke its word.
const (
	PromiseKept    PromiseState = "kept"
	PromisePending PromiseState = "pending"
	PromiseBroken  PromiseState = "broken"
)

func readPromise(text, pinnedKey string) (*note.Promise, error) {
	key, err := pinned(pinnedKey)
	if err != nil {
		return nil, err
	}
	promised, err := note.OpenPromise([]byte(text), key)
	if err != nil {
		return nil, &LogError{LogBadSignature, "the promise: " + err.Error()}
	}
	return promised, nil
}

// CheckPromise finds out whether the log keeps the promise of a message, under a key that you have from
// elsewhere. The promise is in the message that Send returned: keep it.
func (s *LogService) CheckPromise(ctx context.Context, message *Message, pinnedKey string) (PromiseState, error) {
	text, given := message.Promise.Get()
	if !given {
		return "", refused("the message has no promise: plain messages have none")
	}
	promised, err := readPromise(text, pinnedKey)
	if err != nil {
		return "", err
	}
	checkpoint, err := s.PinnedCheckpoint(ctx, pinnedKey)
	if err != nil {
		return "", err
	}
	waiting := PromisePending
	if uint64(s.client.settings.clock().Unix()) > promised.Deadline {
		waiting = PromiseBroken
	}
	evidence, err := s.client.Evidence.Get(ctx, message.ID)
	var api *APIError
	switch {
	case errors.As(err, &api) && api.Code == CodeMissingProofData:
		return waiting, nil
	case err != nil:
		return "", err
	case evidence.CanonicalHash != hex.EncodeToString(promised.Hash):
		return PromiseBroken, nil
	case evidence.LeafIndex < 0 || uint64(evidence.LeafIndex) >= checkpoint.TreeSize:
		return waiting, nil
	}
	return s.included(ctx, promised, uint64(evidence.LeafIndex), checkpoint)
}

func (s *LogService) included(
	ctx context.Context, promised *note.Promise, index uint64, checkpoint *LogCheckpoint,
) (PromiseState, error) {
	tree := &tiles{ctx: ctx, log: s, size: checkpoint.TreeSize, seen: map[string][]byte{}}
	path, err := note.InclusionPath(index, checkpoint.TreeSize, tree.hash)
	if err != nil {
		return "", err
	}
	leaf := note.Leaf(promised.Hash)
	if note.Included(leaf, index, checkpoint.TreeSize, path, checkpoint.RootHash) != nil {
		return PromiseBroken, nil
	}
	return PromiseKept, nil
}
