/**
 * A client's step after an attempt, as a pure function: contract/vectors/README.md says it in words, and
 * client-decisions.json holds the results. Meant to be compared with translations into any language.
 */

export type RetryClass = 'safe' | 'keyed' | 'repeatable' | 'once';

/** The result of one attempt. `code`: from the error envelope; null if the body is not one. */
export type Outcome =
  | { readonly kind: 'answer'; readonly status: number; readonly code: string | null }
  | { readonly kind: 'no_connection' | 'lost_answer' | 'timeout' | 'tls' | 'malformed' | 'cancelled' };

export interface Attempt {
  readonly class: RetryClass;
  readonly outcome: Outcome;
  /** The attempt that has just ended, from 1. */
  readonly attempt: number;
  readonly max_retries: number;
  /** Headers of the answer; names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Uniform in [0, 1). */
  readonly u: number;
  /** Tokens that the client has left. */
  readonly budget: number;
  /** Milliseconds until the deadline of the call. */
  readonly time_left: number;
  /** The client's clock, in milliseconds since 1970. */
  readonly now: number;
}

export interface Decision {
  readonly retry: boolean;
  /** Milliseconds to wait before the next attempt; null without one. */
  readonly delay: number | null;
  /** Tokens left afterwards. */
  readonly budget: number;
  /** The wait that the answer asked for, in milliseconds, whether it is followed or not. */
  readonly retry_after: number | null;
  /** True if the request may have been carried out. */
  readonly unknown: boolean;
  /** The rule that forbids a retry; null when there is one. */
  readonly because: 'outcome' | 'attempts' | 'retry_after' | 'deadline' | 'budget' | null;
}

export const CONSTANTS = {
  first_delay_ms: 500,
  delay_max_ms: 8_000,
  retry_after_max_ms: 60_000,
  budget_max: 500,
  retry_cost: 5,
  retry_after_timeout_cost: 10,
  success_gain: 1,
  max_retries: 3,
} as const;

/** Longer numbers count as this one: all of them are over the limit. */
const RETRY_AFTER_DIGITS_MAX = 9;
const SERVER_FAULTS = [500, 502, 503, 504];

export function decide(attempt: Attempt): Decision {
  const { outcome, budget } = attempt;
  const retryAfter = outcome.kind === 'answer' ? retryAfterMs(attempt.headers, attempt.now) : null;
  const known = { retry_after: retryAfter, unknown: outcomeUnknown(outcome) };
  const stay = (because: Decision['because']) =>
    ({ retry: false, delay: null, budget, ...known, because }) as const;

  if (!mayRetry(attempt.class, outcome)) return stay('outcome');
  if (attempt.attempt > attempt.max_retries) return stay('attempts');
  if (retryAfter !== null && retryAfter > CONSTANTS.retry_after_max_ms) return stay('retry_after');
  const delay = delayMs(attempt.attempt, attempt.u, retryAfter);
  if (delay >= attempt.time_left) return stay('deadline');
  const cost = retryCost(outcome);
  if (budget < cost) return stay('budget');
  return { retry: true, delay, budget: budget - cost, ...known, because: null };
}

function mayRetry(retryClass: RetryClass, outcome: Outcome): boolean {
  if (outcome.kind === 'no_connection') return true;
  const again = retryClass !== 'once';
  if (outcome.kind === 'lost_answer' || outcome.kind === 'timeout') return again;
  if (outcome.kind !== 'answer') return false;
  if (outcome.status === 429) return outcome.code === 'rate_limited';
  if (outcome.status === 408) return outcome.code === 'request_timeout';
  return again && SERVER_FAULTS.includes(outcome.status);
}

export function outcomeUnknown(outcome: Outcome): boolean {
  if (outcome.kind === 'answer') return outcome.status >= 500;
  return outcome.kind !== 'no_connection' && outcome.kind !== 'tls';
}

/** `retry`: which one it is, from 1. All steps are exact for a `u` of at most 20 bits. */
export function delayMs(retry: number, u: number, retryAfter: number | null): number {
  const base = Math.min(CONSTANTS.delay_max_ms, CONSTANTS.first_delay_ms * 2 ** (retry - 1));
  const backoff = Math.floor(base * (0.5 + 0.5 * u));
  if (retryAfter === null) return backoff;
  return Math.max(backoff, retryAfter + Math.floor((retryAfter / 10) * u));
}

export function retryCost(outcome: Outcome): number {
  return outcome.kind === 'timeout' ? CONSTANTS.retry_after_timeout_cost : CONSTANTS.retry_cost;
}

/** `spent`: what the retries of the call have cost; 0 when the first attempt succeeded. */
export function budgetAfterSuccess(budget: number, spent: number): number {
  return Math.min(CONSTANTS.budget_max, budget + (spent || CONSTANTS.success_gain));
}

/** Null: absent or unreadable. A date counts from the answer's own Date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  const value = headerOf(headers, 'retry-after');
  if (value === null) return null;
  if (/^[0-9]+$/.test(value))
    return (value.length > RETRY_AFTER_DIGITS_MAX ? 999_999_999 : Number(value)) * 1_000;
  const at = httpDateMs(value);
  if (at === null) return null;
  const date = headerOf(headers, 'date');
  const from = (date === null ? null : httpDateMs(date)) ?? now;
  return Math.max(0, at - from);
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | null {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted);
  return found === undefined ? null : found[1].replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;

/** RFC 9110 §5.6.7, its one form that may be written; the day of the week is not compared. */
export function httpDateMs(text: string): number | null {
  const fields = HTTP_DATE.exec(text);
  const month = MONTHS.indexOf(fields?.[2] ?? '');
  if (fields === null || month === -1) return null;
  const [day, year, hour, minute, second] = [1, 3, 4, 5, 6].map((at) => Number(fields[at]));
  if (year! < 1970 || hour! > 23 || minute! > 59 || second! > 59) return null;
  const at = Date.UTC(year!, month, day!, hour!, minute!, second!);
  return new Date(at).getUTCDate() === day ? at : null;
}

/** True if a DELETE has deleted, by the outcomes of its attempts: a 404 after an unknown one means that. */
export function deletionEnded(outcomes: readonly Outcome[]): 'deleted' | 'failed' {
  const last = outcomes.at(-1);
  if (last?.kind !== 'answer') return 'failed';
  if (last.status >= 200 && last.status < 300) return 'deleted';
  const before = outcomes.slice(0, -1);
  return last.status === 404 && before.some(outcomeUnknown) ? 'deleted' : 'failed';
}
