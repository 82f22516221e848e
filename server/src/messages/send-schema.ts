import { type Static, Type } from 'typebox';

/** What a JSON send may carry: the specification's fields and those that contract.md "Send" adds. */
export const TAGS_MAX = 10;
export const TAG_MAX_CHARS = 64;
export const METADATA_MAX = 20;
export const METADATA_KEY_MAX_CHARS = 64;
export const METADATA_VALUE_MAX_CHARS = 512;
export const ATTACHMENTS_MAX = 98;
/** JSON of a send with a full-size message in base64, and of a batch. */
export const SEND_BODY_LIMIT_BYTES = 36 * 1024 * 1024;
export const BATCH_BODY_LIMIT_BYTES = 64 * 1024 * 1024;
export const BATCH_MAX_ITEMS = 100;

const Attachment = Type.Object(
  {
    filename: Type.String({ description: 'File name shown to the recipient; at most 255 bytes of UTF-8.' }),
    content_type: Type.Optional(
      Type.String({ description: 'Media type; application/octet-stream when omitted.' }),
    ),
    content: Type.String({ description: 'The bytes in base64 (RFC 4648 §4).' }),
    content_id: Type.Optional(
      Type.String({ description: 'Makes it an inline part that html refers to as cid:<content_id>.' }),
    ),
  },
  { additionalProperties: false },
);

const sendFields = {
  from: Type.String({ description: 'An address of a verified domain, or Name <address>.' }),
  to: Type.String({ description: 'One address, or Name <address>.' }),
  subject: Type.Optional(Type.String({ description: 'At most 998 bytes of UTF-8.' })),
  text: Type.Optional(
    Type.String({ description: 'Plain body. At least one of text, html or template_id is required.' }),
  ),
  html: Type.Optional(Type.String({ description: 'HTML body.' })),
  certified: Type.Optional(
    Type.Boolean({ description: "Overrides the account's default_certified for this message." }),
  ),
  template_id: Type.Optional(
    Type.String({ description: 'A template of this account; subject, text and html come from it.' }),
  ),
  variables: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "The template's data." }),
  ),
  reply_to: Type.Optional(Type.String({ description: 'An address, or Name <address>.' })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        'Further header fields: X-*, List-*, References, In-Reply-To, Auto-Submitted, Feedback-ID.',
    }),
  ),
  attachments: Type.Optional(Type.Array(Attachment, { maxItems: ATTACHMENTS_MAX })),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: TAG_MAX_CHARS }), {
      maxItems: TAGS_MAX,
      description: 'Labels to list messages by; never in the mail.',
    }),
  ),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: METADATA_VALUE_MAX_CHARS }), {
      description: 'Up to 20 pairs of your own; never in the mail.',
    }),
  ),
};

export const SendBody = Type.Object(sendFields, { additionalProperties: false });

/** The same as it is checked: from and to may be missing, because an absent address is answered as an empty one (invalid_address). */
export const SendFieldsShape = Type.Object(
  { ...sendFields, from: Type.Optional(sendFields.from), to: Type.Optional(sendFields.to) },
  { additionalProperties: false },
);
export type SendFields = Static<typeof SendFieldsShape>;

export const BatchItem = Type.Object(
  {
    idempotency_key: Type.Optional(
      Type.String({ description: 'Required for each item: 1 to 255 printable ASCII characters.' }),
    ),
    ...sendFields,
  },
  { additionalProperties: false },
);

export const BatchBody = Type.Object(
  { messages: Type.Array(BatchItem, { minItems: 1, maxItems: BATCH_MAX_ITEMS }) },
  { additionalProperties: false },
);
