package verify_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"acuse.dev/go/verify"
)

var folder = filepath.Join("..", "..", "..", "contract", "vectors")

type vector struct {
	File   string
	Valid  bool
	Failed []string
}

func cases(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "bundles.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	var all struct{ Cases []vector }
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) == 0 {
		t.Fatal(err, "no cases")
	}
	return all.Cases
}

func TestVectors(t *testing.T) {
	for _, each := range cases(t) {
		t.Run(each.File, func(t *testing.T) {
			report, err := verify.File(filepath.Join(folder, "bundles", each.File),
				verify.Options{Policy: verify.TrustBundle})
			if err != nil {
				t.Fatal(err)
			}
			first := slices.IndexFunc(report.Checks, func(c verify.Check) bool { return c.Outcome == verify.Failed })
			switch {
			case each.Valid && first >= 0:
				t.Errorf("%+v", report.Checks[first])
			case !each.Valid && report.Verdict == verify.Valid:
				t.Error("a broken bundle is valid")
			case !each.Valid && first >= 0 && !slices.Contains(each.Failed, report.Checks[first].Name):
				t.Errorf("%+v is not one of %v", report.Checks[first], each.Failed)
			case !each.Valid && first < 0:
				t.Errorf("no check failed of %v: %s", each.Failed, report.Verdict)
			}
		})
	}
}

func TestGoodBundlesAreWhole(t *testing.T) {
	verdicts := map[verify.Verdict]int{}
	for _, each := range cases(t) {
		if each.Valid {
			report, err := verify.File(filepath.Join(folder, "bundles", each.File),
				verify.Options{Policy: verify.TrustBundle})
			if err != nil {
				t.Fatal(err)
			}
			verdicts[report.Verdict]++
			for _, check := range report.Checks {
				if check.Outcome == verify.NotChecked {
					t.Log(each.File, check)
				}
			}
		}
	}
	if verdicts[verify.Valid] == 0 {
		t.Errorf("%v", verdicts)
	}
	t.Log(verdicts)
}

// TestChangedBits: of single bits changed in a good bundle, none leaves it valid, unless the bit says nothing.
func TestChangedBits(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(folder, "bundles", "good", "complete.zip"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	source := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		changed := slices.Clone(data)
		at := source.IntN(len(changed))
		changed[at] ^= 1 << source.IntN(8)
		report, err := verify.Bundle(changed, verify.Options{Policy: verify.TrustBundle})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict == verify.Valid {
			t.Errorf("a change of byte %d is not seen", at)
		}
	}
}

func TestPolicyIsRequired(t *testing.T) {
	if _, err := verify.Bundle(nil, verify.Options{}); err == nil {
		t.Error("nobody was trusted, and something was verified")
	}
}
