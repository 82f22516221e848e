import type { Db } from '../platform/database/db.ts';
import type { CsvColumns } from '../platform/http/csv.ts';
import { readSlice } from './list.ts';
import { bounceOfRow, deferralOfRow } from './present.ts';
import type { MessageFilter, MessageRow } from './read-store.ts';

const EXPORT_PAGE_ROWS = 1_000;

/** Newest first; pages may be empty. */
export async function* exportMessages(
  db: Db,
  tenantId: string,
  filter: MessageFilter,
): AsyncGenerator<readonly MessageRow[], void> {
  for (let afterId: string | null = null; ; ) {
    const { rows, end } = await readSlice(db, tenantId, filter, { afterId, fetch: EXPORT_PAGE_ROWS });
    if (rows.length > 0) yield rows;
    afterId = rows.length === EXPORT_PAGE_ROWS ? rows.at(-1)!.message_id : (end?.message_id ?? null);
    if (afterId === null) return;
  }
}

export const MESSAGE_COLUMNS: CsvColumns<MessageRow> = {
  id: (row) => row.message_id,
  created_at: (row) => row.created_at,
  status: (row) => row.status,
  from: (row) => row.header_from,
  to: (row) => row.header_to,
  subject: (row) => row.subject,
  certified: (row) => row.certified,
  sealed_at: (row) => row.sealed_at,
  send_at: (row) => row.send_at,
  sent_at: (row) => row.sent_at,
  deferred_at: (row) => row.deferred_at,
  bounced_at: (row) => row.bounced_at,
  cancelled_at: (row) => row.cancelled_at,
  complained_at: (row) => row.complained_at,
  attempts: (row) => row.attempts,
  reply_code: (row) => row.last_reply?.code ?? null,
  reply_text: (row) => row.last_reply?.text ?? null,
  reply_mx: (row) => row.last_reply?.mx ?? null,
  template_id: (row) => row.template_id,
  tags: (row) => row.tags.join(' '),
  metadata: (row) => (Object.keys(row.metadata).length === 0 ? null : JSON.stringify(row.metadata)),
  size_bytes: (row) => row.size_bytes,
  idempotency_key: (row) => row.idempotency_key,
  bounce_type: (row) => row.bounce_type,
  bounce_reason: (row) => bounceOfRow(row)?.reason ?? null,
  bounce_source: (row) => bounceOfRow(row)?.source ?? null,
  acknowledgement: (row) => row.acknowledgement?.status ?? null,
  deferral_reason: (row) => deferralOfRow(row)?.reason ?? null,
};
