package acuse

import (
	"fmt"
	"log/slog"
	"time"
)

// Error is what every error of this library is. Look for the kind with errors.As: *APIError for each refusal
// of the server, or one of its kinds (*RefusedError, …); *ConnectionError; *ProtocolError; and
// *ConfigurationError, for which nothing was requested.
type Error interface {
	error
	acuseError()
}

// ConfigurationError says that a client or a call was not set up rightly. Nothing was requested.
type ConfigurationError struct {
	Message string
}

func (e *ConfigurationError) Error() string { return "acuse: " + e.Message }
func (*ConfigurationError) acuseError()     {}

// Phase is how far a request came.
type Phase string

// The phases of a request.
const (
	PhaseConnect Phase = "connect"
	PhaseTLS     Phase = "tls"
	PhaseSend    Phase = "send"
	PhaseReceive Phase = "receive"
)

// ConnectionError says that no whole answer came.
type ConnectionError struct {
	// Phase is how far the last attempt came.
	Phase Phase
	// OutcomeUnknown: the request may have had its effect. Send again with IdempotencyKey.
	OutcomeUnknown bool
	// IdempotencyKey is the key of a send, given or made.
	IdempotencyKey string
	// Attempts is how many were made.
	Attempts int
	// Operation is the resource and the method: messages.send.
	Operation string
	text      string
	cause     error
}

func (e *ConnectionError) Error() string {
	text := fmt.Sprintf("acuse: %s: no answer (%s): %s", e.Operation, e.Phase, e.text)
	if !e.OutcomeUnknown {
		return text
	}
	if e.IdempotencyKey != "" {
		return text + "; it may have been accepted: send it again with the key " + e.IdempotencyKey
	}
	return text + "; it may have been done"
}

// Unwrap returns what the network said: context.Canceled after a cancelled call.
func (e *ConnectionError) Unwrap() error { return e.cause }
func (*ConnectionError) acuseError()     {}

// TimeoutError is a ConnectionError: time ended first.
type TimeoutError struct{ *ConnectionError }

// Unwrap returns the ConnectionError.
func (e *TimeoutError) Unwrap() error { return e.ConnectionError }

// Timeout is true, as net.Error has it.
func (*TimeoutError) Timeout() bool { return true }

// ProtocolError says that an answer is not what the contract says.
type ProtocolError struct {
	Message        string
	Status         int
	RequestID      string
	OutcomeUnknown bool
	IdempotencyKey string
	Attempts       int
	Operation      string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("acuse: %s: %s (status %d, request %s)", e.Operation, e.Message, e.Status, e.RequestID)
}
func (*ProtocolError) acuseError() {}

// APIError is a refusal of the server, whatever its kind.
type APIError struct {
	Status int
	// Code is one of the constants Code…, or one that a later server knows.
	Code string
	// Message is the server's, for people.
	Message string
	// Fix says what to do, for codes that this library knows.
	Fix       string
	RequestID string
	// RetryAfter is how long the server asks to wait; 0 when it does not.
	RetryAfter     time.Duration
	IdempotencyKey string
	Attempts       int
	Operation      string
	// OutcomeUnknown: an attempt of the call may have had its effect.
	OutcomeUnknown bool
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("acuse: %s: %d %s: %s", e.Operation, e.Status, e.Code, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}
func (*APIError) acuseError() {}

// LogValue is what log/slog shows.
func (e *APIError) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("operation", e.Operation), slog.Int("status", e.Status), slog.String("code", e.Code),
		slog.String("message", e.Message), slog.String("request_id", e.RequestID),
	)
}
