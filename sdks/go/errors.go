package acuse

import (
	"fmt"
	"log/slog"
	"slices"
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

// InvalidRequestError is 400, 405, 408, 413 or 415: the request must change.
type InvalidRequestError struct{ *APIError }

// Unwrap returns the APIError.
func (e *InvalidRequestError) Unwrap() error { return e.APIError }

// AuthenticationError is 401.
type AuthenticationError struct{ *APIError }

// Unwrap returns the APIError.
func (e *AuthenticationError) Unwrap() error { return e.APIError }

// PermissionError is 403.
type PermissionError struct{ *APIError }

// Unwrap returns the APIError.
func (e *PermissionError) Unwrap() error { return e.APIError }

// NotFoundError is 404.
type NotFoundError struct{ *APIError }

// Unwrap returns the APIError.
func (e *NotFoundError) Unwrap() error { return e.APIError }

// ConflictError is 409.
type ConflictError struct{ *APIError }

// Unwrap returns the APIError.
func (e *ConflictError) Unwrap() error { return e.APIError }

// RefusedError is 422: the request is well-formed, and what it asks for is refused.
type RefusedError struct{ *APIError }

// Unwrap returns the APIError.
func (e *RefusedError) Unwrap() error { return e.APIError }

// QuotaExceededError is 429 with the code quota_exceeded.
type QuotaExceededError struct{ *APIError }

// Unwrap returns the APIError.
func (e *QuotaExceededError) Unwrap() error { return e.APIError }

// RateLimitedError is 429 otherwise.
type RateLimitedError struct{ *APIError }

// Unwrap returns the APIError.
func (e *RateLimitedError) Unwrap() error { return e.APIError }

// ServerError is 5xx otherwise than 503.
type ServerError struct{ *APIError }

// Unwrap returns the APIError.
func (e *ServerError) Unwrap() error { return e.APIError }

// UnavailableError is 503.
type UnavailableError struct{ *APIError }

// Unwrap returns the APIError.
func (e *UnavailableError) Unwrap() error { return e.APIError }

// kindOf gives a refusal its kind: by its status, and 429 by its code.
func kindOf(e *APIError) error {
	switch {
	case e.Status == 401:
		return &AuthenticationError{e}
	case e.Status == 403:
		return &PermissionError{e}
	case e.Status == 404:
		return &NotFoundError{e}
	case e.Status == 409:
		return &ConflictError{e}
	case e.Status == 422:
		return &RefusedError{e}
	case e.Status == 429 && e.Code == CodeQuotaExceeded:
		return &QuotaExceededError{e}
	case e.Status == 429:
		return &RateLimitedError{e}
	case e.Status == 503:
		return &UnavailableError{e}
	case e.Status >= 500:
		return &ServerError{e}
	case slices.Contains([]int{400, 405, 408, 413, 415}, e.Status):
		return &InvalidRequestError{e}
	default:
		return e
	}
}
