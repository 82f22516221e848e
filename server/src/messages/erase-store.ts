import type { Tx } from '../platform/database/db.ts';
import { blankReply } from '../platform/smtp/smtp-schema.ts';

/** Columns that an erasure blanks, by table (docs/decisions/0013). */
export const MESSAGE_CONTENT = {
  message_contents: ['raw', 'submission'],
  messages: [
    'header_from',
    'header_to',
    'recipient_address',
    'recipient_key',
    'subject',
    'tags',
    'metadata',
    'last_reply',
    'reported_by_mail',
  ],
  idempotency_claims: ['submission_digest'],
  search_words: ['last_word', 'words'],
} as const;

/**
 * Drops all segments that have these messages; until they are indexed again, the messages are read one by
 * one. No segment is added meanwhile: `countKept` waits for this transaction.
 */
function dropWords(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  tx.send('select 1 from tenants where tenant_id = $1 for share', [tenantId], 'search_drop_lock');
  const sorted = [...messageIds].sort();
  tx.send(
    `with dropped as (
       update search_segments set made = false, again_at = now()
        where tenant_id = $1 and last_id >= $2 and after_id < $3
       returning after_id
     )
     delete from search_words w using dropped d where w.tenant_id = $1 and w.after_id = d.after_id`,
    [tenantId, sorted[0], sorted.at(-1)],
    'search_drop_words',
  );
}

/** Returns the bytes deleted. */
export async function eraseContent(tx: Tx, tenantId: string, messageId: string): Promise<number> {
  const [row] = await tx.query<{ bytes: number }>(
    `delete from message_contents where tenant_id = $1 and message_id = $2
     returning octet_length(raw) + octet_length(submission) as bytes`,
    [tenantId, messageId],
  );
  return row?.bytes ?? 0;
}

export function blankMessage(
  tx: Tx,
  tenantId: string,
  messageId: string,
  { at, digest }: { at: Date; digest: Uint8Array },
): void {
  const key = [tenantId, messageId];
  tx.send(
    'update idempotency_claims c set submission_digest = $3 from messages m where m.tenant_id = $1 and m.message_id = $2 and c.tenant_id = $1 and c.idempotency_key = m.idempotency_key',
    [...key, digest],
  );
  tx.send(
    `update messages set erased_at = $3, subject = '', header_from = sender_address, header_to = '', recipient_address = '', tags = '{}', metadata = '{}', archived_submission_bytes = null,
            last_reply = ${blankReply('last_reply')}, reported_by_mail = null
      where tenant_id = $1 and message_id = $2`,
    [...key, at.toISOString()],
  );
  dropWords(tx, tenantId, [messageId]);
}

/** Their keys; a further copy has no key of its own. */
export async function takeClaims(
  tx: Tx,
  tenantId: string,
  messages: readonly { readonly message_id: string; readonly idempotency_key: string }[],
): Promise<string[]> {
  const rows = await tx.query<{ idempotency_key: string }>(
    `delete from idempotency_claims c
      using unnest($2::uuid[], $3::text[]) as t (message_id, idempotency_key)
      where c.tenant_id = $1 and c.idempotency_key = t.idempotency_key and c.message_id = t.message_id
     returning c.idempotency_key`,
    [
      tenantId,
      messages.map(({ message_id }) => message_id),
      messages.map(({ idempotency_key }) => idempotency_key),
    ],
    'forget_take_claims',
  );
  return rows.map((row) => row.idempotency_key);
}

/** The rows themselves. Of a unit of copies the places go with its first. */
export function deleteMessages(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  const ids = [tenantId, messageIds];
  dropWords(tx, tenantId, messageIds);
  tx.send(
    'delete from message_copies where tenant_id = $1 and first_message_id = any ($2::uuid[])',
    ids,
    'forget_copies',
  );
  tx.send(
    'delete from messages where tenant_id = $1 and message_id = any ($2::uuid[])',
    ids,
    'forget_messages',
  );
}
