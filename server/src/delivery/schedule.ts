/** When a deferred message is tried again; pure. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Waits after the first, second, … attempt; the last one repeats. Greylisting (RFC 6647 §2) ends within the
 * first two.
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  40 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
];

/** Each wait varies by this much, so that messages deferred together do not come back together. */
const JITTER = 0.1;

/**
 * The time of the next attempt after `attempts` attempts (≥ 1) have been made. `random` is 0 ≤ r < 1. Never
 * after `expiresAt`: a message gets its last attempt when its time runs out, not up to six hours before.
 */
export function nextAttemptAt(attempts: number, now: Date, expiresAt: Date, random: number): Date {
  const delayMs = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0]!;
  const jitter = 1 + JITTER * (2 * random - 1);
  return new Date(Math.min(now.getTime() + Math.round(delayMs * jitter), expiresAt.getTime()));
}
