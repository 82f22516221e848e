import type { MailWarning } from '@acuse/mail/warning';
import { Type } from 'typebox';
import { type ApiError, apiError } from '../errors.ts';
import { ID_EXAMPLE, Id, mapOf, named, nullable } from '../platform/http/api-schema.ts';
import { MailReport } from '../platform/smtp/mail-report-schema.ts';
import { BounceSchema, DecidingReply, DeferralSchema } from '../platform/smtp/smtp-schema.ts';
import { timeText } from '../platform/time-text.ts';
import { type Bounce, bounceOf, type Deferral, deferralOf } from './bounce.ts';
import type { PresentedCopies } from './copies.ts';
import type { LeafContent, PreparedMessage } from './prepared.ts';
import type { ContentDeletion, MessageRow } from './read-store.ts';
import { MESSAGE_STATUSES } from './status.ts';

const Time = (description: string) => Type.String({ format: 'date-time', description });

export const MessageStatus = Type.Enum([...MESSAGE_STATUSES], { $id: 'MessageStatus' });

const EXAMPLE_TIME = '2026-11-20T09:30:00.000Z';
const EXAMPLE_PROMISE =
  'acuse/promise/v1\nsandbox.test/log\nWx0vCnw+TV9gcYKTpLXG1+j5Chs8TV5vcIGSo7TF1uc=\n1795253400\n\n— sandbox.test/log Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';

export const MESSAGE_EXAMPLE = {
  id: ID_EXAMPLE,
  idempotency_key: 'invoice-2026-0001',
  from: 'Billing <billing@example.com>',
  to: 'ana@example.net',
  subject: 'Invoice 2026-0001',
  certified: true,
  status: 'queued',
  template_id: null,
  tags: ['invoice'],
  metadata: { order: '2026-0001' },
  size_bytes: 1_204,
  created_at: EXAMPLE_TIME,
  send_at: null,
  queued_at: EXAMPLE_TIME,
  sent_at: null,
  deferred_at: null,
  bounced_at: null,
  cancelled_at: null,
  complained_at: null,
  sealed_at: null,
  attempts: 0,
  next_attempt_at: EXAMPLE_TIME,
  last_reply: null,
  bounce: null,
  content_deleted_at: null,
  acknowledgement: null,
  promise: EXAMPLE_PROMISE,
};

const RecipientField = Type.Enum(['to', 'cc', 'bcc'], {
  description: 'The field that names the recipient first.',
});
const Copy = named('MessageCopy', {
  id: Id,
  recipient: Type.String({
    description: 'As submitted: an address, or Name <address>.',
    examples: ['bob@example.net'],
  }),
  field: RecipientField,
});
const Skipped = named('SkippedRecipient', {
  recipient: Type.String({
    description: 'As submitted: an address, or Name <address>.',
    examples: ['bob@example.net'],
  }),
  field: RecipientField,
  reason: Type.Enum(['recipient_suppressed'], {
    description: 'The error code that the recipient alone would have been refused with.',
  }),
});

export const AcknowledgementStatus = Type.Enum(['requested', 'acknowledged', 'refused', 'unanswered'], {
  $id: 'AcknowledgementStatus',
  description:
    "requested: nothing came yet; acknowledged, refused: the recipient's own act; unanswered: it did not come in time.",
});
export const AcknowledgementSchema = named('Acknowledgement', {
  status: AcknowledgementStatus,
  source: nullable(
    Type.Enum(['recipient_page', 'reported_by_mail', 'operator'], {
      description:
        "recipient_page: somebody who reads the recipient's mailbox acted on the page, with a code that was sent there; not who. reported_by_mail: a reply that the recipient's mail domain signed. operator: the time ran out.",
    }),
  ),
  at: nullable(Time('When it was decided.')),
  until: Time('Until when the recipient may acknowledge it.'),
});

