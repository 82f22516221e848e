import { utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { createLoop, type Loop } from '../../platform/loop.ts';
import type { Quiet } from '../../platform/quiet.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { LogSigner } from '../log/log-key.ts';
import { traceStamp } from '../traced.ts';
import type { Authorities } from './authorities.ts';
import { type RecordDeps, recordOutcome, type StampOutcome } from './stamp-record.ts';
import {
  type ClaimedStamp,
  claimStamps,
  extendStamps,
  findLogsWithStampsDue,
  type StampedLogs,
  stampKey,
} from './stamp-store.ts';

/**
 * Gets each checkpoint its constancia. An authority that is down, slow or wrong costs the batch nothing but
 * time: it stays in line with the reason, and nothing else waits for it.
 */

export interface StampDeps extends RecordDeps {
  readonly authorities: Authorities;
  /** The log's name and key, by id. */
  readonly logOf: (logId: string) => Promise<LogSigner>;
  /** Absent: of every log on the database. */
  readonly stampedLogs?: StampedLogs;
  readonly pollMs?: number;
  readonly quiet?: Quiet | undefined;
  readonly tracing?: Tracing | null;
}

const CONCURRENCY = 4;
const POLL_MS = 1_000;

export function createStampLoop(deps: StampDeps): Loop {
  const { db, clock, tracing = null } = deps;
  return createLoop<ClaimedStamp, StampOutcome>({
    name: 'stamp',
    clock,
    log: deps.log,
    concurrency: CONCURRENCY,
    pollMs: deps.pollMs ?? POLL_MS,
    quiet: deps.quiet,
    shards: () => findLogsWithStampsDue(db, deps.stampedLogs ?? null, clock.now()),
    claim: (logId, limit) => claimStamps(db, logId, limit, clock.now()),
    // Extended for as long as authorities are asked: no second request goes out while the first may still be
    // answered.
    leases: { keyOf: stampKey, extend: (claims) => extendStamps(db, claims) },
    async act(claim, signal) {
      if (tracing === null) return stampCheckpoint(deps, claim, signal);
      const startedAt = clock.now();
      const outcome = await stampCheckpoint(deps, claim, signal);
      traceStamp(tracing, outcome, startedAt, clock.now());
      return outcome;
    },
    async record(outcomes) {
      for (const outcome of outcomes) await recordOutcome(deps, outcome);
    },
  });
}

/** Asks and verifies; nothing is written. Never throws for what the authorities do. */
export async function stampCheckpoint(
  deps: StampDeps,
  claim: ClaimedStamp,
  signal: AbortSignal,
): Promise<StampOutcome> {
  const text = await signedText(deps, claim);
  if (!text.ok) return { kind: 'failed', claim, reason: text.reason };
  const imprint = sha256(utf8(text.value));
  const wanted = { imprint, hashAlgorithm: 'sha256', notBefore: claim.checkpointCreatedAt } as const;
  return { ...(await deps.authorities.obtain(wanted, signal)), claim };
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
