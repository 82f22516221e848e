import type { Queryable, Tx } from '../../../platform/database/db.ts';
import { changed } from '../../../platform/database/rows.ts';

export interface ShareRow {
  readonly shareId: string;
  readonly messageId: string;
  readonly showsMessage: boolean;
  readonly showsParts: number[];
  readonly showsDelivery: boolean;
  readonly note: string | null;
  readonly createdBy: string;
  readonly createdByName: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly opened: number;
  readonly lastOpenedAt: Date | null;
  /** Set for shares behind one link; null: the share has a link of its own. */
  readonly caseId: string | null;
  readonly caseName: string | null;
}

const COLUMNS = `share_id as "shareId", message_id as "messageId", shows_message as "showsMessage",
  shows_parts as "showsParts", shows_delivery as "showsDelivery", note, created_by as "createdBy",
  created_by_name as "createdByName", created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", opened, last_opened_at as "lastOpenedAt",
  case_id as "caseId", case_name as "caseName"`;

export interface NewShare extends Omit<ShareRow, 'revokedAt' | 'opened' | 'lastOpenedAt'> {
  readonly secretSha256: Uint8Array;
}

/** Undefined: `most` active shares exist. */
export async function insertShare(
  tx: Tx,
  tenantId: string,
  share: NewShare,
  most: number,
): Promise<ShareRow | undefined> {
  const [row] = await tx.query<ShareRow>(
    `insert into shares (tenant_id, share_id, message_id, secret_sha256, shows_message, shows_parts,
       shows_delivery, note, created_by, created_by_name, created_at, expires_at, case_id, case_name)
     select $1, $2, $3, $4, $5, $6::smallint[], $7, $8, $9, $10, $11, $12, $14, $15
      where (select count(*) from shares where tenant_id = $1 and message_id = $3 and revoked_at is null
              and expires_at > $11) < $13
     returning ${COLUMNS}`,
    [
      ...[tenantId, share.shareId, share.messageId, share.secretSha256, share.showsMessage, share.showsParts],
      ...[share.showsDelivery, share.note, share.createdBy, share.createdByName],
      ...[share.createdAt.toISOString(), share.expiresAt.toISOString(), most],
      ...[share.caseId, share.caseName],
    ],
  );
  return row;
}

export function listShares(
  tx: Tx,
  tenantId: string,
  messageId: string,
  before: string | null,
  limit: number,
): Promise<ShareRow[]> {
  return tx.query<ShareRow>(
    `select ${COLUMNS} from shares
      where tenant_id = $1 and message_id = $2 and ($3::uuid is null or share_id < $3)
      order by share_id desc limit $4`,
    [tenantId, messageId, before, limit],
  );
}

/** Keeps the time of the first call. One share of a case ends the case's whole link. False: no such share. */
export async function revokeShare(
  tx: Tx,
  of: { readonly tenantId: string; readonly messageId: string },
  shareId: string,
  at: Date,
): Promise<boolean> {
  return (
    (await tx.execute(
      `update shares set revoked_at = coalesce(revoked_at, $4)
        where tenant_id = $1 and (share_id = $3 and message_id = $2 or case_id =
          (select case_id from shares where tenant_id = $1 and message_id = $2 and share_id = $3))`,
      [of.tenantId, of.messageId, shareId, at.toISOString()],
    )) > 0
  );
}

export interface PresentedShare extends ShareRow {
  readonly tenantId: string;
  readonly tenantStatus: 'active' | 'suspended' | 'deactivated';
  readonly secretSha256: Buffer;
}

/** The share names the tenant. */
export async function findShare(q: Queryable, shareId: string): Promise<PresentedShare | null> {
  const rows = await q.query<PresentedShare>(
    `select s.*, t.status as "tenantStatus"
       from (select tenant_id as "tenantId", secret_sha256 as "secretSha256", ${COLUMNS} from shares
              where share_id = $1) s
       join tenants t on t.tenant_id = s."tenantId"`,
    [shareId],
    'find_share',
  );
  return rows[0] ?? null;
}

/** Shares of one case, in order of time. */
export function findCaseShares(q: Queryable, caseId: string): Promise<PresentedShare[]> {
  return q.query<PresentedShare>(
    `select s.*, t.status as "tenantStatus"
       from (select tenant_id as "tenantId", secret_sha256 as "secretSha256", ${COLUMNS} from shares
              where case_id = $1 order by message_id limit 100) s
       join tenants t on t.tenant_id = s."tenantId"
      order by s."messageId"`,
    [caseId],
    'find_case_shares',
  );
}

/** False: revoked or expired meanwhile. */
export function countOpening(tx: Tx, tenantId: string, shareId: string, at: Date): Promise<boolean> {
  return changed(
    tx,
    `update shares set opened = opened + 1, last_opened_at = greatest(last_opened_at, $3::timestamptz)
        where tenant_id = $1 and share_id = $2 and revoked_at is null and expires_at > $3`,
    [tenantId, shareId, at.toISOString()],
  );
}
