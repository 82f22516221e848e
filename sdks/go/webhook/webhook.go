// Package webhook verifies the deliveries of Acuse's webhooks.
//
//	body, err := io.ReadAll(request.Body)
//	event, err := webhook.Verify(body, request.Header, secret)
//
// The body must be the bytes as they came: JSON that was decoded and encoded again has another signature.
package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"acuse.dev/go"
)

const (
	defaultTolerance = 300 * time.Second
	signaturesMax    = 10      // of one delivery, that are looked at
	timestampDigits  = 12      // of webhook-timestamp, at most
	bodySizeMax      = 1 << 20 // bytes that VerifyRequest reads; deliveries are far smaller
)

// Reason says why a delivery was refused.
type Reason string

// The reasons of an Error.
const (
	BadSecret       Reason = "bad_secret"
	MissingHeader   Reason = "missing_header"
	MalformedHeader Reason = "malformed_header"
	Unstamped       Reason = "unstamped"
	TooOld          Reason = "too_old"
	TooNew          Reason = "too_new"
	NoMatch         Reason = "no_match"
	MalformedBody   Reason = "malformed_body"
	ParsedBody      Reason = "parsed_body"
)

// Error says why a delivery was refused: answer 400 and do nothing with it.
type Error struct {
	Reason  Reason
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("acuse: webhook refused (%s): %s", e.Reason, e.Message)
}

func refuse(reason Reason, message string) error { return &Error{reason, message} }

// Event is a delivery that was verified.
type Event struct {
	// Type is such as "email.bounced". A later server sends types that this library does not know.
	Type      string
	CreatedAt acuse.Time
	// Data is the JSON of the event's data. Typed reads it.
	Data json.RawMessage
	// EventID is the same in every delivery of one event: remember it, and do nothing the second time. It is
	// empty only with AcceptUnstamped, for a body without data.event_id: two events without an id are not one.
	EventID string
	// ReplayProtected: the signature covers the time of the delivery. False only with AcceptUnstamped.
	ReplayProtected bool
	// Extra holds the fields beside type, created_at and data.
	Extra map[string]json.RawMessage
}

// Typed reads the data: *acuse.EmailSentData, *acuse.EmailBouncedData and so on. It is nil for a type that
// this library does not know.
func (e *Event) Typed() (any, error) {
	data := acuse.NewEventData(e.Type)
	if data == nil {
		return nil, nil
	}
	if err := json.Unmarshal(e.Data, data); err != nil {
		return nil, refuse(MalformedBody, "data is not what the contract says: "+err.Error())
	}
	return data, nil
}

// String shows which event it is, not what it says.
func (e *Event) String() string { return fmt.Sprintf("webhook.Event{%s %s}", e.Type, e.EventID) }

// Format prints String for every verb.
func (e *Event) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, e.String()) }

// LogValue is what log/slog shows.
func (e *Event) LogValue() slog.Value { return slog.StringValue(e.String()) }

// Option changes how deliveries are verified.
type Option func(*verifier)

type verifier struct {
	secrets   []string
	tolerance time.Duration
	now       func() time.Time
	unstamped bool
}

// WithSecrets accepts further secrets, such as the one before a rotation.
func WithSecrets(secrets ...string) Option {
	return func(v *verifier) { v.secrets = append(v.secrets, secrets...) }
}

// WithTolerance sets how far the time of a delivery may be from now; 300 s by default.
func WithTolerance(tolerance time.Duration) Option {
	return func(v *verifier) { v.tolerance = tolerance }
}

// WithClock replaces the clock, for tests.
func WithClock(now func() time.Time) Option { return func(v *verifier) { v.now = now } }

// AcceptUnstamped also accepts deliveries that carry Service-Signature alone. It covers no time: whoever
// records one such delivery can repeat it for ever. Its EventID may be empty.
func AcceptUnstamped() Option { return func(v *verifier) { v.unstamped = true } }

// Verify checks a delivery and returns its event. An error is an *Error.
func Verify(body []byte, header http.Header, secret string, options ...Option) (*Event, error) {
	v := verifier{tolerance: defaultTolerance, now: time.Now}
	if secret != "" {
		v.secrets = []string{secret}
	}
	for _, option := range options {
		option(&v)
	}
	keys, err := v.keys()
	if err != nil {
		return nil, err
	}
	given := lowered(header)
	id, stamp, signature := given["webhook-id"], given["webhook-timestamp"], given["webhook-signature"]
	if id == "" || stamp == "" || signature == "" {
		if id+stamp+signature != "" {
			return nil, refuse(MissingHeader, "webhook-id, webhook-timestamp and webhook-signature are needed")
		}
		return v.verifyUnstamped(body, given)
	}
	if err := v.checkTime(stamp); err != nil {
		return nil, err
	}
	signed := []byte(id + "." + stamp + ".")
	if !matches(append(signed, body...), signature, keys) {
		return nil, refuse(NoMatch, "no signature was made with this secret over these bytes: "+
			"verify the body as it came, before anything decodes it")
	}
	return read(body, id)
}

