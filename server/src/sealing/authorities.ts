import type { TimeStampFacts, TimeStampPolicy, TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import type { LoopLog } from '../platform/loop.ts';
import { type PauseRule, readPauses, recordFailure, recordSuccess } from './authority-store.ts';
import type { Imprint, Sealer, Stamp } from './sealer.ts';

/**
 * The authorities of an installation as one: asked in their order, each answer verified whole before it counts. One that fails
 * again and again is left alone for a while by every process, and then tried again.
 */
export interface Authorities {
  /** Never throws for what authorities do; `signal` breaks off. */
  obtain(wanted: WantedStamp, signal: AbortSignal): Promise<Obtained>;
}

export interface WantedStamp extends Imprint {
  /** A genTime before this is no answer to what is asked now. */
  readonly notBefore: Date;
}

/** A time-stamp that verified under its authority's policy. */
export interface VerifiedStamp {
  readonly authority: string;
  readonly priceMicros: number;
  readonly token: Uint8Array;
  readonly policy: TimeStampPolicy;
  readonly imprint: Uint8Array;
  readonly facts: TimeStampFacts;
}

export type Obtained =
  | { readonly kind: 'sealed'; readonly stamp: VerifiedStamp }
  /** `retryAt`: when the first authority that is paused is asked again; null: at once, as far as they are concerned. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAt: Date | null };

export interface AuthoritiesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: LoopLog;
  /** The preferred one first. */
  readonly sealers: readonly Sealer[];
  readonly pauseRule?: PauseRule;
}

/** An authority's and our clock may differ by this much; a token from further away is not evidence of now. */
export const MAX_CLOCK_SKEW_MS = 5 * 60_000;
/** All authorities together: below any lease under which they are asked. */
export const OBTAIN_TIMEOUT_MS = 100_000;
const PAUSE_RULE: PauseRule = { failures: 3, minMs: 30_000, maxMs: 10 * 60_000 };
/** Characters of a reason kept of each authority. */
const MAX_REASON = 500;

export function createAuthorities(deps: AuthoritiesDeps): Authorities {
  const { db, clock, sealers } = deps;
  return {
    async obtain(wanted, signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(OBTAIN_TIMEOUT_MS)]);
      const pauses = await readPauses(
        db,
        sealers.map(({ name }) => name),
        clock.now(),
      );
      const reasons: string[] = [];
      for (const sealer of sealers) {
        const until = pauses.get(sealer.name);
        if (until !== undefined) {
          reasons.push(
            `${sealer.name}: left alone until ${until.toISOString()}, for it failed again and again`,
          );
          continue;
        }
        const asked = await ask(deps, sealer, wanted, limit);
        if (asked.kind === 'sealed') return asked;
        reasons.push(asked.reason);
        // Broken off by us: no authority's fault, and no reason to ask the next.
        if (signal.aborted) break;
      }
      const retryAt = pauses.size === sealers.length ? earliest([...pauses.values()]) : null;
      return { kind: 'failed', reason: reasons.join('; '), retryAt };
    },
  };
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

type Asked = { kind: 'sealed'; stamp: VerifiedStamp } | { kind: 'failed'; reason: string };

async function ask(
  deps: AuthoritiesDeps,
  sealer: Sealer,
  wanted: WantedStamp,
  signal: AbortSignal,
): Promise<Asked> {
  const { db, clock, log, pauseRule = PAUSE_RULE } = deps;
  const asked = await stampBy(sealer, wanted, signal, clock);
  const at = clock.now();
  if (asked.kind === 'sealed') {
    const chainNotAfter = new Date(asked.stamp.facts.chainNotAfter);
    await recordSuccess(db, { name: sealer.name, at, chainNotAfter });
    return asked;
  }
  const reason = asked.reason.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_REASON);
  if (signal.aborted) return { kind: 'failed', reason };
  const pausedUntil = await recordFailure(db, { name: sealer.name, error: reason, at }, pauseRule);
  if (pausedUntil !== null)
    log.warn(
      { authority: sealer.name, reason, pausedUntil },
      'a time-stamping authority failed again; it is left alone for a while',
    );
  return { kind: 'failed', reason };
}

/** Asks one authority and verifies what it answers; nothing is written. */
async function stampBy(
  sealer: Sealer,
  wanted: WantedStamp,
  signal: AbortSignal,
  clock: Clock,
): Promise<Asked> {
  const failed = (reason: string): Asked => ({ kind: 'failed', reason: `${sealer.name}: ${reason}` });
  let stamp: Stamp;
  try {
    stamp = await sealer.stamp({ imprint: wanted.imprint, hashAlgorithm: wanted.hashAlgorithm }, signal);
  } catch (error) {
    return failed(messageOf(error));
  }
  // The imprint is the one wanted here, whatever the adapter says that it asked for.
  const { imprint, hashAlgorithm } = wanted;
  const expected = { ...stamp.expected, imprint, hashAlgorithm };
  let result: TimeStampResult;
  try {
    result = await verifyTimeStamp(stamp.response, expected, sealer.policy, sealer.intermediates);
  } catch (error) {
    return failed(`its answer could not be verified: ${messageOf(error)}`);
  }
  const fault = faultOf(result, wanted, clock.now());
  if (fault !== null || !result.ok) return failed(`refused its answer: ${fault}`);
  const { name: authority, policy, priceMicros } = sealer;
  return {
    kind: 'sealed',
    stamp: { authority, priceMicros, token: stamp.response, policy, imprint, facts: result.facts },
  };
}

function faultOf(result: TimeStampResult, wanted: WantedStamp, now: Date): string | null {
  if (!result.ok) {
    return result.checks
      .filter((check) => !check.ok)
      .map((check) => `${check.name}: ${check.detail}`)
      .join('; ');
  }
  const genTimeMs = Date.parse(result.facts.genTime);
  const fromMs = wanted.notBefore.getTime() - MAX_CLOCK_SKEW_MS;
  const toMs = now.getTime() + MAX_CLOCK_SKEW_MS;
  if (genTimeMs >= fromMs && genTimeMs <= toMs) return null;
  return `clock: it says ${result.facts.genTime}, here it is ${now.toISOString()} and what it stamps is of ${wanted.notBefore.toISOString()}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
