import { setImmediate as soon } from 'node:timers/promises';
import type { Sha256 } from '@acuse/evidence/bytes';
import { finishManifest } from '@acuse/evidence/manifest';
import { monthOf, quotaExceeded } from '../accounts/quota/bag.ts';
import { bagKey, bagOf, reserveQuota, returnQuota } from '../accounts/quota/reserve.ts';
import type { BagCount } from '../accounts/quota/store.ts';
import { countIngested } from '../accounts/rates/count-store.ts';
import { type SuppressionList, suppressedError } from '../accounts/suppressions/refusal.ts';
import type { ApiError } from '../errors.ts';
import type { Db, Tx } from '../platform/database/db.ts';
import type { AcceptedKey } from '../platform/journal/accepted.ts';
import { readSubscribers, sendDeliveries } from '../webhooks/append.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import {
  type CopyRow,
  claimKeys,
  columnsOf,
  findSuppressed,
  giveBackSequences,
  insertContents,
  insertCopies,
  insertMessages,
  moveClaims,
  releaseKeys,
  takeSequences,
} from './accept-store.ts';
import { insertAcknowledgements } from './acknowledgement-store.ts';
import { decidedBefore, holdApprovals, recordApprovals } from './approval.ts';
import { insertMessageLeaves } from './leaves/chain-store.ts';
import {
  type AcceptedRow,
  claimsKey,
  type Enqueue,
  type Handover,
  type LeafContent,
  type PreparedMessage,
} from './prepared.ts';
import { insertScheduled } from './schedule-store.ts';
import { findSpentKeys } from './spent-key-store.ts';
import { hashOfKey } from './spent-keys.ts';

/**
 * `claimed`: a key of the unit belongs to an earlier message, there or not; nothing was written. `skipped`: a
 * suppressed recipient; the others were accepted.
 */
export type CommitOutcome =
  | {
      kind: 'accepted';
      sealing: { leaf: LeafContent; promise: string } | null;
      /** This process's worker has it. */
      begun: boolean;
    }
  | { kind: 'claimed' }
  | { kind: 'skipped' }
  | { kind: 'refused'; error: ApiError };

export interface CommitDeps {
  db: Db;
  sha256: Sha256;
  logId: string;
  enqueue: Enqueue;
  handover(): Handover | null;
  webhooks(): WebhookHandover | null;
  sandbox: boolean;
  promisesOf(accepted: readonly { canonicalHash: Uint8Array; acceptedAt: Date }[]): readonly string[];
}

export type Unit = readonly PreparedMessage[];

/**
 * Commits a group of sends in one transaction; one outcome per message. Accepted messages are then on disk
 * with queue row, webhook deliveries and pending leaf; of others nothing was written.
 *
 * Two round trips: first everything needed is claimed for the whole group; then accepted messages are written
 * and the rest is given back. Common lock order: keys, quota, sequences.
 */
export async function commitMessages(deps: CommitDeps, group: readonly Unit[]): Promise<CommitOutcome[][]> {
  // Key order prevents deadlocks between groups.
  const ordered = group.flat().sort(byClaim);
  const handing = deps.handover()?.open() ?? null;
  const { outcomes, rows, promised, begun, accepted } = await deps.db
    .transact(async (tx) => {
      const taken = await takeForAll(tx, ordered);
      const { outcomes, accepted, released, moved, copies } = decide(group, taken);
      const next = new Map(taken.firstSequences);
      const rows = accepted.map((message) => ({ message, leaf: makeLeaf(deps.sha256, message, next) }));
      await giveBack(tx, ordered, accepted, taken);
      await recordApprovals(tx, accepted);
      if (released.length > 0) releaseKeys(tx, released);
      if (moved.length > 0) moveClaims(tx, moved);
      if (copies.length > 0) insertCopies(tx, copies);
      const begun = handing?.choose(accepted) ?? [];
      if (rows.length > 0) {
        if (taken.subscribers.length > 0)
          sendDeliveries(tx, accepted.flatMap(eventOf), taken.subscribers, deps.webhooks());
        writeAccepted(deps, tx, rows, begun);
      }
      return { outcomes, rows, promised: promiseAll(deps, rows), begun, accepted };
    })
    .catch((error) => {
      handing?.withdraw();
      throw error;
    });
  handing?.begin();
  await deps.db.keepKeys(() => keysOf(accepted));
  const promises = await promised;
  for (const [at, { message, leaf }] of rows.entries()) {
    const sealing = leaf === null ? null : { leaf, promise: promises.get(message.messageId)! };
    outcomes.set(message.messageId, { kind: 'accepted', sealing, begun: begun[at] ?? false });
  }
  return group.map((unit) => unit.map((item) => outcomes.get(item.messageId)!));
}

