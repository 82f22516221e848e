/** Retry schedule; pure. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after each attempt; the last repeats. Greylisting (RFC 6647 §2) ends within the first two. */
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

/** Random spread of each wait. */
const JITTER = 0.1;

/** `attempts` ≥ 1, 0 ≤ `random` < 1. Never after `expiresAt`: the last attempt is made when time runs out. */
export function nextAttemptAt(attempts: number, now: Date, expiresAt: Date, random: number): Date {
  const delayMs = RETRY_DELAYS_MS[Math.min(attempts, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0]!;
  const jitter = 1 + JITTER * (2 * random - 1);
  return new Date(Math.min(now.getTime() + Math.round(delayMs * jitter), expiresAt.getTime()));
}
