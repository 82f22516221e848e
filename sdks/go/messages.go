package acuse

import (
	"context"
	"crypto/rand"
	"fmt"
)

// SendResult is what a send returns.
type SendResult struct {
	// Message is the message: the new one, or, with Replayed, the one that the key made before.
	Message *Message
	// Replayed: the key made a message before, and this call sent nothing. With several attempts it is usually
	// this call's own first attempt that had got through.
	Replayed bool
	// IdempotencyKey is the key of the call, given or made.
	IdempotencyKey string
	// Attempts is how many the call took.
	Attempts int
}

// newKey makes a key for one call: auto_ and a UUIDv4 (RFC 9562 §5.4).
func newKey() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("auto_%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// Send sends a message. The key decides what is one message: a job that may run twice gives a key of its own,
// such as the number of its invoice. With "" one is made, which protects this call and its retries only.
func (s *MessagesService) Send(ctx context.Context, message Send, idempotencyKey string) (*SendResult, error) {
	return s.client.sendKeyed(ctx, request{op: &opSendMessage, body: message, key: idempotencyKey})
}

// SendRaw sends a message that is composed already (RFC 5322 §2), with all of its fields.
func (s *MessagesService) SendRaw(ctx context.Context, message []byte, idempotencyKey string) (*SendResult, error) {
	return s.client.sendKeyed(ctx, request{op: &opSendRawMessage, body: message, key: idempotencyKey})
}

// Resend sends a message again, as a new one. The key is as in Send.
func (s *MessagesService) Resend(ctx context.Context, id, idempotencyKey string) (*SendResult, error) {
	return s.client.sendKeyed(ctx, request{op: &opResendMessage, path: []string{id}, key: idempotencyKey})
}

func (c *Client) sendKeyed(ctx context.Context, ask request) (*SendResult, error) {
	if ask.key == "" {
		ask.key = newKey()
	}
	message := new(Message)
	answer, err := c.callJSON(ctx, ask, message)
	if err != nil {
		return nil, err
	}
	message.Answer = answer
	return &SendResult{
		Message:        message,
		Replayed:       answer.Header.Get("Idempotent-Replayed") == "true",
		IdempotencyKey: ask.key,
		Attempts:       answer.Attempts,
	}, nil
}
