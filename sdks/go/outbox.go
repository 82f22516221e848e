package acuse

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// outboxErrorMax is how many characters of an error the table keeps.
const outboxErrorMax = 1_000

// Executor is what AddToOutbox needs of a transaction: *sql.Tx, or *sql.Conn or *sql.DB, which then commit by
// themselves.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// AddToOutbox writes a message and its key into the outbox (OutboxTable), in the caller's own transaction: if
// that is rolled back, nothing is sent. False: the key is in the outbox already, and nothing was written. The
// database is PostgreSQL.
func AddToOutbox(ctx context.Context, tx Executor, message Send, idempotencyKey string) (bool, error) {
	if !validKey(idempotencyKey) {
		return false, refused("an idempotency key is 1 to 255 printable ASCII characters")
	}
	text, err := json.Marshal(message)
	if err != nil {
		return false, refused("the request cannot be written: " + err.Error())
	}
	result, err := tx.ExecContext(ctx, outboxAdd, idempotencyKey, string(text))
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows == 1, err
}

// outboxRow is a message that is to be sent.
type outboxRow struct {
	id       int64
	key      string
	message  []byte
	attempts int
}

// outboxEnd is the outcome of an attempt, as outboxRecord takes it.
type outboxEnd struct {
	state     string
	messageID sql.NullString
	error     sql.NullString
	seconds   float64
}

// SendOutbox sends at most limit messages of the outbox that are due, each once, however often and from wherever
// this is called. It returns how many messages came to their end, sent or refused; why a message waits or was
// refused stands in the table. The error is the database's, or that of the context.
func (c *Client) SendOutbox(ctx context.Context, db *sql.DB, limit int) (int, error) {
	for ended := range limit {
		var row outboxRow
		err := db.QueryRowContext(ctx, outboxClaim).Scan(&row.id, &row.key, &row.message, &row.attempts)
		if errors.Is(err, sql.ErrNoRows) {
			return ended, nil
		}
		if err != nil {
			return ended, err
		}
		end, err := c.sendOutboxRow(ctx, row)
		if err != nil {
			return ended, err
		}
		if _, err := db.ExecContext(ctx, outboxRecord,
			end.state, end.messageID, end.error, end.seconds, row.id, row.attempts); err != nil {
			return ended, err
		}
		// A cause such as a service that is down would make the next wait too.
		if end.state == "waiting" {
			return ended, nil
		}
	}
	return limit, nil
}

// sendOutboxRow makes an attempt. The bytes are those of the row: whoever sends it again, in whatever language,
// sends the same. The error is that of the context.
func (c *Client) sendOutboxRow(ctx context.Context, row outboxRow) (outboxEnd, error) {
	sent, err := c.sendKeyed(ctx, request{op: &opSendMessage, body: row.message, key: row.key})
	if err == nil {
		return outboxEnd{state: "sent", messageID: sql.NullString{String: sent.Message.ID, Valid: true}}, nil
	}
	if ctx.Err() != nil {
		return outboxEnd{}, err
	}
	end, text := outboxEnd{state: "waiting"}, err.Error()
	var api *APIError
	if errors.As(err, &api) {
		if api.Code == outboxAccepted {
			return outboxEnd{state: "sent"}, nil
		}
		if slices.Contains(outboxRefused, api.Status) && !strings.HasPrefix(api.Code, "http_") {
			end.state = "refused"
		}
		text = api.Code + ": " + api.Message
		end.seconds = api.RetryAfter.Seconds()
	}
	runes := []rune(text)
	end.error = sql.NullString{String: string(runes[:min(len(runes), outboxErrorMax)]), Valid: true}
	return end, nil
}
