import { setTimeout as sleep } from 'node:timers/promises';
import { apiError } from '../../errors.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { createLeases } from '../../platform/queue/leases.ts';
import type { Authorities, VerifiedStamp, WantedStamp } from '../stamp/authorities.ts';
import { addCosts } from '../stamp/cost-store.ts';
import { monthOfStamp } from '../stamp/costs.ts';
import { putIssued } from '../stamp/issued-store.ts';
import { insertRevocation } from '../stamp/revocation-store.ts';
import { type StampColumns, stampColumns } from '../stamp/stamp-columns.ts';
import { claimSeal, endClaim, extendSeals, type SealClaim } from './seal-store.ts';

/**
 * Time-stamps that an account asks for, for one message: its constancia, and that of its PDF. Concurrent
 * callers, in any process, wait and get the same one; only a crash between the authority's answer and our
 * commit buys a second.
 */
export interface StampOnceDeps extends DbAndClock {
  readonly authorities: Authorities;
}

interface StampWanted<Found> {
  readonly tenantId: string;
  readonly messageId: string;
  readonly imprint: Uint8Array;
  readonly first?: Pick<WantedStamp, 'profile'>;
  find(): Promise<Found | undefined>;
  /** False: there is one already, which is as good. */
  store(tx: Tx, stamp: StampColumns & { readonly createdAt: Date }): Promise<boolean>;
}

/** Longest wait for authorities, or for another request (ms). */
const ANSWER_TIMEOUT_MS = 45_000;
const LOOK_EVERY_MS = 100;
/** Concurrent requests to authorities; more would wait there. */
const MAX_IN_FLIGHT = 32;
/** Default Retry-After (s). */
const RETRY_AFTER_SECONDS = 30;

type StampOnce = <Found>(wanted: StampWanted<Found>) => Promise<Found>;

/** Throws unavailable, with nothing stored, if no authority answers. */
export function createStampOnce(deps: StampOnceDeps): StampOnce {
  const { db, clock } = deps;
  let inFlight = 0;
  // Extended while authorities are asked: a process that takes over knows that nobody is asking.
  const leases = createLeases<SealClaim>({
    clock,
    // The request itself reports a failing database.
    log: { error() {}, warn() {} },
    name: 'constancias on demand',
    keyOf: ({ messageId }) => messageId,
    extend: (claims) => extendSeals(db, claims),
  });

  async function buy<Found>(claim: SealClaim, wanted: StampWanted<Found>): Promise<void> {
    let stamp: VerifiedStamp;
    try {
      // Another process may have finished between our check and our claim; after the claim the check is
      // final.
      if ((await wanted.find()) !== undefined) return void (await endClaim(db, claim));
      stamp = await askAuthorities(deps, wanted.imprint, wanted.first);
    } catch (error) {
      await endClaim(db, claim);
      throw error;
    }
    await db.transact(async (tx) => {
      const createdAt = clock.now();
      // Our lease may have expired: either stamp is equally good.
      await endClaim(tx, claim);
      await insertRevocation(tx, stamp.revocation, createdAt);
      await putIssued(tx, stamp.token, stamp.issued, createdAt);
      const stored = await wanted.store(tx, { ...stampColumns(stamp), createdAt });
      if (!stored || stamp.priceMicros === 0) return;
      const { authority, priceMicros: costMicros } = stamp;
      const { tenantId } = claim;
      await addCosts(tx, [
        { tenantId, month: monthOfStamp(stamp), kind: 'message', authority, items: 1, costMicros },
      ]);
    });
  }

  return async (wanted) => {
    const deadline = clock.monotonicMs() + ANSWER_TIMEOUT_MS;
    for (;;) {
      const found = await wanted.find();
      if (found !== undefined) return found;
      if (inFlight >= MAX_IN_FLIGHT) throw busy('Too many constancias are being requested at once.', 1);
      const askedAt = leases.mark();
      const claim = await claimSeal(db, wanted.tenantId, wanted.messageId);
      if (claim === null) {
        if (clock.monotonicMs() > deadline)
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
        await buy(claim, wanted);
      } finally {
        inFlight--;
        leases.drop([claim]);
        if (leases.size === 0) leases.stop();
      }
    }
  };
}

async function askAuthorities(
  { authorities, clock }: StampOnceDeps,
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
