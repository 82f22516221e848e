import type { BounceType } from '@acuse/mail/reply/reasons';
import type { Queryable } from '../platform/database/db.ts';
import type { CreatedRange, IdRange } from '../platform/http/created-query.ts';
import { MESSAGE_COLUMNS, MESSAGE_TABLES, type MessageRow } from './read-store.ts';
import type { MessageStatus } from './status.ts';

/** An address as compared, or a domain for all of its addresses. */
export type WhoFilter =
  | { readonly address: string; readonly domain: null }
  | { readonly address: null; readonly domain: string };

/** What is null is not asked for. */
export interface MessageFilter extends CreatedRange {
  readonly statuses: readonly MessageStatus[] | null;
  readonly certified: boolean | null;
  readonly sealed: boolean | null;
  readonly bounceTypes: readonly BounceType[] | null;
  readonly from: WhoFilter | null;
  readonly to: WhoFilter | null;
  readonly subject: string | null;
  readonly tag: string | null;
  readonly templateId: string | null;
  readonly metadataKey: string | null;
  readonly metadataValue: string | null;
}

/**
 * Messages that a page of a filtered list looks at: with 10 000 a page takes some 20 ms at most, however rare
 * what it looks for is. One recipient's messages have an index and are as many by themselves.
 */
export const MESSAGES_SCANNED_MAX = 10_000;

/** The last of the messages that a page with a filter may look at; null when there are no more than that. */
export async function findScanEnd(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  recipient: string | null,
): Promise<{ message_id: string; created_at: Date } | null> {
  const rows =
    recipient === null
      ? await db.query<{ message_id: string; created_at: Date }>(
          `select message_id, created_at from messages
            where tenant_id = $1 and message_id >= $2 and message_id < $3
            order by message_id desc offset $4 limit 1`,
          [tenantId, range.from, range.below, MESSAGES_SCANNED_MAX - 1],
          'find_scan_end',
        )
      : await db.query<{ message_id: string; created_at: Date }>(
          `select message_id, created_at from messages
            where tenant_id = $1 and message_id >= $2 and message_id < $3 and recipient_key = $5
            order by message_id desc offset $4 limit 1`,
          [tenantId, range.from, range.below, MESSAGES_SCANNED_MAX - 1, recipient],
          'find_scan_end_of_recipient',
        );
  return rows[0] ?? null;
}

const FILTERED = `select ${MESSAGE_COLUMNS} from ${MESSAGE_TABLES}
      where m.tenant_id = $1 and m.message_id >= $2 and m.message_id < $3
        and ($5::text[] is null or m.status = any ($5)) and ($6::boolean is null or m.certified = $6)
        and ($7::boolean is null or (c.gen_time is not null) = $7)
        and ($8::text[] is null or m.bounced_at is not null and exists (
          select 1 from events e where e.tenant_id = m.tenant_id and e.message_id = m.message_id
            and e.type = 'email.bounced' and e.data ->> 'bounce_type' = any ($8)))
        and ($9::text is null or lower(m.sender_address) = $9)
        and ($10::text is null or right(lower(m.sender_address), length($10) + 1) = '@' || $10)
        and ($11::text is null or right(m.recipient_key, length($11) + 1) = '@' || $11)
        and ($12::text is null or position(lower($12) in lower(m.subject)) > 0)
        and ($13::text is null or $13 = any (m.tags)) and ($14::uuid is null or m.template_id = $14)
        and ($15::text is null or m.metadata ? $15) and ($16::text is null or m.metadata ->> $15 = $16)
        and ($17::timestamptz is null or m.created_at >= $17)
        and ($18::timestamptz is null or m.created_at < $18)`;

/** Newest first. */
export function listMessages(
  db: Queryable,
  tenantId: string,
  range: IdRange,
  filter: MessageFilter,
  limit: number,
): Promise<MessageRow[]> {
  const given = [
    ...[tenantId, range.from, range.below, limit, filter.statuses, filter.certified, filter.sealed],
    ...[filter.bounceTypes, filter.from?.address ?? null, filter.from?.domain ?? null],
    ...[filter.to?.domain ?? null, filter.subject, filter.tag, filter.templateId],
    ...[filter.metadataKey, filter.metadataValue],
    ...[filter.createdAfter?.toISOString() ?? null, filter.createdBefore?.toISOString() ?? null],
  ];
  const recipient = filter.to?.address;
  if (recipient === undefined || recipient === null)
    return db.query<MessageRow>(`${FILTERED} order by m.message_id desc limit $4`, given, 'list_messages');
  return db.query<MessageRow>(
    `${FILTERED} and m.recipient_key = $19 order by m.message_id desc limit $4`,
    [...given, recipient],
    'list_messages_of_recipient',
  );
}
