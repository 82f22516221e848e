package acuse

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// attemptResult is how one attempt ended.
type attemptResult struct {
	outcome outcome
	ok      bool // the success that the contract says
	answer  Answer
	body    []byte
	message string // of the server's refusal
	phase   Phase
	err     error
	late    bool // time ended
	unsent  bool // nothing was sent
	took    time.Duration
}

// codePattern is what a code of the API looks like.
var codePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

var errAttemptTime = errors.New("the time of the attempt ended")

// progress is what httptrace says about an attempt, from other goroutines.
type progress struct{ connected, wrote, tlsBad atomic.Bool }

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { p.connected.Store(true) },
		// Without it net/http counts all interim answers against the size of one header.
		Got1xxResponse: func(int, textproto.MIMEHeader) error { return nil },
		WroteRequest:   func(httptrace.WroteRequestInfo) { p.wrote.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			p.tlsBad.Store(err != nil && isHandshakeFailure(err))
		},
	}
}

// isHandshakeFailure tells a peer that cannot be trusted or understood from a connection that broke.
func isHandshakeFailure(err error) bool {
	var network net.Error
	var alert tls.AlertError
	if errors.As(err, &alert) {
		return true
	}
	broken := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network)
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	return !broken || errors.As(err, &invalid) || errors.As(err, &unknown) || errors.As(err, &name)
}

// pulse ends an attempt that takes too long: as a whole, or, in a download, between two reads.
type pulse struct {
	timer *time.Timer
	cease context.CancelCauseFunc
}

// every gives the attempt this long from now.
func (p *pulse) every(pause time.Duration) { p.timer.Reset(pause) }

func (c *Client) attempt(ctx context.Context, run *running, read func([]byte) error) attemptResult {
	select {
	case c.shared.slots <- struct{}{}:
		defer func() { <-c.shared.slots }()
	case <-ctx.Done():
		return attemptResult{outcome: outcome{kind: cancelled}, phase: PhaseConnect, err: ctx.Err(), unsent: true}
	}
	defer c.shared.tracker.begin()()
	limit := c.settings.timeout + time.Duration(len(run.body)/bodyPerSecond)*time.Second
	limit = max(time.Millisecond, min(limit, run.deadline.Sub(c.settings.clock())))
	inner, cease := context.WithCancelCause(ctx)
	defer cease(nil)
	beat := &pulse{timer: time.AfterFunc(limit, func() { cease(errAttemptTime) }), cease: cease}
	defer beat.timer.Stop()
	seen := &progress{}
	ask, err := c.httpRequest(httptrace.WithClientTrace(inner, seen.trace()), run)
	if err != nil {
		return attemptResult{outcome: outcome{kind: tlsFailed}, phase: PhaseConnect, err: err, unsent: true}
	}
	response, err := c.shared.http.Do(ask)
	if err != nil {
		return c.lost(ctx, inner, seen, err)
	}
	defer func() { _ = response.Body.Close() }()
	result := c.receive(run, response, beat, read)
	if result.outcome.kind == lostAnswer {
		seen.wrote.Store(true)
		seen.connected.Store(true)
		return c.lost(ctx, inner, seen, result.err)
	}
	return result
}

func (c *Client) httpRequest(ctx context.Context, run *running) (*http.Request, error) {
	var body io.Reader
	if run.body != nil {
		body = bytes.NewReader(run.body)
	}
	ask, err := http.NewRequestWithContext(ctx, run.ask.op.method, run.target, body)
	if err != nil {
		return nil, err
	}
	header := ask.Header
	header.Set("Authorization", "Bearer "+c.settings.apiKey())
	header.Set("User-Agent", c.UserAgent())
	header.Set("Acuse-Attempt", strconv.Itoa(run.attempt))
	if run.ask.op.accept != "" {
		header.Set("Accept", run.ask.op.accept)
	}
	if run.body != nil {
		header.Set("Content-Type", run.ask.op.media)
	}
	if run.ask.key != "" {
		header.Set("Idempotency-Key", run.ask.key)
	}
	return ask, nil
}

