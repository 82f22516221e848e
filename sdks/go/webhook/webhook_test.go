package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"acuse.dev/go/webhook"
)

type vector struct {
	Name            string
	Secrets         []string
	Tolerance       int
	Now             int64
	AcceptUnstamped bool `json:"accept_unstamped"`
	Body            string
	Headers         map[string]any
	Out             struct {
		Reason string
		Event  *struct {
			Type            string
			CreatedAt       string `json:"created_at"`
			Data            any
			EventID         string `json:"event_id"`
			ReplayProtected bool   `json:"replay_protected"`
		}
	}
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "contract", "vectors", "webhooks.json"))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	var all struct{ Cases []vector }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, each := range all.Cases {
		t.Run(each.Name, func(t *testing.T) { each.check(t) })
	}
}

func (v vector) check(t *testing.T) {
	header := http.Header{}
	for name, value := range v.Headers {
		header[name] = []string{fmt.Sprint(value)}
	}
	options := []webhook.Option{
		webhook.WithSecrets(v.Secrets...), webhook.WithTolerance(time.Duration(v.Tolerance) * time.Second),
		webhook.WithClock(func() time.Time { return time.Unix(v.Now, 0) }),
	}
	if v.AcceptUnstamped {
		options = append(options, webhook.AcceptUnstamped())
	}
	event, err := webhook.Verify([]byte(v.Body), header, "", options...)
	var refused *webhook.Error
	if errors.As(err, &refused) {
		if string(refused.Reason) != v.Out.Reason {
			t.Errorf("refused as %s, not %q", refused.Reason, v.Out.Reason)
		}
		return
	}
	want := v.Out.Event
	if want == nil {
		t.Fatalf("accepted, not %q", v.Out.Reason)
	}
	var got any
	_ = json.Unmarshal(event.Data, &got)
	if event.Type != want.Type || string(event.CreatedAt) != want.CreatedAt || event.EventID != want.EventID ||
		event.ReplayProtected != want.ReplayProtected || !reflect.DeepEqual(got, want.Data) {
		t.Errorf("%s, not %+v", event, want)
	}
}

func TestReadBodyIsSaid(t *testing.T) {
	request, _ := http.NewRequest(http.MethodPost, "/hook", strings.NewReader(`{"type":"x"}`))
	var parsed any
	_ = json.NewDecoder(request.Body).Decode(&parsed)
	_, err := webhook.VerifyRequest(request, "whsec_AAAA")
	var refused *webhook.Error
	if !errors.As(err, &refused) || refused.Reason != webhook.ParsedBody {
		t.Errorf("%v", err)
	}
}

func TestUnstampedEventWithoutAnIDHasNone(t *testing.T) {
	secret := "whsec_gqt1+L1O3uCyOBXWUFwJvfT+SRWzoxpGBBm1p0Kz9GY="
	for data, id := range map[string]string{`{}`: "", `{"event_id":7}`: "", `{"event_id":"e1"}`: "e1"} {
		body := []byte(`{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":` + data + `}`)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		header := http.Header{"Service-Signature": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}
		event, err := webhook.Verify(body, header, secret, webhook.AcceptUnstamped())
		if err != nil || event.EventID != id || event.ReplayProtected {
			t.Errorf("%s: %v, %v", data, event, err)
		}
	}
}

func TestPrintingShowsNoData(t *testing.T) {
	event := &webhook.Event{Type: "email.sent", EventID: "1", Data: json.RawMessage(`{"to":"ana@example.com"}`)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, event); strings.Contains(text, "ana@") {
			t.Errorf("%s shows %s", verb, text)
		}
	}
}
