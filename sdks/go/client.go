package acuse

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"
)

const (
	maxRequests     = 100              // requests at once, per client
	idleTimeout     = 60 * time.Second // the server closes idle connections at 72 s
	headerSizeMax   = 256 << 10        // bytes of an answer's header
	keepAliveProbes = 30 * time.Second
)

// Client speaks to one server with one API key. It serves all goroutines; make one and keep it.
type Client struct {
	Services
	settings settings
	shared   *shared
}

// shared is what a client and the views of it have in common.
type shared struct {
	http    *http.Client
	tracker *tracker
	slots   chan struct{}
	budget  budget
}

// New makes a client. Without options it reads ACUSE_API_KEY and ACUSE_URL.
func New(options ...Option) (*Client, error) {
	s := defaults()
	for _, option := range options {
		option(&s)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	common := &shared{slots: make(chan struct{}, maxRequests), budget: budget{tokens: budgetMax}}
	if err := common.connect(s); err != nil {
		return nil, err
	}
	return bound(s, common), nil
}

func bound(s settings, common *shared) *Client {
	client := &Client{settings: s, shared: common}
	client.bind(client)
	return client
}

// WithOptions makes a view of the client with other settings, which shares connections and retry budget.
func (c *Client) WithOptions(options ...Option) (*Client, error) {
	s := c.settings
	s.connections = 0
	for _, option := range options {
		option(&s)
	}
	if s.connections > 0 {
		return nil, refused("a view shares its connections: CA file, proxy, connect timeout and " +
			"HTTP client need a client of their own")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	return bound(s, c.shared), nil
}

// Close closes connections that are idle. The client can still be used.
func (c *Client) Close() { c.shared.http.CloseIdleConnections() }

func (s *shared) connect(given settings) error {
	client := &http.Client{}
	if given.httpClient != nil {
		*client = *given.httpClient
	} else {
		transport, err := s.transport(given)
		if err != nil {
			return err
		}
		client.Transport = transport
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	s.http = client
	return nil
}

func (s *shared) transport(given settings) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if given.caFile != "" {
		pem, err := os.ReadFile(given.caFile)
		if err != nil {
			return nil, refused("the CA file cannot be read: " + err.Error())
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, refused("the CA file has no certificate in PEM")
		}
	}
	s.tracker = newTracker(given.connectTimeout)
	transport := &http.Transport{
		DialContext:            s.tracker.dial,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    given.connectTimeout,
		MaxIdleConns:           maxRequests,
		MaxIdleConnsPerHost:    maxRequests,
		MaxConnsPerHost:        maxRequests,
		IdleConnTimeout:        idleTimeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: headerSizeMax,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	address := given.proxy
	if address == "" {
		found, err := environmentProxy(given.base, os.Getenv)
		if err != nil || found == "" {
			return transport, err
		}
		address = found
	}
	proxy, err := url.Parse(address)
	if err != nil || proxy.Host == "" || proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, refused("the proxy must be like http://proxy.example.com:3128")
	}
	transport.Proxy = http.ProxyURL(proxy)
	return transport, nil
}

// UserAgent is what each request says of itself.
func (c *Client) UserAgent() string {
	release := strings.TrimPrefix(runtime.Version(), "go")
	release, _, _ = strings.Cut(release, " ")
	agent := fmt.Sprintf("acuse-go/%s (go/%s; %s)", Version, release, runtime.GOOS)
	if c.settings.appInfo != "" {
		agent += " " + c.settings.appInfo
	}
	return agent
}

// String shows where the client speaks to, and its key without the secret part.
func (c Client) String() string {
	return fmt.Sprintf("acuse.Client{%s %s}", c.settings.base.Redacted(), mask(c.settings.apiKey()))
}

// Format prints String for every verb.
func (c Client) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, c.String()) }

// LogValue is what log/slog shows.
func (c Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText is String, so that no encoder shows more.
func (c Client) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
