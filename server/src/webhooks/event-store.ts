import { jsonArray, plainArray, timeArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import type { CreatedRange } from '../platform/http/created-query.ts';
import { type NewEvent, type RecordedType, storableJson } from './event.ts';

/** Nothing depends on its answer: see Tx.send. */
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

/** Where a page reads: ids from `from` to `to`, both included, and in its order only those after `after`. */
export interface EventSpan {
  readonly from: string;
  readonly to: string;
  readonly after: string;
}

/** What is null is not asked for. */
export interface EventFilter extends CreatedRange {
  readonly types: readonly RecordedType[] | null;
  readonly messageId: string | null;
}

/**
 * Events that a page of a filtered list looks at: some 5 ms, however rare what it looks for is. Those of one
 * message have an index.
 */
export const EVENTS_SCANNED_MAX = 10_000;

const SPAN = {
  asc: 'event_id >= $2 and event_id <= $3 and event_id > $4',
  desc: 'event_id >= $2 and event_id <= $3 and event_id < $4',
} as const;

/** The last of the events that a page may look at; null when there are no more than that. */
export async function findEventScanEnd(
  db: Queryable,
  tenantId: string,
  order: EventOrder,
  span: EventSpan,
): Promise<{ event_id: string; occurred_at: Date } | null> {
  const [row] = await db.query<{ event_id: string; occurred_at: Date }>(
    `select event_id, occurred_at from events where tenant_id = $1 and ${SPAN[order]}
      order by event_id ${order} offset $5 limit 1`,
    [tenantId, span.from, span.to, span.after, EVENTS_SCANNED_MAX - 1],
    `find_event_scan_end_${order}`,
  );
  return row ?? null;
}

const FILTERED = (order: EventOrder) =>
  `select event_id, message_id, type, occurred_at, data from events
    where tenant_id = $1 and ${SPAN[order]} and ($5::text[] is null or type = any ($5))
      and ($6::timestamptz is null or occurred_at >= $6) and ($7::timestamptz is null or occurred_at < $7)`;

/** An account's events, or those of one message, in the order of their ids. */
export function listRecordedEvents(
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
      `list_recorded_events_${order}`,
    );
  return db.query<RecordedEventRow>(
    `${FILTERED(order)} and message_id = $9 order by event_id ${order} limit $8`,
    [...given, messageId],
    `list_recorded_events_of_message_${order}`,
  );
}
