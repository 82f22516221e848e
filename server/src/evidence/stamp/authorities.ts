import { MAX_ISSUED_BYTES } from '@acuse/evidence/bundle-entries';
import type { TimeStampFacts, TimeStampPolicy, TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import type { DbAndClock } from '../../platform/database/db.ts';
import { limitedSignal } from '../../platform/limited-signal.ts';
import type { LoopLog } from '../../platform/logger.ts';
import { type PauseRule, readPauses, recordFailure, recordSuccess } from './authority-store.ts';
import {
  createRevocationGatherer,
  type GatheredRevocation,
  type RevocationGatherer,
  type RevocationPiece,
} from './revocation-gather.ts';
import type { Imprint, Sealer, Stamp } from './sealer.ts';

/**
 * The authorities in order of preference; each answer is fully verified. A repeatedly failing one is paused
 * for all processes.
 */
export interface Authorities {
  /** Never throws for authorities' faults; `signal` aborts. */
  obtain(wanted: WantedStamp, signal: AbortSignal): Promise<Obtained>;
}

export interface WantedStamp extends Imprint {
  /** Rejects an older genTime. */
  readonly notBefore: Date;
  readonly profile?: TimeStampPolicy['profile'];
  /** If the chain ends too early, the next authority is asked; the longest wins. */
  suffices?(chainNotAfter: Date): boolean;
}

export interface VerifiedStamp {
  readonly authority: string;
  readonly priceMicros: number;
  readonly token: Uint8Array;
  readonly policy: TimeStampPolicy;
  readonly imprint: Uint8Array;
  readonly facts: TimeStampFacts;
  /** Evidence that nobody in its chain was revoked, if the authority gives any. */
  readonly revocation: readonly RevocationPiece[];
  /** The document that the authority issued with the token, unread. */
  readonly issued?: Uint8Array;
}

type Obtained =
  | { readonly kind: 'sealed'; readonly stamp: VerifiedStamp }
  /** `retryAt`: end of the first pause; null: none. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAt: Date | null };

interface AuthoritiesDeps extends DbAndClock {
  readonly log: LoopLog;
  readonly sealers: readonly Sealer[];
  readonly pauseRule?: PauseRule;
  readonly revocation?: RevocationGatherer;
}

/** Largest clock difference to an authority (ms). */
export const MAX_CLOCK_SKEW_MS = 5 * 60_000;
/** Total time, below the leases (ms). */
const OBTAIN_TIMEOUT_MS = 100_000;
const PAUSE_RULE: PauseRule = { failures: 3, minMs: 30_000, maxMs: 10 * 60_000 };
const MAX_REASON = 500;
/** Least time between reports of a missing document (ms). */
const WARN_EVERY_MS = 10 * 60_000;

export function createAuthorities(given: AuthoritiesDeps): Authorities {
  const { db, clock, sealers } = given;
  const deps: Deps = {
    ...given,
    gatherer: given.revocation ?? createRevocationGatherer(clock),
    lastWarningMs: new Map(),
  };
  return {
    async obtain(wanted, signal) {
      const limit = limitedSignal(OBTAIN_TIMEOUT_MS, signal);
      const pauses = await readPauses(
        db,
        sealers.map(({ name }) => name),
        clock.now(),
      );
      const reasons: string[] = [];
      let longest: Extract<Asked, { kind: 'sealed' }> | null = null;
      const isFirst = ({ policy }: Sealer) => policy.profile === wanted.profile;
      const inOrder = [...sealers.filter(isFirst), ...sealers.filter((sealer) => !isFirst(sealer))];
      for (const sealer of inOrder) {
        const { hashAlgorithms } = sealer.policy;
        if (hashAlgorithms !== undefined && !hashAlgorithms.includes(wanted.hashAlgorithm)) {
          reasons.push(`${sealer.name}: its manifest does not have ${wanted.hashAlgorithm}`);
          continue;
        }
        const until = pauses.get(sealer.name);
        if (until !== undefined) {
          reasons.push(`${sealer.name}: paused until ${until.toISOString()} because it failed repeatedly`);
          continue;
        }
        const asked = await ask(deps, sealer, wanted, limit);
        if (asked.kind === 'sealed') {
          if (wanted.suffices?.(endOf(asked)) !== false) return asked;
          if (longest === null || endOf(asked) > endOf(longest)) longest = asked;
        } else reasons.push(asked.reason);
        // Aborted by us: nobody's fault.
        if (signal.aborted) break;
      }
      if (longest !== null) return longest;
      const retryAt = pauses.size === sealers.length ? earliest([...pauses.values()]) : null;
      return { kind: 'failed', reason: reasons.join('; '), retryAt };
    },
  };
}

function endOf({ stamp }: Extract<Asked, { kind: 'sealed' }>): Date {
  return new Date(stamp.facts.chainNotAfter);
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}

interface Deps extends AuthoritiesDeps {
  readonly gatherer: RevocationGatherer;
  readonly lastWarningMs: Map<string, number>;
}

type Asked = { kind: 'sealed'; stamp: VerifiedStamp } | { kind: 'failed'; reason: string };

async function ask(deps: Deps, sealer: Sealer, wanted: WantedStamp, signal: AbortSignal): Promise<Asked> {
  const { db, clock, log, pauseRule = PAUSE_RULE } = deps;
  const asked = await stampBy(deps, sealer, wanted, signal);
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
      'a time-stamping authority failed repeatedly; it is paused',
    );
  return { kind: 'failed', reason };
}