const SendWarning = named('SendWarning', {
  code: Type.Enum(['header_dropped', 'charset_guessed', 'name_changed', 'codes_not_sent'], {
    description:
      'header_dropped: a header was not sent; charset_guessed: text did not say its charset and was taken as UTF-8 or Windows-1252; name_changed: the From name claimed another domain, or a name held invisible characters, a file name control characters too; codes_not_sent: the recipient is asked to acknowledge the message, and the page cannot send its code yet.',
  }),
  field: Type.String({
    description: 'The header, body, filename or acknowledgement.',
    examples: ['Errors-To'],
  }),
  message: Type.String({ description: 'The change, and how to avoid it.' }),
});

export const MessageRecord = named(
  'Message',
  {
    id: Id,
    idempotency_key: Type.String({ description: 'Idempotency-Key of the send.' }),
    from: Type.String({ description: 'As submitted: an address, or Name <address>.' }),
    to: Type.String({ description: 'As submitted: an address, or Name <address>.' }),
    subject: Type.String({ description: 'Subject as sent; rendered if it came from a template.' }),
    certified: Type.Boolean({
      description: 'True: the message is in the Merkle log or will be; false: never.',
    }),
    status: MessageStatus,
    template_id: nullable(Id),
    tags: Type.Array(Type.String()),
    metadata: mapOf(Type.String()),
    size_bytes: Type.Integer({
      description: 'Size of the composed message in bytes, before the DKIM signatures.',
    }),
    created_at: Time('When the message was accepted and committed.'),
    send_at: nullable(
      Time('When a message that was scheduled is sent, or was to be sent; null: it was sent at once.'),
    ),
    queued_at: nullable(
      Time('When the message was queued: created_at, or when it fell due. null while it is scheduled.'),
    ),
    sent_at: nullable(Time('When the receiving server accepted the message (2xx to the final dot).')),
    deferred_at: nullable(Time('When the message was last deferred.')),
    bounced_at: nullable(Time('When the message was permanently refused.')),
    cancelled_at: nullable(Time('When the message was cancelled, before any server took it.')),
    complained_at: nullable(Time('When the recipient complained.')),
    sealed_at: nullable(Time('genTime of the constancia over its batch.')),
    attempts: Type.Integer({ description: 'Number of delivery attempts made.' }),
    next_attempt_at: nullable(
      Time('When the next attempt is due; send_at while it is scheduled; null when there will be none.'),
    ),
    last_reply: nullable(
      DecidingReply,
      'Reply to the last attempt. If reported_by_mail is set: what the report says; mx is then null.',
    ),
    bounce: Type.Optional(nullable(BounceSchema, 'How and why it bounced; null: it did not.')),
    deferral: Type.Optional(
      nullable(DeferralSchema, 'Why the last attempt did not succeed; null unless it is deferred.'),
    ),
    reported_by_mail: Type.Optional({
      ...MailReport,
      description:
        'Present only if a report that came by mail ended the message: an asynchronous bounce or a complaint.',
    }),
    content_deleted_at: nullable(
      Time(
        'When its content was deleted, because its retention period ended or because its erasure was requested; after an erasure to, subject, tags and metadata are empty.',
      ),
    ),
    content_archived_in: Type.Optional(
      Type.String({
        description:
          'Only while an archive alone has the content: the UTC month of that archive. Reading the content then takes longer, and is 503 while the archive cannot be reached.',
        examples: ['2026-08'],
      }),
    ),
    acknowledgement: Type.Optional(
      nullable(AcknowledgementSchema, 'State of the acknowledgement; null: nobody asked for one.'),
    ),
    promise: nullable(
      Type.String({
        description:
          'Certified only: a signed note in which the log promises to include the message; in the answer to a send, several messages may share one signature, each with its path to it. Keep it as it is (see docs/evidence-format.md).',
      }),
    ),
    copies: Type.Optional(
      Type.Array(Copy, {
        description:
          'Only in the answer to a send with several recipients: the messages to the others, in the order of to, cc and bcc.',
      }),
    ),
    skipped: Type.Optional(
      Type.Array(Skipped, {
        description: 'Only in the answer to a send with skip_suppressed that left out recipients.',
      }),
    ),
    warnings: Type.Optional(
      Type.Array(SendWarning, {
        description:
          'Only in the answer to a send in which something was dropped, guessed or changed, or cannot work yet. The message was accepted.',
      }),
    ),
  },
  { examples: [MESSAGE_EXAMPLE] },
);

