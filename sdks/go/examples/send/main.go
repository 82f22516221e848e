// Command send sends one message: the example of the README.
package main

import (
	"context"
	"fmt"
	"log"

	"acuse.dev/go"
)

func main() {
	c, err := acuse.New() // ACUSE_API_KEY and ACUSE_URL
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	r, err := c.Messages.Send(ctx, acuse.Send{From: "billing@sandbox.test", To: "delivered@sandbox.test",
		Subject: acuse.Some("Invoice 1"), Text: acuse.Some("Hello.")}, "invoice-1") // "" makes a key
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Message.ID, r.Replayed)
}
