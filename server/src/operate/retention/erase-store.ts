import type { MessageStatus } from '../../messages/status.ts';
import type { Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';

interface ErasableMessage {
  readonly certified: boolean;
  readonly status: MessageStatus;
  readonly lastHappenedAt: Date;
  readonly erasedAt: Date | null;
}

/** Locks the message against changes of its state. */
export function lockMessage(tx: Tx, tenantId: string, messageId: string): Promise<ErasableMessage | null> {
  return first<ErasableMessage>(
    tx,
    `select certified, status, greatest(created_at, sent_at, deferred_at, bounced_at, cancelled_at, complained_at) as "lastHappenedAt", erased_at as "erasedAt"
       from messages where tenant_id = $1 and message_id = $2 for update`,
    [tenantId, messageId],
  );
}

export async function findTenantOf(tx: Tx, messageId: string): Promise<string | null> {
  const [row] = await tx.query<{ tenant_id: string }>(
    'select tenant_id from messages where message_id = $1 and size_bytes > 0',
    [messageId],
  );
  return row?.tenant_id ?? null;
}

interface ErasureRecord {
  readonly deletedAt: Date;
  readonly reason: string;
  readonly deletedBy: string;
}

/** Replaces a retention record. */
export function recordErasure(tx: Tx, tenantId: string, messageId: string, record: ErasureRecord): void {
  tx.send(
    `insert into content_deletions (tenant_id, message_id, cause, deleted_at, reason, deleted_by) values ($1, $2, 'erasure', $3, $4, $5)
     on conflict (tenant_id, message_id) do update
        set cause = excluded.cause, deleted_at = excluded.deleted_at, reason = excluded.reason,
          deleted_by = excluded.deleted_by`,
    [tenantId, messageId, record.deletedAt.toISOString(), record.reason, record.deletedBy],
  );
  const { reason, deletedBy: by } = record;
  tx.note({ kind: 'erased', tenant_id: tenantId, message_id: messageId, reason, by });
}

export function findErasure(tx: Tx, tenantId: string, messageId: string): Promise<ErasureRecord | null> {
  return first<ErasureRecord>(
    tx,
    `select deleted_at as "deletedAt", reason, deleted_by as "deletedBy" from content_deletions
      where tenant_id = $1 and message_id = $2 and cause = 'erasure'`,
    [tenantId, messageId],
  );
}

export async function listCertified(
  tx: Tx,
  tenantId: string,
  after: string,
  before: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ message_id: string }>(
    `select message_id from messages
      where tenant_id = $1 and message_id > $2 and message_id < $3 and certified and erased_at is null
      order by message_id limit $4`,
    [tenantId, after, before, limit],
  );
  return rows.map((row) => row.message_id);
}