/**
 * The signed promise for a hash and time, deterministic, some 40 µs. Null: the promising log has ended or
 * stopped.
 */
export type PromiseOf = (canonicalHash: Uint8Array, acceptedAt: Date) => string | null;

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
    created_at: timeText(row.created_at),
    send_at: isoOrNull(row.send_at),
    queued_at: isoOrNull(row.send_at === null ? row.created_at : row.queued_at),
    sent_at: isoOrNull(row.sent_at),
    deferred_at: isoOrNull(row.deferred_at),
    bounced_at: isoOrNull(row.bounced_at),
    cancelled_at: isoOrNull(row.cancelled_at),
    complained_at: isoOrNull(row.complained_at),
    sealed_at: isoOrNull(row.sealed_at),
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    last_reply: row.last_reply,
    bounce: bounceOfRow(row),
    deferral: deferralOfRow(row),
    ...(row.reported_by_mail === null ? {} : { reported_by_mail: row.reported_by_mail }),
    content_deleted_at: isoOrNull(row.content_deleted_at),
    ...(row.is_archived === true && { content_archived_in: monthOf(row.created_at) }),
    acknowledgement: acknowledgementOf(row),
    promise: row.canonical_hash === null ? null : promiseOf(row.canonical_hash, row.created_at),
  };
}

export function acknowledgementOf({ acknowledgement: row }: MessageRow) {
  if (row === null) return null;
  const { status, source, at, until } = row;
  const time = (text: string) => new Date(text).toISOString();
  return { status, source, at: at === null ? null : time(at), until: time(until) };
}

export function bounceOfRow(row: MessageRow): Bounce | null {
  return bounceOf(row.bounce_type, row.bounce_reason, row.reported_by_mail !== null, row.last_reply);
}

export function deferralOfRow(row: MessageRow): Deferral | null {
  return deferralOf(row.status, row.bounce_reason, row.last_reply);
}

export function presentAccepted(message: PreparedMessage, leaf: LeafContent | null, promiseOf: PromiseOf) {
  return presentMessage(
    {
      message_id: message.messageId,
      idempotency_key: message.idempotencyKey,
      header_from: message.headerFrom,
      header_to: message.recipient,
      subject: message.subject,
      certified: message.certified,
      status: message.sendAt === null ? 'queued' : 'scheduled',
      template_id: message.template?.templateId ?? null,
      tags: [...message.tags],
      metadata: { ...message.metadata },
      size_bytes: message.raw.length,
      canonical_hash: leaf?.canonicalHash ?? null,
      created_at: message.createdAt,
      send_at: message.sendAt,
      queued_at: null,
      sent_at: null,
      deferred_at: null,
      bounced_at: null,
      cancelled_at: null,
      complained_at: null,
      sealed_at: null,
      attempts: 0,
      next_attempt_at: message.sendAt ?? message.createdAt,
      last_reply: null,
      bounce_type: null,
      bounce_reason: null,
      reported_by_mail: null,
      content_deleted_at: null,
      acknowledgement:
        message.asked === undefined
          ? null
          : { status: 'requested', source: null, at: null, until: message.asked.until.toISOString() },
    },
    promiseOf,
  );
}

export type PresentedMessage = ReturnType<typeof presentMessage> &
  PresentedCopies & { warnings?: MailWarning[] };

/** Month of the archive, by the time in the id: the acceptance. */
function monthOf(createdAt: Date): string {
  return createdAt.toISOString().slice(0, 7);
}

function isoOrNull(date: Date | null): string | null {
  return date === null ? null : timeText(date);
}

/** not_found, which says when and why the content was deleted, and what remains. */
export function deletedContent({ cause, deleted_at }: ContentDeletion): ApiError {
  const why =
    cause === 'retention' ? 'because its retention period ended' : 'because its erasure was requested';
  return apiError(
    'not_found',
    `The content of this message was deleted at ${deleted_at.toISOString()}, ${why}. Its status, events and attempts stay readable, and its sealed evidence stays verifiable.`,
  );
}