function writeAccepted(
  { enqueue, logId, sandbox }: CommitDeps,
  tx: Tx,
  rows: readonly AcceptedRow[],
  begun: readonly boolean[],
): void {
  const messages = rows.map(({ message }) => message);
  // Shared by several statements.
  const columns = columnsOf(messages);
  insertMessages(tx, columns, rows, sandbox);
  insertContents(tx, columns, rows);
  const later = messages.filter(({ sendAt }) => sendAt !== null);
  if (later.length === 0) enqueue(tx, columns, messages, begun);
  else putInLine(enqueue, tx, messages, begun);
  insertAcknowledgements(tx, messages);
  const leaves = rows.flatMap(({ leaf }) => leaf ?? []);
  if (leaves.length > 0) {
    const certified = messages.filter((_, at) => rows[at]!.leaf !== null);
    insertMessageLeaves(tx, leaves.length === rows.length ? columns : columnsOf(certified), leaves, logId);
  }
  countIngested(tx, messages);
}

/** Scheduled ones are in no queue. */
function putInLine(
  enqueue: Enqueue,
  tx: Tx,
  messages: readonly PreparedMessage[],
  begun: readonly boolean[],
): void {
  const isNow = ({ sendAt }: PreparedMessage) => sendAt === null;
  const now = messages.filter(isNow);
  const later = messages.filter((message) => !isNow(message));
  const begunNow = begun.filter((_, at) => isNow(messages[at]!));
  if (now.length > 0) enqueue(tx, columnsOf(now), now, begunNow);
  insertScheduled(
    tx,
    columnsOf(later),
    later.map(({ sendAt }) => sendAt!),
  );
}

/**
 * Message id → promise. Signed while the database writes, given out after the commit. Rejects only when
 * awaited.
 */
function promiseAll(deps: CommitDeps, rows: readonly AcceptedRow[]): Promise<ReadonlyMap<string, string>> {
  const certified = rows.flatMap(({ message, leaf }) =>
    leaf === null
      ? []
      : [{ messageId: message.messageId, canonicalHash: leaf.canonicalHash, acceptedAt: message.createdAt }],
  );
  if (certified.length === 0) return Promise.resolve(new Map());
  const promised = soon().then(() => {
    const promises = deps.promisesOf(certified);
    return new Map(certified.map(({ messageId }, at) => [messageId, promises[at]!]));
  });
  promised.catch(() => {});
  return promised;
}

function byClaim(a: PreparedMessage, b: PreparedMessage): number {
  if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
  return a.idempotencyKey < b.idempotencyKey ? -1 : 1;
}

const keyOf = ({ tenantId, idempotencyKey }: PreparedMessage): AcceptedKey => ({
  tenantId,
  keySha256: hashOfKey(tenantId, idempotencyKey),
});

/** Copies share one. */
export function keysOf(accepted: readonly PreparedMessage[]): AcceptedKey[] {
  const ofSends = new Map(accepted.map((item) => [`${item.tenantId} ${item.idempotencyKey}`, item]));
  return [...ofSends.values()].map(keyOf);
}

interface Taken {
  readonly claimed: ReadonlySet<string>;
  /** Ids of messages whose key was used by a deleted message. */
  readonly spent: ReadonlySet<string>;
  readonly suppressed: ReadonlyMap<string, SuppressionList>;
  readonly granted: ReadonlyMap<string, number>;
  readonly firstSequences: ReadonlyMap<string, number>;
  readonly subscribers: Awaited<ReturnType<typeof readSubscribers>>;
  /** Approvals that still wait, held. */
  readonly waiting: ReadonlySet<string>;
}

async function takeForAll(tx: Tx, group: readonly PreparedMessage[]): Promise<Taken> {
  const claiming = group.every(claimsKey) ? group : group.filter(claimsKey);
  const [claimed, spent, suppressed, granted, firstSequences, subscribers, waiting] = await Promise.all([
    claimKeys(tx, claiming),
    findSpentKeys(tx, claiming),
    findSuppressed(tx, group),
    reserveQuota(tx, [...countBags(group).values()]),
    takeSequences(tx, countCertified(group)),
    readSubscribers(tx, new Set(group.map((item) => item.tenantId))),
    holdApprovals(tx, group),
  ]);
  return { claimed, spent, suppressed, granted, firstSequences, subscribers, waiting };
}

interface Decision {
  readonly outcomes: Map<string, CommitOutcome>;
  readonly accepted: PreparedMessage[];
  readonly released: PreparedMessage[];
  /** Takes over the claim of a skipped first recipient. */
  readonly moved: PreparedMessage[];
  readonly copies: CopyRow[];
}

function decide(group: readonly Unit[], taken: Taken): Decision {
  const outcomes = new Map<string, CommitOutcome>();
  const accepted: PreparedMessage[] = [];
  const released: PreparedMessage[] = [];
  const moved: PreparedMessage[] = [];
  const copies: CopyRow[] = [];
  const left = new Map(taken.granted);
  for (const unit of group) {
    if (unit.some((item) => claimsKey(item) && !isFree(item, taken))) {
      for (const item of unit) outcomes.set(item.messageId, { kind: 'claimed' });
      released.push(...unit.filter((item) => taken.claimed.has(item.messageId)));
      continue;
    }
    const kept = withoutSkipped(unit, taken);
    const wants = countBags(kept);
    const error = refusalOf(kept, wants, taken, left);
    if (error === null) {
      for (const [key, { count }] of wants) left.set(key, (left.get(key) ?? 0) - count);
      accepted.push(...kept);
      if (kept.length < unit.length)
        for (const item of unit) outcomes.set(item.messageId, { kind: 'skipped' });
      if (kept[0]!.copy === null) continue;
      if (!claimsKey(kept[0]!)) moved.push(kept[0]!);
      copies.push(...copyRows(kept));
      continue;
    }
    for (const item of unit) outcomes.set(item.messageId, { kind: 'refused', error });
    released.push(...unit.filter(claimsKey));
  }
  return { outcomes, accepted, released, moved, copies };
}

