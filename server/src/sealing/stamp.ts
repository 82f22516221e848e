import { utf8 } from '@acuse/evidence/bytes';
import { openCheckpoint } from '@acuse/evidence/checkpoint';
import { EvidenceError } from '@acuse/evidence/errors';
import type { TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { createLoop, type Loop } from '../platform/loop.ts';
import { sha256 } from '../platform/sha256.ts';
import type { LogSigner } from './log-key.ts';
import type { Sealer, Stamp } from './sealer.ts';
import { type RecordDeps, recordOutcome, type StampOutcome } from './stamp-record.ts';
import { type ClaimedStamp, claimStamps, findLogsWithStampsDue } from './stamp-store.ts';

/**
 * Gets each checkpoint its constancia. An authority that is down, slow or lying costs the
 * batch nothing but time: it stays in line with the reason, and nothing else waits for it.
 */

export interface StampDeps extends RecordDeps {
  readonly sealer: Sealer;
  /** The log's name and key, by id. */
  readonly logOf: (logId: string) => Promise<LogSigner>;
  readonly pollMs?: number;
}

/** An authority's and our clock may differ by this much; a token from further away is not evidence of now. */
export const MAX_CLOCK_SKEW_MS = 5 * 60_000;
/** Longer than any sealer's own timeout, so that no second request goes out while the first may still be answered. */
const LEASE_MS = 120_000;
const CONCURRENCY = 4;
const POLL_MS = 1_000;

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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
