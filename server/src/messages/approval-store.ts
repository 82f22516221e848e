import type { Tx } from '../platform/database/db.ts';
import { changed, first } from '../platform/database/rows.ts';

export type ApprovalState = 'waiting' | 'approved' | 'refused';
export type ApprovalMediaType = 'application/json' | 'message/rfc822';

export interface ApprovalSummary {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly certified: boolean;
}

export interface NewApproval {
  readonly approvalId: string;
  readonly apiKeyId: string;
  readonly apiKeyName: string;
  readonly idempotencyKey: string;
  readonly requestSha256: Uint8Array;
  readonly mediaType: ApprovalMediaType;
  readonly body: Uint8Array;
  readonly summary: ApprovalSummary;
  readonly askedAt: Date;
  readonly endsAt: Date;
}

export interface ApprovalRow
  extends Omit<NewApproval, 'body' | 'summary' | 'requestSha256' | 'mediaType' | 'idempotencyKey'> {
  readonly state: ApprovalState;
  readonly summary: ApprovalSummary | null;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  readonly messageId: string | null;
}

const COLUMNS = `approval_id as "approvalId", api_key_id as "apiKeyId", api_key_name as "apiKeyName", state, summary,
  asked_at as "askedAt", ends_at as "endsAt", decided_at as "decidedAt", decided_by as "decidedBy",
  message_id as "messageId"`;

/** False: the idempotency key has a request already. */
export function insertApproval(tx: Tx, tenantId: string, approval: NewApproval): Promise<boolean> {
  return changed(
    tx,
    `insert into send_approvals (tenant_id, approval_id, api_key_id, api_key_name, idempotency_key,
       request_sha256, media_type, body, summary, asked_at, ends_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (tenant_id, idempotency_key) do nothing`,
    [
      ...[tenantId, approval.approvalId, approval.apiKeyId, approval.apiKeyName, approval.idempotencyKey],
      ...[approval.requestSha256, approval.mediaType, approval.body, JSON.stringify(approval.summary)],
      ...[approval.askedAt, approval.endsAt],
    ],
    'approval_insert',
  );
}

/** Deletes approvals whose time is over, decided or not, and those that wait for a revoked key. */
export function forgetEndedApprovals(tx: Tx, tenantId: string, now: Date): Promise<number> {
  return tx.execute(
    `delete from send_approvals a
     where a.tenant_id = $1 and (a.ends_at <= $2 or a.state = 'waiting' and exists (
       select 1 from api_keys k
       where k.tenant_id = $1 and k.api_key_id = a.api_key_id and k.revoked_at is not null))`,
    [tenantId, now],
  );
}

/** Waiting requests of this key, and of the whole account, with the account's bytes. */
export async function countWaiting(
  tx: Tx,
  tenantId: string,
  apiKeyId: string,
): Promise<{ ofKey: number; all: number; bytes: number }> {
  const [row] = await tx.query<{ ofKey: number; all: number; bytes: number }>(
    `select count(*) filter (where api_key_id = $2)::integer as "ofKey", count(*)::integer as "all",
       coalesce(sum(octet_length(body)), 0)::double precision as bytes
     from send_approvals
     where tenant_id = $1 and state = 'waiting'`,
    [tenantId, apiKeyId],
  );
  return row!;
}

/** Ignores one that waits for a revoked key: another key may ask with its idempotency key. */
export function findAsked(
  tx: Tx,
  tenantId: string,
  idempotencyKey: string,
  now: Date,
): Promise<{ approvalId: string; state: ApprovalState; requestSha256: Buffer } | null> {
  return first<{ approvalId: string; state: ApprovalState; requestSha256: Buffer }>(
    tx,
    `select approval_id as "approvalId", state, request_sha256 as "requestSha256"
     from send_approvals a
     where a.tenant_id = $1 and a.idempotency_key = $2 and a.ends_at > $3
       and (a.state <> 'waiting' or exists (select 1 from api_keys k
         where k.tenant_id = $1 and k.api_key_id = a.api_key_id and k.revoked_at is null))`,
    [tenantId, idempotencyKey, now],
  );
}

/** Waiting ones of keys that are not revoked, oldest first. */
export function listWaiting(tx: Tx, tenantId: string, now: Date, limit: number): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(
    `select ${COLUMNS} from send_approvals a
     where a.tenant_id = $1 and a.state = 'waiting' and a.ends_at > $2
       and exists (select 1 from api_keys k where k.tenant_id = $1 and k.api_key_id = a.api_key_id
         and k.revoked_at is null)
     order by a.asked_at, a.approval_id limit $3`,
    [tenantId, now, limit],
  );
}

export function findApproval(
  tx: Tx,
  tenantId: string,
  approvalId: string,
  now: Date,
): Promise<ApprovalRow | null> {
  return first<ApprovalRow>(
    tx,
    `select ${COLUMNS} from send_approvals where tenant_id = $1 and approval_id = $2 and ends_at > $3`,
    [tenantId, approvalId, now],
  );
}

export interface AskedRequest {
  readonly apiKeyId: string;
  readonly idempotencyKey: string;
  readonly mediaType: ApprovalMediaType;
  readonly body: Buffer;
}

/** Null: it waits no longer. */
export function findAskedRequest(
  tx: Tx,
  tenantId: string,
  approvalId: string,
  now: Date,
): Promise<AskedRequest | null> {
  return first<AskedRequest>(
    tx,
    `select api_key_id as "apiKeyId", idempotency_key as "idempotencyKey", media_type as "mediaType", body
     from send_approvals
     where tenant_id = $1 and approval_id = $2 and state = 'waiting' and ends_at > $3`,
    [tenantId, approvalId, now],
  );
}

/** Locks a waiting request, so that nobody else decides it. False: it is no longer waiting. */
export async function holdWaiting(tx: Tx, tenantId: string, approvalId: string, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from send_approvals
     where tenant_id = $1 and approval_id = $2 and state = 'waiting' and ends_at > $3 for update`,
    [tenantId, approvalId, now],
    'approval_hold',
  );
  return rows.length === 1;
}

export interface Decision {
  readonly approvalId: string;
  readonly state: 'approved' | 'refused';
  readonly by: string;
  readonly at: Date;
  readonly messageId: string | null;
}

/** Also deletes its content. False: it was decided before, or its time is over. */
export function decideApproval(tx: Tx, tenantId: string, decision: Decision): Promise<boolean> {
  return changed(
    tx,
    `update send_approvals set state = $3, decided_by = $4, decided_at = $5, message_id = $6, body = null,
       summary = null
     where tenant_id = $1 and approval_id = $2 and state = 'waiting' and ends_at > $5`,
    [
      ...[tenantId, decision.approvalId, decision.state, decision.by.slice(0, BY_MAX_CHARS), decision.at],
      decision.messageId,
    ],
    'approval_decide',
  );
}

const BY_MAX_CHARS = 320;
