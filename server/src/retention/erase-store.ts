import type { MessageStatus } from '../messages/status.ts';
import type { Tx } from '../platform/database/db.ts';

/**
 * Statements that erase one message: its content, what opens its commitments, and every word of it elsewhere.
 */

export interface ErasableMessage {
  readonly certified: boolean;
  readonly status: MessageStatus;
  /** The last thing that happened to it. */
  readonly lastHappenedAt: Date;
  readonly erasedAt: Date | null;
}

/**
 * Holds the message's row until the transaction ends: whoever changes its state waits for us, or we for them.
 */
export async function lockMessage(
  tx: Tx,
  tenantId: string,
  messageId: string,
): Promise<ErasableMessage | null> {
  const [row] = await tx.query<ErasableMessage>(
    `select certified, status, greatest(created_at, sent_at, deferred_at, bounced_at, cancelled_at, complained_at) as "lastHappenedAt", erased_at as "erasedAt"
       from messages where tenant_id = $1 and message_id = $2 for update`,
    [tenantId, messageId],
  );
  return row ?? null;
}

/** Whose a message is; null: nobody's. */
export async function findTenantOf(tx: Tx, messageId: string): Promise<string | null> {
  const [row] = await tx.query<{ tenant_id: string }>(
    'select tenant_id from messages where message_id = $1',
    [messageId],
  );
  return row?.tenant_id ?? null;
}

/** The words of a server quote addresses; its codes do not. */
const BLANK_REPLY = (reply: string) =>
  `case when ${reply} is not null then jsonb_build_object('code', ${reply}->'code', 'enhanced', ${reply}->'enhanced', 'text', '', 'mx', null) end`;

/** What events carry that is content, or names the recipient or the recipient's provider. */
const TELLING = "array['from', 'to', 'subject', 'mx', 'reply', 'tls']";

/** Deletes content and openings; returns the bytes of the content that was still there. */
export async function deleteContent(tx: Tx, tenantId: string, messageId: string): Promise<number> {
  const key = [tenantId, messageId];
  tx.send('update leaf_contents set openings = null where tenant_id = $1 and message_id = $2', key);
  tx.send('delete from delivery_reports where tenant_id = $1 and message_id = $2', key);
  const [row] = await tx.query<{ bytes: number }>(
    `delete from message_contents where tenant_id = $1 and message_id = $2
     returning octet_length(raw) + octet_length(submission) as bytes`,
    key,
  );
  return row?.bytes ?? 0;
}

/** Blanks the records: what happened and when stays, what was said and to whom goes. */
export function blankRecords(
  tx: Tx,
  tenantId: string,
  messageId: string,
  erasure: { at: Date; digest: Uint8Array },
): void {
  const key = [tenantId, messageId];
  // A delivery has the time of its event: found by age, however many there are. That a message was sealed
  // names nobody.
  tx.send(
    `delete from webhook_deliveries d using events e
      where e.tenant_id = $1 and e.message_id = $2 and d.tenant_id = $1 and d.created_at = e.occurred_at and
        d.event_id = e.event_id
        and d.type <> 'email.sealed'`,
    key,
  );
  tx.send(`update events set data = data - ${TELLING} where tenant_id = $1 and message_id = $2`, key);
  tx.send(
    `update attempts set sessions = '[]', reply = ${BLANK_REPLY('reply')} where tenant_id = $1 and message_id = $2`,
    key,
  );
  // A digest of the request could be guessed against. A send with the same key is refused from now on, and
  // never sent twice.
  tx.send(
    'update idempotency_claims c set submission_digest = $3 from messages m where m.tenant_id = $1 and m.message_id = $2 and c.tenant_id = $1 and c.idempotency_key = m.idempotency_key',
    [...key, erasure.digest],
  );
  tx.send(
    `update messages set erased_at = $3, subject = '', header_from = sender_address, header_to = '', recipient_address = '', tags = '{}', metadata = '{}',
            last_reply = ${BLANK_REPLY('last_reply')}, reported_by_mail = null
      where tenant_id = $1 and message_id = $2`,
    [...key, erasure.at.toISOString()],
  );
}

export interface ErasureRecord {
  readonly deletedAt: Date;
  readonly reason: string;
  readonly deletedBy: string;
}

/** In place of what retention wrote before, if its content had had its days. */
export function recordErasure(tx: Tx, tenantId: string, messageId: string, record: ErasureRecord): void {
  tx.send(
    `insert into content_deletions (tenant_id, message_id, cause, deleted_at, reason, deleted_by) values ($1, $2, 'erasure', $3, $4, $5)
     on conflict (tenant_id, message_id) do update
        set cause = excluded.cause, deleted_at = excluded.deleted_at, reason = excluded.reason,
          deleted_by = excluded.deleted_by`,
    [tenantId, messageId, record.deletedAt.toISOString(), record.reason, record.deletedBy],
  );
}

export async function findErasure(
  tx: Tx,
  tenantId: string,
  messageId: string,
): Promise<ErasureRecord | null> {
  const [row] = await tx.query<ErasureRecord>(
    `select deleted_at as "deletedAt", reason, deleted_by as "deletedBy" from content_deletions
      where tenant_id = $1 and message_id = $2 and cause = 'erasure'`,
    [tenantId, messageId],
  );
  return row ?? null;
}

/** Certified messages behind `after` and before `before` that have not been erased, by id. */
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
