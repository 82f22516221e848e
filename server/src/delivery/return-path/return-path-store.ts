import type { MessageStatus } from '../../messages/status.ts';
import type { Queryable, Tx } from '../../platform/database/db.ts';
import { first } from '../../platform/database/rows.ts';

export interface ReturnedMessageRow {
  tenant_id: string;
  message_id: string;
  header_to: string;
  sender_address: string;
  recipient_address: string;
  reverse_path: string;
  status: MessageStatus;
  certified: boolean;
  attempts: number;
  created_at: Date;
  /** Erased on request: takes no more reports. */
  erased: boolean;
}

/** By id alone: a return path names no tenant. */
export function findReturned(db: Queryable, messageId: string): Promise<ReturnedMessageRow | null> {
  return first<ReturnedMessageRow>(
    db,
    `select tenant_id, message_id, header_to, sender_address, recipient_address, reverse_path, status, certified, attempts, created_at, erased_at is not null as erased from messages where message_id = $1 and size_bytes > 0`,
    [messageId],
    'return_path_find',
  );
}

/** Enough for the header; empty if deleted. */
export async function loadBeginning(
  db: Queryable,
  message: ReturnedMessageRow,
  maxBytes: number,
): Promise<Uint8Array> {
  const rows = await db.query<{ beginning: Buffer }>(
    'select substring(raw from 1 for $3) as beginning from message_contents where tenant_id = $1 and message_id = $2',
    [message.tenant_id, message.message_id, maxBytes],
  );
  return rows[0]?.beginning ?? new Uint8Array(0);
}

/** Blocks erasure until the transaction ends; false: already erased. */
export async function holdUnerased(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from messages where tenant_id = $1 and message_id = $2 and erased_at is null for share',
    [tenantId, messageId],
  );
  return rows.length === 1;
}

/** Blocks erasure of a late-bounced message; false: another state. */
export async function holdLateBounced(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from messages
      where tenant_id = $1 and message_id = $2 and status = 'bounced' and sent_at is not null
        and erased_at is null
        for share`,
    [tenantId, messageId],
  );
  return rows.length === 1;
}

export async function findHandedTo(
  db: Queryable,
  message: ReturnedMessageRow,
): Promise<{ host: string; address: string }[]> {
  return db.query(
    `select s->>'mx' as host, s->>'address' as address
       from attempts a cross join lateral json_array_elements(a.sessions) s
      where a.tenant_id = $1 and a.message_id = $2 and a.outcome = 'sent'
        and s->>'stage' = 'dot' and (s->'reply'->>'code') like '2%'
      limit ${MAX_HOSTS}`,
    [message.tenant_id, message.message_id],
    'return_path_handed_to',
  );
}

const MAX_HOSTS = 8;
