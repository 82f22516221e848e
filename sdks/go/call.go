package acuse

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	bodyPerSecond = 256 << 10 // bytes of a body that give an attempt one second more
	jsonSizeMax   = 16 << 20  // bytes of a JSON answer
	bytesSizeMax  = 160 << 20 // bytes of other answers that are kept in memory
)

// operation is a row of the contract.
type operation struct {
	name, id, method, path string
	class, accept, media   string
	success                []int
}

// request is one call: an operation with what the caller gave.
type request struct {
	op    *operation
	path  []string
	query url.Values
	body  any
	key   string
	// stream takes the body of a success in place of memory.
	stream func(*http.Response, *pulse) error
}

// Answer says which answer a result came in.
type Answer struct {
	Status    int
	RequestID string
	Header    http.Header
	// Attempts is how many the call took.
	Attempts int
}

// AttemptInfo is what the function of WithOnAttempt gets.
type AttemptInfo struct {
	Operation string
	Attempt   int
	Status    int
	Code      string
	RequestID string
	Duration  time.Duration
	// RetryIn is set when there will be another attempt.
	RetryIn Opt[time.Duration]
	// Err is what failed; nil after a success.
	Err error
}

func (c *Client) callNothing(ctx context.Context, ask request) error {
	_, _, err := c.call(ctx, ask, nil)
	return err
}

func (c *Client) callBytes(ctx context.Context, ask request) ([]byte, error) {
	data, _, err := c.call(ctx, ask, nil)
	return data, err
}

func (c *Client) callJSON(ctx context.Context, ask request, into any) (Answer, error) {
	_, answer, err := c.call(ctx, ask, func(data []byte) error {
		if err := sound(data); err != nil {
			return err
		}
		return json.Unmarshal(data, into)
	})
	return answer, err
}

// running is the state of one call between its attempts.
type running struct {
	ask      request
	body     []byte
	target   string
	deadline time.Time
	attempt  int
	unknown  bool // an earlier attempt may have had its effect
	spent    int  // tokens, by the retries of this call
}

func (c *Client) call(ctx context.Context, ask request, read func([]byte) error) ([]byte, Answer, error) {
	run := &running{ask: ask, deadline: c.settings.clock().Add(c.settings.deadline)}
	if err := c.prepare(run); err != nil {
		return nil, Answer{}, err
	}
	if ctx.Err() != nil {
		return nil, Answer{}, c.failure(run, attemptResult{
			outcome: outcome{kind: cancelled}, phase: PhaseConnect, err: context.Cause(ctx), unsent: true,
		})
	}
	for {
		run.attempt++
		began := c.settings.clock()
		result := c.attempt(ctx, run, read)
		result.took = c.settings.clock().Sub(began)
		done, next := c.judge(run, result)
		c.tell(run, result, next, done)
		switch {
		case done:
			result.answer.Attempts = run.attempt
			c.shared.budget.succeeded(run.spent)
			return result.body, result.answer, nil
		case !next.retry:
			return nil, Answer{}, c.failure(run, result)
		}
		if err := c.settings.sleep(ctx, time.Duration(next.delay)*time.Millisecond); err != nil {
			result.outcome, result.err = outcome{kind: cancelled}, err
			return nil, Answer{}, c.failure(run, result)
		}
	}
}

// judge says whether the call is done, and if not, what decide says.
func (c *Client) judge(run *running, result attemptResult) (bool, decision) {
	if result.outcome.kind == answered && result.ok {
		return true, decision{}
	}
	if run.ask.op.method == http.MethodDelete && run.unknown && result.outcome.status == http.StatusNotFound {
		return true, decision{}
	}
	now := c.settings.clock()
	next, cost := c.shared.budget.decide(decisionInput{
		class: run.ask.op.class, outcome: result.outcome, attempt: run.attempt,
		maxRetries: c.settings.maxRetries, header: result.answer.Header.Get, u: c.settings.random(),
		timeLeft: run.deadline.Sub(now).Milliseconds(), now: now.UnixMilli(),
	})
	run.unknown = run.unknown || run.mayHaveDone(result)
	if next.retry {
		run.spent += cost
	}
	return false, next
}

