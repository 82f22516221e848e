package main

import (
	"encoding/base64"
	"errors"

	"acuse.dev/go"
)

type logArgs struct {
	Key     string        `json:"pinned_key"`
	Saved   string        `json:"saved"`
	Message acuse.Message `json:"message"`
}

func checkpointed(checkpoint *acuse.LogCheckpoint, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"origin": checkpoint.Origin, "tree_size": checkpoint.TreeSize,
		"root_hash": base64.StdEncoding.EncodeToString(checkpoint.RootHash), "saved": checkpoint.Note,
	}, nil
}

func (c *call) logCheckpoint() (any, error) {
	var args struct {
		Key string `json:"pinned_key"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	return checkpointed(c.client.Log.PinnedCheckpoint(c.ctx, args.Key))
}

func (c *call) logFollow() (any, error) {
	var args struct {
		Key   string `json:"pinned_key"`
		Saved string `json:"saved"`
	}
	if err := c.read(&args); err != nil {
		return nil, err
	}
	return checkpointed(c.client.Log.Follow(c.ctx, args.Key, args.Saved))
}

func (c *call) checkPromise() (any, error) {
	var args logArgs
	if err := c.read(&args); err != nil {
		return nil, err
	}
	state, err := c.client.Log.CheckPromise(c.ctx, &args.Message, args.Key)
	if err != nil {
		return nil, err
	}
	return map[string]any{"state": state}, nil
}

func logReason(err error) string {
	var wrong *acuse.LogError
	if errors.As(err, &wrong) {
		return string(wrong.Reason)
	}
	return ""
}
