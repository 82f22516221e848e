import type { Dispatcher } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { leaseEnd } from '../../platform/leases.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import { prove } from './anchor/hold.ts';
import type { LogSigner } from './log-key.ts';
import { announceLog } from './sequence-store.ts';
import { type ExchangeOutcome, takeToWitness } from './witness-exchange.ts';
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

/**
 * Takes each checkpoint to the witnesses and keeps what they sign. Nothing waits for it: a witness that is
 * down, slow or wrong is asked again later, and meanwhile checkpoints are published, stamped and served
 * without its line.
 */
export interface WitnessingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: LoopLog;
  readonly logSigner: LogSigner;
  readonly witnesses: Witnesses;
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
/** Characters of a reason that are kept. */
const MAX_REASON = 1_000;

type Result = { readonly claim: WitnessClaim; readonly witness: Witness; readonly outcome: ExchangeOutcome };

export function createWitnessing(deps: WitnessingDeps): Loop {
  const { db, clock, logSigner, witnesses } = deps;
  const byKey = new Map(witnesses.list.map((witness) => [witness.vkey, witness]));
  const vkeys = [...byKey.keys()];
  let known = false;
  return createLoop<WitnessClaim, Result>({
    name: 'witness',
    clock,
    log: deps.log,
    concurrency: Math.max(1, witnesses.list.length),
    pollMs: deps.pollMs ?? POLL_MS,
    async shards() {
      if (!known) await insertWitnesses(db, logSigner.logId, vkeys, clock.now());
      known = true;
      return findWitnessesDue(db, logSigner.logId, vkeys, clock.now());
    },
    claim: (vkey) => claimWitness(db, logSigner.logId, vkey, clock.now(), leaseEnd(clock)),
    leases: { keyOf: ({ vkey }) => vkey, extend: (claims) => extendWitnesses(db, claims, leaseEnd(clock)) },
    async act(claim, signal) {
      const witness = byKey.get(claim.vkey)!;
      return { claim, witness, outcome: await askWitness(deps, witness, claim, signal) };
    },
    async record(results) {
      for (const result of results) await record(deps, result);
    },
  });
}

/** Nothing is written. */
async function askWitness(
  { db, clock, logSigner, dispatcher, timeoutMs }: WitnessingDeps,
  witness: Witness,
  { logId, knownSize }: WitnessClaim,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  // Each in turn, so that every batch gets its cosignature; who knows nothing of the log begins with its
  // present. In a transaction, for its barrier: what a witness has signed no failover may undo.
  const checkpoint = await db.transact((tx) =>
    knownSize === 0 ? findNewestCheckpoint(tx, logId) : findCheckpointAfter(tx, logId, knownSize),
  );
  if (checkpoint === undefined) return { kind: 'ahead', treeSize: knownSize };
  const exchange = {
    logKey: logSigner.key,
    clock,
    prove: (oldSize: number, newSize: number) => prove(db, logId, oldSize, newSize),
    ...(dispatcher !== undefined && { dispatcher }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const outcome = await takeToWitness(exchange, witness, checkpoint.note, knownSize, signal);
  if (outcome.kind !== 'ahead') return outcome;
  const newest = await findNewestCheckpoint(db, logId);
  // Beyond all that we ever signed: this database is older than what the witness saw.
  if (newest === undefined || outcome.treeSize > newest.treeSize)
    return {
      kind: 'failed',
      reason: `has cosigned ${outcome.treeSize} leaves of this log, which has ${newest?.treeSize ?? 0}: it was rolled back`,
    };
  return outcome;
}

async function record({ db, clock, log, random }: WitnessingDeps, result: Result): Promise<void> {
  const { claim, witness, outcome } = result;
  const now = clock.now();
  switch (outcome.kind) {
    case 'cosigned':
      await db.transact(async (tx) => {
        const { treeSize, line, witnessedAt } = outcome;
        // Kept even if the lease was lost: what is signed is signed.
        await insertCosignature(tx, { logId: claim.logId, treeSize, vkey: claim.vkey, line, witnessedAt });
        await advanceWitness(tx, claim, treeSize, witnessedAt, now);
        announceLog(tx, claim.logId);
      });
      return;
    case 'ahead':
      await db.transact((tx) => advanceWitness(tx, claim, outcome.treeSize, null, now));
      return;
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
