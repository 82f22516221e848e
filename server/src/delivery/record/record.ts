import { randomBytes } from 'node:crypto';
import { SALT_BYTES } from '@acuse/evidence/commitment';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import type { ReportRecipe } from '@acuse/mail/report/own-report';
import type { FirstEntry } from '../../accounts/rates/count-store.ts';
import type { NewOutcomeLeaf } from '../../messages/leaves/chain-store.ts';
import { readChainEnds } from '../../messages/leaves/chain-store.ts';
import { updateMessages } from '../../messages/state-store.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import { newId } from '../../platform/ids.ts';
import type { NewEvent } from '../../webhooks/event.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import { findAttempts, takeOver } from '../claim/claim-store.ts';
import { toClaimed } from '../claim/claimed-message.ts';
import { storable } from '../text.ts';
import { countedAs, eventOf } from './outcome-kinds.ts';
import { makeOutcomeLeaf, type Outcome, outcomeOf } from './outcome-leaf.ts';
import { deleteHeld, insertAttempts, type NewAttempt, requeueHeld } from './record-store.ts';
import { reportOn } from './reports.ts';
import type { ActResult, Attempted, Released } from './result.ts';
import { type OutcomeTraces, writeOutcome } from './write-outcome.ts';

/**
 * `lost_lease`: another process has the message, nothing was written; `duplicate`: and a server had accepted
 * it from us, so that the recipient may have it twice.
 */
export type Recorded = 'recorded' | 'lost_lease' | 'duplicate';

export interface RecordDeps {
  readonly db: Db;
  /** Reporting-MTA of its reports. */
  readonly hostname: string;
  readonly webhooks?: WebhookHandover | null | undefined;
  /** Also written in the transaction. */
  readonly also?: ((tx: Tx, written: readonly Attempted[]) => Promise<void>) | undefined;
}

/**
 * Records a group of results in one transaction, each fenced by its attempt number. If PostgreSQL refuses
 * one, the group is written one by one.
 */
export async function recordResults(
  deps: RecordDeps,
  results: readonly ActResult[],
): Promise<Map<string, Recorded>> {
  const attempted = results
    .filter((result) => result.kind === 'attempted')
    .map((result) => prepare(deps, result));
  const released = results.filter((result) => result.kind === 'released');
  const prepared = await withLeaves(deps.db, attempted);
  try {
    return await deps.db.transact((tx) => write(tx, deps, prepared, released));
  } catch (error) {
    if (results.length === 1 || isUnavailable(error)) throw error;
    const outcomes = new Map<string, Recorded>();
    for (const result of results) {
      for (const [id, recorded] of await recordResults(deps, [result])) outcomes.set(id, recorded);
    }
    return outcomes;
  }
}

/**
 * Records the outcome of a message outside the queue. `take` removes it from its waiting place; if it returns
 * false, nothing is written.
 */
export async function recordUnqueued(
  deps: RecordDeps,
  result: Attempted,
  take: (tx: Tx) => Promise<boolean>,
): Promise<boolean> {
  const { db } = deps;
  const prepared = await withLeaves(db, [prepare(deps, result)]);
  return db.transact(async (tx) => {
    if (!(await take(tx))) return false;
    await writeDown(tx, prepared, deps.webhooks);
    await deps.also?.(tx, [result]);
    return true;
  });
}

/**
 * Handles results with a lost lease: some were recorded by a commit without an answer; accepted messages are
 * taken over, so that nobody sends them again; the rest were sent by others, too.
 */
