package acuse

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestPinnedKey: white space around a key is no part of it. Scenario 59 of sdks/conformance follows a log.
func TestPinnedKey(t *testing.T) {
	data, err := os.ReadFile("../../contract/vectors/notes.json")
	if err != nil {
		t.Skip("this folder was copied out of the repository")
	}
	var file struct {
		Key     string `json:"log_key"`
		Witness string `json:"witness_key"`
		Cases   []struct {
			Kind, Note string
			Valid      bool
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for _, test := range file.Cases {
		if test.Valid && kinds[test.Kind] == "" {
			kinds[test.Kind] = test.Note
		}
	}
	for _, around := range []string{"", " ", "\t", "\n", "\r\n", " \t\r\n"} {
		key := around + file.Key + around
		if checkpoint, err := readCheckpoint(kinds["checkpoint"], key); err != nil || checkpoint.TreeSize != 100 {
			t.Errorf("%q: %v %v", around, checkpoint, err)
		}
		if promise, err := readPromise(kinds["promise"], key); err != nil || promise.Deadline == 0 {
			t.Errorf("%q: %v %v", around, promise, err)
		}
	}
	within := strings.Replace(file.Key, "+", "+ ", 1)
	for _, key := range []string{"", " \r\n", within, file.Key + "\n" + file.Key, file.Key + "\u00a0", file.Witness} {
		var wrong *ConfigurationError
		_, err := readCheckpoint(kinds["checkpoint"], key)
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "name+id+base64") {
			t.Errorf("%q: %v", key, err)
		}
	}
}
