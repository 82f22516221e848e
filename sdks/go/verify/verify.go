// Package verify checks proof bundles without any network, from docs/evidence-format.md alone.
//
//	policy, err := verify.LoadPolicy("policy.json")
//	report, err := verify.File("proof.zip", verify.Options{Policy: policy})
package verify

import (
	"fmt"
	"os"
	"time"
)

// Verdict is the result of a verification.
type Verdict string

// Valid: every check holds. Invalid: one fails. Incomplete: none fails, and some could not be made here.
const (
	Valid      Verdict = "valid"
	Invalid    Verdict = "invalid"
	Incomplete Verdict = "incomplete"
)

// Outcome is how a check ended.
type Outcome int

// How a check ended.
const (
	NotChecked Outcome = iota
	Passed
	Failed
)

// Check is one step of docs/evidence-format.md §9.
type Check struct {
	Name    string
	Outcome Outcome
	Detail  string
}

// Report says what was found.
type Report struct {
	Verdict Verdict
	// Trust is "pinned" when the policy was yours, and "bundle" when it was the bundle's own.
	Trust string
	// SealedAt is the time of the constancia; zero unless it was verified.
	SealedAt time.Time
	// Development: a time-stamp is of an authority for development, and no NOM-151 constancia.
	Development bool
	Checks      []Check
	// Copy is how the received message compares; nil unless Options.Received was given, and where a part is in
	// a charset that this library does not read and the comparison hangs on it, which is then a check not made.
	Copy *Copy
}

// Policy says whom to trust: log keys, witnesses, and time-stamping authorities.
type Policy struct {
	data   []byte
	bundle bool
}

// TrustBundle is the policy inside the bundle. Whoever made the bundle wrote it: it proves nothing until you
// have compared its keys and roots with what you got elsewhere.
var TrustBundle = &Policy{bundle: true}

// LoadPolicy reads a policy of your own from a file in the form of policy.json.
func LoadPolicy(path string) (*Policy, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParsePolicy(data)
}

// ParsePolicy reads a policy of your own.
func ParsePolicy(data []byte) (policy *Policy, err error) {
	defer func() {
		if fault, ok := recover().(*stop); ok {
			err = fmt.Errorf("acuse: the policy cannot be used: %s", fault.detail)
		}
	}()
	readPolicy(data, false)
	return &Policy{data: data}, nil
}

// Options say how to verify.
type Options struct {
	// Policy is required: LoadPolicy, or TrustBundle written out.
	Policy *Policy
	// At also asks whether the bundle is valid at that time, usually now.
	At time.Time
	// Received is the message as somebody received it, to be compared: Report.Copy. The verdict on the bundle
	// does not depend on it.
	Received []byte
}

// File verifies the bundle in a file. The error is only for a file that cannot be read, or for missing
// options; everything about the bundle is in the report.
func File(path string, options Options) (*Report, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if file.Size() > fileSizeMax {
		return &Report{Verdict: Invalid, Checks: []Check{{"bundle", Failed, "the file is too large"}}}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Bundle(data, options)
}

// stop ends a verification with the check that failed.
type stop struct{ check, detail string }

func need(condition bool, check, detail string) {
	if !condition {
		panic(&stop{check, detail})
	}
}

// bundle is a verification under way.
type bundle struct {
	files    map[string][]byte
	policy   policy
	manifest manifest
	// openings.json, once it was checked.
	openings   object
	revocation *revocation
	report     *Report
	at         time.Time
	sealedAt   time.Time
}

func (b *bundle) passed(name string) {
	b.report.Checks = append(b.report.Checks, Check{name, Passed, "holds"})
}

func (b *bundle) notChecked(name, why string) {
	b.report.Checks = append(b.report.Checks, Check{name, NotChecked, "not checked: " + why})
}

// Bundle verifies a bundle, ZIP or JSON.
func Bundle(data []byte, options Options) (*Report, error) {
	if options.Policy == nil {
		return nil, fmt.Errorf("acuse: a policy is needed: load yours, or write verify.TrustBundle")
	}
	b := &bundle{report: &Report{Trust: "pinned"}, at: options.At}
	if options.Policy.bundle {
		b.report.Trust = "bundle"
	}
	b.run(data, options.Policy)
	if options.Received != nil {
		b.compare(options.Received)
	}
	b.report.Verdict = Valid
	for _, check := range b.report.Checks {
		switch {
		case check.Outcome == Failed:
			b.report.Verdict = Invalid
		case check.Outcome == NotChecked && b.report.Verdict == Valid:
			b.report.Verdict = Incomplete
		}
	}
	if b.report.Verdict != Invalid {
		b.report.SealedAt = b.sealedAt
	}
	return b.report, nil
}

// steps are the checks in the order in which they are made. One that fails ends the verification.
func (b *bundle) steps(given *Policy) []func() {
	return []func(){
		b.checkSums, b.checkEntries,
		func() { b.readPolicies(given) },
		b.readManifest, b.checkOpenings, b.checkCheckpoint, b.checkTimes, b.checkDelivery, b.checkRevocation,
	}
}

func (b *bundle) run(data []byte, given *Policy) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *stop:
			b.report.Checks = append(b.report.Checks, Check{fault.check, Failed, fault.detail})
			b.notChecked("rest", "what comes after "+fault.check)
		default:
			// Bytes that made this program stumble are refused all the same.
			b.report.Checks = append(b.report.Checks, Check{"bundle", Failed, fmt.Sprint("malformed: ", fault)})
		}
	}()
	b.files = readContainer(data)
	b.revocation = newRevocation(b.files)
	b.passed("bundle")
	for _, step := range b.steps(given) {
		step()
	}
}

// checkRevocation: each piece concerns a certificate in a chain here.
func (b *bundle) checkRevocation() {
	if len(b.revocation.pieces) == 0 {
		return
	}
	b.revocation.checkNothingIdle()
	b.passed("revocation")
}
