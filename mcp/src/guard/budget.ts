/** How much agents may send, counted from the API: every message sent here has one tag. */
import { type Account, answerOf, type Message } from '@acuse/client';
import { Refusal } from '../refusal.ts';
import type { Session } from '../session.ts';

/** Carried by every message that is sent here. */
export const TAG = 'mcp';
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PAGE = 100;
/** Messages of a day that are counted at most; beyond them the budget counts as spent. */
const COUNTED_MAX = 10_000;

/** Price of one message in cents. */
export function costOf(account: Account, certified: boolean): number {
  const { price_per_message_cents, price_per_plain_message_cents } = account.settings;
  return certified ? price_per_message_cents : price_per_plain_message_cents;
}

/**
 * Throws Refusal when one more message would be too many or too dear. A message that was sent under the same
 * key before is let pass: sending it again is a replay.
 */
export async function checkBudget(
  session: Session,
  account: Account,
  message: { readonly cost: number; readonly idempotencyKey?: string },
): Promise<void> {
  const now = timeOf(session, account);
  await checkHour(session, now, message.idempotencyKey);
  if (message.cost === 0) return;
  const limit = session.config.centsPerDay;
  const spent =
    message.cost > limit ? 0 : await spentSince(session, account, now - DAY_MS, message.idempotencyKey);
  if (spent !== null && spent + message.cost > limit)
    throw new Refusal(
      'budget_exhausted',
      `The message costs ${message.cost} cents; agents may spend ${limit} in 24 hours and spent ${spent}.`,
      'Report this to the person you work for. A plain message may be free: certified false.',
    );
}

/** By the clock that dates messages, so that one that is fast here does not hide what was sent. */
function timeOf(session: Session, account: Account): number {
  const date = Date.parse(answerOf(account)?.headers['date'] ?? '');
  return Number.isNaN(date) ? session.clock() : date;
}

async function checkHour(session: Session, now: number, key: string | undefined): Promise<void> {
  const { perHour } = session.config;
  const since = new Date(now - HOUR_MS);
  let sent = 0;
  for await (const { idempotency_key } of session.acuse.messages.list({
    tag: TAG,
    created_after: since,
    limit: PAGE,
  })) {
    if (idempotency_key === key) return;
    if (++sent >= COUNTED_MAX) break;
  }
  if (sent >= perHour)
    throw new Refusal(
      'hourly_limit',
      `Agents sent ${sent} messages in the last hour; ${perHour} are allowed.`,
      'Stop sending and report this to the person you work for.',
    );
}

/** In cents; null: the message that is to be sent is among them. */
async function spentSince(
  session: Session,
  account: Account,
  since: number,
  key: string | undefined,
): Promise<number | null> {
  let cents = 0;
  let counted = 0;
  const created_after = new Date(since);
  for await (const message of session.acuse.messages.list({ tag: TAG, created_after, limit: PAGE })) {
    if (message.idempotency_key === key) return null;
    cents += priceOf(account, message);
    if (++counted >= COUNTED_MAX) return Number.POSITIVE_INFINITY;
  }
  return cents;
}

function priceOf(account: Account, { certified }: Message): number {
  return costOf(account, certified);
}
