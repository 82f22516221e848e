/** A message's life as its tenant sees it. Pure. */
export const EVENT_TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The specification has no event of a cancellation: it is recorded and listed, and delivered to nobody. */
export const CANCELLED = 'email.cancelled';
/** What the events of messages and accounts list. docs/decisions/0012 */
export const RECORDED_TYPES = [...EVENT_TYPES, CANCELLED] as const;
export type RecordedType = (typeof RECORDED_TYPES)[number];

/**
 * `eventId`: UUIDv7, so that its order is the order of a message's events. `data`: what the type contains in
 * addition to the ids.
 */
export interface NewEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly messageId: string;
  readonly type: RecordedType;
  readonly occurredAt: Date;
  readonly data: object;
}

/** The exact body of every delivery of an event. */
export function eventBody(
  event: Pick<NewEvent, 'type' | 'eventId' | 'messageId' | 'occurredAt' | 'data'>,
): string {
  const { type, occurredAt, messageId, eventId, data } = event;
  return storableJson({
    type,
    created_at: occurredAt.toISOString(),
    data: { message_id: messageId, event_id: eventId, ...data },
  });
}

/**
 * Escapes of NUL and of unpaired surrogates. May also match a backslash's own escape, which costs a second
 * look only.
 */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * JSON that PostgreSQL takes as jsonb. An event's data quotes what other hosts said: one character that
 * cannot be stored must not keep the transaction, and all that is grouped with it, from ever committing.
 */
export function storableJson(value: object): string {
  const json = JSON.stringify(value);
  if (!UNSTORABLE.test(json)) return json;
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\ufffd') : each,
  );
}