// lost says how an attempt without a whole answer ended.
func (c *Client) lost(ctx, inner context.Context, seen *progress, err error) attemptResult {
	result := attemptResult{err: bare(err), unsent: !seen.connected.Load()}
	late := errors.Is(context.Cause(inner), errAttemptTime)
	switch {
	case ctx.Err() != nil:
		result.outcome, result.err = outcome{kind: cancelled}, context.Cause(ctx)
		result.phase = seen.phase()
		result.late = errors.Is(ctx.Err(), context.DeadlineExceeded)
	case !seen.connected.Load() && (seen.tlsBad.Load() || isCertificateError(err)):
		result.outcome, result.phase = outcome{kind: tlsFailed}, PhaseTLS
	case !seen.connected.Load():
		var network net.Error
		result.outcome, result.phase = outcome{kind: noConnection}, PhaseConnect
		result.late = late || errors.As(err, &network) && network.Timeout()
	case late:
		result.outcome, result.phase, result.late = outcome{kind: timedOut}, seen.phase(), true
		result.err = errAttemptTime
	default:
		result.outcome, result.phase = outcome{kind: lostAnswer}, seen.phase()
	}
	return result
}

func (p *progress) phase() Phase {
	switch {
	case !p.connected.Load():
		return PhaseConnect
	case !p.wrote.Load():
		return PhaseSend
	default:
		return PhaseReceive
	}
}

func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &verification) || errors.As(err, &record)
}

// bare takes away the method and address that net/http puts before its errors.
func bare(err error) error {
	var outer interface{ Unwrap() error }
	if errors.As(err, &outer) && strings.Contains(fmt.Sprintf("%T", err), "url.Error") {
		return outer.Unwrap()
	}
	return err
}

func (c *Client) receive(
	run *running, response *http.Response, beat *pulse, read func([]byte) error,
) attemptResult {
	result := attemptResult{phase: PhaseReceive, answer: Answer{
		Status: response.StatusCode, RequestID: strings.Map(plain, response.Header.Get("Request-Id")), Header: response.Header,
	}}
	result.outcome = outcome{kind: answered, status: response.StatusCode}
	good := slices.Contains(run.ask.op.success, response.StatusCode)
	if good && run.ask.stream != nil {
		result.err = run.ask.stream(response, beat)
		result.ok = result.err == nil
		if isLocal(result.err) {
			result.outcome = outcome{kind: tlsFailed}
		} else if result.err != nil {
			result.outcome.kind = lostAnswer
		}
		return result
	}
	limit := int64(jsonSizeMax)
	if good && read == nil {
		limit = bytesSizeMax
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		result.outcome.kind, result.err = lostAnswer, err
	case int64(len(body)) > limit:
		result.outcome.kind, result.err = malformed, fmt.Errorf("the answer is over %d MiB", limit>>20)
	case good:
		result.accept(body, read)
	case response.StatusCode < 400:
		result.outcome.kind = malformed
		result.err = fmt.Errorf("the status %d is not one that the contract has here", response.StatusCode)
	default:
		result.refuse(body)
	}
	return result
}

// accept reads the body of a success.
func (r *attemptResult) accept(body []byte, read func([]byte) error) {
	if read != nil {
		if err := read(body); err != nil {
			r.outcome.kind, r.err = malformed, fmt.Errorf("the answer is not what the contract says: %w", err)
			return
		}
	}
	r.ok, r.body = true, body
}

// refuse reads the envelope of an error; anything else, such as a proxy's page, is not shown.
func (r *attemptResult) refuse(body []byte) {
	var envelope struct {
		Error struct {
			Code    string  `json:"code"`
			Message *string `json:"message"`
		} `json:"error"`
	}
	known := sound(body) == nil && json.Unmarshal(body, &envelope) == nil
	if !known || !codePattern.MatchString(envelope.Error.Code) || envelope.Error.Message == nil {
		r.outcome.code, r.message = fmt.Sprintf("http_%d", r.answer.Status), http.StatusText(r.answer.Status)
		return
	}
	r.outcome.code, r.message = envelope.Error.Code, *envelope.Error.Message
}
