import { BOUNCE_REASONS, type BounceReason as Word } from '@acuse/mail/reply/reasons';
import { Type } from 'typebox';
import { HASH_EXAMPLE, named, nullable, openNamed } from '../http/api-schema.ts';

export const ReplyCode = Type.Integer({ description: 'SMTP reply code (RFC 5321).', examples: [250] });
export const EnhancedCode = nullable(
  Type.String({ description: 'Enhanced status code (RFC 3463), where there was one.', examples: ['2.0.0'] }),
);
export const ReplyText = Type.String({
  description: "Text of the server's reply.",
  examples: ['2.0.0 OK queued as 4F3A'],
});
export const MxHost = Type.String({
  description: 'Host name of the mail server.',
  examples: ['mx.example.com'],
});

export const BounceReason = Type.Enum([...BOUNCE_REASONS] as [Word, ...Word[]], {
  $id: 'BounceReason',
  description:
    'The reason, in the words of the bounce rules; docs/guides/deliverability.md says what to do for each.',
});

export const BounceType = Type.Enum(['hard', 'soft', 'policy', 'expired', 'suppressed'], {
  $id: 'BounceType',
});

/** How and why it bounced; absent in answers of servers that do not keep it. */
export const BounceSchema = named('Bounce', {
  type: BounceType,
  reason: nullable(BounceReason, 'The reason; null for messages that bounced before reasons were kept.'),
  source: Type.Enum(['reply', 'report', 'acuse'], {
    description:
      'reply: a server said so; report: mail that came later; acuse: no server did, it was given up or not tried.',
  }),
});

/** Why it waits; absent in answers of servers that do not keep it. */
export const DeferralSchema = named('Deferral', {
  reason: nullable(BounceReason, 'The reason; null: deferred before the reasons of deferrals were kept.'),
  source: Type.Enum(['reply', 'acuse'], {
    description: 'reply: a server said so; acuse: no server answered.',
  }),
});

export const ReasonShare = openNamed('BounceReasonShare', {
  reason: nullable(BounceReason, 'null: before reasons were kept.'),
  messages: Type.Integer({ minimum: 1, examples: [3] }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Of these messages.', examples: [0.6] }),
});

/** The cause of an outcome: a server's reply, or why there was none. */
export const DecidingReply = openNamed('DecidingReply', {
  code: nullable(ReplyCode, 'SMTP reply; null when no reply came.'),
  enhanced: EnhancedCode,
  text: ReplyText,
  mx: nullable(MxHost),
});

/** As SQL: such a reply without the server's words, which quote addresses; its codes do not. */
export function blankReply(reply: string): string {
  // Immutable functions only: Citus accepts no others inside a `case`.
  const codes = `jsonb_set('{"text": "", "mx": null}', '{code}', coalesce(${reply}->'code', 'null'))`;
  const kept = `jsonb_set(${codes}, '{enhanced}', coalesce(${reply}->'enhanced', 'null'))`;
  return `case when ${reply} is not null then ${kept} end`;
}

export const Tls = openNamed('SessionTls', {
  version: Type.String({ examples: ['TLSv1.3'] }),
  cipher: Type.String({ examples: ['TLS_AES_256_GCM_SHA384'] }),
  certificate_sha256: nullable(
    Type.String({
      description: 'SHA-256 of the peer certificate (DER), lower-case hex.',
      examples: [HASH_EXAMPLE],
    }),
  ),
  authorized: Type.Boolean({ description: 'True if WebPKI accepts the certificate for the host name.' }),
  error: nullable(
    Type.String({
      description: 'Why WebPKI does not accept the certificate.',
      examples: ['self-signed certificate'],
    }),
  ),
});
