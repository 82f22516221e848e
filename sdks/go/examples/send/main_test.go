package main

import (
	"bytes"
	"os"
	"testing"
)

// TestReadmeHasThisProgram: the first example of the README is the one that the package step builds and runs.
func TestReadmeHasThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := bytes.Cut(program, []byte("package main"))
	if !bytes.Contains(readme, []byte("```go\npackage main"+string(code)+"```")) {
		t.Error("README.md has another program")
	}
}
