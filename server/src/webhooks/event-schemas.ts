import { type TSchema, Type } from 'typebox';
import { Hash, Id, nullable, openNamed, Timestamp } from '../platform/http/api-schema.ts';
import {
  BounceSchema,
  BounceType,
  DeferralSchema,
  EnhancedCode,
  MxHost,
  ReplyCode,
  ReplyText,
  Tls,
} from '../platform/smtp/smtp-schema.ts';
import { EVENT_TYPES, type EventType, RECORDED_TYPES } from './event.ts';

export const EventName = Type.Enum([...EVENT_TYPES], { $id: 'EventType' });

export const RecordedEventName = Type.Enum([...RECORDED_TYPES], {
  description:
    'Webhooks carry all of these but email.cancelled, which is only listed: its data has cancelled_by, sender or operator. Those of acknowledgement go only to endpoints that name them.',
  $id: 'RecordedEventType',
});

export const EVENT_SUMMARIES: Readonly<Record<EventType, string>> = {
  'email.queued': 'A message was accepted',
  'email.sent': 'The receiving server accepted the message',
  'email.deferred': 'An attempt failed temporarily',
  'email.bounced': 'The message was permanently refused',
  'email.complained': 'The recipient complained',
  'email.sealed': 'The message is sealed',
  'acknowledgement.given': 'The recipient acknowledged receipt',
  'acknowledgement.refused': 'The recipient refused to acknowledge receipt',
  'acknowledgement.expired': 'The recipient did not answer in time',
};

/** `data` of each event besides message_id and event_id. */

const address = Type.String({ description: 'Recipient address.', examples: ['ana@example.com'] });
const source = Type.Enum(['recipient_page', 'reported_by_mail'], {
  description:
    'Where the recipient acted: on the page of the link, or by a reply that their mail domain signed.',
});
const FIELDS: Readonly<Record<EventType, Readonly<Record<string, TSchema>>>> = {
  'email.queued': {
    from: Type.String({ examples: ['Billing <billing@example.com>'] }),
    to: Type.String({ examples: ['Ana <ana@example.com>'] }),
    subject: Type.String({ examples: ['Invoice 1'] }),
    certified: Type.Boolean(),
  },
  'email.sent': {
    to: address,
    mx: nullable(MxHost),
    reply_code: nullable(ReplyCode),
    enhanced: EnhancedCode,
    reply: ReplyText,
    tls: nullable(Tls),
  },
  'email.deferred': {
    to: address,
    attempt: Type.Integer({ minimum: 1 }),
    next_attempt_at: Timestamp,
    deferral: Type.Optional(DeferralSchema),
    reply_code: nullable(ReplyCode),
    enhanced: EnhancedCode,
    reply: ReplyText,
  },
  'email.bounced': {
    to: address,
    bounce_type: BounceType,
    bounce: Type.Optional(BounceSchema),
    reply_code: nullable(ReplyCode),
    enhanced: EnhancedCode,
    reply: ReplyText,
    asynchronous: Type.Boolean({
      description: 'True: a server accepted the message and later reported that it could not deliver it.',
    }),
  },
  'email.complained': { to: address, feedback_type: Type.String({ examples: ['abuse'] }) },
  'email.sealed': { batch_id: Id, merkle_root: Hash, certificate_id: Id, sealed_at: Timestamp },
  'acknowledgement.given': { to: address, source },
  'acknowledgement.refused': { to: address, source },
  'acknowledgement.expired': { to: address },
};

function eventPart(type: EventType): string {
  return type.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Receivers may rely on type, created_at and data.message_id only. */
export function eventBodySchema(type: EventType): TSchema {
  const name = eventPart(type);
  return openNamed(name, {
    type: Type.Literal(type),
    created_at: Timestamp,
    data: openNamed(`${name}Data`, { message_id: Id, event_id: Id, ...FIELDS[type] }),
  });
}
