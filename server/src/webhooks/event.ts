/** Events of a message: those of the specification, which `*` stands for. Pure. */
const SPECIFIED_TYPES = [
  'email.queued',
  'email.sent',
  'email.deferred',
  'email.bounced',
  'email.complained',
  'email.sealed',
] as const;
/** Sent to endpoints that name them: no receiver that asked for `*` before they were there gets one. */
export const NAMED_TYPES = [
  'acknowledgement.given',
  'acknowledgement.refused',
  'acknowledgement.expired',
] as const;
export const EVENT_TYPES = [...SPECIFIED_TYPES, ...NAMED_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** True if an endpoint that subscribed to these gets events of this type. */
export function isWanted(type: RecordedType, subscribed: readonly string[]): boolean {
  if (subscribed.includes(type)) return true;
  return subscribed.includes('*') && (SPECIFIED_TYPES as readonly string[]).includes(type);
}

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
