package acuse_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"acuse.dev/go"
	"acuse.dev/go/acusetest"
	"acuse.dev/go/verify"
	"acuse.dev/go/webhook"
)

// TestReadmeCompiles: what README.md shows, after its first program, is what stands below.
func TestReadmeCompiles(t *testing.T) {
	shown := blocks(t, "README.md", "(?s)```go\n(.*?)```")[1:]
	compiled := blocks(t, "readme_test.go", `(?sm)^\t?// README:\n(.*?)^\t?// README: end`)
	if !slices.Equal(shown, compiled) {
		t.Errorf("README.md shows\n%s\nand not\n%s", strings.Join(shown, "\n"), strings.Join(compiled, "\n"))
	}
}

func blocks(t *testing.T, file, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		block := strings.Trim(found[1], "\n")
		if strings.HasPrefix(block, "\t") { // in a function
			block = strings.ReplaceAll(block[1:], "\n\t", "\n")
		}
		out = append(out, block)
	}
	return out
}

var (
	_ = many
	_ = outbox
	_ = list
	_ = refusal
	_ = hook
	_ = hooked
	_ = bundle
	_ = verified
	_ = follow
	_ = faked
)

func many(ctx context.Context, c *acuse.Client, items []acuse.BatchItem) error {
	// README:
	results, err := c.Messages.SendBatch(ctx, items)
	for _, r := range results {
		fmt.Println(r.Status, r.IdempotencyKey, r.Err) // created, replayed, failed, unknown
	}
	// README: end
	return err
}

func outbox(ctx context.Context, c *acuse.Client, db *sql.DB, message acuse.Send, number string) (int, error) {
	// README:
	tx, err := db.BeginTx(ctx, nil) // *sql.DB
	defer tx.Rollback()
	_, err = tx.ExecContext(ctx, "insert into invoices (number) values ($1)", number)
	_, err = acuse.AddToOutbox(ctx, tx, message, "invoice-"+number)
	err = tx.Commit()

	ended, err := c.SendOutbox(ctx, db, 100) // every few seconds, in as many processes as you like
	// README: end
	return ended, err
}

func list(ctx context.Context, c *acuse.Client) error {
	// README:
	for m, err := range c.Messages.List(ctx, acuse.ListMessages{Status: "bounced"}) {
		if err != nil {
			return err
		}
		fmt.Println(m.ID, m.To)
	}
	// README: end
	return nil
}

func refusal(err error) {
	// README:
	var refused *acuse.RefusedError
	var lost *acuse.ConnectionError
	switch {
	case errors.As(err, &refused) && refused.Code == acuse.CodeRecipientSuppressed:
		fmt.Println(refused.Message, refused.Fix, refused.RequestID)
	case errors.As(err, &lost) && lost.OutcomeUnknown:
		// It may have been accepted: send it again with lost.IdempotencyKey.
	}
	// README: end
}

const secret = "whsec_c2VjcmV0IG9mIGEgdGVzdA=="

// README:

// import "acuse.dev/go/webhook"; "acuse.dev/go/verify" and "acuse.dev/go/acusetest" are below
func hook(w http.ResponseWriter, request *http.Request) {
	event, err := webhook.VerifyRequest(request, secret)
	if err != nil {
		http.Error(w, "refused", http.StatusBadRequest)
		return
	}
	data, err := event.Typed()
	if bounced, ok := data.(*acuse.EmailBouncedData); ok && err == nil {
		fmt.Println(bounced.MessageID, bounced.Reply)
	}
}

// README: end

func hooked(ctx context.Context, c *acuse.Client, url string) (string, error) {
	// README:
	hook, err := c.Webhooks.Create(ctx, acuse.NewWebhook{URL: url, Events: []acuse.Subscription{"email.bounced"}})
	secret := hook.Secret.Reveal() // nothing else has it later
	// README: end
	return secret, err
}

func bundle(ctx context.Context, c *acuse.Client, r *acuse.SendResult) (*acuse.Message, error) {
	// README:
	sealed, err := c.Evidence.WaitUntilSealed(ctx, r.Message.ID, time.Minute)
	err = c.Evidence.DownloadBundle(ctx, r.Message.ID, "proof.zip") // the whole file, or none
	// README: end
	return sealed, err
}

func verified() error {
	// README:
	policy, err := verify.LoadPolicy("policy.json") // whom you trust: log keys, witnesses, authorities
	report, err := verify.File("proof.zip", verify.Options{Policy: policy})
	fmt.Println(report.Verdict, report.Reasons, report.Valid, report.SealedAt)
	// README: end
	return err
}

func follow(ctx context.Context, c *acuse.Client, r *acuse.SendResult, pinnedKey, saved string) (any, any, error) {
	// README:
	now, err := c.Log.Follow(ctx, pinnedKey, saved)             // saved: the Note of the checkpoint before
	state, err := c.Log.CheckPromise(ctx, r.Message, pinnedKey) // kept, pending, broken
	// README: end
	return now, state, err
}

func faked(body []byte) (*acuse.Client, http.Header, error) {
	// README:
	fake := acusetest.New() // a service in memory: sends, batches, keys, replays, and the refusals that you script
	c, err := acuse.New(fake.Options()...)
	fake.Refuse(acusetest.Refusal{Status: 503, Code: acuse.CodeUnavailable})
	header, err := acusetest.SignWebhook(body, secret, time.Now())
	// README: end
	return c, header, err
}
