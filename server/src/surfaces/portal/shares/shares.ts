import type { Disclosure } from '@acuse/evidence/disclose';
import { parseMessageManifest } from '@acuse/evidence/manifest';
import { apiError } from '../../../errors.ts';
import { requireSealed } from '../../../evidence/bundle/evidence.ts';
import { readMessageLeaves } from '../../../evidence/bundle/evidence-store.ts';
import type { ProofBundleDeps } from '../../../evidence/bundle/proof-bundle.ts';
import { findMessage } from '../../../messages/read-store.ts';
import { newToken } from '../../../people/sessions/tokens.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { Actor } from '../../../platform/http/http.ts';
import { type PageOf, requireById } from '../../../platform/http/own-rows.ts';
import { type Page, toPage } from '../../../platform/http/page.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Threads } from '../../../platform/threads/threads.ts';
import { insertShare, listShares, revokeShare, type ShareRow } from './store.ts';

/**
 * Links that give strangers a disclosure bundle. The secret is in the URL fragment, so that no server logs
 * it, and only a POST uses it.
 */
export interface SharesDeps extends ProofBundleDeps {
  readonly clock: Clock;
  readonly threads: Threads;
}

export const SHARES_MAX = 50;
const SHARE_LIFE_MAX_MS = 366 * 24 * 60 * 60 * 1_000;

export interface ShareRequest {
  readonly shown: Disclosure;
  readonly expiresAt: Date;
  readonly note: string | null;
}

export interface ShareMaker {
  readonly tenantId: string;
  readonly actor: Actor;
}

/** The secret is shown once. Throws not_found, missing_proof_data, invalid_body, conflict. */
export async function createShare(
  deps: SharesDeps,
  of: ShareMaker,
  messageId: string,
  request: ShareRequest,
): Promise<{ share: ShareRow; secret: string }> {
  const { shown } = request;
  const now = deps.clock.now();
  assertLife(request.expiresAt, now);
  const { token, sha256 } = newToken();
  const share = await deps.db.asTenant(of.tenantId, async (tx) => {
    await requireSealed(tx, of.tenantId, messageId);
    const leaves = await readMessageLeaves(tx, of.tenantId, messageId);
    const own = leaves.find(({ kind }) => kind === 'message');
    assertShown(shown, own === undefined ? 0 : parseMessageManifest(own.manifest).mail.parts.length);
    return addShare(tx, of, messageId, request, { secretSha256: sha256, createdAt: now, of: null });
  });
  if (share === undefined)
    throw apiError(
      'conflict',
      `The message has ${SHARES_MAX} shares that can be opened: revoke one that nobody needs.`,
    );
  return { share, secret: token };
}

/** `of`: the case that it belongs to. Undefined: SHARES_MAX can be opened already. */
export function addShare(
  tx: Tx,
  { tenantId, actor }: ShareMaker,
  messageId: string,
  { shown, expiresAt, note }: ShareRequest,
  made: {
    readonly secretSha256: Uint8Array;
    readonly createdAt: Date;
    readonly of: { readonly caseId: string; readonly name: string } | null;
  },
): Promise<ShareRow | undefined> {
  const { secretSha256, createdAt, of } = made;
  const share = {
    shareId: newId(createdAt.getTime()),
    ...{ messageId, secretSha256, note, createdAt, expiresAt },
    ...{ showsMessage: shown.message, showsParts: [...shown.parts], showsDelivery: shown.delivery },
    ...{ createdBy: actor.id, createdByName: actor.name },
    ...{ caseId: of?.caseId ?? null, caseName: of?.name ?? null },
  };
  return insertShare(tx, tenantId, share, SHARES_MAX);
}

export function assertLife(expiresAt: Date, now: Date): void {
  const lifeMs = expiresAt.getTime() - now.getTime();
  if (lifeMs <= 0) throw apiError('invalid_body', 'expires_at has passed: give a time in the future.');
  if (lifeMs > SHARE_LIFE_MAX_MS)
    throw apiError(
      'invalid_body',
      `expires_at is more than ${SHARE_LIFE_MAX_MS / 86_400_000} days ahead: give an earlier time.`,
    );
}

export function assertShown({ message, parts, delivery }: Disclosure, count: number): void {
  if (!message && !delivery && parts.length === 0)
    throw apiError(
      'invalid_body',
      'disclose shows nothing: set message or delivery to true, or name the indexes of parts.',
    );
  const beyond = parts.find((index) => index >= count);
  if (beyond !== undefined)
    throw apiError(
      'invalid_body',
      `disclose.parts: the message has no part ${beyond}; its ${count} parts are numbered from 0.`,
    );
}

export async function readShares<Item>(
  { db }: Pick<SharesDeps, 'db'>,
  of: { readonly tenantId: string; readonly messageId: string },
  page: Page,
  present: (row: ShareRow) => Item,
): Promise<PageOf<Item>> {
  const rows = await requireById(db, of.tenantId, of.messageId, async (tx, tenantId, messageId) =>
    (await findMessage(tx, tenantId, messageId)) === null
      ? null
      : listShares(tx, tenantId, messageId, page.afterId, page.fetch),
  );
  return toPage(rows, page, (row) => row.shareId, present);
}

/** Immediate: shares are not cached. Throws not_found. */
export async function endShare(
  { db, clock }: Pick<SharesDeps, 'db' | 'clock'>,
  of: { readonly tenantId: string; readonly messageId: string },
  shareId: string,
): Promise<void> {
  const known = isId(of.messageId) && isId(shareId);
  const done = known && (await db.asTenant(of.tenantId, (tx) => revokeShare(tx, of, shareId, clock.now())));
  if (!done) throw apiError('not_found');
}
