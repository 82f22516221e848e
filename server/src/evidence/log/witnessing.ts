import type { Dispatcher } from 'undici';
import type { Changes } from '../../platform/database/changes.ts';
import type { DbAndClock } from '../../platform/database/db.ts';
import { abortSignalOf } from '../../platform/light-abort.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { createLeases, leaseEnd } from '../../platform/queue/leases.ts';
import { createLoop, type Loop } from '../../platform/queue/loop.ts';
import { prove } from './anchor/compare.ts';
import type { LogSigner } from './log-key.ts';
import { announceLog } from './sequence-store.ts';
import { findContradiction } from './stop.ts';
import { type LogStop, stopLog } from './stop-store.ts';
import { type ExchangeOutcome, readFromWitness, takeToWitness } from './witness-exchange.ts';
import {
  advanceWitness,
  claimWitness,
  extendWitnesses,
  findCheckpointAfter,
  findNewestCheckpoint,
  findWitnessesDue,
  insertCosignature,
  insertWitnesses,
  postponeWitness,
  type WitnessClaim,
} from './witness-store.ts';
import type { Witness, Witnesses } from './witnesses.ts';

/** Collects witnesses' cosignatures. Nothing waits for them: a failing witness is asked again later. */
interface WitnessingDeps extends DbAndClock {
  readonly log: LoopLog;
  readonly logSigner: LogSigner;
  readonly witnesses: Witnesses;
  readonly changes: Pick<Changes, 'announce'>;
  /** 0 ≤ n < 1, for jitter. */
  readonly random: () => number;
  readonly pollMs?: number;
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
}

const POLL_MS = 1_000;
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 5 * 60_000;
const JITTER = 0.1;
const MAX_REASON = 1_000;

/** `stopped`: it has proven that the log was rolled back. */
type Outcome =
  | ExchangeOutcome
  | { readonly kind: 'stopped'; readonly reason: string; readonly stop: LogStop };
type Result = { readonly claim: WitnessClaim; readonly witness: Witness; readonly outcome: Outcome };

export function createWitnessing(deps: WitnessingDeps): Loop {
  const { db, clock, log, logSigner, witnesses } = deps;
  const byKey = new Map(witnesses.list.map((witness) => [witness.vkey, witness]));
  const vkeys = [...byKey.keys()];
  let known = false;
  return createLoop<WitnessClaim, Result>({
    name: 'witness',
    clock,
    log,
    concurrency: Math.max(1, witnesses.list.length),
    pollMs: deps.pollMs ?? POLL_MS,
    async shards() {
      if (!known) {
        await insertWitnesses(db, logSigner.logId, vkeys, clock.now());
        await lookBack(deps);
      }
      known = true;
      return findWitnessesDue(db, logSigner.logId, vkeys, clock.now());
    },
    claim: (vkey) => claimWitness(db, logSigner.logId, vkey, clock.now(), leaseEnd(clock)),
    leases: createLeases({
      ...{ clock, log, name: 'witness' },
      keyOf: ({ vkey }) => vkey,
      extend: (claims) => extendWitnesses(db, claims, leaseEnd(clock)),
    }),
    async act(claim, stop) {
      const witness = byKey.get(claim.vkey)!;
      return { claim, witness, outcome: await askWitness(deps, witness, claim, abortSignalOf(stop)) };
    },
    async record(results) {
      for (const result of results) await record(deps, result);
    },
  });
}

/** Reads each witness's checkpoint once at the start: detects a rollback before the log grows. */
async function lookBack(deps: WitnessingDeps): Promise<void> {
  const { signal } = new AbortController();
  const found = await Promise.all(
    deps.witnesses.list.map((witness) => contradictionOf(deps, witness, signal)),
  );
  const stop = found.find((each) => each !== null);
  if (stop !== undefined) await stopBy(deps, stop);
}

async function contradictionOf(
  deps: WitnessingDeps,
  witness: Witness,
  signal: AbortSignal,
): Promise<LogStop | null> {
  const { db, logSigner } = deps;
  const note = await readFromWitness(deps, witness, logSigner.origin, signal);
  return note === null ? null : findContradiction(db, logSigner, note, witness.key);
}

