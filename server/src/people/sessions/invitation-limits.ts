import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type FailureWindow, takeAttempt, windowStart } from './failures-store.ts';
import { FAILURES_WINDOW_MS } from './sign-in-limits.ts';

/** From the first invitation (ms). */
const DAY_MS = 86_400_000;
/** Invitations of one account, and of one person, in a day. */
export const ACCOUNT_INVITATIONS_MAX = 100;
export const INVITER_INVITATIONS_MAX = 50;
/** To one address in a day, of one account and of all. */
export const RECIPIENT_INVITATIONS_MAX = 3;
export const RECIPIENT_INVITATIONS_MAX_OF_ALL = 6;

export interface Invitation {
  readonly tenantId: string;
  /** Of who invites. */
  readonly userId: string;
  /** The key of the address. */
  readonly recipient: string;
  readonly at: Date;
}

/**
 * Counts an invitation, whoever wants it sent: it goes out under the name of the installation. Throws
 * rate_limited.
 */
export async function takeInvitation(tx: Tx, { tenantId, userId, recipient, at }: Invitation): Promise<void> {
  const limits: readonly [subject: string, max: number, whose: string][] = [
    [`account:${tenantId}`, ACCOUNT_INVITATIONS_MAX, 'of one account'],
    [`inviter:${userId}`, INVITER_INVITATIONS_MAX, 'of one person'],
    [`recipient:${tenantId}:${recipient}`, RECIPIENT_INVITATIONS_MAX, 'of one account to one address'],
    // How many others invite somebody is not said.
    [`recipient:${recipient}`, RECIPIENT_INVITATIONS_MAX_OF_ALL, 'to one address'],
  ];
  // Windows of sign-ins are forgotten after a quarter of an hour. One that is to last for a day is kept as if
  // it began later.
  const now = new Date(at.getTime() + DAY_MS - FAILURES_WINDOW_MS);
  const staleBefore = new Date(now.getTime() - DAY_MS);
  for (const [subject, max, whose] of limits) {
    const key = hash('sha256', `invitation:${subject}`, 'buffer');
    const window: FailureWindow = { realm: 'portal', subject: key, now, staleBefore, max };
    if (await takeAttempt(tx, window)) continue;
    const began = (await windowStart(tx, 'portal', key)) ?? now;
    const seconds = Math.ceil((began.getTime() + DAY_MS - now.getTime()) / 1000);
    throw apiError(
      'rate_limited',
      `Limit of ${max} invitations ${whose} in a day reached: try again later.`,
      {
        retryAfterSeconds: Math.max(1, seconds),
      },
    );
  }
}
