import type { Tx } from '../platform/db.ts';
import type { NewEvent } from './append.ts';

export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const tenantIds: string[] = [];
  const eventIds: string[] = [];
  const messageIds: string[] = [];
  const types: string[] = [];
  const times: string[] = [];
  const data: string[] = [];
  for (const event of events) {
    tenantIds.push(event.tenantId);
    eventIds.push(event.eventId);
    messageIds.push(event.messageId);
    types.push(event.type);
    times.push(event.occurredAt.toISOString());
    data.push(JSON.stringify(event.data));
  }
  await tx.execute(
    `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::jsonb[])`,
    [tenantIds, eventIds, messageIds, types, times, data],
    'insert_events',
  );
}
