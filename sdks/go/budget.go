package acuse

import "sync"

// budget holds the tokens that all calls of a client pay their retries with.
type budget struct {
	mu     sync.Mutex
	tokens int
}

// decide asks decide with the tokens that there are, and pays.
func (b *budget) decide(in decisionInput) (decision, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	in.budget = b.tokens
	out := decide(in)
	b.tokens = out.budget
	return out, in.budget - out.budget
}

// succeeded gives back what the retries of a call have cost; a success at the first attempt earns a token.
func (b *budget) succeeded(spent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	gain := spent
	if spent == 0 {
		gain = successGain
	}
	b.tokens = min(budgetMax, b.tokens+gain)
}
