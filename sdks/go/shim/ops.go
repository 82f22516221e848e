package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"acuse.dev/go"
	"acuse.dev/go/webhook"
)

var localOps = map[string]func(*call) (any, error){}

var clientOps = map[string]func(*call) (any, error){}

func init() {
	clientOps = map[string]func(*call) (any, error){
		"send": (*call).send, "send_raw": (*call).sendRaw, "send_many": (*call).sendMany,
		"send_file": (*call).sendFile, "send_batch": (*call).sendBatch, "call": (*call).callOp,
		"list": (*call).list, "pages": (*call).pages, "download_bundle": (*call).download,
		"wait_until_sealed": (*call).waitUntilSealed, "print": (*call).print,
		"log_checkpoint": (*call).logCheckpoint, "log_follow": (*call).logFollow,
		"check_promise": (*call).checkPromise,
	}
	localOps["info"] = (*call).info
	localOps["verify_webhook"] = (*call).verifyWebhook
	localOps["verify_bundle"] = (*call).verifyBundle
	localOps["roundtrip"] = (*call).roundtrip
}

func (c *call) read(into any) error {
	if err := json.Unmarshal(c.args, into); err != nil {
		return shimError("args: %v", err)
	}
	return nil
}

// level is that of offline verification.
const level = 3

func (c *call) info() (any, error) {
	client, err := acuse.New(acuse.WithAPIKey("acuse_info_x"), acuse.WithBaseURL("http://localhost"))
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"language": "go", "version": acuse.Version, "level": level,
		"user_agent": client.UserAgent(), "operations": operations(client.Services),
	}, nil
}

func sent(result *acuse.SendResult, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"message": result.Message, "replayed": result.Replayed, "idempotency_key": result.IdempotencyKey,
		"attempts": result.Attempts, "request_id": result.Message.Answer.RequestID,
	}, nil
}

type sendArgs struct {
	Message acuse.Send `json:"message"`
	Key     string     `json:"idempotency_key"`
	Path    string     `json:"path"`
	Content []byte     `json:"content"`
	Count   int        `json:"count"`
	Keys    string     `json:"keys"`
	Threads int        `json:"threads"`
}

func (c *call) send() (any, error) {
	var args sendArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	return sent(c.client.Messages.Send(c.ctx, args.Message, args.Key))
}

func (c *call) sendRaw() (any, error) {
	var args sendArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	return sent(c.client.Messages.SendRaw(c.ctx, args.Content, args.Key))
}

func (c *call) sendFile() (any, error) {
	var args sendArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	attachment, err := acuse.AttachmentFromFile(args.Path)
	if err != nil {
		return nil, err
	}
	args.Message.Attachments = append(args.Message.Attachments, attachment)
	return sent(c.client.Messages.Send(c.ctx, args.Message, args.Key))
}

func (c *call) sendMany() (any, error) {
	var args sendArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	results := make([]any, args.Count)
	numbers := make(chan int)
	var group sync.WaitGroup
	for range max(1, args.Threads) {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range numbers {
				results[n] = c.sendOne(args, n)
			}
		}()
	}
	for n := range args.Count {
		numbers <- n
	}
	close(numbers)
	group.Wait()
	return map[string]any{"results": results}, nil
}

func (c *call) sendOne(args sendArgs, n int) any {
	message, key := args.Message, ""
	message.Subject = acuse.Some(strings.TrimSpace(message.Subject.Or("") + " " + strconv.Itoa(n)))
	if args.Keys != "" {
		key = args.Keys + strconv.Itoa(n)
	}
	result, err := c.client.Messages.Send(c.ctx, message, key)
	if err != nil {
		return map[string]any{"error": errorFields(err)}
	}
	return map[string]any{"id": result.Message.ID, "replayed": result.Replayed}
}

func (c *call) sendBatch() (any, error) {
	var args struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	items := make([]acuse.BatchItem, len(args.Items))
	for n, raw := range args.Items {
		if err := decodeItem(raw, &items[n]); err != nil {
			return nil, err
		}
	}
	entries, err := c.client.Messages.SendBatch(c.ctx, items)
	if err != nil {
		return nil, err
	}
	results := make([]any, len(entries))
	for n, entry := range entries {
		result := map[string]any{
			"status": entry.Status, "idempotency_key": entry.IdempotencyKey, "message": nil, "error": nil,
		}
		if entry.Message != nil {
			result["message"] = entry.Message
		}
		if entry.Err != nil {
			result["error"] = errorFields(entry.Err)
		}
		results[n] = result
	}
	return map[string]any{"results": results}, nil
}

// decodeItem takes items without a key too: the type has it as required, as the contract does.
func decodeItem(raw json.RawMessage, into *acuse.BatchItem) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return shimError("item: %v", err)
	}
	if members["idempotency_key"] == nil {
		members["idempotency_key"] = json.RawMessage(`""`)
	}
	whole, _ := json.Marshal(members)
	if err := json.Unmarshal(whole, into); err != nil {
		return shimError("item: %v", err)
	}
	return nil
}

func bodyBytes(raw json.RawMessage) []byte {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	var either struct {
		Text   *string `json:"text"`
		Base64 []byte  `json:"base64"`
	}
	_ = json.Unmarshal(raw, &either)
	if either.Text != nil {
		return []byte(*either.Text)
	}
	return either.Base64
}

