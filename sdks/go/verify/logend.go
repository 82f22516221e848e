package verify

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"acuse.dev/go/internal/note"
)

const endReasonMax = 1000 // characters

// logEnd is the end of a log that cannot go on: docs/evidence-format.md §6.
type logEnd struct {
	kept, published note.Checkpoint
	at              time.Time
	successor       note.Key
}

var errLogEnd = errors.New("not the end of this log")

// openLogEnd reads a statement that this key of the log, and the log that goes on, have signed.
func openLogEnd(data []byte, key note.Key) (*logEnd, error) {
	read, err := note.Parse(data)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(read.Text), "\n")
	if len(lines) != 8 || lines[7] != "" || lines[0] != "acuse/log-end/v1" || lines[1] != key.Name {
		return nil, errLogEnd
	}
	end := &logEnd{}
	var failed [4]error
	end.kept, failed[0] = endTree(lines[2])
	end.published, failed[1] = endTree(lines[3])
	end.at, failed[2] = time.Parse(timeLayout, lines[4])
	end.successor, failed[3] = note.ParseKey(lines[5], note.KindLog)
	reason := utf8.RuneCountInString(lines[6])
	if errors.Join(failed[:]...) != nil || end.at.Format(timeLayout) != lines[4] || reason < 1 ||
		reason > endReasonMax || end.successor.Name == key.Name {
		return nil, errLogEnd
	}
	names, err := read.SignedBy([]note.Key{key, end.successor})
	if err != nil || len(names) != 2 {
		return nil, errLogEnd
	}
	return end, nil
}

func endTree(line string) (note.Checkpoint, error) {
	size, root, _ := strings.Cut(line, " ")
	count, err := note.Decimal(size)
	hash, failed := note.Base64(root)
	if err != nil || failed != nil || len(hash) != sha256.Size {
		return note.Checkpoint{}, errLogEnd
	}
	return note.Checkpoint{Size: count, Root: hash}, nil
}

// checkLogEnd: all that the bundle shows came to the log, and was published, before it ended.
func (b *bundle) checkLogEnd() {
	const check = "log_end"
	data, there := b.files["log-end.note"]
	if !there {
		return
	}
	for _, key := range b.keysOfLog() {
		end, err := openLogEnd(data, key.Key)
		if err != nil {
			continue
		}
		for _, tree := range b.trees() {
			need(tree.Size <= max(end.kept.Size, end.published.Size), check, "it is beyond what was published")
			named := tree.Size == end.kept.Size || tree.Size == end.published.Size
			same := func(other note.Checkpoint) bool {
				return other.Size == tree.Size && bytes.Equal(other.Root, tree.Root)
			}
			need(!named || same(end.kept) || same(end.published), check, "it is in another tree of the same size")
		}
		needNotLater := func(each stated) {
			later := each.at.After(end.at.Add(clockTolerance))
			need(!later, check, fmt.Sprint(each, ", yet the log ended at ", told(end.at)))
		}
		needNotLater(b.accepted())
		for n, each := range b.line.outcomes {
			needNotLater(stated{what: fmt.Sprint("outcome ", n+1), at: each.occurredAt})
		}
		need(!end.at.After(b.now.Add(day)), check, fmt.Sprint("the log ended at ", told(end.at), ", and it is ", told(b.now), " here"))
		b.passed(check)
		return
	}
}
