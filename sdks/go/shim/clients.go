package main

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"acuse.dev/go"
)

type options struct {
	APIKey         *string  `json:"api_key"`
	BaseURL        *string  `json:"base_url"`
	AppInfo        *string  `json:"app_info"`
	CAFile         *string  `json:"ca_file"`
	Proxy          *string  `json:"proxy"`
	AllowInsecure  bool     `json:"allow_insecure"`
	MaxRetries     *int     `json:"max_retries"`
	ConnectTimeout *int64   `json:"connect_timeout_ms"`
	Timeout        *int64   `json:"timeout_ms"`
	Deadline       *int64   `json:"deadline_ms"`
	Random         *float64 `json:"random"`
	Sleep          string   `json:"sleep"`
	Now            *int64   `json:"now_ms"`
	Hook           string   `json:"hook"`
}

var (
	clientsMu sync.Mutex
	clients   = map[string]*acuse.Client{}
)

func milliseconds(value int64) time.Duration { return time.Duration(value) * time.Millisecond }

func (o options) list() []acuse.Option {
	random := 0.0
	if o.Random != nil {
		random = *o.Random
	}
	list := []acuse.Option{acuse.WithRandom(func() float64 { return random })}
	texts := []struct {
		value  *string
		option func(string) acuse.Option
	}{
		{o.APIKey, acuse.WithAPIKey}, {o.BaseURL, acuse.WithBaseURL}, {o.AppInfo, acuse.WithAppInfo},
		{o.CAFile, acuse.WithCAFile}, {o.Proxy, acuse.WithProxy},
	}
	for _, each := range texts {
		if each.value != nil {
			list = append(list, each.option(*each.value))
		}
	}
	times := []struct {
		value  *int64
		option func(time.Duration) acuse.Option
	}{
		{o.ConnectTimeout, acuse.WithConnectTimeout}, {o.Timeout, acuse.WithTimeout},
		{o.Deadline, acuse.WithDeadline},
	}
	for _, each := range times {
		if each.value != nil {
			list = append(list, each.option(milliseconds(*each.value)))
		}
	}
	if o.AllowInsecure {
		list = append(list, acuse.WithAllowInsecure())
	}
	if o.MaxRetries != nil {
		list = append(list, acuse.WithMaxRetries(*o.MaxRetries))
	}
	if o.Now != nil {
		now := time.UnixMilli(*o.Now)
		list = append(list, acuse.WithClock(func() time.Time { return now }))
	}
	return list
}

// connect finds the client of the options, and makes the view of it that records for this call.
func (c *call) connect(raw json.RawMessage) error {
	var given options
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return shimError("options: %v", err)
		}
	}
	clientsMu.Lock()
	defer clientsMu.Unlock()
	client := clients[string(raw)]
	if client == nil {
		made, err := acuse.New(given.list()...)
		if err != nil {
			return err
		}
		client = made
		clients[string(raw)] = made
	}
	recording := []acuse.Option{acuse.WithOnAttempt(func(info acuse.AttemptInfo) {
		c.recordAttempt(info)
		if given.Hook == "throw" {
			panic("the hook throws")
		}
	})}
	recording = append(recording, acuse.WithSleep(func(ctx context.Context, pause time.Duration) error {
		c.mu.Lock()
		c.sleeps = append(c.sleeps, pause.Milliseconds())
		c.mu.Unlock()
		if given.Sleep != "real" {
			return ctx.Err()
		}
		select {
		case <-time.After(pause):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}))
	view, err := client.WithOptions(recording...)
	c.client = view
	return err
}

func (c *call) recordAttempt(info acuse.AttemptInfo) {
	entry := map[string]any{
		"operation": info.Operation, "attempt": info.Attempt, "status": nil, "code": key(info.Code),
		"request_id": key(info.RequestID), "duration_ms": info.Duration.Milliseconds(),
		"retry_in_ms": nil, "error": nil,
	}
	if info.Status != 0 {
		entry["status"] = info.Status
	}
	if pause, set := info.RetryIn.Get(); set {
		entry["retry_in_ms"] = pause.Milliseconds()
	}
	if info.Err != nil {
		entry["error"] = className(info.Err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts = append(c.attempts, entry)
}
