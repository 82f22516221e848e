import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { insertDeliveries, type NewDelivery } from './delivery-store.ts';
import { findSubscribers } from './endpoint-store.ts';
import { insertEvents } from './event-store.ts';

/** A message's life as its tenant is told of it; interface.md "Events". */
export const EVENT_TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** `eventId`: UUIDv7, so that its order is the order of a message's events. `data`: what the type carries beside the ids. */
export interface NewEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly messageId: string;
  readonly type: EventType;
  readonly occurredAt: Date;
  readonly data: object;
}

/** Most events in one statement: keeps a parameter in the low megabytes. */
const EVENTS_PER_STATEMENT = 4_096;

/**
 * Appends events in the transaction that makes them true, with a delivery for each endpoint that subscribes to them. The one
 * way into `events`: no event is stored that nobody is told of, and none told that was rolled back.
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT) {
    const page = events.slice(from, from + EVENTS_PER_STATEMENT);
    const tenantIds = [...new Set(page.map((event) => event.tenantId))];
    const [subscribers] = await Promise.all([findSubscribers(tx, tenantIds), insertEvents(tx, page)]);
    if (subscribers.length === 0) continue;
    const deliveries = page.flatMap((event) =>
      subscribers
        .filter(
          (it) =>
            it.tenant_id === event.tenantId && (it.events.includes('*') || it.events.includes(event.type)),
        )
        .map((it) => deliveryOf(event, it.webhook_id)),
    );
    if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
  }
}

function deliveryOf(event: NewEvent, webhookId: string): NewDelivery {
  const { tenantId, eventId, messageId, type, occurredAt } = event;
  return {
    tenantId,
    deliveryId: newId(),
    webhookId,
    eventId,
    messageId,
    type,
    body: eventBody(event),
    createdAt: occurredAt,
  };
}

/** The exact body of every delivery of an event; interface.md "Body". */
export function eventBody(
  event: Pick<NewEvent, 'type' | 'eventId' | 'messageId' | 'occurredAt' | 'data'>,
): string {
  const { type, occurredAt, messageId, eventId, data } = event;
  return JSON.stringify({
    type,
    created_at: occurredAt.toISOString(),
    data: { message_id: messageId, event_id: eventId, ...data },
  });
}
