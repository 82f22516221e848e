//! The tokens that all calls of a client pay their retries with.

use std::sync::{Mutex, PoisonError};

use crate::decide::{decide, Decision, Situation, BUDGET_MAX, SUCCESS_GAIN};

pub(crate) struct Budget(Mutex<i64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Mutex::new(BUDGET_MAX))
    }
}

impl Budget {
    #[cfg(test)]
    pub(crate) fn starting_with(tokens: i64) -> Self {
        Self(Mutex::new(tokens))
    }

    /// Asks `decide` with the tokens that there are, and pays; returns what it cost as well.
    pub(crate) fn decide(&self, mut given: Situation<'_>) -> (Decision, i64) {
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        given.budget = *tokens;
        let decision = decide(&given);
        *tokens = decision.budget;
        (decision, given.budget - decision.budget)
    }

    /// Gives back what all retries of the call have cost; a success at the first attempt earns a token.
    pub(crate) fn succeeded(&self, attempts: u32, spent: i64) {
        let gain = if attempts == 1 { SUCCESS_GAIN } else { spent };
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *tokens = BUDGET_MAX.min(*tokens + gain);
    }

    #[cfg(test)]
    pub(crate) fn left(&self) -> i64 {
        *self.0.lock().unwrap()
    }
}
