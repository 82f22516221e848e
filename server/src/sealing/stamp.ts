import { utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import type { TimeStampFacts, TimeStampPolicy, TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { Clock } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { createLoop, type Loop, type LoopLog } from '../platform/loop.ts';
import { sha256 } from '../platform/sha256.ts';
import { appendEvents } from '../webhooks/append.ts';
import type { NewEvent } from '../webhooks/event.ts';
import type { LogSigner } from './log-key.ts';
import type { Sealer, Stamp } from './sealer.ts';
import {
  type ClaimedStamp,
  claimStamps,
  countSealed,
  findLogsWithStampsDue,
  finishStamp,
  insertCertificate,
  postponeStamp,
  readBatchMessages,
} from './stamp-store.ts';

/**
 * Gets each checkpoint its constancia: evidence.md "The constancia". An authority that is down, slow or lying costs the
 * batch nothing but time: it stays in line with the reason, and nothing else waits for it.
 */

export interface StampDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: LoopLog;
  readonly sealer: Sealer;
  /** The log's name and key, by id. */
  readonly logOf: (logId: string) => Promise<LogSigner>;
  /** 0 ≤ n < 1, for jitter. */
  readonly random: () => number;
  readonly pollMs?: number;
}

/** An authority's and our clock may differ by this much; a token from further away is not evidence of now. */
export const MAX_CLOCK_SKEW_MS = 5 * 60_000;
/** Longer than any sealer's own timeout, so that no second request goes out while the first may still be answered. */
const LEASE_MS = 120_000;
const CONCURRENCY = 4;
const POLL_MS = 1_000;
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;
const JITTER = 0.1;
/** Characters of a reason kept in the queue row. */
const MAX_REASON = 1_000;
/** Messages told of their seal in one statement. */
const MESSAGES_PER_PAGE = 4_096;

export type StampOutcome =
  | {
      readonly kind: 'sealed';
      readonly claim: ClaimedStamp;
      readonly token: Uint8Array;
      readonly policy: TimeStampPolicy;
      readonly imprint: Uint8Array;
      readonly facts: TimeStampFacts;
    }
  | { readonly kind: 'failed'; readonly claim: ClaimedStamp; readonly reason: string };

export function createStampLoop(deps: StampDeps): Loop {
  const { db, clock } = deps;
  return createLoop<ClaimedStamp, StampOutcome>({
    name: 'stamp',
    clock,
    log: deps.log,
    concurrency: CONCURRENCY,
    pollMs: deps.pollMs ?? POLL_MS,
    shards: () => findLogsWithStampsDue(db, clock.now()),
    claim(logId, limit) {
      const now = clock.now();
      return claimStamps(db, logId, limit, now, new Date(now.getTime() + LEASE_MS));
    },
    act: (claim, signal) => stampCheckpoint(deps, claim, signal),
    async record(outcomes) {
      for (const outcome of outcomes) await recordOutcome(deps, outcome);
    },
  });
}

/** Asks and verifies; nothing is written. Never throws for what the authority does. */
export async function stampCheckpoint(
  deps: StampDeps,
  claim: ClaimedStamp,
  signal: AbortSignal,
): Promise<StampOutcome> {
  const { sealer } = deps;
  const text = await signedText(deps, claim);
  if (!text.ok) return { kind: 'failed', claim, reason: text.reason };
  const imprint = sha256(utf8(text.value));
  let stamp: Stamp;
  try {
    stamp = await sealer.stamp(imprint, signal);
  } catch (error) {
    return { kind: 'failed', claim, reason: `${sealer.name}: ${messageOf(error)}` };
  }
  // The imprint is the one computed here, whatever the adapter says that it asked for.
  const expected = { ...stamp.expected, imprint, hashAlgorithm: 'sha256' } as const;
  let result: TimeStampResult;
  try {
    result = await verifyTimeStamp(stamp.response, expected, sealer.policy);
  } catch (error) {
    return {
      kind: 'failed',
      claim,
      reason: `${sealer.name}: its answer could not be verified: ${messageOf(error)}`,
    };
  }
  const fault = faultOf(result, claim, deps.clock.now());
  if (fault !== null || !result.ok) {
    return { kind: 'failed', claim, reason: `${sealer.name}: refused its answer: ${fault}` };
  }
  return {
    kind: 'sealed',
    claim,
    token: stamp.response,
    policy: sealer.policy,
    imprint,
    facts: result.facts,
  };
}

/** The three lines to stamp, if the stored note still is what the log signed. */
async function signedText(
  deps: StampDeps,
  claim: ClaimedStamp,
): Promise<{ ok: true; value: string } | { ok: false; reason: string }> {
  const log = await deps.logOf(claim.logId);
  try {
    const { checkpoint, note } = openCheckpoint(claim.note, [log.key]);
    if (checkpoint.size !== claim.treeSize)
      return { ok: false, reason: 'the stored checkpoint is for another size' };
    return { ok: true, value: note.text };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { ok: false, reason: `the stored checkpoint does not verify: ${error.message}` };
  }
}

function faultOf(result: TimeStampResult, claim: ClaimedStamp, now: Date): string | null {
  if (!result.ok) {
    return result.checks
      .filter((check) => !check.ok)
      .map((check) => `${check.name}: ${check.detail}`)
      .join('; ');
  }
  const genTimeMs = Date.parse(result.facts.genTime);
  const fromMs = claim.checkpointCreatedAt.getTime() - MAX_CLOCK_SKEW_MS;
  const toMs = now.getTime() + MAX_CLOCK_SKEW_MS;
  if (genTimeMs >= fromMs && genTimeMs <= toMs) return null;
  return `clock: it says ${result.facts.genTime}, here it is ${now.toISOString()} and the checkpoint is of ${claim.checkpointCreatedAt.toISOString()}`;
}

/** How long a batch waits before attempt n + 1 (ms). */
export function retryDelayMs(attempt: number, random: number): number {
  const base = Math.min(RETRY_MIN_MS * 2 ** Math.min(attempt - 1, 30), RETRY_MAX_MS);
  return Math.round(base * (1 - JITTER + 2 * JITTER * random));
}

/** Writes one outcome; one whose lease was lost is dropped, for another attempt answers for the checkpoint then. */
export async function recordOutcome(deps: StampDeps, outcome: StampOutcome): Promise<void> {
  const { claim } = outcome;
  if (outcome.kind === 'sealed') {
    await deps.db.transact((tx) => recordSealed(tx, outcome, deps.clock.now()));
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

/** Constancia, events and counters in one transaction: a message is sealed for everybody or for nobody. */
async function recordSealed(tx: Tx, sealed: Sealed, now: Date): Promise<void> {
  const { claim, facts } = sealed;
  // Zero rows: the lease ran out and another attempt holds the checkpoint; its token will do.
  if (!(await finishStamp(tx, claim))) return;
  const certificateId = newId();
  await insertCertificate(tx, {
    certificateId,
    logId: claim.logId,
    treeSize: claim.treeSize,
    profile: facts.development ? 'development' : facts.profile,
    issuer: facts.issuer,
    policyOid: facts.policyOid,
    serialNumber: facts.serialNumber,
    genTime: new Date(facts.genTime),
    hashAlgorithm: facts.hashAlgorithm,
    imprint: sealed.imprint,
    token: sealed.token,
    chain: facts.certificates,
    policy: sealed.policy,
    createdAt: now,
  });
  const counts = await appendSealedEvents(tx, claim, now, {
    batch_id: claim.batchId,
    merkle_root: Buffer.from(claim.rootHash).toString('hex'),
    certificate_id: certificateId,
    sealed_at: facts.genTime,
  });
  // On the day of genTime, which is what sealed_at says everywhere.
  if (counts.size > 0)
    await countSealed(
      tx,
      facts.genTime.slice(0, 10),
      [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
}

/** Returns how many messages of each tenant the batch seals. */
async function appendSealedEvents(
  tx: Tx,
  claim: ClaimedStamp,
  occurredAt: Date,
  data: object,
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
    );
    for (const { tenantId } of page) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
    from = last.leafIndex + 1;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
