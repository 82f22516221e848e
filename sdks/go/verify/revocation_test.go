package verify

import (
	"cmp"
	"encoding/json"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// vectorsOfRevocation is revocation.json.
type vectorsOfRevocation struct {
	Reasons []struct {
		Code       int
		GoodBefore bool `json:"good_before"`
	}
	Chain string
	At    time.Time
	Cases []struct {
		Name, Kind, Standing string
		Data                 []byte
	}
}

func readTold(t *testing.T) (all vectorsOfRevocation, stamp link) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "contract", "vectors", "revocation.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) == 0 {
		t.Fatal(err, "no cases")
	}
	chain, err := readChain([]byte(all.Chain))
	if err != nil {
		t.Fatal(err)
	}
	return all, link{all.At, chain}
}

// saidOf is good, revoked, doubted, unknown, or idle where the piece is about nobody.
func saidOf(stamp link, data []byte, kind string) string {
	r := newRevocation(map[string][]byte{"revocation/x." + kind: data})
	failed := attempt(func() { r.check(stamp, true, "x", nil) })
	if attempt(r.checkNothingIdle) != nil {
		return "idle"
	}
	switch {
	case failed == nil:
		return "good"
	case strings.Contains(failed.detail, "revoked later"):
		return "doubted"
	case strings.Contains(failed.detail, "revoked"):
		return "revoked"
	default:
		return "unknown"
	}
}

func TestRevocationVectors(t *testing.T) {
	all, stamp := readTold(t)
	for _, each := range all.Reasons {
		if slices.Contains(goodBefore, each.Code) != each.GoodBefore {
			t.Errorf("reason %d", each.Code)
		}
	}
	for _, each := range all.Cases {
		want := cmp.Or(each.Standing, "idle")
		if found := saidOf(stamp, each.Data, each.Kind); found != want {
			t.Errorf("%s %s: %s, and not %s", each.Kind, each.Name, found, want)
		}
	}
}

// TestRevocationBits: no single bit may change, and nothing may be cut.
func TestRevocationBits(t *testing.T) {
	all, stamp := readTold(t)
	source := mathrand.New(mathrand.NewPCG(1, 3))
	for _, each := range all.Cases {
		if each.Name != "nobody revoked" {
			continue
		}
		for range 1000 {
			changed, bit := slices.Clone(each.Data), source.IntN(8*len(each.Data))
			changed[bit/8] ^= 1 << (bit % 8)
			if found := saidOf(stamp, changed, each.Kind); found != "idle" {
				t.Errorf("%s, bit %d: %s", each.Kind, bit, found)
			}
		}
		for length := range each.Data {
			if found := saidOf(stamp, each.Data[:length], each.Kind); found != "idle" {
				t.Errorf("%s, %d bytes: %s", each.Kind, length, found)
			}
		}
		if saidOf(stamp, append(each.Data, 0), each.Kind) != "idle" {
			t.Error("a byte more is read")
		}
	}
}
