package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestMessageVectors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "contract", "vectors", "messages.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	var all []struct {
		Name    string
		Message []byte
		Header  string `json:"relaxed_header"`
		Body    string `json:"relaxed_body"`
		Parts   []struct {
			Filename  *string
			MediaType string `json:"media_type"`
			SHA256    string
			Size      int
		}
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	for _, each := range all {
		head := splitMessage(each.Message)
		if string(head.relaxedHeader()) != each.Header || string(relaxedBody(head.body)) != each.Body {
			t.Errorf("%s: another relaxed form", each.Name)
		}
		parts, unread := leafParts(each.Message)
		if unread || len(parts) != len(each.Parts) {
			t.Fatalf("%s: %d parts", each.Name, len(parts))
		}
		for n, want := range each.Parts {
			var name any
			if want.Filename != nil {
				name = *want.Filename
			}
			is := parts[n]
			if is.filename != name || is.mediaType != want.MediaType || shaHex(is.content) != want.SHA256 ||
				len(is.content) != want.Size {
				t.Errorf("%s, part %d: %v %s", each.Name, n, is.filename, is.mediaType)
			}
		}
	}
}
