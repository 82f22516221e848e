import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type FailureWindow, takeAttempt, windowStart } from './failures-store.ts';
import { isRefused, refusalBefore } from './refusals-store.ts';
import { FAILURES_WINDOW_MS } from './sign-in-limits.ts';

/** From the first invitation (ms). */
const DAY_MS = 86_400_000;
/** Invitations of one account, and of one person, in a day. */
export const ACCOUNT_INVITATIONS_MAX = 100;
export const INVITER_INVITATIONS_MAX = 50;
/** To one address in a day, of one account and of all. */
export const RECIPIENT_INVITATIONS_MAX = 3;
export const RECIPIENT_INVITATIONS_MAX_OF_ALL = 6;

/** So many refusals make an account wait until the first of them is as old as this (ms). */
export const REFUSALS_MAX = 3;
export const REFUSALS_WINDOW_MS = 7 * DAY_MS;

export interface Invitation {
  readonly tenantId: string;
  /** Of who invites. */
  readonly userId: string;
  /** The key of the address. */
  readonly recipient: string;
  /** As it was written. */
  readonly address: string;
  readonly at: Date;
}

/** The key of a refusal. */
export function recipientSha256(key: string): Uint8Array {
  return hash('sha256', key, 'buffer');
}

/**
 * Counts an invitation, whoever wants it sent: it goes out under the name of the installation. Throws
 * rate_limited, conflict.
 */
export async function takeInvitation(tx: Tx, invitation: Invitation): Promise<void> {
  const { tenantId, userId, recipient, at } = invitation;
  await assertWanted(tx, invitation);
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

async function assertWanted(tx: Tx, { tenantId, recipient, address, at }: Invitation): Promise<void> {
  if (await isRefused(tx, tenantId, recipientSha256(recipient)))
    throw apiError(
      'conflict',
      `Whoever reads mail to ${address} refused an invitation of this account, which cannot invite this address again. If that was a mistake, ask the operator to add the person (acuse users link).`,
    );
  const first = await refusalBefore(tx, tenantId, REFUSALS_MAX);
  const waitMs = first === null ? 0 : first.getTime() + REFUSALS_WINDOW_MS - at.getTime();
  if (waitMs > 0)
    throw apiError(
      'rate_limited',
      `${REFUSALS_MAX} invitations of this account were refused within 7 days: try again later.`,
      { retryAfterSeconds: Math.ceil(waitMs / 1000) },
    );
}
