package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"acuse.dev/go/verify"
	"acuse.dev/go/webhook"
)

func read(name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func main() {
	headers := http.Header{}
	for _, line := range strings.Split(strings.TrimSpace(string(read("headers.txt"))), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		headers.Set(name, value)
	}
	event, err := webhook.Verify(read("body.json"), headers, string(read("secret.txt")))
	if err != nil {
		log.Fatal(err)
	}
	report, err := verify.File("proof.zip", verify.Options{Policy: verify.TrustBundle})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, event.Type)
}
