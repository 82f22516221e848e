import type { Tx } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import { findSubscribers, type Subscriber } from './endpoint-store.ts';
import { eventBody, isWanted, type NewEvent } from './event.ts';
import { insertEvents } from './event-store.ts';
import type { WebhookHandover } from './handover.ts';
import { insertDeliveries, type NewDelivery } from './queue-store.ts';

/** Bounds one statement's parameters to a few MiB. */
const EVENTS_PER_STATEMENT = 4_096;

/**
 * Appends events in their own transaction, with a delivery for each subscribed endpoint. The only way into
 * `events`, so that none lacks its deliveries and none is delivered after a rollback. `handover`: to this
 * process's worker; null: none.
 */
export async function appendEvents(
  tx: Tx,
  events: readonly NewEvent[],
  handover: WebhookHandover | null = null,
): Promise<void> {
  if (events.length === 0) return;
  const subscribers = await readSubscribers(tx, new Set(events.map((event) => event.tenantId)));
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT)
    insertEvents(tx, events.slice(from, from + EVENTS_PER_STATEMENT));
  sendDeliveries(tx, events, subscribers, handover);
}

/** Endpoints subscribed by these tenants, for `sendDeliveries`. */
export function readSubscribers(tx: Tx, tenantIds: ReadonlySet<string>): Promise<readonly Subscriber[]> {
  return findSubscribers(tx, [...tenantIds]);
}

/**
 * One delivery per event and subscribed endpoint, pipelined. Used alone for events that are not stored,
 * because they derive from other rows (queued-store.ts).
 */
export function sendDeliveries(
  tx: Tx,
  events: readonly NewEvent[],
  subscribers: readonly Subscriber[],
  handover: WebhookHandover | null,
): void {
  if (subscribers.length === 0) return;
  const subscribersOf = byTenant(subscribers);
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT) {
    const deliveries = fanOut(events.slice(from, from + EVENTS_PER_STATEMENT), subscribersOf);
    if (deliveries.length > 0) insertDeliveries(tx, deliveries, handover?.choose(tx, deliveries) ?? null);
  }
}

function byTenant(subscribers: readonly Subscriber[]): Map<string, Subscriber[]> {
  const groups = new Map<string, Subscriber[]>();
  for (const each of subscribers) {
    const group = groups.get(each.tenant_id);
    if (group === undefined) groups.set(each.tenant_id, [each]);
    else group.push(each);
  }
  return groups;
}

function fanOut(
  events: readonly NewEvent[],
  subscribers: ReadonlyMap<string, readonly Subscriber[]>,
): NewDelivery[] {
  const deliveries: NewDelivery[] = [];
  for (const event of events) {
    const wanting = (subscribers.get(event.tenantId) ?? []).filter(({ events: wanted }) =>
      isWanted(event.type, wanted),
    );
    if (wanting.length === 0) continue;
    const body = Buffer.from(eventBody(event));
    for (const { webhook_id: webhookId, sandbox } of wanting) {
      const { tenantId, eventId, messageId, type, occurredAt: createdAt } = event;
      deliveries.push({
        tenantId,
        deliveryId: newId(),
        webhookId,
        eventId,
        messageId,
        type,
        body,
        createdAt,
        sandbox,
      });
    }
  }
  return deliveries;
}
