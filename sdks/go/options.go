package acuse

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

const (
	defaultMaxRetries     = 3
	defaultConnectTimeout = 10 * time.Second
	defaultTimeout        = 60 * time.Second  // of an attempt, without what its body adds
	defaultDeadline       = 180 * time.Second // of a call with all of its attempts
)

// Option changes how a client is set up.
type Option func(*settings)

type settings struct {
	// apiKey is a function, so that no way of printing a struct around it can show the key.
	apiKey         func() string
	baseURL        string
	base           *url.URL
	maxRetries     int
	connectTimeout time.Duration
	timeout        time.Duration
	deadline       time.Duration
	caFile         string
	proxy          string
	appInfo        string
	allowInsecure  bool
	onAttempt      func(AttemptInfo)
	httpClient     *http.Client
	clock          func() time.Time
	sleep          func(context.Context, time.Duration) error
	random         func() float64
	connections    int // counts the options that concern connections
}

// WithAPIKey sets the API key, in place of ACUSE_API_KEY.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = held(key) } }

// held keeps a text where fmt does not reach.
func held(text string) func() string { return func() string { return text } }

// WithBaseURL sets where the server is, in place of ACUSE_URL.
func WithBaseURL(address string) Option { return func(s *settings) { s.baseURL = address } }

// WithMaxRetries sets how often a call is tried again; 3 by default.
func WithMaxRetries(retries int) Option { return func(s *settings) { s.maxRetries = retries } }

// WithConnectTimeout sets how long connecting may take; 10 s by default.
func WithConnectTimeout(limit time.Duration) Option {
	return func(s *settings) { s.connectTimeout = limit; s.connections++ }
}

// WithTimeout sets how long an attempt may take, and 1 s more for each 256 KiB of its body; 60 s by default.
func WithTimeout(limit time.Duration) Option { return func(s *settings) { s.timeout = limit } }

// WithDeadline sets how long a call may take with all of its attempts; 180 s by default.
func WithDeadline(limit time.Duration) Option { return func(s *settings) { s.deadline = limit } }

// WithCAFile trusts the certificate authorities of a PEM file, and no others.
func WithCAFile(path string) Option { return func(s *settings) { s.caFile = path; s.connections++ } }

// WithProxy sends requests through an HTTP proxy. By default that of HTTPS_PROXY is used for https, and none for
// plain http.
func WithProxy(address string) Option {
	return func(s *settings) { s.proxy = address; s.connections++ }
}

// WithAppInfo adds the name of your program to User-Agent: "billing/2.1".
func WithAppInfo(info string) Option { return func(s *settings) { s.appInfo = info } }

// WithAllowInsecure lets the API key go over plain http to hosts other than this one.
func WithAllowInsecure() Option { return func(s *settings) { s.allowInsecure = true } }

// WithOnAttempt sets a function that is called after each attempt. A panic of it changes nothing.
func WithOnAttempt(hook func(AttemptInfo)) Option { return func(s *settings) { s.onAttempt = hook } }

// WithHTTPClient uses an HTTP client of yours. Its redirects are not followed; connect timeout, CA file and
// proxy are then its own affair.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) { s.httpClient = client; s.connections++ }
}

// WithClock replaces the clock, for tests.
func WithClock(clock func() time.Time) Option { return func(s *settings) { s.clock = clock } }

// WithSleep replaces the waiting between attempts, for tests.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(s *settings) { s.sleep = sleep }
}

// WithRandom replaces the numbers in [0, 1) that spread retries, for tests.
func WithRandom(random func() float64) Option { return func(s *settings) { s.random = random } }

// NoSleep waits for nothing: for WithSleep, in tests.
func NoSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func defaults() settings {
	s := settings{
		apiKey: held(os.Getenv("ACUSE_API_KEY")), baseURL: addressOf(os.Getenv),
		maxRetries: defaultMaxRetries, connectTimeout: defaultConnectTimeout,
		timeout: defaultTimeout, deadline: defaultDeadline,
		clock: time.Now, sleep: sleepFor, random: rand.Float64,
	}
	return s
}

// addressOf is where the environment says that the service is. ACUSE_BASE_URL is what it was called before.
func addressOf(env func(string) string) string {
	return cmp.Or(env("ACUSE_URL"), env("ACUSE_BASE_URL"))
}

func sleepFor(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var printable = regexp.MustCompile(`^[\x21-\x7e]+$`)

func refused(message string) error { return &ConfigurationError{Message: message} }

func (s *settings) check() error {
	if s.apiKey() == "" {
		return refused("no API key: set ACUSE_API_KEY or use WithAPIKey")
	}
	if !printable.MatchString(s.apiKey()) {
		return refused("the API key has white space, control or non-ASCII characters: copy it again")
	}
	if strings.ContainsFunc(s.appInfo, func(r rune) bool { return r < ' ' || r > '~' }) {
		return refused("app info must be printable ASCII")
	}
	if s.maxRetries < 0 || s.timeout <= 0 || s.deadline <= 0 || s.connectTimeout <= 0 {
		return refused("retries must not be negative, and timeouts must be positive")
	}
	return s.checkBase()
}

const baseURL = "the base URL (WithBaseURL, or ACUSE_URL)"

func (s *settings) checkBase() error {
	if s.baseURL == "" {
		return refused("no address of the service: set ACUSE_URL or use WithBaseURL")
	}
	base, err := url.Parse(s.baseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return refused(baseURL + " must be like https://mail.example.com")
	}
	if base.User != nil || base.RawQuery != "" || base.ForceQuery || strings.Contains(s.baseURL, "#") {
		return refused(baseURL + " must have no credentials, no query and no fragment")
	}
	if base.Scheme == "http" && !s.allowInsecure && !isLoopback(base.Hostname()) {
		return refused("plain http would show the API key to others: use https, or WithAllowInsecure")
	}
	if base.Scheme == "http" && s.proxy != "" && !s.allowInsecure {
		return refused("a proxy would see the API key in plain http: use https, or WithAllowInsecure")
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = ""
	s.base = base
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
