package acuse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	batchItemsMax      = 100      // items of a request (docs/limits.md)
	batchRecipientsMax = 1_000    // addresses in To, Cc and Bcc of all items of a request
	batchSizeMax       = 60 << 20 // bytes of a request; the server takes 64 MiB
	batchFrame         = len(`{"messages":[]}`)
)

// BatchStatus is how an item of a batch ended.
type BatchStatus string

// How an item ended. BatchUnknown: its request was lost for good; send it again under its key.
const (
	BatchCreated  BatchStatus = "created"
	BatchReplayed BatchStatus = "replayed"
	BatchFailed   BatchStatus = "failed"
	BatchUnknown  BatchStatus = "unknown"
)

// BatchEntry is the outcome of one item, in the caller's order.
type BatchEntry struct {
	// Index is its place among the items.
	Index          int
	Status         BatchStatus
	IdempotencyKey string
	// Message is set unless Err is.
	Message *Message
	// Err is why the item failed or why nothing is known of it.
	Err error
}

// SendBatch sends many messages, in requests of at most 100 items and 60 MiB. Items without a key get one.
// Each item has its own result, also one that cannot be sent; the error is always nil.
func (s *MessagesService) SendBatch(ctx context.Context, items []BatchItem) ([]BatchEntry, error) {
	b := &batch{
		client: s.client, results: make([]BatchEntry, len(items)), texts: make([][]byte, len(items)),
		recipients: make([]int, len(items)),
	}
	var all []int
	for n, item := range items {
		if item.IdempotencyKey == "" {
			item.IdempotencyKey = newKey()
		}
		b.results[n].Index, b.results[n].IdempotencyKey = n, item.IdempotencyKey
		text, err := json.Marshal(item)
		if err != nil {
			err = refused(fmt.Sprintf("item %d cannot be written: %v", n, err))
		}
		if !validKey(item.IdempotencyKey) {
			err = refused(fmt.Sprintf("item %d: an idempotency key is 1 to 255 printable ASCII characters", n))
		}
		if err != nil {
			b.results[n].Status, b.results[n].Err = BatchFailed, err
			continue
		}
		all, b.texts[n], b.recipients[n] = append(all, n), text, recipientsOf(text)
	}
	for _, part := range b.cut(all) {
		b.send(ctx, part)
	}
	return b.results, nil
}

// recipientsOf counts the addresses of an item as it is written: a list, or a single one.
func recipientsOf(text []byte) int {
	var item struct{ To, Cc, Bcc any }
	if json.Unmarshal(text, &item) != nil {
		return 0
	}
	count := 0
	for _, field := range []any{item.To, item.Cc, item.Bcc} {
		switch given := field.(type) {
		case nil:
		case []any:
			count += len(given)
		default:
			count++
		}
	}
	return count
}

type batch struct {
	client     *Client
	texts      [][]byte
	recipients []int
	results    []BatchEntry
}

// cut makes requests of items.
func (b *batch) cut(all []int) [][]int {
	var parts [][]int
	size, recipients := 0, 0
	for _, n := range all {
		next, more := len(b.texts[n])+1, b.recipients[n]
		if len(parts) == 0 || len(parts[len(parts)-1]) == batchItemsMax || size+next > batchSizeMax ||
			recipients+more > batchRecipientsMax {
			parts = append(parts, nil)
			size, recipients = batchFrame, 0
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], n)
		size, recipients = size+next, recipients+more
	}
	return parts
}

// send sends one request, and again the items that the server was too busy for.
func (b *batch) send(ctx context.Context, part []int) {
	settings := &b.client.settings
	deadline := settings.clock().Add(settings.deadline)
	for attempt := 1; ; attempt++ {
		again := b.sendOnce(ctx, part)
		if len(again) == 0 {
			return
		}
		next, _ := b.client.shared.budget.decide(decisionInput{
			class: opSendBatch.class, outcome: outcome{kind: answered, status: 503, code: CodeUnavailable},
			attempt: attempt, maxRetries: settings.maxRetries, header: func(string) string { return "" },
			u: settings.random(), timeLeft: deadline.Sub(settings.clock()).Milliseconds(),
		})
		if !next.retry || settings.sleep(ctx, time.Duration(next.delay)*time.Millisecond) != nil {
			return
		}
		part = again
	}
}

// sendOnce returns the items that are worth another request.
func (b *batch) sendOnce(ctx context.Context, part []int) []int {
	var answer BatchResult
	meta, err := b.client.callJSON(ctx, request{op: &opSendBatch, body: b.body(part)}, &answer)
	if err == nil {
		err = b.check(&answer, part, meta)
	}
	if err != nil {
		b.lose(part, err)
		return nil
	}
	var again []int
	for _, each := range answer.Results {
		n := part[each.Index]
		b.results[n] = b.entry(n, each, meta)
		if code := codeOf(each); code == CodeUnavailable || code == CodeInternalError {
			again = append(again, n)
		}
	}
	return again
}

func (b *batch) body(part []int) []byte {
	body := []byte(`{"messages":[`)
	for place, n := range part {
		if place > 0 {
			body = append(body, ',')
		}
		body = append(body, b.texts[n]...)
	}
	return append(body, "]}"...)
}

// check makes sure that the answer has each item once.
func (b *batch) check(answer *BatchResult, part []int, meta Answer) error {
	seen := map[int64]bool{}
	for _, each := range answer.Results {
		if each.Index < 0 || each.Index >= int64(len(part)) || seen[each.Index] {
			break
		}
		if each.Message.IsSet() || each.Error.IsSet() {
			seen[each.Index] = true
		}
	}
	if len(seen) == len(part) && len(answer.Results) == len(part) {
		return nil
	}
	return &ProtocolError{
		Message: "the answer to a batch lacks items, or has one twice", Status: meta.Status,
		RequestID: meta.RequestID, OutcomeUnknown: true, Attempts: meta.Attempts, Operation: opSendBatch.name,
	}
}

func codeOf(result BatchItemResult) string {
	detail, _ := result.Error.Get()
	return string(detail.Code)
}

func (b *batch) entry(n int, result BatchItemResult, meta Answer) BatchEntry {
	entry := BatchEntry{Index: n, Status: BatchStatus(result.Status), IdempotencyKey: b.results[n].IdempotencyKey}
	if message, ok := result.Message.Get(); ok {
		entry.Message = &message
		return entry
	}
	detail, _ := result.Error.Get()
	code := string(detail.Code)
	entry.Status = BatchFailed
	entry.Err = kindOf(&APIError{
		Status: statusOf(code), Code: code, Message: masked(detail.Message, b.client.settings.apiKey()),
		Fix: fixOf(code), RequestID: meta.RequestID, IdempotencyKey: entry.IdempotencyKey,
		Attempts: meta.Attempts, Operation: opSendBatch.name,
	})
	return entry
}

// lose gives the items of a lost request their error: unknown when it may have been accepted.
func (b *batch) lose(part []int, err error) {
	status := BatchFailed
	var connection *ConnectionError
	var protocol *ProtocolError
	var api *APIError
	switch {
	case errors.As(err, &connection) && connection.OutcomeUnknown,
		errors.As(err, &protocol) && protocol.OutcomeUnknown,
		errors.As(err, &api) && api.OutcomeUnknown:
		status = BatchUnknown
	}
	for _, n := range part {
		if b.results[n].Status == "" || status == BatchUnknown {
			b.results[n].Status, b.results[n].Err = status, err
		}
	}
}
