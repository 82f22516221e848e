import { utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import { ed25519 } from '../../platform/ed25519.ts';
import { abortSignalOf } from '../../platform/light-abort.ts';
import type { IdleBackOff } from '../../platform/queue/idle-back-off.ts';
import { createLeases } from '../../platform/queue/leases.ts';
import { createLoop, type Loop } from '../../platform/queue/loop.ts';
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
 * Gets each checkpoint's constancia. A failing authority only costs time: the batch stays queued, with the
 * reason.
 */

export interface StampDeps extends RecordDeps {
  readonly authorities: Authorities;
  readonly logOf: (logId: string) => Promise<LogSigner>;
  readonly stampedLogs?: StampedLogs;
  readonly pollMs?: number;
  readonly idleBackOff?: IdleBackOff | undefined;
  readonly tracing?: Tracing | null;
}

const CONCURRENCY = 4;
const POLL_MS = 1_000;

export function createStampLoop(deps: StampDeps): Loop {
  const { db, clock, log, tracing = null } = deps;
  return createLoop<ClaimedStamp, StampOutcome>({
    name: 'stamp',
    clock,
    log,
    concurrency: CONCURRENCY,
    pollMs: deps.pollMs ?? POLL_MS,
    idleBackOff: deps.idleBackOff,
    shards: () => findLogsWithStampsDue(db, deps.stampedLogs ?? null, clock.now()),
    claim: (logId, limit) => claimStamps(db, logId, limit, clock.now()),
    // Extended while authorities are asked: no second request while the first may be answered.
    leases: createLeases<ClaimedStamp>({
      ...{ clock, log, name: 'stamp' },
      keyOf: stampKey,
      extend: (claims) => extendStamps(db, claims),
    }),
    async act(claim, stop) {
      const signal = abortSignalOf(stop);
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

/** Writes nothing. Never throws for authorities' faults. */
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

/** The text to stamp, if the stored note is still the signed one. */
async function signedText(
  deps: StampDeps,
  claim: ClaimedStamp,
): Promise<{ ok: true; value: string } | { ok: false; reason: string }> {
  const log = await deps.logOf(claim.logId);
  try {
    const { checkpoint, note } = openCheckpoint(claim.note, [log.key], ed25519);
    if (checkpoint.size !== claim.treeSize)
      return { ok: false, reason: 'the stored checkpoint is for another size' };
    return { ok: true, value: note.text };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { ok: false, reason: `the stored checkpoint does not verify: ${error.message}` };
  }
}
