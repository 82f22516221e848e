import type { Tx } from '../platform/db.ts';
import { type NewEvent, storableJson } from './event.ts';

export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  await tx.execute(
    `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::jsonb[])`,
    [
      events.map((event) => event.tenantId),
      events.map((event) => event.eventId),
      events.map((event) => event.messageId),
      events.map((event) => event.type),
      events.map((event) => event.occurredAt.toISOString()),
      events.map((event) => storableJson(event.data)),
    ],
    'insert_events',
  );
}