export async function recordLost(
  deps: RecordDeps,
  lost: readonly ActResult[],
): Promise<Map<string, Recorded>> {
  const outcomes = new Map<string, Recorded>(lost.map(({ item }) => [item.messageId, 'lost_lease']));
  const attempted = lost.filter((result) => result.kind === 'attempted');
  if (attempted.length === 0) return outcomes;
  const known = await findAttempts(deps.db, attempted.map(asAttempt));
  for (const id of known) outcomes.set(id, 'recorded');
  const sent = attempted.filter(
    ({ item, decision }) => !known.has(item.messageId) && decision.outcome.kind === 'sent',
  );
  if (sent.length === 0) return outcomes;
  for (const { item } of sent) outcomes.set(item.messageId, 'duplicate');
  const rows = await takeOver(
    deps.db,
    sent.map(({ item }) => item),
  );
  const taken = new Map(rows.map((row) => [row.message_id, toClaimed(row)]));
  const ours = sent.flatMap((result) => {
    const item = taken.get(result.item.messageId);
    return item === undefined ? [] : [{ ...result, item }];
  });
  if (ours.length === 0) return outcomes;
  for (const [id, recorded] of await recordResults(deps, ours))
    outcomes.set(id, recorded === 'recorded' ? 'recorded' : 'duplicate');
  return outcomes;
}

function asAttempt({ item, startedAt, finishedAt }: Attempted) {
  return { tenantId: item.tenantId, messageId: item.messageId, startedAt, finishedAt };
}

interface Prepared {
  readonly result: Attempted;
  readonly event: NewEvent;
  readonly report: ReportRecipe | null;
  readonly suppressionKey: string | null;
  /** Null: plain, or not final. */
  readonly outcome: Outcome | null;
  readonly leaf: NewOutcomeLeaf | null;
}

function prepare(deps: RecordDeps, result: Attempted): Prepared {
  const { item, decision, finishedAt } = result;
  const { outcome } = decision;
  const suppress = outcome.kind === 'bounced' && outcome.suppress;
  const report = reportOn(result, deps.hostname);
  return {
    result,
    event: {
      tenantId: item.tenantId,
      eventId: newId(),
      messageId: item.messageId,
      occurredAt: finishedAt,
      ...eventOf(result),
    },
    report,
    suppressionKey: suppress ? compareKey(parseAddress(item.recipientAddress)) : null,
    outcome: item.certified ? outcomeOf(result, report) : null,
    leaf: null,
  };
}

/**
 * Builds outcome leaves on the chains' present ends, hashed before the transaction. Without the message's own
 * leaf nothing is built; fsck reports that.
 */
async function withLeaves(db: Db, prepared: readonly Prepared[]): Promise<readonly Prepared[]> {
  const outcomes = prepared.flatMap(({ outcome }) => outcome ?? []);
  if (outcomes.length === 0) return prepared;
  const ends = await readChainEnds(db, outcomes);
  // One call costs the same for a hundred secrets.
  const secrets = randomBytes(prepared.length * SALT_BYTES);
  return prepared.map((each, at) => {
    const end = each.outcome === null ? undefined : ends.get(each.outcome.messageId);
    if (each.outcome === null || end === undefined) return each;
    const secret = secrets.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES);
    return { ...each, leaf: makeOutcomeLeaf(each.outcome, end, secret) };
  });
}

async function write(
  tx: Tx,
  { also, webhooks }: RecordDeps,
  prepared: readonly Prepared[],
  released: readonly Released[],
): Promise<Map<string, Recorded>> {
  const held = await settleQueue(tx, prepared, released);
  const written = prepared.filter(({ result }) => held.has(result.item.messageId));
  if (written.length > 0) await writeDown(tx, written, webhooks);
  if (written.length > 0 && also !== undefined)
    await also(
      tx,
      written.map(({ result }) => result),
    );
  const outcomes = new Map<string, Recorded>();
  for (const { item } of [...prepared.map(({ result }) => result), ...released]) {
    outcomes.set(item.messageId, held.has(item.messageId) ? 'recorded' : 'lost_lease');
  }
  return outcomes;
}