func (c *Client) prepare(run *running) error {
	target := *c.settings.base
	path := run.ask.op.path
	for _, value := range run.ask.path {
		start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		escaped, err := pathValue(path[start+1:end], value)
		if err != nil {
			return err
		}
		path = path[:start] + escaped + path[end+1:]
	}
	run.target = target.String() + path
	if encoded := run.ask.query.Encode(); encoded != "" {
		run.target += "?" + encoded
	}
	if run.ask.key != "" && !validKey(run.ask.key) {
		return refused("an idempotency key is 1 to 255 printable ASCII characters")
	}
	switch body := run.ask.body.(type) {
	case nil:
		return nil
	case []byte:
		run.body = body
		return nil
	default:
		encoded, err := json.Marshal(body)
		if err != nil {
			return refused("the request cannot be written: " + err.Error())
		}
		run.body = encoded
		return nil
	}
}

// pathValue escapes a parameter of the path. That of a tile has slashes of its own.
func pathValue(name, value string) (string, error) {
	if value == "" {
		return "", refused("the parameter " + name + " is empty")
	}
	pieces := []string{value}
	if name == "path" {
		pieces = strings.Split(value, "/")
	}
	for n, piece := range pieces {
		if piece == "" || piece == "." || piece == ".." {
			return "", refused("the parameter " + name + " would name another path")
		}
		pieces[n] = url.PathEscape(piece)
	}
	return strings.Join(pieces, "/"), nil
}

// keyLengthMax is how long an idempotency key may be, in characters (docs/limits.md).
const keyLengthMax = 255

func validKey(key string) bool {
	if key == "" || len(key) > keyLengthMax {
		return false
	}
	return !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
}

// tell calls the hook; what it throws changes nothing.
func (c *Client) tell(run *running, result attemptResult, next decision, done bool) {
	if c.settings.onAttempt == nil {
		return
	}
	info := AttemptInfo{
		Operation: run.ask.op.name, Attempt: run.attempt, Status: result.answer.Status,
		Code: result.outcome.code, RequestID: result.answer.RequestID, Duration: result.took,
	}
	if next.retry {
		info.RetryIn = Some(time.Duration(next.delay) * time.Millisecond)
	}
	if !done {
		info.Err = c.failure(run, result)
	}
	defer func() { _ = recover() }()
	c.settings.onAttempt(info)
}

// mayHaveDone is false for a read, which changes nothing.
func (run *running) mayHaveDone(result attemptResult) bool {
	return run.ask.op.class != "safe" && result.outcome.unknown() && !result.unsent
}

// failure is the error of a call whose last attempt ended so.
func (c *Client) failure(run *running, result attemptResult) error {
	unknown := run.unknown || run.mayHaveDone(result)
	op := run.ask.op.name
	switch result.outcome.kind {
	case malformed:
		return &ProtocolError{
			Message: masked(result.err.Error(), c.settings.apiKey()), Status: result.answer.Status,
			RequestID: result.answer.RequestID, OutcomeUnknown: unknown, IdempotencyKey: run.ask.key,
			Attempts: run.attempt, Operation: op,
		}
	case answered:
		return kindOf(&APIError{
			Status: result.answer.Status, Code: result.outcome.code, Fix: fixOf(result.outcome.code),
			Message: masked(result.message, c.settings.apiKey()), RequestID: result.answer.RequestID,
			RetryAfter: c.retryAfter(result), IdempotencyKey: run.ask.key, Attempts: run.attempt,
			Operation: op, OutcomeUnknown: unknown,
		})
	default:
		lost := &ConnectionError{
			Phase: result.phase, OutcomeUnknown: unknown, IdempotencyKey: run.ask.key, Attempts: run.attempt,
			Operation: op, text: masked(result.err.Error(), c.settings.apiKey()), cause: result.err,
		}
		if result.late {
			return &TimeoutError{lost}
		}
		return lost
	}
}

func (c *Client) retryAfter(result attemptResult) time.Duration {
	header := result.answer.Header
	wait := retryAfterMS(header.Get("Retry-After"), header.Get("Date"), c.settings.clock().UnixMilli())
	return time.Duration(max(0, wait)) * time.Millisecond
}
