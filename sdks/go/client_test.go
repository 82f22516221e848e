package acuse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const canary = "acuse_0123abcd_canarycanarycanarycanary"

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
