import type { Sha256 } from '@acuse/evidence/bytes';
import { finishManifest } from '@acuse/evidence/manifest';
import { type ApiError, apiError } from '../errors.ts';
import type { Db, Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { monthOf, quotaExceeded } from '../quota/bag.ts';
import { bagKey, bagOf, reserveQuota } from '../quota/reserve.ts';
import type { BagCount } from '../quota/store.ts';
import { appendEvents } from '../webhooks/append.ts';
import { claimKeys, findSuppressed, insertAccepted, releaseKeys, takeSequences } from './accept-store.ts';
import type { AcceptedRow, LeafContent, PreparedMessage } from './prepared.ts';

/** What became of one item of a group. `claimed`: its key belongs to an earlier message; look that one up. */
export type CommitOutcome =
  | { kind: 'accepted'; leaf: LeafContent | null }
  | { kind: 'claimed' }
  | { kind: 'refused'; error: ApiError };

export interface CommitDeps {
  db: Db;
  sha256: Sha256;
  logId: string;
}

/**
 * Commits a group of sends in one transaction: claims → suppressions → quota → sequence → rows. After it returns, each accepted
 * message is on disk with its queue row, event and pending leaf; of a refused or claimed one nothing was written.
 */
export function commitMessages(
  deps: CommitDeps,
  group: readonly PreparedMessage[],
): Promise<CommitOutcome[]> {
  // Claims are taken in key order by every process, so that two groups never wait for each other in a circle.
  const ordered = [...group].sort(byClaim);
  return deps.db.transact(async (tx) => {
    const outcomes = new Map<string, CommitOutcome>();
    const open = await decideRefusals(tx, ordered, outcomes);
    const granted = await takeQuota(tx, open, outcomes);
    if (granted.length > 0) await write(tx, deps, granted, outcomes);
    const refused = ordered.filter((item) => outcomes.get(item.messageId)?.kind === 'refused');
    if (refused.length > 0) await releaseKeys(tx, refused);
    return group.map((item) => outcomes.get(item.messageId)!);
  });
}

function byClaim(a: PreparedMessage, b: PreparedMessage): number {
  if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
  return a.idempotencyKey < b.idempotencyKey ? -1 : 1;
}

async function decideRefusals(
  tx: Tx,
  group: readonly PreparedMessage[],
  outcomes: Map<string, CommitOutcome>,
): Promise<PreparedMessage[]> {
  const [claimed, suppressed] = await Promise.all([claimKeys(tx, group), findSuppressed(tx, group)]);
  const open: PreparedMessage[] = [];
  for (const item of group) {
    const list = suppressed.get(item.messageId);
    if (!claimed.has(item.messageId)) outcomes.set(item.messageId, { kind: 'claimed' });
    else if (list !== undefined)
      outcomes.set(item.messageId, { kind: 'refused', error: suppressedError(item, list) });
    else open.push(item);
  }
  return open;
}

function suppressedError(item: PreparedMessage, list: 'tenant' | 'global'): ApiError {
  const mend =
    list === 'tenant'
      ? 'if it should get mail again, remove it with DELETE /v1/suppressions/{id}'
      : 'the operator keeps that list';
  return apiError(
    'recipient_suppressed',
    `${item.recipientAddress} is on the ${list} suppression list and nothing was queued: ${mend}.`,
  );
}

async function takeQuota(
  tx: Tx,
  group: readonly PreparedMessage[],
  outcomes: Map<string, CommitOutcome>,
): Promise<PreparedMessage[]> {
  const wants = new Map<string, BagCount>();
  for (const item of group) {
    const want = wantOf(item);
    want.count += wants.get(bagKey(want))?.count ?? 0;
    wants.set(bagKey(want), want);
  }
  const left = await reserveQuota(tx, [...wants.values()]);
  const granted: PreparedMessage[] = [];
  for (const item of group) {
    const want = wantOf(item);
    const remaining = left.get(bagKey(want)) ?? 0;
    if (remaining > 0) granted.push(item);
    else outcomes.set(item.messageId, { kind: 'refused', error: quotaExceeded(want.bag, item.createdAt) });
    left.set(bagKey(want), remaining - 1);
  }
  return granted;
}

function wantOf(item: PreparedMessage): BagCount {
  return { tenantId: item.tenantId, bag: bagOf(item.certified), month: monthOf(item.createdAt), count: 1 };
}

async function write(
  tx: Tx,
  deps: CommitDeps,
  granted: readonly PreparedMessage[],
  outcomes: Map<string, CommitOutcome>,
): Promise<void> {
  const counts = new Map<string, number>();
  for (const item of granted)
    if (item.evidence !== null) counts.set(item.tenantId, (counts.get(item.tenantId) ?? 0) + 1);
  const next = await takeSequences(tx, counts);
  const rows: AcceptedRow[] = granted.map((message) => ({
    message,
    leaf: makeLeaf(deps.sha256, message, next),
  }));
  await Promise.all([insertAccepted(tx, rows, deps.logId), appendEvents(tx, granted.map(queuedEvent))]);
  for (const { message, leaf } of rows) outcomes.set(message.messageId, { kind: 'accepted', leaf });
}

/** The one hash inside the transaction: the sequence is part of what is hashed, and is gap-free only if given here. A few µs. */
function makeLeaf(sha256: Sha256, message: PreparedMessage, next: Map<string, number>): LeafContent | null {
  if (message.evidence === null) return null;
  const tenantSequence = next.get(message.tenantId)!;
  next.set(message.tenantId, tenantSequence + 1);
  const { manifestBytes, canonicalHash } = finishManifest(
    message.evidence.draft,
    BigInt(tenantSequence),
    sha256,
  );
  return { canonicalHash, manifestBytes, openings: message.evidence.openings, tenantSequence };
}

function queuedEvent(message: PreparedMessage) {
  return {
    tenantId: message.tenantId,
    eventId: newId(message.createdAt.getTime()),
    messageId: message.messageId,
    type: 'email.queued' as const,
    occurredAt: message.createdAt,
    data: {
      from: message.headerFrom,
      to: message.headerTo,
      subject: message.subject,
      certified: message.certified,
    },
  };
}
