package acuse

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

type exchangeStep struct {
	Text    string `json:"text"`
	Base64  string `json:"base64"`
	Times   *int   `json:"times"`
	EveryMs int    `json:"every_ms"`
}

type exchangeScript struct {
	Steps []exchangeStep `json:"steps"`
	End   string         `json:"end"`
}

type exchangeCase struct {
	Name          string           `json:"name"`
	Call          string           `json:"call"`
	TLS           bool             `json:"tls"`
	MaxRetries    int              `json:"max_retries"`
	LimitMs       int              `json:"limit_ms"`
	CancelAfterMs int              `json:"cancel_after_ms"`
	Answers       []exchangeScript `json:"answers"`
	Out           struct {
		Class          string   `json:"class"`
		Or             string   `json:"or"`
		Status         *int     `json:"status"`
		Code           *string  `json:"code"`
		Key            bool     `json:"key"`
		OutcomeUnknown bool     `json:"outcome_unknown"`
		Requests       *int     `json:"requests"`
		RetryAfter     *float64 `json:"retry_after"`
		Message        *string  `json:"message"`
		TakenMax       *int     `json:"taken_max"`
	} `json:"out"`
}

type exchangeFile struct {
	APIKey         string         `json:"api_key"`
	ID             string         `json:"id"`
	IdempotencyKey string         `json:"idempotency_key"`
	Cases          []exchangeCase `json:"cases"`
}

// peer plays the answers of a case.
type peer struct {
	test     exchangeCase
	listener net.Listener
	gone     chan struct{}
	mu       sync.Mutex
	requests int
	taken    int
}

