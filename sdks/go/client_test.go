package acuse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const canary = "acuse_0123abcd_canarycanarycanarycanary"

// messageText is a message as the contract has it, to which nothing has happened.
var messageText = func() string {
	text, err := json.Marshal(Message{
		ID: "m1", IdempotencyKey: "k", From: "a@example.com", To: "b@example.com", Subject: "s", Certified: true,
		Status: "queued", SizeBytes: 1, CreatedAt: "2026-11-20T09:30:00.000Z",
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}()

// testClient speaks to a handler; it waits for nothing.
func testClient(t *testing.T, handler http.HandlerFunc, options ...Option) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	options = append([]Option{
		WithAPIKey(canary), WithBaseURL(server.URL), WithRandom(func() float64 { return 0 }),
		WithSleep(func(ctx context.Context, _ time.Duration) error { return ctx.Err() }),
	}, options...)
	client, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func drop(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func refuseWith(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Request-Id", "r1")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":{"code":%q,"message":"no"}}`, code)
}

func TestSendRepeatsUnderOneKey(t *testing.T) {
	var mu sync.Mutex
	keys, bodies, attempts := map[string]int{}, map[string]int{}, []string{}
	client := testClient(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		keys[r.Header.Get("Idempotency-Key")]++
		bodies[string(body)]++
		attempts = append(attempts, r.Header.Get("Acuse-Attempt"))
		first := len(attempts) < 3
		mu.Unlock()
		if first {
			drop(w)
			return
		}
		w.Header().Set("Idempotent-Replayed", "true")
		_, _ = io.WriteString(w, messageText)
	})
	sent, err := client.Messages.Send(t.Context(), Send{From: "a@example.com", To: []string{"b@example.com"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if !sent.Replayed || len(keys) != 1 || len(bodies) != 1 || !strings.HasPrefix(sent.IdempotencyKey, "auto_") {
		t.Errorf("%+v, keys %v, bodies %v", sent, keys, bodies)
	}
	for body := range bodies {
		if body != `{"from":"a@example.com","to":["b@example.com"]}` {
			t.Errorf("what was not set is sent: %s", body)
		}
	}
}

func TestOnceIsNotRepeated(t *testing.T) {
	var requests atomic.Int32
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		drop(w)
	})
	_, err := client.APIKeys.Create(t.Context(), NewAPIKey{Name: "x", Scopes: []Scope{ScopeMessagesSend}})
	var lost *ConnectionError
	if !errors.As(err, &lost) || !lost.OutcomeUnknown || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestRefusalsHaveTheirKind(t *testing.T) {
	status, code := 422, CodeRecipientSuppressed
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) { refuseWith(w, status, code) })
	_, err := client.Messages.Get(t.Context(), "m1")
	var refusal *RefusedError
	var api *APIError
	if !errors.As(err, &refusal) || !errors.As(err, &api) || api.Fix == "" || api.RequestID != "r1" {
		t.Errorf("%#v", err)
	}
	status, code = 429, CodeQuotaExceeded
	_, err = client.Messages.Get(t.Context(), "m1")
	var quota *QuotaExceededError
	if !errors.As(err, &quota) || quota.Attempts != 1 {
		t.Errorf("%#v", err)
	}
	status, code = 418, "a_new_code"
	_, err = client.Messages.Get(t.Context(), "m1")
	if !errors.As(err, &api) || api.Code != "a_new_code" {
		t.Errorf("%#v", err)
	}
}

func TestAnswersThatAreNotTheContract(t *testing.T) {
	answers := []string{`[]`, `{}`, `<html>`, `{"id":1}`, ``}
	for _, answer := range answers {
		client := testClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		_, err := client.Messages.Get(t.Context(), "m1")
		var wrong *ProtocolError
		if !errors.As(err, &wrong) || wrong.Attempts != 1 {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

func TestCutAnswersAreRepeated(t *testing.T) {
	var requests atomic.Int32
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 1 {
			w.Header().Set("Content-Length", "5000")
			_, _ = io.WriteString(w, messageText)
			return
		}
		_, _ = io.WriteString(w, messageText)
	})
	message, err := client.Messages.Get(t.Context(), "m1")
	if err != nil || message.Answer.Attempts != 2 {
		t.Errorf("%+v %v", message, err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) { leaked.Store(true) }))
	defer other.Close()
	client := testClient(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	_, err := client.Messages.Send(t.Context(), Send{From: "a", To: "b"}, "k")
	var wrong *ProtocolError
	if !errors.As(err, &wrong) || leaked.Load() {
		t.Errorf("%v, leaked %v", err, leaked.Load())
	}
}

func TestDeletedBefore(t *testing.T) {
	var requests atomic.Int32
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 1 {
			drop(w)
			return
		}
		refuseWith(w, 404, CodeNotFound)
	})
	if err := client.Domains.Delete(t.Context(), "d1"); err != nil {
		t.Error(err)
	}
	if err := client.Domains.Delete(t.Context(), "d1"); err == nil {
		t.Error("a domain that was never there was deleted")
	}
}

func TestCancelling(t *testing.T) {
	var requests atomic.Int32
	started, release := make(chan struct{}), make(chan struct{})
	client := testClient(t, func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.ReadAll(r.Body)
		close(started)
		<-release
	})
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	_, err := client.Messages.Send(ctx, Send{From: "a", To: "b"}, "k")
	var lost *ConnectionError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &lost) || !lost.OutcomeUnknown || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestNothingIsRequestedWithoutSetUp(t *testing.T) {
	t.Setenv("ACUSE_API_KEY", "")
	wrong := [][]Option{
		{}, {WithAPIKey("a b")}, {WithAPIKey("a\r\nX: y")}, {WithAPIKey("k"), WithBaseURL("http://example.com")},
		{WithAPIKey("k"), WithBaseURL("https://u:p@example.com")}, {WithAPIKey("k"), WithBaseURL("https://e.com/?a")},
		{WithAPIKey("k"), WithBaseURL("https://example.com/#")}, {WithAPIKey("k"), WithBaseURL("ftp://example.com")},
		{WithAPIKey("k"), WithCAFile("/none.pem")},
	}
	for n, options := range wrong {
		_, err := New(options...)
		var refusal *ConfigurationError
		if !errors.As(err, &refusal) {
			t.Errorf("%d: %v", n, err)
		}
	}
	client := testClient(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was made") })
	for _, key := range []string{"a\r\nb", "é", strings.Repeat("k", 256)} {
		if _, err := client.Messages.Send(t.Context(), Send{From: "a", To: "b"}, key); err == nil {
			t.Errorf("%q was taken", key)
		}
	}
	for _, id := range []string{"", "..", "."} {
		if _, err := client.Messages.Get(t.Context(), id); err == nil {
			t.Errorf("the id %q was taken", id)
		}
	}
	if _, err := client.Messages.Send(t.Context(), Send{From: "a", To: 7}, "k"); err == nil {
		t.Error("a number was taken for an address")
	}
}

func TestConnectionsStayWithinRequests(t *testing.T) {
	const threads, each = 20, 30
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, messageText)
	}))
	var made atomic.Int32
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client, err := New(WithAPIKey(canary), WithBaseURL(server.URL))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range threads {
		group.Add(1)
		go func() {
			defer group.Done()
			for range each {
				if _, err := client.Messages.Get(t.Context(), "m1"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	// net/http goes on with a dial whose request has got a connection that became free meanwhile: one more for a
	// thread, never one for each request.
	if made.Load() > 2*threads {
		t.Errorf("%d threads made %d connections", threads, made.Load())
	}
}

func TestListsAskAsTheyGo(t *testing.T) {
	var requests atomic.Int32
	client := testClient(t, func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		next := `"c` + fmt.Sprint(n) + `"`
		if r.URL.Query().Get("after") == "c2" {
			next = "null"
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s,%s],"next_cursor":%s,"scanned_to":null}`, messageText, messageText, next)
	})
	count := 0
	for _, err := range client.Messages.List(t.Context(), ListMessages{Status: "bounced", Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != 6 || requests.Load() != 3 {
		t.Errorf("%d items of %d requests", count, requests.Load())
	}
	for range client.Messages.List(t.Context(), ListMessages{}) {
		break
	}
	if requests.Load() != 4 {
		t.Error("a list that was left asked for another page")
	}
}

func TestRepeatedCursor(t *testing.T) {
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[],"next_cursor":"same","scanned_to":null}`)
	})
	var last error
	for _, err := range client.Messages.List(t.Context(), ListMessages{}) {
		last = err
	}
	var wrong *ProtocolError
	if !errors.As(last, &wrong) {
		t.Errorf("%v", last)
	}
}

func TestDownloadLeavesNothingWhenCut(t *testing.T) {
	whole := false
	client := testClient(t, func(w http.ResponseWriter, _ *http.Request) {
		if !whole {
			w.Header().Set("Content-Length", "500")
		}
		_, _ = io.WriteString(w, "PK…")
	}, WithMaxRetries(1))
	folder := t.TempDir()
	target := filepath.Join(folder, "proof.zip")
	if err := client.Evidence.DownloadBundle(t.Context(), "m1", target); err == nil {
		t.Error("a cut file is a success")
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	whole = true
	if err := client.Evidence.DownloadBundle(t.Context(), "m1", target); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(target); string(data) != "PK…" {
		t.Errorf("%q", data)
	}
}

func TestNothingPrintsTheKey(t *testing.T) {
	client := testClient(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(400)
		text, _ := json.Marshal("not valid: " + r.Header.Get("Authorization"))
		_, _ = fmt.Fprintf(w, `{"error":{"code":"invalid_body","message":%s}}`, text)
	})
	_, err := client.Messages.Get(t.Context(), "m1")
	secret := WebhookWithSecret{Secret: "whsec_canary"}
	opened := OpenShare{Secret: "canary"}
	request := Send{From: "a@example.com", To: "b@example.com", Text: Some("canary")}
	for _, each := range []any{client, *client, client.Messages, *client.Messages, client.Services, err, secret, &secret, opened, request, &request, secret.Secret} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			if text := fmt.Sprintf(verb, each); strings.Contains(text, "canary") {
				t.Errorf("%T with %s: %s", each, verb, text)
			}
		}
	}
}
