// Command shim drives this library for the conformance suite: sdks/conformance/README.md has its protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"acuse.dev/go"
)

const lineSizeMax = 256 << 20 // bytes of a request

type request struct {
	ID      json.RawMessage `json:"id"`
	Op      string          `json:"op"`
	Options json.RawMessage `json:"options"`
	Args    json.RawMessage `json:"args"`
}

type answer struct {
	ID       json.RawMessage `json:"id"`
	Result   any             `json:"result"`
	Error    map[string]any  `json:"error,omitempty"`
	Attempts []any           `json:"attempts"`
	Sleeps   []int64         `json:"sleeps"`
}

// call is one request with the view of the client that records for it.
type call struct {
	ctx      context.Context
	client   *acuse.Client
	args     json.RawMessage
	mu       sync.Mutex
	attempts []any
	sleeps   []int64
}

var errShim = errors.New("shim")

func shimError(format string, values ...any) error {
	return fmt.Errorf("%w: %s", errShim, fmt.Sprintf(format, values...))
}

func main() {
	var out sync.Mutex
	var running sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), lineSizeMax)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		line := append([]byte(nil), lines.Bytes()...)
		running.Add(1)
		go func() {
			defer running.Done()
			result := handle(line)
			out.Lock()
			defer out.Unlock()
			if err := encoder.Encode(result); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
	running.Wait()
}

func handle(line []byte) (out answer) {
	var ask request
	if err := json.Unmarshal(line, &ask); err != nil {
		return answer{Error: errorFields(shimError("the line is not a request: %v", err))}
	}
	c := &call{ctx: context.Background(), args: ask.Args, attempts: []any{}, sleeps: []int64{}}
	if len(c.args) == 0 {
		c.args = json.RawMessage("{}")
	}
	defer func() {
		if fault := recover(); fault != nil {
			out = answer{ID: ask.ID, Error: errorFields(shimError("%v", fault))}
		}
	}()
	var ended time.Time
	var limits struct {
		CancelAfter *int64 `json:"cancel_after_ms"`
	}
	_ = json.Unmarshal(c.args, &limits)
	if limits.CancelAfter != nil {
		ctx, cancel := context.WithCancel(c.ctx)
		c.ctx = ctx
		time.AfterFunc(time.Duration(*limits.CancelAfter)*time.Millisecond, func() {
			ended = time.Now()
			cancel()
		})
	}
	result, err := c.run(ask)
	out = answer{ID: ask.ID, Result: result, Attempts: c.attempts, Sleeps: c.sleeps}
	if err != nil {
		out.Result, out.Error = nil, errorFields(err)
		if !ended.IsZero() {
			out.Error["elapsed_ms"] = time.Since(ended).Milliseconds()
		}
	}
	return out
}

func (c *call) run(ask request) (any, error) {
	if known, ok := localOps[ask.Op]; ok {
		return known(c)
	}
	known, ok := clientOps[ask.Op]
	if !ok {
		return nil, shimError("the op %s is not known", ask.Op)
	}
	if err := c.connect(ask.Options); err != nil {
		return nil, err
	}
	return known(c)
}

// errorFields is an error as the protocol has it.
func errorFields(err error) map[string]any {
	out := map[string]any{"class": className(err), "text": err.Error()}
	var connection *acuse.ConnectionError
	var protocol *acuse.ProtocolError
	var api *acuse.APIError
	switch {
	case errors.As(err, &connection):
		out["phase"], out["outcome_unknown"] = connection.Phase, connection.OutcomeUnknown
		out["idempotency_key"], out["attempts"] = key(connection.IdempotencyKey), connection.Attempts
		out["message"] = err.Error()
	case errors.As(err, &protocol):
		out["outcome_unknown"], out["status"] = protocol.OutcomeUnknown, protocol.Status
		out["idempotency_key"], out["attempts"] = key(protocol.IdempotencyKey), protocol.Attempts
		out["request_id"], out["message"] = protocol.RequestID, protocol.Message
	case errors.As(err, &api):
		out["status"], out["code"], out["message"], out["fix"] = api.Status, api.Code, api.Message, api.Fix
		out["request_id"], out["attempts"] = api.RequestID, api.Attempts
		out["outcome_unknown"], out["idempotency_key"] = api.OutcomeUnknown, key(api.IdempotencyKey)
		if api.RetryAfter > 0 {
			out["retry_after"] = api.RetryAfter.Seconds()
		}
		if api.Code == "" {
			out["code"] = nil
		}
	}
	if reason := reasonOf(err); reason != "" {
		out["reason"] = reason
	}
	return out
}

func key(text string) any {
	if text == "" {
		return nil
	}
	return text
}
