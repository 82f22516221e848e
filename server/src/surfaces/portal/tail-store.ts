import type { MessageStatus } from '../../messages/status.ts';
import type { Tx } from '../../platform/database/db.ts';
import { readInOrder } from '../../platform/database/read-in-order.ts';
import type { RecordedType } from '../../webhooks/event.ts';

export interface TailRow {
  readonly event_id: string;
  readonly type: RecordedType;
  readonly occurred_at: Date;
  readonly message_id: string;
  readonly header_from: string;
  readonly header_to: string;
  readonly subject: string;
  readonly reply_code: number | null;
  readonly reply: string | null;
}

export interface TailFilter {
  readonly types: readonly RecordedType[] | null;
  readonly statuses: readonly MessageStatus[] | null;
  readonly address: string | null;
  readonly tag: string | null;
}

export interface TailBounds {
  /** The newest events and messages that are searched. */
  readonly scanned: number;
  readonly limit: number;
}

/** Newest first from id `from` on; accepted messages are events. `looked`: the oldest one, if not all. */
export async function readTail(
  tx: Tx,
  tenantId: string,
  from: string,
  { types, statuses, address, tag }: TailFilter,
  { scanned, limit }: TailBounds,
): Promise<{ rows: TailRow[]; looked: Date | null }> {
  readInOrder(tx);
  const recent = `select * from (
      (select event_id, message_id, type, occurred_at, data from events
        where tenant_id = $1 and event_id >= $2 order by event_id desc limit $3)
      union all
      (select message_id, message_id, 'email.queued', created_at, null from messages
        where tenant_id = $1 and message_id >= $2 and send_at is null order by message_id desc limit $3)
    ) both_kinds order by event_id desc limit $3`;
  const rows = await tx.query<TailRow>(
    `select r.event_id, r.type, r.occurred_at, r.message_id, m.header_from, m.header_to, m.subject,
            (r.data ->> 'reply_code')::integer as reply_code, r.data ->> 'reply' as reply
       from (${recent}) r
       join messages m on m.tenant_id = $1 and m.message_id = r.message_id
      where ($4::text[] is null or r.type = any ($4)) and ($5::text[] is null or m.status = any ($5))
        and ($6::text is null or position($6 in m.recipient_key) > 0
          or position($6 in lower(m.sender_address)) > 0)
        and ($7::text is null or $7 = any (m.tags))
      order by r.event_id desc limit $8`,
    [tenantId, from, scanned, types, statuses, address, tag, limit],
    'read_tail',
  );
  const [last] = await tx.query<{ occurred_at: Date }>(
    `select occurred_at from (${recent}) r order by event_id desc offset $3::bigint - 1 limit 1`,
    [tenantId, from, scanned],
    'find_tail_end',
  );
  return { rows, looked: rows.length === limit ? rows.at(-1)!.occurred_at : (last?.occurred_at ?? null) };
}
