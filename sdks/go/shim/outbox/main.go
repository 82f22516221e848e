// Command outbox is what sdks/conformance/run/outbox.mjs runs and kills: setup | add ADDRESS KEY… | send.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"

	"acuse.dev/go"
	_ "github.com/lib/pq"
)

func main() {
	ctx := context.Background()
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	check(err)
	switch os.Args[1] {
	case "setup":
		_, err = db.ExecContext(ctx, "create table invoices (number text primary key); "+acuse.OutboxTable)
		check(err)
	case "add":
		for _, key := range os.Args[3:] {
			check(add(ctx, db, os.Args[2], key))
		}
	default:
		client, err := acuse.New()
		check(err)
		ended, err := client.SendOutbox(ctx, db, 100)
		check(err)
		fmt.Println(ended)
	}
}

func add(ctx context.Context, db *sql.DB, to, key string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	invoice := "insert into invoices (number) values ($1) on conflict do nothing"
	if _, err := tx.ExecContext(ctx, invoice, key); err != nil {
		return err
	}
	message := acuse.Send{From: "billing@sandbox.test", To: to,
		Subject: acuse.Some("Invoice " + key), Text: acuse.Some("Hello.")}
	if _, err := acuse.AddToOutbox(ctx, tx, message, key); err != nil {
		return err
	}
	return tx.Commit()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
