import type { Queryable } from '../platform/database/db.ts';
import { first } from '../platform/database/rows.ts';
import type { EventFilter, EventOrder, EventSpan, RecordedEventRow } from './event-store.ts';

/**
 * `email.queued` of messages queued at acceptance. It follows from the message's row, so that it is made when
 * read and has the message's id (docs/decisions/0046). Scheduled messages store theirs.
 */

/** After an erasure, without the erased fields. */
const QUEUED = `m.message_id as event_id, m.message_id, 'email.queued' as type, m.created_at as occurred_at,
       case when m.erased_at is null
            then jsonb_build_object('from', m.header_from, 'to', m.header_to, 'subject', m.subject,
              'certified', m.certified)
            else jsonb_build_object('certified', m.certified) end as data`;

/** Messages that a page scans for them. */
const LOOKED_AT = (columns: string, order: EventOrder) =>
  `select ${columns} from messages
    where tenant_id = $1 and message_id >= $2 and message_id <= $3
      and message_id ${order === 'asc' ? '>' : '<'} $4
    order by message_id ${order}`;

/** Among the first `looked` messages, those queued at once. */
export function listQueuedEvents(
  db: Queryable,
  tenantId: string,
  order: EventOrder,
  {
    span,
    filter: { createdAfter, createdBefore },
    looked,
    limit,
  }: {
    readonly span: EventSpan;
    readonly filter: Pick<EventFilter, 'createdAfter' | 'createdBefore'>;
    readonly looked: number;
    readonly limit: number;
  },
): Promise<RecordedEventRow[]> {
  const times = [createdAfter?.toISOString() ?? null, createdBefore?.toISOString() ?? null];
  return db.query<RecordedEventRow>(
    `select ${QUEUED} from (${LOOKED_AT('*', order)} limit $5) m
      where m.send_at is null and ($6::timestamptz is null or m.created_at >= $6)
        and ($7::timestamptz is null or m.created_at < $7)
      order by m.message_id ${order} limit $8`,
    [tenantId, span.from, span.to, span.after, looked, ...times, limit],
    `list_queued_events_${order}`,
  );
}

/** The last message that listQueuedEvents scanned; null: all fit. */
export function findQueuedScanEnd(
  db: Queryable,
  tenantId: string,
  order: EventOrder,
  { span, looked }: { readonly span: EventSpan; readonly looked: number },
): Promise<{ event_id: string; occurred_at: Date } | null> {
  return first<{ event_id: string; occurred_at: Date }>(
    db,
    `select m.message_id as event_id, m.created_at as occurred_at
       from (${LOOKED_AT('message_id', order)} offset $5 limit 1) last
       join messages m on m.tenant_id = $1 and m.message_id = last.message_id`,
    [tenantId, span.from, span.to, span.after, looked - 1],
    `find_queued_scan_end_${order}`,
  );
}

/** Null: scheduled, or unknown. */
export function findQueuedEvent(
  db: Queryable,
  tenantId: string,
  messageId: string,
): Promise<RecordedEventRow | null> {
  return first<RecordedEventRow>(
    db,
    `select ${QUEUED} from messages m where m.tenant_id = $1 and m.message_id = $2 and m.send_at is null`,
    [tenantId, messageId],
    'find_queued_event',
  );
}
