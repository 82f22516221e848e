import { apiError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { DbAndClock, Tx } from '../platform/database/db.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { isId } from '../platform/ids.ts';
import { findEndpoint } from './endpoint-store.ts';
import { DELIVERY_LOG_MS } from './purge.ts';
import {
  countFailedDeliveries,
  countWaitingDeliveries,
  type FailedPage,
  REPLAYABLE_COUNTED_MAX,
  requeueFailed,
  requeueOne,
  requeueWaiting,
} from './queue-store.ts';

/** Deliveries per transaction. */
const REPLAY_PAGE = 5_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Requeues one delivery. Throws not_found, and conflict while the endpoint is disabled. */
export async function replayDelivery(
  { db, clock }: DbAndClock,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
): Promise<void> {
  if (!isId(webhookId) || !isId(deliveryId)) throw apiError('not_found');
  await db.asTenant(tenantId, async (tx) => {
    await requireEnabled(tx, tenantId, webhookId);
    if ((await requeueOne(tx, tenantId, webhookId, deliveryId, clock.now())) === 0)
      throw apiError('not_found');
  });
}

/**
 * Requeues all failed deliveries since `since`; returns how many. Throws not_found, and conflict while the
 * endpoint is disabled. After a crash a repeat continues.
 */
export async function replayFailed(
  { db, clock }: DbAndClock,
  tenantId: string,
  webhookId: string,
  since: Date,
): Promise<number> {
  if (!isId(webhookId)) throw apiError('not_found');
  const from = withinLog(clock, since);
  const replayPage = (after: string | null): Promise<FailedPage> =>
    db.asTenant(tenantId, async (tx) => {
      await requireEnabled(tx, tenantId, webhookId);
      return requeueFailed(tx, tenantId, webhookId, {
        since: from,
        now: clock.now(),
        page: { after, limit: REPLAY_PAGE },
      });
    });
  let page = await replayPage(null);
  let replayed = page.count;
  while (page.count === REPLAY_PAGE) {
    page = await replayPage(page.last);
    replayed += page.count;
  }
  return replayed;
}

/** Those that wait for their next attempt are tried now; returns how many. Throws as replayFailed. */
export async function replayWaiting(
  { db, clock }: DbAndClock,
  tenantId: string,
  webhookId: string,
  since: Date,
): Promise<number> {
  if (!isId(webhookId)) throw apiError('not_found');
  const [from, now] = [withinLog(clock, since), clock.now()];
  for (let replayed = 0; ; ) {
    const count = await db.asTenant(tenantId, async (tx) => {
      await requireEnabled(tx, tenantId, webhookId);
      return requeueWaiting(tx, tenantId, webhookId, { since: from, now, limit: REPLAY_PAGE });
    });
    replayed += count;
    if (count < REPLAY_PAGE) return replayed;
  }
}

/** The deliveries that replayFailed and replayWaiting would requeue. Throws not_found. */
export async function countReplayable(
  { db, clock }: DbAndClock,
  tenantId: string,
  webhookId: string,
  since: Date,
): Promise<{ failed: number; waiting: number; more: boolean }> {
  await requireById(db, tenantId, webhookId, findEndpoint);
  const from = withinLog(clock, since);
  const [failed, waiting] = await db.asTenant(tenantId, async (tx) => [
    await countFailedDeliveries(tx, tenantId, webhookId, from),
    await countWaitingDeliveries(tx, tenantId, webhookId, { since: from, now: clock.now() }),
  ]);
  return {
    failed: Math.min(failed!, REPLAYABLE_COUNTED_MAX),
    waiting: Math.min(waiting!, REPLAYABLE_COUNTED_MAX),
    more: Math.max(failed!, waiting!) > REPLAYABLE_COUNTED_MAX,
  };
}

/** Clamps times that PostgreSQL cannot hold: nothing is older than the log. */
function withinLog(clock: Clock, since: Date): Date {
  const now = clock.now().getTime();
  return new Date(Math.min(Math.max(since.getTime(), now - DELIVERY_LOG_MS - DAY_MS), now));
}

async function requireEnabled(tx: Tx, tenantId: string, webhookId: string): Promise<void> {
  const row = await findEndpoint(tx, tenantId, webhookId);
  if (row === null) throw apiError('not_found');
  if (!row.enabled)
    throw apiError(
      'conflict',
      'The webhook endpoint is disabled: enable it with PATCH {"enabled": true} first.',
    );
}