async function stampBy(deps: Deps, sealer: Sealer, wanted: WantedStamp, signal: AbortSignal): Promise<Asked> {
  const failed = (reason: string): Asked => ({ kind: 'failed', reason: `${sealer.name}: ${reason}` });
  let stamp: Stamp;
  try {
    stamp = await sealer.stamp({ imprint: wanted.imprint, hashAlgorithm: wanted.hashAlgorithm }, signal);
  } catch (error) {
    return failed(messageOf(error));
  }
  // The imprint that we want, whatever the adapter says.
  const { imprint, hashAlgorithm } = wanted;
  const expected = { ...stamp.expected, imprint, hashAlgorithm };
  let result: TimeStampResult;
  try {
    result = await verifyTimeStamp(stamp.response, expected, sealer.policy, sealer.intermediates);
  } catch (error) {
    return failed(`its answer could not be verified: ${messageOf(error)}`);
  }
  const fault = faultOf(result, wanted, deps.clock.now());
  if (fault !== null || !result.ok) return failed(`refused its answer: ${fault}`);
  const { facts } = result;
  const gathered = await deps.gatherer.gather(facts.certificates, new Date(facts.genTime), signal);
  const doubt = doubtOf(gathered, sealer);
  if (doubt !== null) return failed(doubt);
  warnOf(
    deps,
    sealer,
    gathered.problems,
    'sealed, but not all revocation data of the authority could be fetched',
  );
  if (stamp.issued === null)
    warnOf(deps, sealer, [NO_DOCUMENT], 'sealed, but without a document of the authority');
  const { name: authority, policy, priceMicros } = sealer;
  const { pieces: revocation } = gathered;
  const { response: token, issued } = stamp;
  const verified = { authority, priceMicros, token, policy, imprint, facts, revocation };
  return { kind: 'sealed', stamp: issued ? { ...verified, issued } : verified };
}

/** Revoked or, if the policy requires it, not shown to be good. */
function doubtOf({ statuses, problems }: GatheredRevocation, { policy }: Sealer): string | null {
  for (const { certificate, revoked, by } of statuses)
    if (revoked !== null)
      return `refused its answer: ${JSON.stringify(certificate.subject)} was revoked at ${revoked.from.toISOString()}, says ${by.join(', ')}`;
  if (policy.revocation !== 'required' || statuses.every(({ standing }) => standing === 'good')) return null;
  return `nothing shows that its certificates are not revoked: ${problems.join('; ') || 'they point nowhere'}`;
}

const NO_DOCUMENT = `json.document_field of its manifest has no base64 of at most ${MAX_ISSUED_BYTES} bytes`;

function warnOf(
  { log, clock, lastWarningMs }: Deps,
  { name }: Sealer,
  problems: readonly string[],
  what: string,
): void {
  const nowMs = clock.monotonicMs();
  const key = `${name}: ${what}`;
  if (problems.length === 0 || nowMs - (lastWarningMs.get(key) ?? -WARN_EVERY_MS) < WARN_EVERY_MS) return;
  lastWarningMs.set(key, nowMs);
  log.warn({ authority: name, problems }, what);
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
