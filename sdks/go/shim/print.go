package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"

	"acuse.dev/go"
)

// print shows a value in every way in which Go prints one.
func (c *call) print() (any, error) {
	var args struct {
		What    string     `json:"what"`
		Message acuse.Send `json:"message"`
	}
	if err := c.read(&args); err != nil {
		var with struct {
			What string `json:"what"`
		}
		if json.Unmarshal(c.args, &with) != nil {
			return nil, err
		}
		args.What = with.What
	}
	var values []any
	switch args.What {
	case "client":
		values = []any{c.client, *c.client, c.client.Messages}
	case "request":
		values = []any{args.Message, &args.Message}
	case "event":
		var hook webhookArgs
		if err := c.read(&hook); err != nil {
			return nil, err
		}
		event, err := hook.verify()
		if err != nil {
			return nil, err
		}
		values = []any{event}
	case "error":
		_, err := c.client.Messages.Send(c.ctx, args.Message, "")
		if err == nil {
			return nil, shimError("the send succeeded")
		}
		values = []any{err}
	default:
		return nil, shimError("nothing prints %s", args.What)
	}
	texts := []string{}
	for _, value := range values {
		texts = append(texts, printed(value, args.What != "request" && args.What != "event")...)
	}
	return map[string]any{"texts": texts}, nil
}

// printed leaves JSON out of requests and events: there it is the way to send and to keep them.
func printed(value any, withJSON bool) []string {
	var texts []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		texts = append(texts, fmt.Sprintf(verb, value))
	}
	var logged bytes.Buffer
	log.New(&logged, "", 0).Println(value)
	level := &slog.HandlerOptions{Level: slog.LevelDebug}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, level), slog.NewJSONHandler(&logged, level)} {
		for _, at := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
			slog.New(handler).Log(context.Background(), at, "value", "value", value)
		}
	}
	texts = append(texts, logged.String())
	if withJSON {
		encoded, err := json.Marshal(value)
		texts = append(texts, string(encoded), fmt.Sprint(err))
	}
	return texts
}
