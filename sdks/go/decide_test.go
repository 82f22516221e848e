package acuse

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vectors reads a file of contract/vectors. A copy of this folder alone has none: the test is skipped then.
func vectors(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "contract", "vectors", name))
	if os.IsNotExist(err) {
		t.Skip("contract/vectors is not here")
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

type outcomeVector struct {
	Kind   string
	Status int
	Code   *string
}

func (v outcomeVector) outcome() outcome {
	o := outcome{kind: v.Kind, status: v.Status}
	if v.Code != nil {
		o.code = *v.Code
	}
	return o
}

type decisionVectors struct {
	Decisions []struct {
		Name string
		In   struct {
			Class      string
			Outcome    outcomeVector
			Attempt    int
			MaxRetries int `json:"max_retries"`
			Headers    map[string]string
			U          float64
			Budget     int
			TimeLeft   int64 `json:"time_left"`
			Now        int64
		}
		Out struct {
			Retry      bool
			Delay      *int64
			Budget     int
			RetryAfter *int64 `json:"retry_after"`
			Unknown    bool
			Because    *string
		}
	}
	RetryAfter []struct {
		Value string
		Now   int64
		MS    *int64
	} `json:"retry_after"`
	Delays []struct {
		Retry int
		U     float64
		Delay int64
	}
	Budgets []struct {
		Name   string
		Start  int
		Events []struct {
			Event  string
			Paid   *bool
			Budget int
		}
	}
}

func TestDecideVectors(t *testing.T) {
	var all decisionVectors
	vectors(t, "client-decisions.json", &all)
	for _, each := range all.Decisions {
		in := each.In
		got := decide(decisionInput{
			class: in.Class, outcome: in.Outcome.outcome(), attempt: in.Attempt, maxRetries: in.MaxRetries,
			header: func(name string) string {
				for given, value := range in.Headers {
					if strings.EqualFold(given, name) {
						return value
					}
				}
				return ""
			},
			u: in.U, budget: in.Budget, timeLeft: in.TimeLeft, now: in.Now,
		})
		want := decision{retry: each.Out.Retry, budget: each.Out.Budget, unknown: each.Out.Unknown, retryAfter: -1}
		if each.Out.Delay != nil {
			want.delay = *each.Out.Delay
		}
		if each.Out.RetryAfter != nil {
			want.retryAfter = *each.Out.RetryAfter
		}
		if each.Out.Because != nil {
			want.because = *each.Out.Because
		}
		if got != want {
			t.Errorf("%s: %+v, not %+v", each.Name, got, want)
		}
	}
	for _, each := range all.RetryAfter {
		want := int64(-1)
		if each.MS != nil {
			want = *each.MS
		}
		if got := retryAfterMS(each.Value, "", each.Now); got != want {
			t.Errorf("Retry-After %q: %d, not %d", each.Value, got, want)
		}
	}
	for _, each := range all.Delays {
		if got := delayMS(each.Retry, each.U); got != each.Delay {
			t.Errorf("retry %d, u %v: %d, not %d", each.Retry, each.U, got, each.Delay)
		}
	}
}

func TestBudgetVectors(t *testing.T) {
	var all decisionVectors
	vectors(t, "client-decisions.json", &all)
	for _, each := range all.Budgets {
		tokens, spent := budget{tokens: each.Start}, 0
		for n, event := range each.Events {
			paid := false
			switch event.Event {
			case "ok":
				tokens.succeeded(0)
			case "ok after retry":
				tokens.succeeded(spent)
				spent = 0
			default:
				kind := map[string]string{"lost": lostAnswer, "timeout": timedOut}[event.Event]
				next, cost := tokens.decide(decisionInput{
					class: "safe", outcome: outcome{kind: kind}, attempt: 1, maxRetries: 9, timeLeft: 1 << 40,
				})
				paid = next.retry
				if paid {
					spent += cost
				}
			}
			if event.Paid != nil && *event.Paid != paid || tokens.tokens != event.Budget {
				t.Errorf("%s, event %d: %d tokens, paid %v", each.Name, n, tokens.tokens, paid)
			}
		}
	}
}