func startPeer(t *testing.T, test exchangeCase) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{test: test, listener: listener, gone: make(chan struct{})}
	t.Cleanup(func() { close(p.gone); _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

func (p *peer) url() string {
	if p.test.TLS {
		return "https://" + p.listener.Addr().String()
	}
	return "http://" + p.listener.Addr().String()
}

func (p *peer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for p.read(conn) && p.play(conn) {
	}
}

var contentLength = regexp.MustCompile(`(?i)content-length: (\d+)`)

func (p *peer) read(conn net.Conn) bool {
	var data []byte
	buffer := make([]byte, 64<<10)
	for !p.isWhole(data) {
		n, err := conn.Read(buffer)
		if err != nil {
			return false
		}
		data = append(data, buffer[:n]...)
	}
	p.mu.Lock()
	p.requests++
	p.mu.Unlock()
	return true
}

func (p *peer) isWhole(data []byte) bool {
	if p.test.TLS {
		return len(data) > 0
	}
	head, rest, found := bytes.Cut(data, []byte("\r\n\r\n"))
	length := 0
	if match := contentLength.FindSubmatch(head); match != nil {
		length, _ = strconv.Atoi(string(match[1]))
	}
	return found && len(rest) >= length
}

func (p *peer) play(conn net.Conn) bool {
	p.mu.Lock()
	script := p.test.Answers[min(p.requests, len(p.test.Answers))-1]
	p.mu.Unlock()
	for _, step := range script.Steps {
		if !p.write(conn, step) {
			return false
		}
	}
	switch script.End {
	case "reset":
		_ = conn.(*net.TCPConn).SetLinger(0)
	case "hold":
		<-p.gone
	}
	return script.End == "keep"
}

func (p *peer) write(conn net.Conn, step exchangeStep) bool {
	data := []byte(step.Text)
	if step.Base64 != "" {
		data, _ = base64.StdEncoding.DecodeString(step.Base64)
	}
	for n := 0; step.Times == nil && n < 1 || step.Times != nil && (*step.Times == 0 || n < *step.Times); n++ {
		if _, err := conn.Write(data); err != nil {
			return false
		}
		p.mu.Lock()
		p.taken += len(data)
		p.mu.Unlock()
		time.Sleep(time.Duration(step.EveryMs) * time.Millisecond)
	}
	return true
}

func TestExchanges(t *testing.T) {
	data, err := os.ReadFile("../../contract/vectors/exchanges.json")
	if err != nil {
		t.Skip("this folder was copied out of the repository")
	}
	var file exchangeFile
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, test := range file.Cases {
		t.Run(test.Name, func(t *testing.T) { playExchange(t, &file, test) })
	}
}

func playExchange(t *testing.T, file *exchangeFile, test exchangeCase) {
	p := startPeer(t, test)
	options := []Option{
		WithAPIKey(file.APIKey), WithBaseURL(p.url()), WithMaxRetries(test.MaxRetries), WithSleep(NoSleep),
		WithRandom(func() float64 { return 0 }),
	}
	if test.LimitMs > 0 {
		limit := time.Duration(test.LimitMs) * time.Millisecond
		options = append(options, WithTimeout(limit), WithDeadline(limit), WithConnectTimeout(limit))
	}
	client, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := t.Context()
	if test.CancelAfterMs > 0 {
		inner, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Duration(test.CancelAfterMs)*time.Millisecond, cancel)
		ctx = inner
	}
	checkExchange(t, file, p, callExchange(ctx, client, file, test.Call))
}

func callExchange(ctx context.Context, client *Client, file *exchangeFile, call string) error {
	draft := Send{From: "a@sandbox.test", To: []string{"b@sandbox.test"}}
	var err error
	switch call {
	case "send":
		_, err = client.Messages.Send(ctx, draft, file.IdempotencyKey)
	case "batch":
		item := BatchItem{From: draft.From, To: draft.To, IdempotencyKey: file.IdempotencyKey}
		var results []BatchEntry
		results, err = client.Messages.SendBatch(ctx, []BatchItem{item})
		if err == nil {
			err = results[0].Err
		}
	case "read":
		_, err = client.Messages.Get(ctx, file.ID)
	case "list":
		for _, err = range client.Messages.ListPages(ctx, ListMessages{}) {
			break
		}
	case "create":
		_, err = client.APIKeys.Create(ctx, NewAPIKey{Name: "a"})
	default:
		err = client.Webhooks.Delete(ctx, file.ID)
	}
	return err
}

var unshown = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

func checkExchange(t *testing.T, file *exchangeFile, p *peer, err error) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.test.Out
	if class := neutralClass(err); class != out.Class && class != out.Or {
		t.Fatalf("%s in place of %s: %v", class, out.Class, err)
	}
	if out.Requests != nil && p.requests != *out.Requests {
		t.Errorf("%d requests in place of %d", p.requests, *out.Requests)
	}
	if out.TakenMax != nil && p.taken > *out.TakenMax {
		t.Errorf("%d bytes taken", p.taken)
	}
	if err == nil {
		return
	}
	for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err)} {
		if unshown.MatchString(text) || strings.Contains(text, "canarycanary") {
			t.Errorf("shown: %q", text)
		}
	}
	fields := fieldsOf(err)
	if out.Key {
		same(t, "key", fields["IdempotencyKey"], file.IdempotencyKey)
	}
	if out.Class != "Cancelled" {
		same(t, "outcome unknown", fields["OutcomeUnknown"], out.OutcomeUnknown)
	}
	if out.Status != nil {
		same(t, "status", fields["Status"], *out.Status)
	}
	if out.Code != nil {
		same(t, "code", fields["Code"], *out.Code)
	}
	if out.RetryAfter != nil {
		same(t, "retry after", fields["RetryAfter"], time.Duration(*out.RetryAfter*float64(time.Second)))
	}
	if out.Message != nil && !strings.HasPrefix(fmt.Sprint(fields["Message"]), *out.Message) {
		t.Errorf("message %q in place of %q", fields["Message"], *out.Message)
	}
}

func same(t *testing.T, name string, found, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Errorf("%s is %v in place of %v", name, found, wanted)
	}
}

// fieldsOf are the public fields of an error, with those of what it embeds.
func fieldsOf(err error) map[string]any {
	found := map[string]any{}
	value := reflect.ValueOf(err).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if field.IsExported() && !field.Anonymous {
			found[field.Name] = value.FieldByIndex(field.Index).Interface()
		}
	}
	return found
}

func neutralClass(err error) string {
	if err == nil {
		return "ok"
	}
	if errors.Is(err, context.Canceled) {
		return "Cancelled"
	}
	name := fmt.Sprintf("%T", err)
	if name == "*acuse.APIError" {
		return "ApiError"
	}
	return strings.TrimPrefix(name, "*acuse.")
}
