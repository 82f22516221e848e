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
} as const;

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
    `update messages set erased_at = $3, subject = '', header_from = sender_address, header_to = '', recipient_address = '', tags = '{}', metadata = '{}',
            last_reply = ${blankReply('last_reply')}, reported_by_mail = null
      where tenant_id = $1 and message_id = $2`,
    [...key, at.toISOString()],
  );
}