// VerifyRequest reads the body of a request and verifies it.
func VerifyRequest(request *http.Request, secret string, options ...Option) (*Event, error) {
	if request.Body == nil {
		return nil, refuse(ParsedBody, "the request has no body")
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, bodySizeMax+1))
	if err != nil || len(body) > bodySizeMax {
		return nil, refuse(MalformedBody, "the body cannot be read, or is over 1 MiB")
	}
	if len(body) == 0 {
		return nil, refuse(ParsedBody, "the body was read before: call io.ReadAll(request.Body) first, "+
			"then webhook.Verify with those bytes, and decode them afterwards")
	}
	return Verify(body, request.Header, secret, options...)
}

func (v *verifier) keys() ([][]byte, error) {
	if len(v.secrets) == 0 {
		return nil, refuse(BadSecret, "no secret is given")
	}
	keys := make([][]byte, len(v.secrets))
	for n, secret := range v.secrets {
		text, ok := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.Strict().DecodeString(text)
		if !ok || err != nil || len(key) == 0 || strings.ContainsAny(text, "\r\n") {
			return nil, refuse(BadSecret, "a secret is whsec_ and base64, as the webhook's creation returned it")
		}
		keys[n] = key
	}
	return keys, nil
}

func lowered(header http.Header) map[string]string {
	found := map[string]string{}
	for name, values := range header {
		if len(values) > 0 && found[strings.ToLower(name)] == "" {
			found[strings.ToLower(name)] = values[0]
		}
	}
	return found
}

func (v *verifier) checkTime(stamp string) error {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || len(stamp) > timestampDigits || strings.Trim(stamp, "0123456789") != "" {
		return refuse(MalformedHeader, "webhook-timestamp is not a number of seconds")
	}
	now, tolerance := v.now().Unix(), int64(v.tolerance/time.Second)
	switch {
	case now-seconds > tolerance:
		return refuse(TooOld, "the delivery is older than the tolerance: it may be a replay, or this clock is wrong")
	case seconds-now > tolerance:
		return refuse(TooNew, "the delivery is from the future: this clock is wrong")
	default:
		return nil
	}
}

func sum(key, data []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return mac.Sum(nil)
}

func matches(signed []byte, header string, keys [][]byte) bool {
	found := false
	parts := strings.FieldsFunc(header, func(r rune) bool { return r == ' ' })
	for _, part := range parts[:min(len(parts), signaturesMax)] {
		for _, key := range keys {
			expected := "v1," + base64.StdEncoding.EncodeToString(sum(key, signed))
			found = hmac.Equal([]byte(part), []byte(expected)) || found
		}
	}
	return found
}

func (v *verifier) verifyUnstamped(body []byte, given map[string]string) (*Event, error) {
	now, before := given["service-signature"], given["service-signature-previous"]
	if now+before == "" {
		return nil, refuse(MissingHeader, "the request carries no signature")
	}
	if !v.unstamped {
		return nil, refuse(Unstamped, "Service-Signature covers no time, so that a delivery could be replayed: "+
			"the webhook- headers are missing")
	}
	found := false
	for _, secret := range v.secrets {
		expected := []byte("sha256=" + hex.EncodeToString(sum([]byte(secret), body)))
		found = hmac.Equal([]byte(now), expected) || found
		found = hmac.Equal([]byte(before), expected) || found
	}
	if !found {
		return nil, refuse(NoMatch, "the signature was not made with this secret over these bytes")
	}
	return read(body, "")
}

// read makes the event of a body whose signature holds.
func read(body []byte, id string) (*Event, error) {
	bad := refuse(MalformedBody, "the body is not an event: type, created_at and data are needed")
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return nil, bad
	}
	event := &Event{Data: members["data"], EventID: id, ReplayProtected: id != ""}
	if !text(members["type"], &event.Type) || !text(members["created_at"], (*string)(&event.CreatedAt)) {
		return nil, bad
	}
	var data map[string]json.RawMessage
	if json.Unmarshal(event.Data, &data) != nil || data == nil {
		return nil, bad
	}
	if id == "" {
		text(data["event_id"], &event.EventID)
	}
	for _, known := range []string{"type", "created_at", "data"} {
		delete(members, known)
	}
	if len(members) > 0 {
		event.Extra = members
	}
	return event, nil
}

func text(raw json.RawMessage, into *string) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'"'}) && json.Unmarshal(raw, into) == nil
}
