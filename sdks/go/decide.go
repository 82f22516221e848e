package acuse

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	firstDelayMS    = 500    // ms, of the delay before the first retry
	delayMaxMS      = 8_000  // ms
	retryAfterMaxMS = 60_000 // ms: longer than that, the caller is told at once
	budgetMax       = 500    // tokens of a client
	retryCost       = 5      // tokens
	timeoutCost     = 10     // tokens of a retry after a timeout
	successGain     = 1      // tokens of a success at the first attempt
	maxSeconds      = 999_999_999
)

// outcome is how an attempt ended.
type outcome struct {
	kind   string
	status int
	code   string
}

const (
	noConnection = "no_connection"
	tlsFailed    = "tls"
	lostAnswer   = "lost_answer"
	timedOut     = "timeout"
	malformed    = "malformed"
	cancelled    = "cancelled"
	answered     = "answer"
)

// unknown reports whether the request may have had its effect, although nobody knows.
func (o outcome) unknown() bool {
	switch o.kind {
	case lostAnswer, timedOut, malformed, cancelled:
		return true
	case answered:
		return o.status >= 500
	default:
		return false
	}
}

type decisionInput struct {
	class      string
	outcome    outcome
	attempt    int
	maxRetries int
	header     func(name string) string
	u          float64
	budget     int
	timeLeft   int64 // ms until the call's deadline
	now        int64 // ms since 1970
}

type decision struct {
	retry      bool
	delay      int64 // ms
	budget     int
	retryAfter int64 // ms; -1: none
	unknown    bool
	because    string
}

// decide says what to do after an attempt: contract/vectors/README.md has its steps.
func decide(in decisionInput) decision {
	out := decision{budget: in.budget, retryAfter: -1, unknown: in.outcome.unknown()}
	if in.outcome.kind == answered {
		out.retryAfter = retryAfterMS(in.header("Retry-After"), in.header("Date"), in.now)
	}
	refuse := func(because string) decision {
		out.because = because
		return out
	}
	if !mayRetry(in.class, in.outcome) {
		return refuse("outcome")
	}
	if in.attempt > in.maxRetries {
		return refuse("attempts")
	}
	if out.retryAfter > retryAfterMaxMS {
		return refuse("retry_after")
	}
	delay := delayMS(in.attempt, in.u)
	if out.retryAfter >= 0 {
		delay = max(delay, out.retryAfter+int64(math.Floor(float64(out.retryAfter)/10*in.u)))
	}
	if delay >= in.timeLeft {
		return refuse("deadline")
	}
	cost := retryCost
	if in.outcome.kind == timedOut {
		cost = timeoutCost
	}
	if in.budget < cost {
		return refuse("budget")
	}
	out.retry, out.delay, out.budget = true, delay, in.budget-cost
	return out
}

func mayRetry(class string, o outcome) bool {
	repeatable := class != "once"
	switch o.kind {
	case noConnection:
		return true
	case lostAnswer, timedOut:
		return repeatable
	case answered:
		switch o.status {
		case 408:
			return o.code == CodeRequestTimeout
		case 429:
			return o.code == CodeRateLimited
		case 500, 502, 503, 504:
			return repeatable
		}
	}
	return false
}

// delayMS is the delay before a retry, which counts from 1.
func delayMS(retry int, u float64) int64 {
	base := math.Min(delayMaxMS, firstDelayMS*math.Pow(2, float64(retry-1)))
	return int64(math.Floor(base * (0.5 + 0.5*u)))
}

// retryAfterMS is what Retry-After asks for, or -1.
func retryAfterMS(value, date string, now int64) int64 {
	value = strings.Trim(value, " \t")
	if value == "" {
		return -1
	}
	if strings.Trim(value, "0123456789") == "" {
		digits := strings.TrimLeft(value, "0")
		if len(value) > 9 {
			return maxSeconds * 1000
		}
		seconds, _ := strconv.ParseInt("0"+digits, 10, 64)
		return seconds * 1000
	}
	moment, ok := httpDateMS(value)
	if !ok {
		return -1
	}
	from, ok := httpDateMS(strings.Trim(date, " \t"))
	if !ok {
		from = now
	}
	return max(0, moment-from)
}

// httpDateLength is that of an IMF-fixdate (RFC 9110 §5.6.7).
const httpDateLength = len("Sun, 06 Nov 1994 08:49:37 GMT")

// httpDateMS reads an IMF-fixdate to the letter. The name of the day is not compared with the date.
func httpDateMS(text string) (int64, bool) {
	const layout = "02 Jan 2006 15:04:05 GMT"
	if len(text) != httpDateLength || text[3:5] != ", " {
		return 0, false
	}
	if !strings.Contains("Mon Tue Wed Thu Fri Sat Sun", text[:3]) || strings.Contains(text[:3], " ") {
		return 0, false
	}
	moment, err := time.Parse(layout, text[5:])
	if err != nil || moment.Format(layout) != text[5:] || moment.Year() < 1970 {
		return 0, false
	}
	return moment.UnixMilli(), true
}
