// Package acusetest has what tests of a program that uses Acuse need: a service in memory, signed webhook
// deliveries, and the addresses of the sandbox.
package acusetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"acuse.dev/go"
)

// Fake is a service in memory that takes sends and batches: it knows keys, replays and the refusals that a test
// scripts.
//
//	fake := acusetest.New()
//	c, err := acuse.New(fake.Options()...)
type Fake struct {
	mu      sync.Mutex
	byKey   map[string]sent
	order   []json.RawMessage
	refuse  []Refusal
	created int
}

type sent struct {
	body    string // its fields in order of their names
	message []byte
}

// Refusal is an answer that a test scripts.
type Refusal struct {
	Status     int
	Code       string
	Message    string
	RetryAfter int // seconds
}

// New makes an empty service.
func New() *Fake { return &Fake{byKey: map[string]sent{}} }

// Options set up a client that speaks to the service and never waits between its attempts.
func (f *Fake) Options() []acuse.Option {
	return []acuse.Option{
		acuse.WithAPIKey("acuse_00000000_fake"), acuse.WithBaseURL("http://localhost:8025"),
		acuse.WithHTTPClient(&http.Client{Transport: f}), acuse.WithSleep(acuse.NoSleep),
	}
}

// Refuse gives the next requests these answers, one after the other.
func (f *Fake) Refuse(refusals ...Refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = append(f.refuse, refusals...)
}

// Sent are the bodies of the messages that were accepted, each once, in order.
func (f *Fake) Sent() []json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]json.RawMessage(nil), f.order...)
}

// RoundTrip answers a request: it makes the Fake a transport of net/http.
func (f *Fake) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		read, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		body = read
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.refuse) > 0 {
		refusal := f.refuse[0]
		f.refuse = f.refuse[1:]
		return refusal.response(request), nil
	}
	switch {
	case request.Method == http.MethodPost && request.URL.Path == "/v1/messages":
		return f.send(request, body), nil
	case request.Method == http.MethodPost && request.URL.Path == "/v1/messages/batch":
		return f.batch(request, body), nil
	case request.Method == http.MethodGet && strings.HasPrefix(request.URL.Path, "/v1/messages/"):
		for _, each := range f.byKey {
			if bytes.Contains(each.message, []byte(`"id":"`+strings.TrimPrefix(request.URL.Path, "/v1/messages/")+`"`)) {
				return response(request, http.StatusOK, each.message), nil
			}
		}
	}
	return Refusal{404, acuse.CodeNotFound, "The fake service has no such thing.", 0}.response(request), nil
}

func (f *Fake) send(request *http.Request, body []byte) *http.Response {
	message, replayed, refusal := f.accept(request.Header.Get("Idempotency-Key"), body)
	if refusal != nil {
		return refusal.response(request)
	}
	if !replayed {
		return response(request, http.StatusCreated, message)
	}
	answer := response(request, http.StatusOK, message)
	answer.Header.Set("Idempotent-Replayed", "true")
	return answer
}

func (f *Fake) batch(request *http.Request, body []byte) *http.Response {
	var asked struct{ Messages []map[string]json.RawMessage }
	if err := json.Unmarshal(body, &asked); err != nil {
		return Refusal{400, acuse.CodeInvalidBody, "The body is no batch.", 0}.response(request)
	}
	counts := map[string]int{}
	results := make([]map[string]any, 0, len(asked.Messages))
	for index, item := range asked.Messages {
		var key string
		_ = json.Unmarshal(item["idempotency_key"], &key)
		delete(item, "idempotency_key")
		given, _ := json.Marshal(item)
		message, replayed, refusal := f.accept(key, given)
		result := map[string]any{"index": index, "status": "created", "message": json.RawMessage(message)}
		switch {
		case refusal != nil:
			result = map[string]any{"index": index, "status": "failed", "error": refusal.fault()}
		case replayed:
			result["status"] = "replayed"
		}
		counts[result["status"].(string)]++
		results = append(results, result)
	}
	answer, _ := json.Marshal(map[string]any{
		"created": counts["created"], "replayed": counts["replayed"], "failed": counts["failed"], "results": results,
	})
	return response(request, http.StatusOK, answer)
}

// The message that the key stands for, and whether it was there before.
func (f *Fake) accept(key string, body []byte) ([]byte, bool, *Refusal) {
	if key == "" {
		return nil, false, &Refusal{400, acuse.CodeMissingIdempotencyKey, "Send a key.", 0}
	}
	same := sorted(body)
	if before, known := f.byKey[key]; known {
		if before.body != same {
			return nil, false, &Refusal{422, acuse.CodeIdempotencyKeyReused, "The key was used before.", 0}
		}
		return before.message, true, nil
	}
	f.created++
	message := f.message(key, body)
	f.byKey[key] = sent{same, message}
	f.order = append(f.order, body)
	return message, false, nil
}

// A send alone and an item of a batch write the same fields in another order.
func sorted(body []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return string(body)
	}
	whole, _ := json.Marshal(fields)
	return string(whole)
}

func (f *Fake) message(key string, body []byte) []byte {
	var given struct {
		From, Subject string
		To            any
		Certified     *bool
	}
	_ = json.Unmarshal(body, &given)
	to := fmt.Sprint(given.To)
	if list, ok := given.To.([]any); ok && len(list) > 0 {
		to = fmt.Sprint(list[0])
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	known, _ := json.Marshal(map[string]any{
		"id": fmt.Sprintf("00000000-0000-7000-8000-%012d", f.created), "idempotency_key": key,
		"from": given.From, "to": to, "subject": given.Subject,
		"certified": given.Certified == nil || *given.Certified, "status": "queued", "size_bytes": len(body),
		"created_at": now, "queued_at": now,
	})
	// Further fields of a message, as the contract says it.
	var message acuse.Message
	_ = json.Unmarshal(known, &message)
	whole, _ := json.Marshal(message)
	return whole
}

func (r Refusal) fault() map[string]string {
	return map[string]string{"code": r.Code, "message": r.Message}
}

func (r Refusal) response(request *http.Request) *http.Response {
	body, _ := json.Marshal(map[string]any{"error": r.fault()})
	answer := response(request, r.Status, body)
	if r.RetryAfter > 0 {
		answer.Header.Set("Retry-After", strconv.Itoa(r.RetryAfter))
	}
	return answer
}

func response(request *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Request-Id": {"fake"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: request,
	}
}

// SignWebhook makes the headers of a delivery of this body, as the server signs it. Its id is data.event_id, or a
// new one.
func SignWebhook(body []byte, secret string, at time.Time) (http.Header, error) {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil {
		return nil, fmt.Errorf("acusetest: a webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==")
	}
	var event struct {
		Type string
		Data struct {
			EventID string `json:"event_id"`
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("acusetest: the body is not JSON: %w", err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	header := http.Header{}
	id := event.Data.EventID
	if id == "" {
		made := make([]byte, 16)
		if _, err := rand.Read(made); err != nil {
			return nil, err
		}
		id = hex.EncodeToString(made)
	}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", stamp)
	signed := append([]byte(id+"."+stamp+"."), body...)
	header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum(key, signed)))
	header.Set("Service-Event", event.Type)
	header.Set("Service-Signature", "sha256="+hex.EncodeToString(sum([]byte(secret), body)))
	return header, nil
}

func sum(key, data []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return mac.Sum(nil)
}

// Address is an address of the sandbox whose messages end so: "delivered", "bounced", … A tag, which may be
// empty, tells addresses apart.
func Address(outcome, tag string) string {
	if tag != "" {
		outcome += "+" + tag
	}
	return outcome + "@sandbox.test"
}
