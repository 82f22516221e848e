import { hash } from 'node:crypto';
import { apiError } from '../../errors.ts';
import type { Tx } from '../../platform/database/db.ts';
import { DAY_MS, takeOfDay } from './day-limits.ts';
import { isRefused, refusalBefore } from './refusals-store.ts';

/** Invitations of one account, and of one person, in a day. */
const ACCOUNT_INVITATIONS_MAX = 100;
const INVITER_INVITATIONS_MAX = 50;
/** To one address in a day, of one account. */
const RECIPIENT_INVITATIONS_MAX = 3;
/**
 * To one address in a day, of all accounts: first invitations, and repeated ones. Counted apart, so that
 * repeats of some accounts do not use up another's first one.
 */
const RECIPIENT_ACCOUNTS_MAX = 20;
const RECIPIENT_REPEATED_MAX_OF_ALL = 4;

/** After so many refusals an account waits until the first of them is this old (ms). */
const REFUSALS_MAX = 3;
const REFUSALS_WINDOW_MS = 7 * DAY_MS;

export interface Invitation {
  readonly tenantId: string;
  readonly userId: string;
  readonly recipient: string;
  readonly address: string;
  readonly at: Date;
}

export function recipientSha256(key: string): Uint8Array {
  return hash('sha256', key, 'buffer');
}

/**
 * Counts an invitation, whoever sends it: it is mailed in the installation's name. Throws rate_limited,
 * conflict.
 */
export async function takeInvitation(tx: Tx, invitation: Invitation): Promise<void> {
  const { tenantId, userId, recipient, at } = invitation;
  await assertWanted(tx, invitation);
  const first = { subject: `invitation:first:${tenantId}:${recipient}`, max: 1, whose: '' };
  const isFirst = (await takeOfDay(tx, [first], at)) === null;
  const full = await takeOfDay(
    tx,
    [
      { subject: `invitation:account:${tenantId}`, max: ACCOUNT_INVITATIONS_MAX, whose: 'of one account' },
      { subject: `invitation:inviter:${userId}`, max: INVITER_INVITATIONS_MAX, whose: 'of one person' },
      {
        subject: `invitation:recipient:${tenantId}:${recipient}`,
        max: RECIPIENT_INVITATIONS_MAX,
        whose: 'of one account to one address',
      },
      // How many others invite somebody is not said.
      isFirst
        ? {
            subject: `invitation:accounts:${recipient}`,
            max: RECIPIENT_ACCOUNTS_MAX,
            whose: 'of all accounts to one address',
          }
        : {
            subject: `invitation:recipient:${recipient}`,
            max: RECIPIENT_REPEATED_MAX_OF_ALL,
            whose: 'of all accounts that repeat one to the same address',
          },
    ],
    at,
  );
  if (full === null) return;
  const { max, whose, retryAfterSeconds } = full;
  throw apiError('rate_limited', `Limit of ${max} invitations ${whose} in a day reached: try again later.`, {
    retryAfterSeconds,
  });
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