/** Its key was never used. */
function isFree({ messageId }: PreparedMessage, { claimed, spent }: Taken): boolean {
  return claimed.has(messageId) && !spent.has(messageId);
}

/** Without suppressed recipients that may be skipped, unless none is left. */
function withoutSkipped(unit: Unit, { suppressed }: Taken): Unit {
  if (unit[0]!.copy?.skipSuppressed !== true) return unit;
  const kept = unit.filter(({ messageId }) => !suppressed.has(messageId));
  return kept.length === 0 ? unit : kept;
}

function copyRows(kept: Unit): CopyRow[] {
  const firstMessageId = kept[0]!.messageId;
  return kept.map(({ tenantId, messageId, copy }) => ({
    tenantId,
    firstMessageId,
    position: copy!.position,
    messageId,
  }));
}

function refusalOf(
  unit: Unit,
  wants: ReadonlyMap<string, BagCount>,
  { suppressed, waiting }: Taken,
  left: ReadonlyMap<string, number>,
): ApiError | null {
  const { approval } = unit[0]!;
  if (approval !== undefined && !waiting.has(approval.approvalId)) return decidedBefore();
  const error = suppressed.size === 0 ? null : suppressionOf(unit, suppressed);
  if (error !== null) return error;
  for (const [key, { bag, count }] of wants)
    if (count > (left.get(key) ?? 0)) return quotaExceeded(bag, unit[0]!.createdAt);
  return null;
}

function suppressionOf(unit: Unit, suppressed: Taken['suppressed']): ApiError | null {
  const named = unit.filter(({ messageId }) => suppressed.has(messageId));
  const [first, ...others] = named;
  if (first === undefined) return null;
  return suppressedError(first.recipientAddress, suppressed.get(first.messageId)!, {
    others: others.map(({ recipientAddress }) => recipientAddress),
    canSkip: first.copy?.skipSuppressed === false && named.length < unit.length,
  });
}

function wantOf(item: PreparedMessage): BagCount {
  return { tenantId: item.tenantId, bag: bagOf(item.certified), month: monthOf(item.createdAt), count: 1 };
}

function countBags(group: readonly PreparedMessage[]): Map<string, BagCount> {
  const wants = new Map<string, BagCount>();
  for (const item of group) {
    const want = wantOf(item);
    const key = bagKey(want);
    const known = wants.get(key);
    if (known === undefined) wants.set(key, want);
    else known.count++;
  }
  return wants;
}

function countCertified(group: readonly PreparedMessage[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of group)
    if (item.evidence !== null) counts.set(item.tenantId, (counts.get(item.tenantId) ?? 0) + 1);
  return counts;
}

async function giveBack(
  tx: Tx,
  group: readonly PreparedMessage[],
  accepted: readonly PreparedMessage[],
  taken: Taken,
): Promise<void> {
  if (accepted.length === group.length) return;
  const used = countBags(accepted);
  const unused = [...countBags(group).entries()].map(([key, want]) => ({
    ...want,
    count: (taken.granted.get(key) ?? 0) - (used.get(key)?.count ?? 0),
  }));
  const numbered = countCertified(accepted);
  const unnumbered = new Map(
    [...countCertified(group)].map(([tenantId, count]) => [tenantId, count - (numbered.get(tenantId) ?? 0)]),
  );
  giveBackSequences(tx, unnumbered);
  await returnQuota(tx, unused);
}

/** The sequence is hashed, and gap-free only inside the transaction. A few µs. */
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

/** Scheduled ones are reported when due. */
function eventOf(message: PreparedMessage) {
  return message.sendAt === null
    ? [queuedEvent(message, { eventId: message.messageId, queuedAt: message.createdAt })]
    : [];
}

export type QueuedMessage = Pick<
  PreparedMessage,
  'tenantId' | 'messageId' | 'headerFrom' | 'recipient' | 'subject' | 'certified'
>;

/**
 * `eventId`: the message's own id if queued at acceptance; then it is not stored, see
 * webhooks/queued-store.ts.
 */
export function queuedEvent(
  message: QueuedMessage,
  { eventId, queuedAt }: { readonly eventId: string; readonly queuedAt: Date },
) {
  return {
    tenantId: message.tenantId,
    eventId,
    messageId: message.messageId,
    type: 'email.queued' as const,
    occurredAt: queuedAt,
    data: {
      from: message.headerFrom,
      to: message.recipient,
      subject: message.subject,
      certified: message.certified,
    },
  };
}
