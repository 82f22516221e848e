import type { Tx } from '../platform/db.ts';
import { insertEvents } from './event-store.ts';

/** A message's life as its tenant is told of it; interface.md "Events". */
export type EventType =
  | 'email.queued'
  | 'email.sent'
  | 'email.deferred'
  | 'email.bounced'
  | 'email.complained'
  | 'email.sealed';

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
 * Appends events in the transaction that makes them true. The one way into `events`: what is to be told outside
 * is fanned out from here, so that no event is stored that nobody is told of, and none told that was rolled back.
 */
export async function appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_PER_STATEMENT) {
    await insertEvents(tx, events.slice(from, from + EVENTS_PER_STATEMENT));
  }
}
