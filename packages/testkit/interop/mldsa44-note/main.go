// Command mldsa44-note opens a signed note with what others wrote, transparency-dev/formats over
// golang.org/x/mod/sumdb/note: by all of the keys, of type 06 (ML-DSA-44, tlog-cosignature) and 04 or 01 (Ed25519).
//
//	mldsa44-note <a note, a file> <verifier key>...
//
// Prints a line of JSON; exits with 1 and a reason on standard error where it does not open by each.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/transparency-dev/formats/log"
	fnote "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: mldsa44-note <note> <verifier key>...")
	}
	bytes, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var verifiers []note.Verifier
	for _, key := range args[1:] {
		verifier, err := verifierOf(key)
		if err != nil {
			return err
		}
		verifiers = append(verifiers, verifier)
	}
	signed, err := note.Open(bytes, note.VerifierList(verifiers...))
	if err != nil {
		return err
	}
	var checkpoint log.Checkpoint
	if _, err := checkpoint.Unmarshal([]byte(signed.Text)); err != nil {
		return err
	}
	if len(signed.Sigs) != len(verifiers) {
		return fmt.Errorf("signed by %d of %d keys", len(signed.Sigs), len(verifiers))
	}
	said := map[string]any{"origin": checkpoint.Origin, "size": checkpoint.Size, "signed": len(signed.Sigs)}
	return json.NewEncoder(os.Stdout).Encode(said)
}

func verifierOf(key string) (note.Verifier, error) {
	if verifier, err := note.NewVerifier(key); err == nil {
		return verifier, nil
	}
	if verifier, err := fnote.NewVerifierForCosignatureV1(key); err == nil {
		return verifier, nil
	}
	return fnote.NewMLDSAVerifier(key)
}
