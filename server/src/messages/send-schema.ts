import { type Static, Type } from 'typebox';
import { LOCALE_PATTERN } from '../accounts/templates/locales.ts';
import { TEMPLATE_NAME_MAX_CHARS } from '../accounts/templates/render.ts';
import { closed, ID_EXAMPLE, mapOf, named } from '../platform/http/api-schema.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from './idempotency-key.ts';
import { RECIPIENTS_MAX } from './recipients.ts';
import { SEND_AT_MAX_CHARS } from './send-at.ts';

export const TAGS_MAX = 10;
export const TAG_MAX_CHARS = 64;
export const METADATA_MAX = 20;
export const METADATA_KEY_MAX_CHARS = 64;
export const METADATA_VALUE_MAX_CHARS = 512;
export const ATTACHMENTS_MAX = 98;
export const REPLY_TO_MAX = 10;
export const SEND_BODY_LIMIT_BYTES = 36 * 1024 * 1024;
export const BATCH_BODY_LIMIT_BYTES = 64 * 1024 * 1024;
export const BATCH_MAX_ITEMS = 100;
export const BATCH_MAX_MESSAGES = 1_000;

const Attachment = named('Attachment', {
  filename: Type.String({
    documented: { maxLength: 255 },
    description: 'File name shown to the recipient, without a path; at most 255 bytes of UTF-8.',
    examples: ['invoice.pdf'],
  }),
  content_type: Type.Optional(
    Type.String({
      description:
        'Media type; application/octet-stream when omitted. An invitation, `text/calendar; method=REQUEST` in UTF-8, also goes out beside text and html, so that mail programs show its buttons.',
      examples: ['application/pdf'],
    }),
  ),
  content: Type.String({
    description: 'The bytes in base64 (RFC 4648 §4).',
    examples: ['JVBERi0xLjcKJeLjz9MK'],
  }),
  content_id: Type.Optional(
    Type.String({
      description: 'Makes the attachment an inline part that html refers to as cid:<content_id>.',
    }),
  ),
});

const ADDRESS_EXAMPLE = 'Ana <ana@example.net>';

function addresses($id: string, bounds: { minItems?: number; maxItems: number }, description: string) {
  return Type.Union([Type.String(), Type.Array(Type.String(), bounds)], {
    $id,
    description,
    examples: [ADDRESS_EXAMPLE],
  });
}

const RECIPIENTS = { maxItems: RECIPIENTS_MAX };

const ACKNOWLEDGEMENT = {
  acknowledgement: Type.Optional(
    Type.Enum(['request'], {
      description:
        "Certified only. request: ask the recipient to acknowledge receipt. The mail gets a link and an address, where text and html say {{acknowledgement_url}} and {{acknowledgement_mail}}, else in a last paragraph; what the recipient does there becomes an outcome of the message's evidence.",
      $id: 'AcknowledgementRequest',
    }),
  ),
  acknowledge_by: Type.Optional(
    Type.String({
      maxLength: SEND_AT_MAX_CHARS,
      description:
        'Until when the recipient may acknowledge it: RFC 3339 with an offset from UTC, 1 hour to 90 days after the message is sent; 15 days when omitted.',
      examples: ['2026-12-20T09:30:00Z'],
    }),
  ),
};

