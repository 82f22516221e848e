package verify_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

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

func TestGoodBundlesAreValid(t *testing.T) {
	good := 0
	for _, each := range cases(t) {
		if !each.Valid {
			continue
		}
		good++
		report, err := verify.File(filepath.Join(folder, "bundles", each.File),
			verify.Options{Policy: verify.TrustBundle})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != verify.Valid {
			t.Errorf("%s: %+v", each.File, report)
		}
	}
	if good < 17 {
		t.Errorf("only %d good ones", good)
	}
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
		// Packers may say other permissions of the same content.
		if report.Verdict == verify.Valid && !reflect.DeepEqual(unpacked(changed), unpacked(data)) {
			t.Errorf("a change of byte %d is not seen", at)
		}
	}
}

func unpacked(data []byte) map[string]string {
	found := map[string]string{}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	for _, each := range archive.File {
		content, err := archive.Open(each.Name)
		if err != nil {
			return nil
		}
		text, err := io.ReadAll(content)
		if err != nil {
			return nil
		}
		found[each.Name] = string(text)
	}
	return found
}

func TestReceivedCopies(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(folder, "bundles.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	var all struct {
		Received []struct {
			Bundle, File, Why, Verdict string
			L0, L1, L2                 bool
		}
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Received) < 100 {
		t.Fatal(err, len(all.Received))
	}
	for _, each := range all.Received {
		received, err := os.ReadFile(filepath.Join(folder, "received", each.File))
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.File(filepath.Join(folder, "bundles", each.Bundle),
			verify.Options{Policy: verify.TrustBundle, Received: received})
		if err != nil {
			t.Fatal(err)
		}
		want := verify.Copy{Verdict: verify.CopyVerdict(each.Verdict), Bytes: each.L0, Relaxed: each.L1, Parts: each.L2}
		if report.Copy == nil || *report.Copy != want {
			t.Errorf("%s: %+v, and not %+v: %s", each.File, report.Copy, want, each.Why)
		}
	}
}

// TestCopyChangesNoVerdict: what is said of the bundle does not depend on the copy.
func TestCopyChangesNoVerdict(t *testing.T) {
	sealed, letter := filepath.Join(folder, "bundles", "good", "sealed.zip"), []byte("Subject: x\r\n\r\n")
	if _, err := os.Stat(sealed); err != nil {
		t.Skip("contract/vectors is not here")
	}
	late := time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, each := range []struct {
		options verify.Options
		verdict verify.Verdict
		copied  verify.CopyVerdict
	}{
		{verify.Options{Received: letter}, verify.Valid, verify.CopyDiffers},
		{verify.Options{Received: []byte{}}, verify.Valid, verify.CopyDiffers},
		{verify.Options{}, verify.Valid, ""},
		{verify.Options{Received: letter, At: late}, verify.Invalid, verify.CopyNotComparable},
	} {
		each.options.Policy = verify.TrustBundle
		report, err := verify.File(sealed, each.options)
		if err != nil {
			t.Fatal(err)
		}
		var copied verify.CopyVerdict
		if report.Copy != nil {
			copied = report.Copy.Verdict
		}
		if report.Verdict != each.verdict || copied != each.copied {
			t.Errorf("%s, %q", report.Verdict, copied)
		}
	}
}

// TestUnreadCharset: a charset that is not read here leaves the parts open.
func TestUnreadCharset(t *testing.T) {
	letter := []byte("Content-Type: text/plain; charset=iso-2022-jp\r\n\r\nx\r\n")
	good := filepath.Join(folder, "bundles", "good")
	if _, err := os.Stat(good); err != nil {
		t.Skip("contract/vectors is not here")
	}
	options := verify.Options{Policy: verify.TrustBundle, Received: letter}
	whole, err := verify.File(filepath.Join(good, "sealed.zip"), options)
	if err != nil || whole.Verdict != verify.Valid || whole.Copy == nil ||
		*whole.Copy != (verify.Copy{Verdict: verify.CopyDiffers, PartsUnread: true}) {
		t.Errorf("%+v %v", whole, err)
	}
	parts, err := verify.File(filepath.Join(good, "one-part-disclosed.zip"), options)
	if err != nil || parts.Verdict != verify.Incomplete || parts.Copy != nil {
		t.Errorf("%+v %v", parts, err)
	}
}

func TestPolicyIsRequired(t *testing.T) {
	if _, err := verify.Bundle(nil, verify.Options{}); err == nil {
		t.Error("nobody was trusted, and something was verified")
	}
}