func (c *call) callOp() (any, error) {
	var args callArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	if _, paged := methods(c.client.Services)[args.Operation+"Pages"]; paged {
		return c.firstPage(args)
	}
	results, err := c.invoke(args, "")
	if err != nil {
		return nil, err
	}
	if err, _ := results[len(results)-1].Interface().(error); err != nil {
		return nil, err
	}
	if len(results) == 1 {
		return nil, nil
	}
	switch value := results[0].Interface().(type) {
	case *acuse.SendResult:
		return value.Message, nil
	case []byte:
		return map[string]any{"base64": base64.StdEncoding.EncodeToString(value)}, nil
	case string:
		return map[string]any{"text": value}, nil
	case []acuse.BatchEntry:
		return nil, shimError("use send_batch")
	default:
		return value, nil
	}
}

func (c *call) firstPage(args callArgs) (any, error) {
	results, err := c.invoke(args, "Pages")
	if err != nil {
		return nil, err
	}
	for page, fault := range results[0].Seq2() {
		if err, _ := fault.Interface().(error); err != nil {
			return nil, err
		}
		return page.Interface(), nil
	}
	return nil, shimError("no page")
}

func (c *call) list() (any, error) {
	var args callArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	results, err := c.invoke(args, "")
	if err != nil {
		return nil, err
	}
	items, more := []any{}, false
	for item, fault := range results[0].Seq2() {
		if err, _ := fault.Interface().(error); err != nil {
			return nil, err
		}
		items = append(items, item.Interface())
		if args.Take != nil && len(items) >= *args.Take {
			more = true
			break
		}
	}
	return map[string]any{"items": items, "more": more}, nil
}

func (c *call) pages() (any, error) {
	var args callArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	results, err := c.invoke(args, "Pages")
	if err != nil {
		return nil, err
	}
	pages := []any{}
	for page, fault := range results[0].Seq2() {
		if err, _ := fault.Interface().(error); err != nil {
			return nil, err
		}
		pages = append(pages, page.Elem().FieldByName("Data").Interface())
		if args.Take != nil && len(pages) >= *args.Take {
			break
		}
	}
	return map[string]any{"pages": pages}, nil
}

func (c *call) download() (any, error) {
	var args struct {
		ID   string `json:"message_id"`
		Path string `json:"path"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	peak := watchMemory()
	err := c.client.Evidence.DownloadBundle(c.ctx, args.ID, args.Path)
	most := peak()
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(args.Path)
	if err != nil {
		return nil, err
	}
	return map[string]any{"bytes": file.Size(), "peak_bytes": most}, nil
}

// watchMemory returns a function that says by how much memory has grown at most.
func watchMemory() func() uint64 {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		most := before.Sys
		for {
			runtime.ReadMemStats(&now)
			most = max(most, now.Sys)
			select {
			case <-stop:
				done <- most - before.Sys
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

func (c *call) waitUntilSealed() (any, error) {
	var args struct {
		ID     string `json:"message_id"`
		Within int64  `json:"within_ms"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	return c.client.Evidence.WaitUntilSealed(c.ctx, args.ID, milliseconds(args.Within))
}

type webhookArgs struct {
	Body       *string         `json:"body"`
	BodyBase64 []byte          `json:"body_base64"`
	Parsed     json.RawMessage `json:"parsed"`
	Headers    map[string]any  `json:"headers"`
	Secrets    []string        `json:"secrets"`
	Tolerance  *int64          `json:"tolerance"`
	Now        int64           `json:"now"`
	Unstamped  bool            `json:"accept_unstamped"`
}

func (a webhookArgs) verify() (*webhook.Event, error) {
	options := []webhook.Option{
		webhook.WithSecrets(a.Secrets...),
		webhook.WithClock(func() time.Time { return time.Unix(a.Now, 0) }),
	}
	if a.Tolerance != nil {
		options = append(options, webhook.WithTolerance(time.Duration(*a.Tolerance)*time.Second))
	}
	if a.Unstamped {
		options = append(options, webhook.AcceptUnstamped())
	}
	header := http.Header{}
	for name, value := range a.Headers {
		header[name] = []string{fmt.Sprint(value)}
	}
	body := a.BodyBase64
	if a.Body != nil {
		body = []byte(*a.Body)
	}
	if a.Parsed == nil {
		return webhook.Verify(body, header, "", options...)
	}
	// Bytes are bytes in Go: what was parsed before is a request whose body has been read.
	request := &http.Request{Header: header, Body: http.NoBody}
	return webhook.VerifyRequest(request, "", options...)
}

func (c *call) verifyWebhook() (any, error) {
	var args webhookArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	event, err := args.verify()
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"type": event.Type, "created_at": event.CreatedAt, "data": event.Data, "event_id": event.EventID,
		"replay_protected": event.ReplayProtected,
	}, nil
}

func (c *call) roundtrip() (any, error) {
	var args struct {
		Schema string          `json:"schema"`
		Value  json.RawMessage `json:"value"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	if strings.HasSuffix(args.Schema, "Recipients") || args.Schema == "ReplyTo" {
		return throughMember(args.Value)
	}
	create, known := schemaTypes()[args.Schema]
	if !known {
		return nil, shimError("the schema %s is not known", args.Schema)
	}
	value := create()
	if err := json.Unmarshal(args.Value, value); err != nil {
		return nil, err
	}
	return reflect.ValueOf(value).Elem().Interface(), nil
}

// throughMember decodes a string or a list where the library has one: in a send.
func throughMember(raw json.RawMessage) (any, error) {
	var send acuse.Send
	whole, _ := json.Marshal(map[string]any{"from": "a", "to": raw})
	if err := json.Unmarshal(whole, &send); err != nil {
		return nil, err
	}
	return send.To, nil
}
