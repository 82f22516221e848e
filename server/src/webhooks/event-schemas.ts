import { type TSchema, Type } from 'typebox';
import { Id, nullable, Timestamp } from '../platform/api-schema.ts';
import type { EventType } from './event.ts';

/** What `data` of each event carries beside message_id and event_id; contract.md "Webhooks". */

const address = Type.String({ description: 'Recipient address.', examples: ['ana@example.com'] });
const replyCode = nullable(Type.Integer({ description: 'SMTP reply code (RFC 5321).', examples: [250] }));
const enhanced = nullable(
  Type.String({ description: 'Enhanced status code (RFC 3463).', examples: ['2.0.0'] }),
);
const reply = Type.String({ description: "The server's words.", examples: ['2.0.0 OK queued as 4F3A'] });
const hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256, lower-case hex.',
  examples: ['5b1d2f0a7c3e4d5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7'],
});

const Tls = Type.Object({
  version: Type.String({ examples: ['TLSv1.3'] }),
  cipher: Type.String({ examples: ['TLS_AES_256_GCM_SHA384'] }),
  certificate_sha256: nullable(hash),
  authorized: Type.Boolean({ description: 'Whether WebPKI accepts the certificate for the host name.' }),
  error: nullable(Type.String({ examples: ['self-signed certificate'] })),
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
    mx: nullable(Type.String({ description: 'The host that took it.', examples: ['mx.example.com'] })),
    reply_code: replyCode,
    enhanced,
    reply,
    tls: nullable(Tls),
  },
  'email.deferred': {
    to: address,
    attempt: Type.Integer({ minimum: 1 }),
    next_attempt_at: Timestamp,
    reply_code: replyCode,
    enhanced,
    reply,
  },
  'email.bounced': {
    to: address,
    bounce_type: Type.String({ enum: ['hard', 'soft', 'policy', 'expired', 'suppressed'] }),
    reply_code: replyCode,
    enhanced,
    reply,
    asynchronous: Type.Boolean({
      description: 'True: a server took the message and told later that it could not deliver it.',
    }),
  },
  'email.complained': { to: address, feedback_type: Type.String({ examples: ['abuse'] }) },
  'email.sealed': { batch_id: Id, merkle_root: hash, certificate_id: Id, sealed_at: Timestamp },
};

/** The body of a delivery of this type. Receivers must not rely on fields beyond type, created_at and data.message_id. */
export function eventBodySchema(type: EventType): TSchema {
  return Type.Object({
    type: Type.Literal(type),
    created_at: Timestamp,
    data: Type.Object({ message_id: Id, event_id: Id, ...FIELDS[type] }),
  });
}
