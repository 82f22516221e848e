package acusetest_test

import (
	"errors"
	"testing"
	"time"

	"acuse.dev/go"
	"acuse.dev/go/acusetest"
	"acuse.dev/go/webhook"
)

func TestFakeKnowsKeys(t *testing.T) {
	fake := acusetest.New()
	c, err := acuse.New(fake.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	fake.Refuse(acusetest.Refusal{Status: 503, Code: acuse.CodeUnavailable, Message: "busy", RetryAfter: 1})
	message := acuse.Send{From: "a@example.com", To: acusetest.Address("delivered", "x")}
	first, err := c.Messages.Send(t.Context(), message, "k")
	if err != nil || first.Replayed || first.Attempts != 2 {
		t.Fatalf("%+v %v", first, err)
	}
	again, err := c.Messages.Send(t.Context(), message, "k")
	if err != nil || !again.Replayed || again.Message.ID != first.Message.ID || len(fake.Sent()) != 1 {
		t.Errorf("%+v %v", again, err)
	}
	message.Subject = acuse.Some("other")
	_, err = c.Messages.Send(t.Context(), message, "k")
	var refused *acuse.RefusedError
	if !errors.As(err, &refused) || refused.Code != acuse.CodeIdempotencyKeyReused {
		t.Error(err)
	}
}

func TestFakeTakesBatches(t *testing.T) {
	fake := acusetest.New()
	c, err := acuse.New(fake.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	message := acuse.Send{From: "a@example.com", To: acusetest.Address("delivered", ""), Subject: acuse.Some("<1>")}
	first, err := c.Messages.Send(t.Context(), message, "k")
	if err != nil {
		t.Fatal(err)
	}
	other := message
	other.Subject = acuse.Some("other")
	items := []acuse.BatchItem{message.Keyed("k"), other.Keyed("k"), other.Keyed("l")}
	results, err := c.Messages.SendBatch(t.Context(), items)
	if err != nil || len(results) != 3 {
		t.Fatalf("%+v %v", results, err)
	}
	for at, want := range []string{"replayed", "failed", "created"} {
		if string(results[at].Status) != want {
			t.Errorf("item %d is %s, not %s", at, results[at].Status, want)
		}
	}
	if results[0].Message.ID != first.Message.ID || len(fake.Sent()) != 2 {
		t.Errorf("%+v %s", results[0], fake.Sent())
	}
}

func TestSignedWebhooksVerify(t *testing.T) {
	body := []byte(`{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":{"event_id":"e1"}}`)
	secret := "whsec_c2VjcmV0"
	header, err := acusetest.SignWebhook(body, secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	event, err := webhook.Verify(body, header, secret)
	if err != nil || event.EventID != "e1" {
		t.Errorf("%v %v", event, err)
	}
	seen := map[string]bool{}
	body = []byte(`{"type":"email.sent","created_at":"2026-11-20T09:30:00.000Z","data":{}}`)
	for range 2 {
		header, err = acusetest.SignWebhook(body, secret, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if event, err = webhook.Verify(body, header, secret); err != nil || seen[event.EventID] {
			t.Errorf("%v %v", event, err)
		}
		seen[event.EventID] = true
	}
}
