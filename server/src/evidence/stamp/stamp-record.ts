import { countSealed } from '../../accounts/rates/count-store.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { appendEvents } from '../../webhooks/append.ts';
import type { NewEvent } from '../../webhooks/event.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import type { VerifiedStamp } from './authorities.ts';
import { chargeBatch } from './costs.ts';
import { putIssued } from './issued-store.ts';
import { insertRevocation } from './revocation-store.ts';
import { stampColumns } from './stamp-columns.ts';
import {
  type ClaimedStamp,
  finishStamp,
  insertStamp,
  postponeStamp,
  readBatchMessages,
} from './stamp-store.ts';

export interface RecordDeps extends DbAndClock {
  readonly log: LoopLog;
  /** 0 ≤ n < 1, for jitter. */
  readonly random: () => number;
  readonly webhooks?: WebhookHandover | null;
}

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;
const JITTER = 0.1;
const MAX_REASON = 1_000;
const MESSAGES_PER_PAGE = 4_096;

export type StampOutcome =
  | {
      readonly kind: 'sealed';
      readonly claim: ClaimedStamp;
      readonly stamp: VerifiedStamp;
    }
  | { readonly kind: 'failed'; readonly claim: ClaimedStamp; readonly reason: string };

export function retryDelayMs(attempt: number, random: number): number {
  const base = Math.min(RETRY_MIN_MS * 2 ** Math.min(attempt - 1, 30), RETRY_MAX_MS);
  return Math.round(base * (1 - JITTER + 2 * JITTER * random));
}

/** After a lost lease the result is dropped: another attempt is responsible. */
export async function recordOutcome(deps: RecordDeps, outcome: StampOutcome): Promise<void> {
  const { claim } = outcome;
  if (outcome.kind === 'sealed') {
    await deps.db.transact((tx) => recordSealed(tx, outcome, deps));
    return;
  }
  const reason = outcome.reason.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_REASON);
  deps.log.warn(
    { logId: claim.logId, treeSize: claim.treeSize, attempt: claim.attempt, reason },
    'no constancia yet; trying again',
  );
  const dueAt = new Date(deps.clock.now().getTime() + retryDelayMs(claim.attempt, deps.random()));
  await deps.db.transact((tx) => postponeStamp(tx, claim, dueAt, reason));
}

type Sealed = Extract<StampOutcome, { kind: 'sealed' }>;

/** Constancia, events and counters in one transaction. */
async function recordSealed(tx: Tx, sealed: Sealed, { clock, webhooks }: RecordDeps): Promise<void> {
  const now = clock.now();
  const { claim, stamp } = sealed;
  const { facts } = stamp;
  // Lost lease: the other attempt's token will do.
  if (!(await finishStamp(tx, claim))) return;
  const stampId = newId();
  await insertRevocation(tx, stamp.revocation, now);
  await putIssued(tx, stamp.token, stamp.issued, now);
  await insertStamp(tx, {
    stampId,
    logId: claim.logId,
    treeSize: claim.treeSize,
    ...stampColumns(stamp),
    coveredUntil: new Date(facts.chainNotAfter),
    createdAt: now,
  });
  const data = {
    batch_id: claim.batchId,
    merkle_root: Buffer.from(claim.rootHash).toString('hex'),
    certificate_id: stampId,
    sealed_at: facts.genTime,
  };
  const counts = await appendSealedEvents(tx, claim, { occurredAt: now, data }, webhooks);
  // On the day of genTime, as everywhere.
  if (counts.size > 0) await countSealed(tx, facts.genTime.slice(0, 10), counts);
  await chargeBatch(tx, claim, stamp);
}

/** Returns the number of sealed messages per tenant. */
async function appendSealedEvents(
  tx: Tx,
  claim: ClaimedStamp,
  { occurredAt, data }: Pick<NewEvent, 'occurredAt' | 'data'>,
  webhooks: RecordDeps['webhooks'],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let from = claim.previousTreeSize; ; ) {
    const page = await readBatchMessages(tx, claim.logId, claim.treeSize, from, MESSAGES_PER_PAGE);
    const last = page.at(-1);
    if (last === undefined) return counts;
    await appendEvents(
      tx,
      page.map(
        ({ tenantId, messageId }): NewEvent => ({
          tenantId,
          messageId,
          eventId: newId(),
          type: 'email.sealed',
          occurredAt,
          data,
        }),
      ),
      webhooks,
    );
    for (const { tenantId } of page) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
    from = last.leafIndex + 1;
  }
}
