/** Events of a message. Pure. */
export const EVENT_TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The specification has no cancellation event: this one is listed, never delivered. */
export const CANCELLED = 'email.cancelled';
/** Listed events. docs/decisions/0012 */
export const RECORDED_TYPES = [...EVENT_TYPES, CANCELLED] as const;
export type RecordedType = (typeof RECORDED_TYPES)[number];

/** `eventId`: UUIDv7, in event order. `data`: without the ids. */
export interface NewEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly messageId: string;
  readonly type: RecordedType;
  readonly occurredAt: Date;
  readonly data: object;
}

/** The exact body of every delivery. */
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

/** Escaped NUL and unpaired surrogates. False positives cost only a second check. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** JSON that jsonb accepts. Events quote other hosts: one bad character must not block the transaction. */
export function storableJson(value: object): string {
  const json = JSON.stringify(value);
  if (!UNSTORABLE.test(json)) return json;
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\ufffd') : each,
  );
}
