import { setTimeout as sleep } from 'node:timers/promises';
import { equalBytes } from '@acuse/evidence/bytes';
import type { Static } from 'typebox';
import { apiError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import { isId, newId } from '../../platform/ids.ts';
import { createLeases } from '../../platform/queue/leases.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { Authorities, VerifiedStamp, WantedStamp } from '../stamp/authorities.ts';
import { addCosts } from '../stamp/cost-store.ts';
import { monthOfStamp } from '../stamp/costs.ts';
import { insertRevocation } from '../stamp/revocation-store.ts';
import { stampColumns } from '../stamp/stamp-columns.ts';
import type { CountDeps } from './count-outcomes.ts';
import { type Evidence, readEvidence, requireSealed } from './evidence.ts';
import { findMessageProof, readMessageLeaves } from './evidence-store.ts';
import {
  claimSeal,
  endClaim,
  extendSeals,
  findMessageStamp,
  insertMessageStamp,
  type SealClaim,
} from './seal-store.ts';

/**
 * A constancia over one message's canonical hash. Concurrent and repeated requests share one; only a crash
 * between the authority's answer and our commit buys a second.
 */
export interface SealDeps extends CountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly authorities: Authorities;
}

/** Longest wait for authorities, or for another request (ms). */
const ANSWER_TIMEOUT_MS = 45_000;
const LOOK_EVERY_MS = 100;
/** Concurrent requests to authorities; more would wait there. */
const MAX_IN_FLIGHT = 32;
/** Default Retry-After (s). */
const RETRY_AFTER_SECONDS = 30;

export type SealMessage = (tenantId: string, messageId: string) => Promise<Static<typeof Evidence>>;

/**
 * Throws not_found, not_certified, missing_proof_data; unavailable, with nothing stored, if no authority
 * answers.
 */
export function createSealMessage(deps: SealDeps): SealMessage {
  let inFlight = 0;
  // Extended while authorities are asked: a process that takes over knows that nobody is asking.
  const leases = createLeases<SealClaim>({
    clock: deps.clock,
    // The request itself reports a failing database.
    log: { error() {}, warn() {} },
    name: 'constancias on demand',
    keyOf: ({ messageId }) => messageId,
    extend: (claims) => extendSeals(deps.db, claims),
  });

  async function obtain(claim: SealClaim, canonicalHash: Uint8Array): Promise<void> {
    let stamp: VerifiedStamp;
    try {
      // Another process may have finished between our check and our claim; after the claim the check is
      // final.
      if (await has(deps.db, claim.tenantId, claim.messageId)) return void (await endClaim(deps.db, claim));
      stamp = await askAuthorities(deps, canonicalHash);
    } catch (error) {
      await endClaim(deps.db, claim);
      throw error;
    }
    await deps.db.transact(async (tx) => {
      const createdAt = deps.clock.now();
      // Our lease may have expired: either stamp is equally good.
      await endClaim(tx, claim);
      await insertRevocation(tx, stamp.revocation, createdAt);
      const row = { ...claim, stampId: newId(), createdAt, ...stampColumns(stamp) };
      if (!(await insertMessageStamp(tx, row)) || stamp.priceMicros === 0) return;
      const { authority, priceMicros: costMicros } = stamp;
      const { tenantId } = claim;
      await addCosts(tx, [
        { tenantId, month: monthOfStamp(stamp), kind: 'message', authority, items: 1, costMicros },
      ]);
    });
  }

  return async (tenantId, messageId) => {
    const canonicalHash = await requireSealable(deps.db, tenantId, messageId);
    const deadline = deps.clock.monotonicMs() + ANSWER_TIMEOUT_MS;
    while (!(await has(deps.db, tenantId, messageId))) {
      if (inFlight >= MAX_IN_FLIGHT) throw busy('Too many constancias are being requested at once.', 1);
      const askedAt = leases.mark();
      const claim = await claimSeal(deps.db, tenantId, messageId);
      if (claim === null) {
        if (deps.clock.monotonicMs() > deadline)
          throw busy(
            'Another request for this constancia is still waiting for its answer.',
            RETRY_AFTER_SECONDS,
          );
        await sleep(LOOK_EVERY_MS);
        continue;
      }
      inFlight++;
      leases.hold([claim], askedAt);
      leases.start();
      try {
        await obtain(claim, canonicalHash);
      } finally {
        inFlight--;
        leases.drop([claim]);
        if (leases.size === 0) leases.stop();
      }
    }
    return readEvidence(deps, tenantId, messageId);
  };
}

async function has(db: Db, tenantId: string, messageId: string): Promise<boolean> {
  return (await findMessageStamp(db, tenantId, messageId)) !== undefined;
}

async function requireSealable(db: Db, tenantId: string, messageId: string): Promise<Uint8Array> {
  return db.asTenant(tenantId, async (tx) => {
    const known = isId(messageId) ? await findMessageProof(tx, tenantId, messageId) : undefined;
    if (known?.certified === false)
      throw apiError(
        'not_certified',
        'The message was sent with certified=false: it can never be sealed. Send it again with certified=true.',
      );
    const { canonicalHash } = await requireSealed(tx, tenantId, messageId);
    const [own] = await readMessageLeaves(tx, tenantId, messageId);
    // Paid once and kept for ten years: make sure that the manifest matches.
    if (own === undefined || !equalBytes(sha256(own.manifest), canonicalHash))
      throw new Error(`message ${messageId}: its manifest does not hash to its leaf; acuse fsck says more`);
    return canonicalHash;
  });
}

/** Throws unavailable if none answers. */
export async function askAuthorities(
  { authorities, clock }: Pick<SealDeps, 'authorities' | 'clock'>,
  imprint: Uint8Array,
  first: Pick<WantedStamp, 'profile'> = {},
): Promise<VerifiedStamp> {
  const wanted = { ...first, imprint, hashAlgorithm: 'sha256' as const, notBefore: clock.now() };
  const obtained = await authorities.obtain(wanted, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
  if (obtained.kind === 'sealed') return obtained.stamp;
  const waitMs = obtained.retryAt === null ? null : obtained.retryAt.getTime() - clock.now().getTime();
  const seconds = waitMs === null ? RETRY_AFTER_SECONDS : Math.max(1, Math.ceil(waitMs / 1000));
  throw busy('No time-stamping authority answers at the moment; nothing was stored.', seconds);
}

export function busy(why: string, retryAfterSeconds: number) {
  return apiError('unavailable', `${why} Retry after the seconds in Retry-After.`, { retryAfterSeconds });
}
