import { Type } from 'typebox';
import type { LeafContent, PreparedMessage } from './prepared.ts';
import type { MessageRow } from './read-store.ts';

/** The message record of the API, as contract.md "Send" lists it. */
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Time = (description: string) => Type.String({ format: 'date-time', description });

export const MessageStatus = Type.Union([
  Type.Literal('queued'),
  Type.Literal('sent'),
  Type.Literal('deferred'),
  Type.Literal('bounced'),
  Type.Literal('complained'),
]);

export const MessageRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    idempotency_key: Type.String(),
    from: Type.String({ description: 'As given: an address, or Name <address>.' }),
    to: Type.String(),
    subject: Type.String(),
    certified: Type.Boolean({ description: 'True: in the Merkle log, or about to be; false: never.' }),
    status: MessageStatus,
    template_id: nullable(Type.String({ format: 'uuid' })),
    tags: Type.Array(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    size_bytes: Type.Integer({
      description: 'Size of the composed message in bytes, before the DKIM signatures.',
    }),
    created_at: Time('When it was accepted and committed.'),
    queued_at: Time('Equal to created_at.'),
    sent_at: nullable(Time('When the receiving server took it (2xx to the final dot).')),
    deferred_at: nullable(Time('When it was last deferred.')),
    bounced_at: nullable(Time('When it was refused for good.')),
    complained_at: nullable(Time('When the recipient complained.')),
    sealed_at: nullable(Time('genTime of the constancia over its batch.')),
    attempts: Type.Integer({ description: 'Delivery attempts made.' }),
    next_attempt_at: nullable(Time('When the next attempt is due; null when there will be none.')),
    last_reply: nullable(
      Type.Object({
        code: Type.Union([Type.Integer(), Type.Null()], { description: 'SMTP reply code (RFC 5321).' }),
        enhanced: nullable(Type.String({ description: 'Enhanced status code (RFC 3463).' })),
        text: Type.String(),
        mx: nullable(Type.String()),
      }),
    ),
    promise: nullable(
      Type.String({
        description:
          'Certified only: a signed note in which the log promises to include the message (see docs/evidence-format.md).',
      }),
    ),
  },
  { additionalProperties: false, $id: 'Message' },
);

export type PromiseOf = (canonicalHash: Uint8Array, acceptedAt: Date) => string;

/** A stored row as the API shows it. */
export function presentMessage(row: MessageRow, promiseOf: PromiseOf) {
  return {
    id: row.message_id,
    idempotency_key: row.idempotency_key,
    from: row.header_from,
    to: row.header_to,
    subject: row.subject,
    certified: row.certified,
    status: row.status,
    template_id: row.template_id,
    tags: row.tags,
    metadata: row.metadata,
    size_bytes: row.size_bytes,
    created_at: row.created_at.toISOString(),
    queued_at: row.created_at.toISOString(),
    sent_at: isoOrNull(row.sent_at),
    deferred_at: isoOrNull(row.deferred_at),
    bounced_at: isoOrNull(row.bounced_at),
    complained_at: isoOrNull(row.complained_at),
    sealed_at: isoOrNull(row.sealed_at),
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    last_reply: row.last_reply,
    promise: row.canonical_hash === null ? null : promiseOf(row.canonical_hash, row.created_at),
  };
}

/** What was just accepted, without reading it back. */
export function presentAccepted(message: PreparedMessage, leaf: LeafContent | null, promiseOf: PromiseOf) {
  return presentMessage(
    {
      message_id: message.messageId,
      idempotency_key: message.idempotencyKey,
      header_from: message.headerFrom,
      header_to: message.headerTo,
      subject: message.subject,
      certified: message.certified,
      status: 'queued',
      template_id: message.template?.templateId ?? null,
      tags: [...message.tags],
      metadata: { ...message.metadata },
      size_bytes: message.raw.length,
      canonical_hash: leaf?.canonicalHash ?? null,
      created_at: message.createdAt,
      sent_at: null,
      deferred_at: null,
      bounced_at: null,
      complained_at: null,
      sealed_at: null,
      attempts: 0,
      next_attempt_at: message.createdAt,
      last_reply: null,
    },
    promiseOf,
  );
}

export type PresentedMessage = ReturnType<typeof presentMessage>;

function isoOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
