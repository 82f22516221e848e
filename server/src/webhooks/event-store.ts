import { jsonArray, plainArray, timeArray } from '../platform/database/array-text.ts';
import type { Tx } from '../platform/database/db.ts';
import { type NewEvent, storableJson } from './event.ts';

/** Nothing depends on its answer: see Tx.send. */
export function insertEvents(tx: Tx, events: readonly NewEvent[]): void {
  tx.send(
    `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::jsonb[])`,
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
