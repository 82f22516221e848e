import type { Tx } from '../platform/database/db.ts';
import { blankReply } from '../platform/smtp/smtp-schema.ts';

/** Columns that an erasure blanks, by table (docs/decisions/0013). */
export const DELIVERY_CONTENT = {
  delivery_reports: ['report', 'reported_by_mail'],
  attempts: ['reply', 'sessions', 'report'],
} as const;

export function eraseReports(tx: Tx, tenantId: string, messageId: string): void {
  tx.send('delete from delivery_reports where tenant_id = $1 and message_id = $2', [tenantId, messageId]);
}

/** Times and codes stay. */
export function blankAttempts(tx: Tx, tenantId: string, messageId: string): void {
  tx.send(
    `update attempts set sessions = '[]', report = null, reply = ${blankReply('reply')}
      where tenant_id = $1 and message_id = $2`,
    [tenantId, messageId],
  );
}

export function deleteAttempts(tx: Tx, tenantId: string, messageIds: readonly string[]): void {
  const ids = [tenantId, messageIds];
  tx.send(
    'delete from attempts where tenant_id = $1 and message_id = any ($2::uuid[])',
    ids,
    'forget_attempts',
  );
  tx.send(
    'delete from delivery_reports where tenant_id = $1 and message_id = any ($2::uuid[])',
    ids,
    'forget_reports',
  );
}
