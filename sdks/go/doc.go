// Package acuse is the client of Acuse: transactional email with evidence that a court's expert can check.
//
//	c, err := acuse.New() // ACUSE_API_KEY and ACUSE_URL
//	r, err := c.Messages.Send(ctx, acuse.Send{
//		From: "billing@sandbox.test", To: "delivered@sandbox.test",
//		Subject: acuse.Some("Invoice 1"), Text: acuse.Some("Hello."),
//	}, "invoice-1")
//	fmt.Println(r.Message.ID, r.Replayed)
//
// The second argument of Send is the idempotency key: with the same key, the same message is sent once,
// however often the program runs. One Client serves all goroutines.
//
// Package acuse.dev/go/webhook verifies webhook deliveries, acuse.dev/go/verify proof bundles without any
// network, and acuse.dev/go/acusetest has what tests of a program need.
package acuse

// Version is the version of this library.
const Version = "1.0.0"