const sendFields = {
  from: Type.String({
    documented: { minLength: 1 },
    description: 'An address of a verified domain, or Name <address>.',
  }),
  to: addresses(
    'Recipients',
    { minItems: 1, ...RECIPIENTS },
    `An address, or Name <address>; or a list. to, cc and bcc take ${RECIPIENTS_MAX} addresses in all; each recipient gets a message of its own.`,
  ),
  cc: Type.Optional(addresses('CopyRecipients', RECIPIENTS, 'Shown in Cc: an address or a list.')),
  bcc: Type.Optional(
    addresses(
      'CopyRecipients',
      RECIPIENTS,
      'Blind copies: an address or a list, which no message and no evidence shows.',
    ),
  ),
  skip_suppressed: Type.Optional(
    Type.Boolean({
      description:
        'true: leave out suppressed recipients and report them in skipped, as long as one is left. Otherwise one suppressed recipient refuses the request.',
    }),
  ),
  subject: Type.Optional(
    Type.String({ documented: { maxLength: 998 }, description: 'At most 998 bytes of UTF-8.' }),
  ),
  text: Type.Optional(
    Type.String({
      description: 'Plain body. At least one of text, html, template and template_id is required.',
    }),
  ),
  html: Type.Optional(Type.String({ description: 'HTML body.' })),
  certified: Type.Optional(
    Type.Boolean({ description: "Overrides the account's default_certified for this message." }),
  ),
  template_id: Type.Optional(
    Type.String({
      description:
        'A template of this account. It gives whichever of subject, text and html the request leaves out.',
    }),
  ),
  template: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEMPLATE_NAME_MAX_CHARS,
      description: 'The name of a template of this account, in place of template_id.',
      examples: ['invoice'],
    }),
  ),
  locale: Type.Optional(
    Type.String({
      pattern: LOCALE_PATTERN,
      description:
        "Language tag that chooses a variant of the template: es-MX, else es, else the template's own content. Also the language in which a recipient is asked to acknowledge the message: es or en.",
      examples: ['es-MX'],
    }),
  ),
  variables: Type.Optional(mapOf(Type.Unknown(), { description: "The template's data." })),
  reply_to: Type.Optional(
    addresses(
      'ReplyTo',
      { maxItems: REPLY_TO_MAX },
      `Reply-To: an address or a list of up to ${REPLY_TO_MAX}.`,
    ),
  ),
  send_at: Type.Optional(
    Type.String({
      maxLength: SEND_AT_MAX_CHARS,
      description:
        'When to send it: RFC 3339 with an offset from UTC, at most 30 days ahead; at once when omitted. It is accepted, and promised if certified, now.',
      examples: ['2026-11-20T09:30:00-06:00'],
    }),
  ),
  ...ACKNOWLEDGEMENT,
  headers: Type.Optional(
    mapOf(Type.String(), {
      description:
        'Additional header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID, Importance, Precedence, TLS-Required and others that docs/submitted-messages.md lists.',
    }),
  ),
  attachments: Type.Optional(Type.Array(Attachment, { maxItems: ATTACHMENTS_MAX })),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: TAG_MAX_CHARS }), {
      maxItems: TAGS_MAX,
      description: 'Labels to filter messages by; never part of the mail.',
    }),
  ),
  metadata: Type.Optional(
    mapOf(Type.String({ maxLength: METADATA_VALUE_MAX_CHARS }), {
      documented: { maxProperties: METADATA_MAX },
      description: 'Up to 20 key-value pairs of your own; never part of the mail.',
    }),
  ),
};

/** At least one must have text. Not `anyOf`, because generators make types of it. */
const BLANK = { maxLength: 0 };
const CONTENT = {
  documented: { not: { properties: { text: BLANK, html: BLANK, template_id: BLANK, template: BLANK } } },
};
const EXAMPLE = {
  from: 'Billing <billing@example.com>',
  to: 'Ana <ana@example.net>',
  subject: 'Invoice 2026-0001',
  text: 'Your invoice is attached.',
  html: '<p>Your invoice is attached.</p>',
  certified: true,
  attachments: [
    { filename: 'invoice.pdf', content_type: 'application/pdf', content: 'JVBERi0xLjcKJeLjz9MK' },
  ],
  tags: ['invoice'],
  metadata: { order: '2026-0001' },
};
const SEVERAL_EXAMPLE = {
  from: 'Billing <billing@example.com>',
  to: ['Ana <ana@example.net>', 'bob@example.net'],
  cc: 'accounting@example.net',
  bcc: ['archive@example.com'],
  reply_to: ['billing@example.com', 'support@example.com'],
  subject: 'Minutes of the meeting',
  text: 'The minutes are below.',
  skip_suppressed: true,
};
const TEMPLATE_EXAMPLE = {
  from: 'billing@example.com',
  to: 'ana@example.net',
  template_id: ID_EXAMPLE,
  variables: { name: 'Ana', total: '120.00' },
};

export const SendBody = named('Send', sendFields, {
  ...CONTENT,
  examples: [EXAMPLE, SEVERAL_EXAMPLE, TEMPLATE_EXAMPLE],
});

/** Its errors are reported with the addresses. */
const Addresses = Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())]));

/** As validated: a missing address answers invalid_address, like an empty one. */
export const SendFieldsShape = closed({
  ...sendFields,
  from: Type.Optional(sendFields.from),
  to: Addresses,
  cc: Addresses,
  bcc: Addresses,
  reply_to: Addresses,
});
export type SendFields = Static<typeof SendFieldsShape>;

export const BatchItem = named(
  'BatchItem',
  {
    idempotency_key: Type.String({
      minLength: 1,
      maxLength: IDEMPOTENCY_KEY_MAX_CHARS,
      pattern: '^[ -~]+$',
      description: 'Printable ASCII; the same when you retry.',
    }),
    ...sendFields,
  },
  { ...CONTENT },
);

export const BatchBody = named(
  'Batch',
  { messages: Type.Array(BatchItem, { minItems: 1, maxItems: BATCH_MAX_ITEMS }) },
  {
    examples: [
      {
        messages: [
          { idempotency_key: 'invoice-2026-0001', ...EXAMPLE },
          { idempotency_key: 'welcome-ana', ...TEMPLATE_EXAMPLE },
        ],
      },
    ],
  },
);
