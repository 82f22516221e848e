import { Type } from 'typebox';
import { HASH_EXAMPLE, nullable, openNamed } from '../http/api-schema.ts';
import { EnhancedCode, ReplyCode, ReplyText } from './smtp-schema.ts';

/** Schemas of a report by mail: who delivered it, what authenticates it, what it claims. */

const Result = Type.Enum(
  ['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror', 'not_checked'],
  {
    $id: 'AuthenticationResult',
    description: 'not_checked: nothing was looked up.',
    examples: ['pass'],
  },
);

const Address = nullable(Type.String({ examples: ['ana@example.net'] }));

export const MailReport = openNamed('ReportedByMail', {
  peer: openNamed(
    'ReportPeer',
    {
      ip: Type.String({ examples: ['192.0.2.26'] }),
      helo: Type.String({
        description: 'Name that the host gave in EHLO or HELO.',
        examples: ['out.example.net'],
      }),
      tls: nullable(
        openNamed('TlsParameters', {
          version: Type.String({ examples: ['TLSv1.3'] }),
          cipher: Type.String({ examples: ['TLS_AES_256_GCM_SHA384'] }),
        }),
        'TLS of the connection; null: plain text.',
      ),
    },
    { description: 'Host that delivered the report to this service.' },
  ),
  mail_from: Type.String({ description: 'Envelope sender of the report; empty for <>.', examples: [''] }),
  dkim: openNamed('ReportDkim', {
    result: Result,
    domains: Type.Array(Type.String({ examples: ['example.net'] }), {
      description: 'Domains whose signature on the report is valid.',
    }),
  }),
  spf: openNamed('ReportSpf', {
    result: Result,
    domain: nullable(
      Type.String({ description: 'Domain whose policy was looked up.', examples: ['out.example.net'] }),
    ),
  }),
  vouched_by: nullable(
    Type.String({
      enum: ['network', 'dkim', 'spf', 'helo'],
      description:
        'Link of the report to the server that accepted the message or to the domain of its recipient. null: nothing; the report then suppresses nobody.',
      examples: ['network'],
    }),
  ),
  claims: openNamed(
    'ReportClaims',
    {
      final_recipient: Address,
      original_recipient: Address,
      remote_mta: nullable(Type.String({ examples: ['inner.example.net'] })),
      reply: nullable(
        openNamed('ReportedReply', {
          code: nullable(ReplyCode),
          enhanced: EnhancedCode,
          text: nullable(ReplyText),
        }),
      ),
      feedback_type: nullable(Type.String({ description: 'Type of the complaint.', examples: ['abuse'] })),
    },
    { description: 'Claims of the report. Only its author vouches for them.' },
  ),
  sha256: Type.String({
    description: 'SHA-256 of the mail as received, lower-case hex; in the stored copy a token is hidden.',
    examples: [HASH_EXAMPLE],
  }),
});
