package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLogEnd: a bundle shows no tree that its log never published.
func TestLogEnd(t *testing.T) {
	data, err := os.ReadFile(
		filepath.Join("..", "..", "..", "contract", "vectors", "bundles", "good", "outcomes-of-ended-log.zip"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	files := readContainer(data)
	b := &bundle{files: files, policy: readPolicy(files["policy.json"], true), report: &Report{}, now: time.Now()}
	b.readManifest()
	end, err := openLogEnd(files["log-end.note"], b.keysOfLog()[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Repeat([]byte{1}, 32)
	for _, each := range []struct {
		size  uint64
		root  []byte
		holds bool
	}{
		{1, other, end.kept.Size > 1},
		{end.kept.Size, end.kept.Root, true},
		{end.published.Size, end.published.Root, true},
		{end.kept.Size, other, false},
		{end.published.Size, other, false},
		{max(end.kept.Size, end.published.Size) + 1, end.published.Root, false},
	} {
		b.line.message.tree.Size, b.line.message.tree.Root = each.size, each.root
		failed := attempt(b.checkLogEnd)
		if (failed == nil) != each.holds || failed != nil && failed.check != "log_end" {
			t.Errorf("%d: %+v", each.size, failed)
		}
	}
}
