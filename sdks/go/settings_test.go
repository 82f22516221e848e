package acuse

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
)

func TestAnAddressThatIsNoneSaysWhereItIsSet(t *testing.T) {
	for _, address := range []string{"mail.example.com", "u:secret@x", "https://u:secret@x", "https://u:secret@["} {
		_, err := New(WithAPIKey(canary), WithBaseURL(address))
		if err == nil || !strings.Contains(err.Error(), "WithBaseURL, or ACUSE_URL") ||
			strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestSettings plays contract/vectors/client-settings.json: to which address, and through which proxy.
func TestSettings(t *testing.T) {
	data, err := os.ReadFile("../../contract/vectors/client-settings.json")
	if err != nil {
		t.Skip("this folder was copied out of the repository")
	}
	var file struct {
		Addresses []struct {
			Given, Out *string
			Env        map[string]string
		}
		Proxies []struct {
			Address string
			Env     map[string]string
			Out     *string
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, test := range file.Addresses {
		t.Setenv("ACUSE_URL", test.Env["ACUSE_URL"])
		t.Setenv("ACUSE_BASE_URL", test.Env["ACUSE_BASE_URL"])
		options := []Option{WithAPIKey(canary)}
		if test.Given != nil {
			options = append(options, WithBaseURL(*test.Given))
		}
		client, err := New(options...)
		if test.Out == nil {
			if err == nil || !strings.Contains(err.Error(), "ACUSE_URL") {
				t.Errorf("%v: %v", test.Env, err)
			}
		} else if err != nil || client.settings.base.String() != *test.Out {
			t.Errorf("%v: %v %v", test.Env, client, err)
		}
	}
	for _, test := range file.Proxies {
		base, _ := url.Parse(test.Address)
		found, err := environmentProxy(base, func(name string) string { return test.Env[name] })
		if err != nil {
			found = "refused"
		}
		wanted := ""
		if test.Out != nil {
			wanted = *test.Out
		}
		if found != wanted {
			t.Errorf("%s %v: %q in place of %q", test.Address, test.Env, found, wanted)
		}
	}
	plain := []Option{WithAPIKey(canary), WithBaseURL("http://localhost:8025"), WithProxy("http://proxy:3128")}
	if _, err := New(plain...); err == nil {
		t.Error("a proxy sees the key in plain http")
	}
	if _, err := New(append(plain, WithAllowInsecure())...); err != nil {
		t.Error(err)
	}
}
