package acuse

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// tracker keeps connections from growing beyond the requests that run at once. net/http starts a connection
// for each request that finds none idle, and keeps it even when another came free in the meantime.
type tracker struct {
	dialer   net.Dialer
	timeout  time.Duration
	mu       sync.Mutex
	requests int
	open     int
	changed  chan struct{}
}

var errNotNeeded = errors.New("no further connection came free in time")

func newTracker(timeout time.Duration) *tracker {
	return &tracker{
		dialer:  net.Dialer{Timeout: timeout, KeepAlive: keepAliveProbes},
		timeout: timeout,
		changed: make(chan struct{}),
	}
}

// begin counts a request until the function that it returns is called.
func (t *tracker) begin() func() {
	if t == nil {
		return func() {}
	}
	t.add(1, 0)
	var once sync.Once
	return func() { once.Do(func() { t.add(-1, 0) }) }
}

func (t *tracker) add(requests, open int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests += requests
	t.open += open
	close(t.changed)
	t.changed = make(chan struct{})
}

// take waits until there are fewer connections than requests, and counts one more.
func (t *tracker) take(ctx context.Context) error {
	timer := time.NewTimer(t.timeout)
	defer timer.Stop()
	for {
		t.mu.Lock()
		if t.open < t.requests {
			t.open++
			t.mu.Unlock()
			return nil
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return errNotNeeded
		}
	}
}

func (t *tracker) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := t.take(ctx); err != nil {
		return nil, err
	}
	conn, err := t.dialer.DialContext(ctx, network, address)
	if err != nil {
		t.add(0, -1)
		return nil, err
	}
	return &trackedConn{Conn: conn, closed: func() { t.add(0, -1) }}, nil
}

type trackedConn struct {
	net.Conn
	once   sync.Once
	closed func()
}

// Close closes the connection and counts it once.
func (c *trackedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.closed)
	return err
}
