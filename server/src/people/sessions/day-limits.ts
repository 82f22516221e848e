import { hash } from 'node:crypto';
import type { Tx } from '../../platform/database/db.ts';
import { type FailureWindow, takeAttempt, windowStart } from './failures-store.ts';
import { FAILURES_WINDOW_MS } from './sign-in-limits.ts';

/** Mails that others have sent by us, counted by day, by all processes together. */

export const DAY_MS = 86_400_000;

interface DayLimit {
  readonly subject: string;
  readonly max: number;
  /** Completes `Limit of 3 …`. */
  readonly whose: string;
}

/** Counts one for each; null: all had room. Else the first that had none, and when it has. */
export async function takeOfDay(
  tx: Tx,
  limits: readonly DayLimit[],
  at: Date,
): Promise<(DayLimit & { readonly retryAfterSeconds: number }) | null> {
  // Windows of sign-ins are forgotten after a quarter of an hour. One that is to last for a day is kept as if
  // it began later.
  const now = new Date(at.getTime() + DAY_MS - FAILURES_WINDOW_MS);
  const staleBefore = new Date(now.getTime() - DAY_MS);
  for (const limit of limits) {
    const subject = hash('sha256', limit.subject, 'buffer');
    const window: FailureWindow = { realm: 'portal', subject, now, staleBefore, max: limit.max };
    if (await takeAttempt(tx, window)) continue;
    const began = (await windowStart(tx, 'portal', subject)) ?? now;
    const seconds = Math.ceil((began.getTime() + DAY_MS - now.getTime()) / 1000);
    return { ...limit, retryAfterSeconds: Math.max(1, seconds) };
  }
  return null;
}
