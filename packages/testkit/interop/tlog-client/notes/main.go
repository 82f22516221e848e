// Command notes opens signed notes with what others wrote, transparency-dev/formats over golang.org/x/mod/sumdb/note:
//
//	notes <verifier key> <a note, a file> [<verifier key> <a note>...]
//
// Keys of type 01 sign checkpoints, those of type 04 cosign (tlog-cosignature v1). Prints a line of JSON for each note;
// exits with 1 and a reason on standard error where one does not open.
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

type opened struct {
	Origin string `json:"origin"`
	Size   uint64 `json:"size"`
	// Of a cosignature, Unix seconds.
	Time uint64 `json:"time,omitempty"`
}

func main() {
	args := os.Args[1:]
	if len(args) == 0 || len(args)%2 != 0 {
		fail(errors.New("usage: notes <verifier key> <note>..."))
	}
	for i := 0; i < len(args); i += 2 {
		seen, err := open(args[i], args[i+1])
		if err != nil {
			fail(fmt.Errorf("%s: %w", args[i+1], err))
		}
		if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func open(key, file string) (*opened, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	verifier, plainErr := note.NewVerifier(key)
	cosigned := plainErr != nil
	if cosigned {
		if verifier, err = fnote.NewVerifierForCosignatureV1(key); err != nil {
			return nil, err
		}
	}
	signed, err := note.Open(bytes, note.VerifierList(verifier))
	if err != nil {
		return nil, err
	}
	var checkpoint log.Checkpoint
	if _, err := checkpoint.Unmarshal([]byte(signed.Text)); err != nil {
		return nil, err
	}
	seen := &opened{Origin: checkpoint.Origin, Size: checkpoint.Size}
	if cosigned {
		at, err := fnote.CoSigV1Timestamp(signed.Sigs[0])
		if err != nil {
			return nil, err
		}
		seen.Time = uint64(at.Unix())
	}
	return seen, nil
}
