import type { Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';
import type { LinkKind } from './one-time-link.ts';

/** One-time links, found by the hash of their secret. */
export interface LinkRow {
  readonly userId: string;
  readonly kind: LinkKind;
  /** The account of an invitation. */
  readonly tenantId: string | null;
  readonly mailed: boolean;
}

export async function insertLink(
  tx: Tx,
  link: LinkRow & { linkId: string; tokenSha256: Uint8Array; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await tx.execute(
    `insert into one_time_links (link_id, user_id, kind, tenant_id, token_sha256, mailed, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      link.linkId,
      link.userId,
      link.kind,
      link.tenantId,
      link.tokenSha256,
      link.mailed,
      link.createdAt,
      link.expiresAt,
    ],
  );
}

/** If many spend it at once, one gets it; the others get null, as for a link that never existed. */
export function spendLink(
  tx: Tx,
  tokenSha256: Uint8Array,
  kinds: readonly LinkKind[],
  at: Date,
): Promise<LinkRow | null> {
  return first<LinkRow>(
    tx,
    `update one_time_links set spent_at = $3
     where token_sha256 = $1 and kind = any ($2) and spent_at is null and expires_at > $3
     returning user_id as "userId", kind, tenant_id as "tenantId", mailed`,
    [tokenSha256, kinds, at],
  );
}

/** Deletes an invitation that was not accepted, expired or not; null when there is none. */
export function takeInvitationLink(
  tx: Tx,
  tokenSha256: Uint8Array,
): Promise<{ userId: string; tenantId: string } | null> {
  return first<{ userId: string; tenantId: string }>(
    tx,
    `delete from one_time_links where token_sha256 = $1 and kind = 'invitation' and spent_at is null
     returning user_id as "userId", tenant_id as "tenantId"`,
    [tokenSha256],
  );
}

/** The owner of a link, without spending it. */
export async function findLinkOwner(tx: Tx, tokenSha256: Uint8Array, at: Date): Promise<string | null> {
  const rows = await tx.query<{ userId: string }>(
    `select user_id as "userId" from one_time_links
     where token_sha256 = $1 and spent_at is null and expires_at > $2`,
    [tokenSha256, at],
  );
  return rows[0]?.userId ?? null;
}

/** True if an unspent link of the kind was made after `since`. */
export async function hasLinkSince(tx: Tx, userId: string, kind: LinkKind, since: Date): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from one_time_links
     where user_id = $1 and kind = $2 and created_at > $3 and spent_at is null limit 1`,
    [userId, kind, since],
  );
  return rows.length > 0;
}

/** Deletes a link that reached nobody. */
export async function deleteLink(tx: Tx, linkId: string): Promise<void> {
  await tx.execute('delete from one_time_links where link_id = $1', [linkId]);
}

/**
 * Revokes earlier links of the same kind to the same account, and deletes expired ones. Null for `kind`: only
 * expired ones.
 */
export async function revokeLinks(
  tx: Tx,
  userId: string,
  kind: LinkKind | null,
  tenantId: string | null,
  at: Date,
): Promise<void> {
  await tx.execute(
    `delete from one_time_links
     where user_id = $1 and ((kind = $2 and tenant_id is not distinct from $3) or expires_at < $4)`,
    [userId, kind, tenantId, at],
  );
}

/** Whoever has a new password wants none of the links that were sent before. */
export async function revokeAllLinks(tx: Tx, userId: string, kinds: readonly LinkKind[]): Promise<void> {
  await tx.execute('delete from one_time_links where user_id = $1 and kind = any ($2)', [userId, kinds]);
}
