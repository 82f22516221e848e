/**
 * Whether a call is tried again, and when: one pure function, tested in every library of Acuse with the same
 * vectors (contract/vectors/client-decisions.json).
 */
import { httpDateMs } from './http-date.ts';

/**
 * What may be done with a request whose fate is unknown, as the contract says for each operation: `safe` only
 * reads, `keyed` is repeated under its idempotency key, `repeatable` has the effect of one request however
 * often it is made, `once` has another effect each time.
 */
export type RetryClass = 'safe' | 'keyed' | 'repeatable' | 'once';

/**
 * The outcome of one attempt. `no_connection`: nothing was sent. `lost_answer`: the answer did not arrive
 * whole. `malformed`: a success that is not what the contract says. `code`: null where the answer has none.
 */
export type Outcome =
  | { readonly kind: 'no_connection' | 'lost_answer' | 'timeout' | 'tls' | 'malformed' | 'cancelled' }
  | { readonly kind: 'answer'; readonly status: number; readonly code: string | null };

/** The input of a decision. Times in milliseconds. */
export interface Situation {
  readonly retry: RetryClass;
  readonly outcome: Outcome;
  /** The attempt that has just ended, counted from 1. */
  readonly attempt: number;
  readonly maxRetries: number;
  /** Headers of the answer, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Uniform in [0, 1). */
  readonly random: number;
  /** Tokens that the client has left. */
  readonly budget: number;
  readonly timeLeftMs: number;
  /** Now, in Unix time. */
  readonly nowMs: number;
}

/** The rule that forbids a retry. */
export type StopReason = 'outcome' | 'attempts' | 'retry_after' | 'deadline' | 'budget';

export interface Decision {
  readonly retry: boolean;
  /** Before the next attempt; null without one. */
  readonly delayMs: number | null;
  /** Tokens left afterwards. */
  readonly budget: number;
  /** The wait that the answer asked for, whether it is followed or not. */
  readonly retryAfterMs: number | null;
  /** The request may have been carried out. */
  readonly unknown: boolean;
  readonly because: StopReason | null;
}

/** Tokens that a client begins with, and never has more of. */
export const BUDGET_TOKENS = 500;
const COST = 5;
const COST_AFTER_TIMEOUT = 10;
/** Earned by a call that succeeds at the first try. */
const REWARD = 1;

/** Milliseconds before the first retry; it doubles with each. */
const DELAY_MS = 500;
const DELAY_MAX_MS = 8_000;
/** Longest `Retry-After` that is waited for. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Longer numbers count as so many nines: all of them are over the limit. */
const RETRY_AFTER_DIGITS_MAX = 9;

const SERVER_FAULTS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** True to try again. */
export function decide(situation: Situation): Decision {
  const { retry, outcome, attempt, budget, maxRetries } = situation;
  const retryAfterMs = outcome.kind === 'answer' ? readRetryAfter(situation.headers, situation.nowMs) : null;
  const known = { retryAfterMs, unknown: isUnknown(outcome) };
  const stop = (because: StopReason) => ({ retry: false, delayMs: null, budget, ...known, because });
  if (!mayRetry(retry, outcome)) return stop('outcome');
  if (attempt > maxRetries) return stop('attempts');
  if (retryAfterMs !== null && retryAfterMs > RETRY_AFTER_MAX_MS) return stop('retry_after');
  const delayMs = pauseMs(attempt, situation.random, retryAfterMs);
  if (delayMs >= situation.timeLeftMs) return stop('deadline');
  const cost = retryCost(outcome);
  if (budget < cost) return stop('budget');
  return { retry: true, delayMs, budget: budget - cost, ...known, because: null };
}

function mayRetry(retry: RetryClass, outcome: Outcome): boolean {
  if (outcome.kind === 'no_connection') return true;
  const again = retry !== 'once';
  if (outcome.kind === 'lost_answer' || outcome.kind === 'timeout') return again;
  if (outcome.kind !== 'answer') return false;
  if (outcome.status === 429) return outcome.code === 'rate_limited';
  if (outcome.status === 408) return outcome.code === 'request_timeout';
  // 503 among them: a server that loses its database during a commit answers it too, so it is no refusal.
  return again && SERVER_FAULTS.has(outcome.status);
}

/** True if a request with this outcome may have been carried out. */
export function isUnknown(outcome: Outcome): boolean {
  if (outcome.kind === 'answer') return outcome.status >= 500;
  return outcome.kind !== 'no_connection' && outcome.kind !== 'tls';
}

/** Milliseconds before a retry, counted from 1. */
export function pauseMs(retry: number, random: number, retryAfterMs: number | null): number {
  const base = Math.min(DELAY_MAX_MS, DELAY_MS * 2 ** (retry - 1));
  const backoff = Math.floor(base * (0.5 + 0.5 * random));
  if (retryAfterMs === null) return backoff;
  // Up to a tenth on top, so that clients which were refused together do not come back together.
  return Math.max(backoff, retryAfterMs + Math.floor((retryAfterMs / 10) * random));
}

/** Tokens that a retry after this outcome costs. */
export function retryCost(outcome: Outcome): number {
  return outcome.kind === 'timeout' ? COST_AFTER_TIMEOUT : COST;
}

/** The budget after a success: `spent` is what the call's retries have cost, 0 for a first attempt. */
export function rewarded(budget: number, spent: number): number {
  return Math.min(BUDGET_TOKENS, budget + (spent || REWARD));
}

/** The wait that `Retry-After` asks for; null: nothing that can be read. RFC 9110 §10.2.3 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const value = trimmed(headers['retry-after']);
  if (value === undefined) return null;
  if (/^[0-9]+$/.test(value))
    return (value.length > RETRY_AFTER_DIGITS_MAX ? 999_999_999 : Number(value)) * 1_000;
  const at = httpDateMs(value);
  if (at === null) return null;
  // The server's own clock, where it shows it: this machine's may be wrong.
  const date = trimmed(headers['date']);
  const from = (date === undefined ? null : httpDateMs(date)) ?? nowMs;
  return Math.max(0, at - from);
}

function trimmed(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start++;
  while (end > start && isBlank(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
