package note

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"crypto/sha256"
)

func keyOf(kind byte, public []byte) string {
	material := append([]byte{kind}, public...)
	sum := sha256.Sum256(append([]byte("log.example\n"), material...))
	return fmt.Sprintf("log.example+%x+%s", sum[:4], base64.StdEncoding.EncodeToString(material))
}

func TestAKeyIsOfItsKind(t *testing.T) {
	public, _ := hex.DecodeString("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
	if _, err := ParseKey(keyOf(KindLog, public), KindLog); err != nil {
		t.Error(err)
	}
	if _, err := ParseKey(keyOf(KindLog, public), KindWitness); err == nil {
		t.Error("a log's key is a witness's")
	}
}

func vectors(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "contract", "vectors", name))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSignatureVectors(t *testing.T) {
	var all struct {
		Cases []struct {
			Valid     bool
			Why       string
			PublicKey string `json:"public_key"`
			Message   string
			Signature string
		}
	}
	vectors(t, "ed25519.json", &all)
	for _, each := range all.Cases {
		public := unhex(t, each.PublicKey)
		key := Key{public: public, kind: KindLog}
		holds := !IsWeak(public) && key.verifies(unhex(t, each.Message), unhex(t, each.Signature))
		if holds != each.Valid {
			t.Errorf("%s: %v", each.Why, holds)
		}
	}
}

func TestNoteVectors(t *testing.T) {
	var all struct {
		LogKey     string `json:"log_key"`
		WitnessKey string `json:"witness_key"`
		Cases      []struct {
			Kind, Why, Note string
			Valid           bool
			Says            struct {
				Hash     string `json:"canonical_hash"`
				Deadline uint64
			}
		}
	}
	vectors(t, "notes.json", &all)
	log, err := ParseKey(all.LogKey, KindLog)
	if err != nil {
		t.Fatal(err)
	}
	witness, err := ParseKey(all.WitnessKey, KindWitness)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range all.Cases {
		holds := true
		switch each.Kind {
		case "checkpoint":
			_, err := Signed([]byte(each.Note), log)
			holds = err == nil
		case "cosigned":
			read, err := Parse([]byte(each.Note))
			if err == nil {
				var names []string
				names, err = read.SignedBy([]Key{witness})
				holds = len(names) == 1
			}
			holds = holds && err == nil
		case "promise":
			read, err := OpenPromise([]byte(each.Note), log)
			holds = err == nil && hex.EncodeToString(read.Hash) == each.Says.Hash && read.Deadline == each.Says.Deadline
		default:
			continue
		}
		if holds != each.Valid {
			t.Errorf("%s, %s: %v", each.Kind, each.Why, holds)
		}
	}
}

func TestInclusionVectors(t *testing.T) {
	var all struct {
		Inclusion []struct {
			Valid       bool
			Why         string
			Index, Size uint64
			LeafHash    string `json:"leaf_hash"`
			Root        string
			Path        []string
		}
	}
	vectors(t, "merkle.json", &all)
	for _, each := range all.Inclusion {
		var path [][]byte
		for _, hash := range each.Path {
			path = append(path, unhex(t, hash))
		}
		err := Included(unhex(t, each.LeafHash), each.Index, each.Size, path, unhex(t, each.Root))
		if (err == nil) != each.Valid {
			t.Errorf("%d of %d, %s: %v", each.Index, each.Size, each.Why, err)
		}
	}
}
