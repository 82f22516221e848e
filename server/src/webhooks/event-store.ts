import { jsonArray, plainArray, timeArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { first } from '../platform/database/rows.ts';
import type { CreatedRange } from '../platform/http/created-query.ts';
import { type NewEvent, type RecordedType, storableJson } from './event.ts';

export function insertEvents(tx: Tx, events: readonly NewEvent[]): void {
  tx.send(
    `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::jsonb[])
     returning null`,
    [
      plainArray(events.map((event) => event.tenantId)),
      plainArray(events.map((event) => event.eventId)),
      plainArray(events.map((event) => event.messageId)),
      plainArray(events.map((event) => event.type)),
      timeArray(events.map((event) => event.occurredAt)),
      jsonArray(events.map((event) => storableJson(event.data))),
    ],
    'insert_events',
  );
}

export interface RecordedEventRow {
  event_id: string;
  message_id: string;
  type: RecordedType;
  occurred_at: Date;
  data: Record<string, unknown>;
}

export type EventOrder = 'asc' | 'desc';

/** Ids from `from` to `to`, inclusive, after `after` in the page's order. */
export interface EventSpan {
  readonly from: string;
  readonly to: string;
  readonly after: string;
}

export interface EventFilter extends CreatedRange {
  readonly types: readonly RecordedType[] | null;
  readonly messageId: string | null;
}

/** Events scanned per filtered page: some 5 ms. One message's events have an index. */
export const EVENTS_SCANNED_MAX = 10_000;

const SPAN = {
  asc: 'event_id >= $2 and event_id <= $3 and event_id > $4',
  desc: 'event_id >= $2 and event_id <= $3 and event_id < $4',
} as const;

/** Stored events, and messages as the source of `email.queued`. */
type Scanned = 'events' | 'events and messages';

/** The last row that a page may scan; null: all fit. Reads ids from indexes only. */
export function findEventScanEnd(
  db: Queryable,
  tenantId: string,
  order: EventOrder,
  { span, scanned }: { readonly span: EventSpan; readonly scanned: Scanned },
): Promise<{ event_id: string; occurred_at: Date } | null> {
  return first<{ event_id: string; occurred_at: Date }>(
    db,
    scanned === 'events' ? STORED_SCAN_END(order) : SCAN_END(order),
    [tenantId, span.from, span.to, span.after, EVENTS_SCANNED_MAX - 1],
    `find_event_scan_end_${scanned === 'events' ? 'stored' : 'all'}_${order}`,
  );
}

const STORED_SCAN_END = (order: EventOrder) =>
  `select event_id, occurred_at from events where tenant_id = $1 and ${SPAN[order]}
    order by event_id ${order} offset $5 limit 1`;

/** Each side limited in order: otherwise both would be sorted entirely. */
const SCAN_END = (order: EventOrder) =>
  `select last.event_id, coalesce(e.occurred_at, m.created_at) as occurred_at
     from (select event_id from (
             (select event_id from events where tenant_id = $1 and ${SPAN[order]}
               order by event_id ${order} limit $5 + 1)
             union all
             (select message_id from messages
               where tenant_id = $1 and ${SPAN[order].replaceAll('event_id', 'message_id')}
               order by message_id ${order} limit $5 + 1)) looked_at
            order by event_id ${order} offset $5 limit 1) last
     left join events e on e.tenant_id = $1 and e.event_id = last.event_id
     left join messages m on m.tenant_id = $1 and m.message_id = last.event_id`;

const FILTERED = (order: EventOrder) =>
  `select event_id, message_id, type, occurred_at, data from events
    where tenant_id = $1 and ${SPAN[order]} and ($5::text[] is null or type = any ($5))
      and ($6::timestamptz is null or occurred_at >= $6) and ($7::timestamptz is null or occurred_at < $7)`;

export function listStoredEvents(
  db: Queryable,
  tenantId: string,
  order: EventOrder,
  { span, filter, limit }: { readonly span: EventSpan; readonly filter: EventFilter; readonly limit: number },
): Promise<RecordedEventRow[]> {
  const { types, messageId, createdAfter, createdBefore } = filter;
  const times = [createdAfter?.toISOString() ?? null, createdBefore?.toISOString() ?? null];
  const given = [tenantId, span.from, span.to, span.after, types, ...times, limit];
  if (messageId === null)
    return db.query<RecordedEventRow>(
      `${FILTERED(order)} order by event_id ${order} limit $8`,
      given,
      `list_stored_events_${order}`,
    );
  return db.query<RecordedEventRow>(
    `${FILTERED(order)} and message_id = $9 order by event_id ${order} limit $8`,
    [...given, messageId],
    `list_stored_events_of_message_${order}`,
  );
}
