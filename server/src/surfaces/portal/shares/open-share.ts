import { timingSafeEqual } from 'node:crypto';
import type { Disclosure } from '@acuse/evidence/disclose';
import { apiError } from '../../../errors.ts';
import type { BundleForm } from '../../../evidence/bundle/bundle-jobs.ts';
import { makeSharedBundle } from '../../../evidence/bundle/shared-bundle.ts';
import { insertVerificationQuery } from '../../../evidence/bundle/verification-store.ts';
import { createTokenLookUps } from '../../../people/sessions/token-look-ups.ts';
import { tokenSha256 } from '../../../people/sessions/tokens.ts';
import { createRateLimit } from '../../../platform/http/rate-limit.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { createTurns } from '../../../platform/turns.ts';
import { type CaseDeps, openCase } from './cases.ts';
import { countOpening, findCaseShares, findShare, type PresentedShare } from './store.ts';

/** Opens a link: the bundle of a message, or a case file. */

/** Per share: a page needs one, a courtroom some. */
const OPENINGS_PER_SECOND = 1;
const OPENINGS_BURST = 20;
/** Openings of a case of up to 100 bundles: some people in a courtroom, then one every five seconds. */
const CASES_PER_SECOND = 0.2;
const CASES_BURST = 5;

/** In memory at once, of up to 64 MiB each; no key limits who asks. */
const BUNDLES_AT_ONCE = 4;
const BUNDLES_WAITING_MAX = 64;
const RETRY_SECONDS = 2;

export interface Opening {
  readonly shareId: string;
  readonly secret: string;
  readonly clientAddress: string;
  readonly gone: AbortSignal;
}

/** A case file is a ZIP in either form. */
export type OpenShare = (opening: Opening, form: BundleForm) => Promise<Uint8Array>;

/** One answer for all faults: reveals no links. */
function noShare() {
  return apiError(
    'not_found',
    'This link is wrong, has expired or was revoked: ask who sent it for another.',
  );
}

function tooMany() {
  return apiError(
    'unavailable',
    'Too many links are being opened at once. Retry after the seconds in Retry-After.',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}

/** Recorded before the bundle is made. Throws not_found, rate_limited, unavailable. */
export function createOpenShare(deps: CaseDeps): OpenShare {
  const { db, clock } = deps;
  const openings = createRateLimit({ clock, perSecond: OPENINGS_PER_SECOND, burst: OPENINGS_BURST });
  const cases = createRateLimit({ clock, perSecond: CASES_PER_SECOND, burst: CASES_BURST });
  const lookUps = createTokenLookUps(clock);
  const inTurn = createTurns({ atOnce: BUNDLES_AT_ONCE, waitingMax: BUNDLES_WAITING_MAX, tooMany });
  return async ({ shareId, secret, clientAddress, gone }, form) => {
    const look = () => findPresented(db, shareId, secret);
    const shares = await lookUps(clientAddress, `${shareId} ${secret}`, look);
    if (shares === null) throw noShare();
    const now = clock.now();
    const open = shares.filter(
      ({ revokedAt, expiresAt, tenantStatus }) =>
        revokedAt === null && expiresAt > now && tenantStatus === 'active',
    );
    const [share] = open;
    if (share === undefined) throw noShare();
    const isCase = share.shareId !== shareId;
    const verdict = (isCase ? cases : openings).take(shareId);
    if (!verdict.ok)
      throw apiError('rate_limited', 'This link was opened too often just now: wait a moment.', verdict);
    await record(deps, open, { clientAddress, now });
    if (isCase) return openCase(deps, share.tenantId, open, gone);
    const shown: Disclosure = {
      message: share.showsMessage,
      parts: share.showsParts,
      delivery: share.showsDelivery,
    };
    const asker = { holders: [share.tenantId, shareId], gone };
    return inTurn(asker, () => makeSharedBundle(deps, share, shown, form));
  };
}

/** Matches nothing: no hash is all zero. */
const NO_SECRET = Buffer.alloc(32);

/** Several: of a case. All have the one secret. Null: there is none. */
async function findPresented(
  db: CaseDeps['db'],
  id: string,
  secret: string,
): Promise<PresentedShare[] | null> {
  const presented = tokenSha256(secret);
  const share = isId(id) ? await findShare(db, id) : null;
  const shares = share !== null ? [share] : isId(id) ? await findCaseShares(db, id) : [];
  const fits = timingSafeEqual(presented ?? NO_SECRET, shares[0]?.secretSha256 ?? NO_SECRET);
  return presented !== null && fits ? shares : null;
}

async function record(
  { db }: Pick<CaseDeps, 'db'>,
  shares: readonly PresentedShare[],
  { clientAddress, now }: { readonly clientAddress: string; readonly now: Date },
): Promise<void> {
  const [{ tenantId }] = shares as [PresentedShare];
  const counted = await db.asTenant(tenantId, async (tx) => {
    for (const { shareId, messageId, note } of shares) {
      if (!(await countOpening(tx, tenantId, shareId, now))) return false;
      await insertVerificationQuery(tx, {
        tenantId,
        queryId: newId(),
        actor: { kind: 'share', id: shareId, name: note ?? '' },
        messageId,
        occurredAt: now,
        answer: 'opened',
        clientAddress,
      });
    }
    return true;
  });
  // Revoked meanwhile.
  if (!counted) throw noShare();
}
