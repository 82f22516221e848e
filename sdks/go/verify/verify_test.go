package verify_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"acuse.dev/go/verify"
)

var folder = filepath.Join("..", "..", "..", "contract", "vectors")

type vector struct {
	File                      string
	Now                       time.Time
	Valid                     bool
	Failed, Warnings, Reasons []string
	Verdict                   verify.Verdict
	Policy                    json.RawMessage
	Unchecked                 struct {
		Verdict  verify.Verdict
		Warnings []string
	}
}

// path is where its bundle is.
func (v vector) path() string { return filepath.Join(folder, "bundles", v.File) }

// breaksOne: files that break one rule each, whose check every verifier names.
var breaksOne = regexp.MustCompile(
	`^broken/(history|order|times|outcomes|openings-withheld|window|revoked|revocation|mldsa44|witness-(own|time|too|of-outcome))-`)

func readVectors(t *testing.T) (all struct{ Cases, Pinned, Mldsa44 []vector }) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "bundles.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	if err := json.Unmarshal(data, &all); err != nil || len(all.Cases) == 0 || len(all.Pinned) == 0 {
		t.Fatal(err, "no cases")
	}
	return all
}

func reasonsOf(report *verify.Report) (names []string) {
	for _, each := range report.Reasons {
		names = append(names, each.Name)
	}
	return names
}

func warningsOf(report *verify.Report) (names []string) {
	for _, each := range report.Warnings {
		names = append(names, each.Name)
	}
	return names
}

// noBundles are something else: no verdict is given.
var noBundles = []string{"broken/empty.zip", "broken/no-zip.zip"}

func TestVectors(t *testing.T) {
	good := 0
	for _, each := range readVectors(t).Cases {
		t.Run(each.File, func(t *testing.T) {
			report, err := verify.File(each.path(), verify.Options{Policy: verify.TrustBundle, Now: each.Now})
			if slices.Contains(noBundles, each.File) {
				if !errors.Is(err, verify.ErrNotABundle) {
					t.Errorf("%+v %v", report, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			first := slices.IndexFunc(report.Checks, func(c verify.Check) bool { return c.Outcome == verify.Failed })
			if report.Verdict != each.Verdict || report.Valid != each.Valid {
				t.Fatalf("%s, %v, and not %s: %+v", report.Verdict, report.Valid, each.Verdict, report)
			}
			if each.Valid {
				good++
				if !slices.Equal(reasonsOf(report), each.Reasons) || !slices.Equal(warningsOf(report), each.Warnings) {
					t.Errorf("%v, %v, and not %v, %v", report.Reasons, report.Warnings, each.Reasons, each.Warnings)
				}
				return
			}
			name := report.Checks[first].Name
			if !slices.Contains(each.Failed, name) || breaksOne.MatchString(each.File) && name != each.Failed[0] {
				t.Errorf("%+v is not one of %v, or not the first", report.Checks[first], each.Failed)
			}
			if reasons := reasonsOf(report); reasons[0] != name || !slices.Equal(warningsOf(report), each.Warnings) {
				t.Errorf("%v, %v", reasons, report.Warnings)
			}
		})
	}
	if good < 37 {
		t.Errorf("only %d good ones", good)
	}
}

// TestSecondSignatures: they are not checked here, and that is told.
func TestSecondSignatures(t *testing.T) {
	all := readVectors(t).Mldsa44
	if len(all) < 5 {
		t.Fatal("no cases")
	}
	for _, each := range all {
		report, err := verify.File(each.path(), verify.Options{Policy: verify.TrustBundle, Now: each.Now})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != each.Unchecked.Verdict || !slices.Equal(warningsOf(report), each.Unchecked.Warnings) {
			t.Errorf("%s: %s, %v", each.File, report.Verdict, report.Warnings)
		}
	}
}

// TestClock: without a clock given, the system's is asked.
func TestClock(t *testing.T) {
	all := readVectors(t).Cases
	future := all[slices.IndexFunc(all, func(v vector) bool { return v.File == "broken/times-future-seal.zip" })]
	for now, valid := range map[time.Time]bool{future.Now: false, future.Now.Add(24 * time.Hour): true, {}: true} {
		report, err := verify.File(future.path(), verify.Options{Policy: verify.TrustBundle, Now: now})
		if err != nil || report.Valid != valid {
			t.Errorf("%s: %+v %v", now, report, err)
		}
	}
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
		{verify.Options{Received: letter}, verify.Unproven, verify.CopyDiffers},
		{verify.Options{Received: []byte{}}, verify.Unproven, verify.CopyDiffers},
		{verify.Options{}, verify.Unproven, ""},
		{verify.Options{Received: letter, At: late}, verify.Rejected, verify.CopyNotComparable},
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
	if err != nil || !whole.Valid || whole.Copy == nil ||
		*whole.Copy != (verify.Copy{Verdict: verify.CopyDiffers, PartsUnread: true}) {
		t.Errorf("%+v %v", whole, err)
	}
	parts, err := verify.File(filepath.Join(good, "one-part-disclosed.zip"), options)
	if err != nil || parts.Valid || parts.Copy != nil || !slices.Contains(reasonsOf(parts), "not_checked") {
		t.Errorf("%+v %v", parts, err)
	}
}

func TestPolicySaysWhichFieldIsNotAsItMustBe(t *testing.T) {
	more := `{"log_keys":[],"quorum":1,"time_stamps":[],"type":"","witness_keys":[],"witness_quorum":0}`
	wrong := map[string]string{"{}": "the field log_keys is missing", more: `the field "quorum" is not known`}
	for json, said := range wrong {
		if _, err := verify.ParsePolicy([]byte(json)); err == nil || !strings.HasSuffix(err.Error(), said) {
			t.Errorf("%s: %v", json, err)
		}
	}
}

func TestPolicyIsRequired(t *testing.T) {
	if _, err := verify.Bundle(nil, verify.Options{}); err == nil {
		t.Error("nobody was trusted, and something was verified")
	}
}

func TestAPolicyThatCannotBeReadSaysWhy(t *testing.T) {
	for text, why := range map[string]string{
		"":                  "it is not JSON",
		"policy.json":       "it is not JSON",
		`{"type": 1`:        "it is not JSON",
		`{"a": 1, "a": 1}`:  "it is not JSON that reads one way",
		`{"type": "other"}`: "",
	} {
		_, err := verify.ParsePolicy([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "the policy cannot be used: "+why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