async function settleQueue(
  tx: Tx,
  prepared: readonly Prepared[],
  released: readonly Released[],
): Promise<Set<string>> {
  const finished = [];
  const requeued: Parameters<typeof requeueHeld>[1][number][] = released.map(({ item, dueAt, heldBy }) => ({
    ...{ ...fenceOf(item), dueAt },
    ...(heldBy === undefined ? {} : { heldBy }),
  }));
  for (const { result } of prepared) {
    const { outcome } = result.decision;
    if (outcome.kind === 'deferred') requeued.push({ ...fenceOf(result.item), dueAt: outcome.nextAttemptAt });
    else finished.push(fenceOf(result.item));
  }
  const settled = await Promise.all([
    finished.length === 0 ? [] : deleteHeld(tx, finished.sort(byMessage)),
    requeued.length === 0 ? [] : requeueHeld(tx, requeued.sort(byMessage)),
  ]);
  return new Set(settled.flat());
}

function fenceOf(item: Attempted['item']) {
  return { tenantId: item.tenantId, messageId: item.messageId, attempt: item.fence };
}

/** A fixed lock order, against deadlocks. */
function byMessage(a: { messageId: string }, b: { messageId: string }): number {
  return a.messageId < b.messageId ? -1 : 1;
}

function bySuppressionKey(a: Prepared, b: Prepared): number {
  return (a.suppressionKey ?? '') < (b.suppressionKey ?? '') ? -1 : 1;
}

/** Everything but the queue, pipelined; the counters, the hottest rows, come last. */
async function writeDown(
  tx: Tx,
  written: readonly Prepared[],
  webhooks: RecordDeps['webhooks'],
): Promise<void> {
  const results = written.map(({ result }) => result);
  const traces: OutcomeTraces = {
    reports: [],
    leaves: written.flatMap(({ leaf }) => leaf ?? []),
    events: written.map(({ event }) => event),
    suppressions: written.toSorted(bySuppressionKey).flatMap(suppression),
    entries: results.flatMap(firstEntry),
  };
  await Promise.all([
    updateMessages(tx, results.map(toUpdate)),
    insertAttempts(tx, written.map(toAttempt)),
    writeOutcome(tx, traces, webhooks),
  ]);
}

function toUpdate({ item, decision, finishedAt }: Attempted) {
  const { outcome, reply } = decision;
  return {
    tenantId: item.tenantId,
    messageId: item.messageId,
    status: outcome.kind,
    at: finishedAt,
    nextAttemptAt: outcome.kind === 'deferred' ? outcome.nextAttemptAt : null,
    lastReply: reply,
    bounceType: outcome.kind === 'bounced' ? outcome.bounceType : null,
    bounceReason: 'reason' in outcome ? outcome.reason : null,
  };
}

function toAttempt({ result, report, outcome: committed }: Prepared): NewAttempt {
  const { item, decision, startedAt, finishedAt, sessions } = result;
  const { outcome, reply } = decision;
  return {
    tenantId: item.tenantId,
    messageId: item.messageId,
    attempt: item.attemptsMade + 1,
    startedAt,
    finishedAt,
    outcome: outcome.kind,
    bounceType: outcome.kind === 'bounced' ? outcome.bounceType : null,
    bounceReason: 'reason' in outcome ? outcome.reason : null,
    reply,
    // The bytes that were hashed, if any.
    sessions: committed?.transcript ?? Buffer.from(JSON.stringify(sessions)),
    report,
  };
}

/** Only the refused recipient. */
function suppression({ result, suppressionKey }: Prepared): OutcomeTraces['suppressions'][number][] {
  const { item, decision, finishedAt } = result;
  if (suppressionKey === null || decision.verdict === null) return [];
  const reason = storable(decision.verdict.diagnostic, MAX_REASON_CHARS);
  const entry = {
    suppressionKey,
    reason,
    source: 'bounce' as const,
    messageId: item.messageId,
    at: finishedAt,
  };
  return [{ tenantId: item.tenantId, entry }];
}

const MAX_REASON_CHARS = 500;

/** Each state counts once, on the day of its first entry. */
function firstEntry({ item, decision, finishedAt }: Attempted): FirstEntry[] {
  const state = countedAs(decision.outcome);
  if (state === null || (state === 'deferred' && item.wasDeferred)) return [];
  return [{ tenantId: item.tenantId, state, at: finishedAt }];
}
