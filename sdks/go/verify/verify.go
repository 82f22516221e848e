// Package verify checks proof bundles without any network, from docs/evidence-format.md alone.
//
//	policy, err := verify.LoadPolicy("policy.json")
//	report, err := verify.File("proof.zip", verify.Options{Policy: policy})
//	if report.Verdict == verify.Verified { … }
package verify

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Verdict is what a reader may take a verification to mean.
type Verdict string

// Verified: all holds and is whole, under keys that are yours. Unproven: it holds together, and nobody whom you
// trust vouches for it. Incomplete: genuine, and not the whole, or not all could be checked here. Rejected: a
// check fails.
const (
	Verified   Verdict = "verified"
	Unproven   Verdict = "unproven"
	Incomplete Verdict = "incomplete"
	Rejected   Verdict = "rejected"
)

// Reason says why the verdict is not Verified: a name of docs/evidence-format.md §9, not_checked, or the check that
// failed.
type Reason struct{ Name, Detail string }

// Warning is what is odd and breaks no check.
type Warning struct{ Name, Detail string }

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
	// Valid: everything was checked, and holds. It says nothing of whose word it is: that is the Verdict.
	Valid bool
	// Reasons say why the verdict is not Verified, the weightiest first.
	Reasons []Reason
	// Warnings are looked for once all checks hold.
	Warnings []Warning
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
	// Now is the reader's clock; zero: the system's.
	Now time.Time
	// Received is the message as somebody received it, to be compared: Report.Copy. The verdict on the bundle
	// does not depend on it.
	Received []byte
}

// ErrNotABundle is of a file that is something else: it is no evidence, valid or not.
var ErrNotABundle = errors.New("acuse: the file is not a proof bundle: it has no entry proof.tlog-proof")

// File verifies the bundle in a file. The error is only for a file that cannot be read or is no bundle at all
// (ErrNotABundle), or for missing options; everything about the bundle is in the report.
func File(path string, options Options) (*Report, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if file.Size() > fileSizeMax {
		const large = "the file is too large"
		return &Report{
			Verdict: Rejected, Reasons: []Reason{{"bundle", large}}, Checks: []Check{{"bundle", Failed, large}},
		}, nil
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
	now        time.Time
	sealedAt   time.Time
	line       line
}

func (b *bundle) passed(name string) {
	b.report.Checks = append(b.report.Checks, Check{name, Passed, "holds"})
}

func (b *bundle) notChecked(name, why string) {
	b.report.Checks = append(b.report.Checks, Check{name, NotChecked, "not checked: " + why})
}

// Bundle verifies a bundle, ZIP or JSON. The error is as that of File.
func Bundle(data []byte, options Options) (*Report, error) {
	if options.Policy == nil {
		return nil, fmt.Errorf("acuse: a policy is needed: load yours, or write verify.TrustBundle")
	}
	if !looksLikeBundle(data) {
		return nil, ErrNotABundle
	}
	b := &bundle{report: &Report{Trust: "pinned"}, at: options.At, now: options.Now}
	if b.now.IsZero() {
		b.now = time.Now()
	}
	b.now = b.now.UTC().Truncate(time.Millisecond)
	if options.Policy.bundle {
		b.report.Trust = "bundle"
	}
	b.run(data, options.Policy)
	if options.Received != nil {
		b.compare(options.Received)
	}
	b.conclude()
	if b.report.Verdict != Rejected {
		b.report.SealedAt = b.sealedAt
	}
	return b.report, nil
}

// steps are the checks in the order in which they are made. One that fails ends the verification.
func (b *bundle) steps(given *Policy) []func() {
	return []func(){
		b.checkSums, b.checkEntries,
		func() { b.readPolicies(given) },
		b.readManifest, b.checkOpenings, b.checkCheckpoint, b.checkTimes, b.checkDelivery, b.checkLine,
		b.checkLogEnd, b.checkRevocation,
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