async function askWitness(
  deps: WitnessingDeps,
  witness: Witness,
  claim: WitnessClaim,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome = await exchange(deps, witness, claim, signal);
  if (outcome.kind !== 'failed' || outcome.contradicts !== true) return outcome;
  const stop = await contradictionOf(deps, witness, signal);
  return stop === null ? outcome : { kind: 'stopped', reason: outcome.reason, stop };
}

async function exchange(
  { db, clock, logSigner, dispatcher, timeoutMs }: WitnessingDeps,
  witness: Witness,
  { logId, knownSize }: WitnessClaim,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  // In turn, so that each batch is cosigned; a witness new to the log begins with the present. In a
  // transaction, for its barrier: no failover may undo what a witness signed.
  const checkpoint = await db.transact((tx) =>
    knownSize === 0 ? findNewestCheckpoint(tx, logId) : findCheckpointAfter(tx, logId, knownSize),
  );
  if (checkpoint === undefined) return { kind: 'ahead', treeSize: knownSize };
  const deps = {
    logKey: logSigner.key,
    clock,
    prove: (oldSize: number, newSize: number) => prove(db, logId, oldSize, newSize),
    ...(dispatcher !== undefined && { dispatcher }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const outcome = await takeToWitness(deps, witness, checkpoint.note, knownSize, signal);
  if (outcome.kind !== 'ahead') return outcome;
  const newest = await findNewestCheckpoint(db, logId);
  // Beyond all we signed: this database is older.
  if (newest === undefined || outcome.treeSize > newest.treeSize)
    return {
      kind: 'failed',
      contradicts: true,
      reason: `has cosigned ${outcome.treeSize} leaves of this log, which has ${newest?.treeSize ?? 0}: it was rolled back`,
    };
  return outcome;
}

async function record(deps: WitnessingDeps, result: Result): Promise<void> {
  const { db, clock, log, random } = deps;
  const { claim, witness, outcome } = result;
  const now = clock.now();
  switch (outcome.kind) {
    case 'cosigned':
      await db.transact(async (tx) => {
        const { treeSize, line, witnessedAt } = outcome;
        // Kept even after a lost lease: the signature exists.
        await insertCosignature(tx, { logId: claim.logId, treeSize, vkey: claim.vkey, line, witnessedAt });
        await advanceWitness(tx, claim, treeSize, witnessedAt, now);
        announceLog(tx, claim.logId);
      });
      return;
    case 'ahead':
      await db.transact((tx) => advanceWitness(tx, claim, outcome.treeSize, null, now));
      return;
    case 'stopped':
      await db.transact((tx) => postponeWitness(tx, claim, now, outcome.reason));
      return stopBy(deps, outcome.stop);
    case 'failed': {
      const reason = outcome.reason.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_REASON);
      log.warn(
        { witness: witness.key.name, reason, failures: claim.failures + 1 },
        'not cosigned; trying again',
      );
      const base = Math.min(RETRY_MIN_MS * 2 ** Math.min(claim.failures, 30), RETRY_MAX_MS);
      const dueAt = new Date(now.getTime() + base * (1 - JITTER + 2 * JITTER * random()));
      await db.transact((tx) => postponeWitness(tx, claim, dueAt, reason));
    }
  }
}

/** Stops all signing, in every process, until the log is ended or the database restored. */
async function stopBy(deps: WitnessingDeps, stop: LogStop): Promise<void> {
  const { db, clock, log, changes, logSigner } = deps;
  const { logId, origin } = logSigner;
  const isFirst = await db.transact((tx) => stopLog(tx, logId, stop, clock.now()));
  await changes.announce('log', logId);
  if (isFirst)
    log.error(
      { origin, ...stop },
      'the log was rolled back: a witness has a checkpoint that its key signed and this database does not lead to. Nothing more is signed and nothing certified is accepted; acuse doctor says what to do',
    );
}
