package acuse

import (
	"cmp"
	"net/url"
	"strings"
)

// environmentProxy is what HTTPS_PROXY and NO_PROXY say for an address; contract/vectors/README.md of the project
// has the rule.
func environmentProxy(base *url.URL, env func(string) string) (string, error) {
	if base.Scheme != "https" || isLoopback(base.Hostname()) {
		return "", nil
	}
	named := strings.TrimSpace(cmp.Or(env("https_proxy"), env("HTTPS_PROXY")))
	if named == "" || isExcepted(base, cmp.Or(env("no_proxy"), env("NO_PROXY"))) {
		return "", nil
	}
	if !strings.Contains(named, "://") {
		named = "http://" + named
	}
	if host, found := strings.CutPrefix(named, "http://"); !found || host == "" || host[0] == '/' {
		return "", refused("HTTPS_PROXY must be like http://proxy.example.com:3128")
	}
	return named, nil
}

func isExcepted(base *url.URL, list string) bool {
	host, port := strings.ToLower(base.Hostname()), cmp.Or(base.Port(), "443")
	between := func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }
	for _, entry := range strings.FieldsFunc(strings.ToLower(list), between) {
		if entry == "*" {
			return true
		}
		name, only, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(entry, "*"), "."), ":")
		if name != "" && (only == "" || only == port) && (host == name || strings.HasSuffix(host, "."+name)) {
			return true
		}
	}
	return false
}
