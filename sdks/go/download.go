package acuse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// readPause is how long a download may wait between two reads.
const readPause = 30 * time.Second

// localError is a failure of this machine's disk: repeating the request helps nobody.
type localError struct{ error }

func (e localError) Unwrap() error { return e.error }

func isLocal(err error) bool {
	var local localError
	return errors.As(err, &local)
}

// DownloadBundle writes the proof bundle of a message to a file. It is written beside the target and renamed
// when it is whole: a transfer that is cut leaves nothing.
func (s *EvidenceService) DownloadBundle(ctx context.Context, id, path string) error {
	var temporary string
	defer func() {
		if temporary != "" {
			_ = os.Remove(temporary)
		}
	}()
	_, _, err := s.client.call(ctx, request{
		op:   &opGetProofBundle,
		path: []string{id},
		stream: func(response *http.Response, beat *pulse) error {
			if temporary != "" {
				_ = os.Remove(temporary)
			}
			file, err := os.CreateTemp(filepath.Dir(path), ".acuse-*.partial")
			if err != nil {
				return localError{err}
			}
			temporary = file.Name()
			defer func() { _ = file.Close() }()
			_, err = io.Copy(diskWriter{file}, &pacedReader{response.Body, beat})
			if err == nil {
				err = asLocal(file.Sync())
			}
			return err
		},
	}, nil)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return refused("the bundle cannot be put in its place: " + err.Error())
	}
	temporary = ""
	return nil
}

func asLocal(err error) error {
	if err == nil {
		return nil
	}
	return localError{err}
}

type diskWriter struct{ file *os.File }

func (w diskWriter) Write(data []byte) (int, error) {
	n, err := w.file.Write(data)
	return n, asLocal(err)
}

type pacedReader struct {
	source io.Reader
	beat   *pulse
}

func (r *pacedReader) Read(into []byte) (int, error) {
	r.beat.every(readPause)
	return r.source.Read(into)
}

const sealWait = "evidence.waitUntilSealed"

// sealPauses are the seconds between the questions of WaitUntilSealed; the last one repeats.
var sealPauses = []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second, 5 * time.Second}

// WaitUntilSealed asks until the message has its constancia. A plain message is refused at once, a *RefusedError
// with [CodeNotCertified]; when the time ends it is a *TimeoutError: ask again later.
func (s *EvidenceService) WaitUntilSealed(ctx context.Context, id string, within time.Duration) (*Message, error) {
	settings := &s.client.settings
	deadline := settings.clock().Add(within)
	for n := 0; ; n++ {
		message, err := s.client.Messages.Get(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case message.SealedAt.IsSet():
			return message, nil
		case !message.Certified:
			return message, kindOf(&APIError{
				Status: statusOf(CodeNotCertified), Code: CodeNotCertified, Fix: fixOf(CodeNotCertified),
				Message: "A plain message is never sealed.", Attempts: n + 1, Operation: sealWait,
			})
		}
		pause := sealPauses[min(n, len(sealPauses)-1)]
		if settings.clock().Add(pause).After(deadline) {
			return message, &TimeoutError{&ConnectionError{
				Phase: PhaseReceive, Attempts: n + 1, Operation: sealWait,
				text: fmt.Sprintf("the message was not sealed within %s: ask again later", within),
			}}
		}
		if err := settings.sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}
