import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { type Static, Type } from 'typebox';
import { apiError } from '../errors.ts';
import { closed, NO_CONTROLS } from '../platform/http/api-schema.ts';
import { CREATED_QUERY, readCreated } from '../platform/http/created-query.ts';
import { PAGE_QUERY } from '../platform/http/page.ts';
import { readIdParameter } from '../platform/http/url-parameters.ts';
import { BounceReason, BounceType } from '../platform/smtp/smtp-schema.ts';
import { AcknowledgementStatus, MessageStatus } from './present.ts';
import type { MessageFilter, WhoFilter } from './read-store.ts';
import { queryWords } from './search/words.ts';
import { METADATA_KEY_MAX_CHARS, METADATA_VALUE_MAX_CHARS, TAG_MAX_CHARS } from './send-schema.ts';

const WHO_MAX_CHARS = 320;
const SUBJECT_FILTER_MAX_CHARS = 200;

const who = (role: string, example: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: WHO_MAX_CHARS,
      pattern: NO_CONTROLS,
      description: `${role} address, in any spelling, or a domain for all of its addresses.`,
      examples: [example],
    }),
  );
const text = (maxLength: number, description: string, example: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength, pattern: NO_CONTROLS, description, examples: [example] }),
  );

const FILTERS = {
  q: text(
    SUBJECT_FILTER_MAX_CHARS,
    "Messages with all of these words: each begins a word of the subject or of the recipient's name, is part of the recipient's address, or begins the id that the receiving server gave the message. Accents, upper and lower case are the same.",
    'ana garcia 2041',
  ),
  status: Type.Optional(
    Type.Array(MessageStatus, {
      minItems: 1,
      description: 'Messages in one of these states: repeat it, or separate them by commas.',
      examples: [['bounced', 'complained']],
    }),
  ),
  certified: Type.Optional(Type.Boolean()),
  sealed: Type.Optional(
    Type.Boolean({ description: 'True: it has a constancia. Plain messages never have one.' }),
  ),
  bounce_type: Type.Optional(
    Type.Array(BounceType, {
      minItems: 1,
      description: 'Messages that bounced in one of these ways.',
      examples: [['hard', 'policy']],
    }),
  ),
  bounce_reason: Type.Optional(
    Type.Array(BounceReason, {
      minItems: 1,
      description: 'Messages that bounced for one of these reasons.',
      examples: [['mailbox_full', 'blocklisted']],
    }),
  ),
  reason: Type.Optional(
    Type.Array(BounceReason, {
      minItems: 1,
      description: 'Messages that bounced, or wait for another attempt, for one of these reasons.',
      examples: [['greylisted', 'rate_limited']],
    }),
  ),
  acknowledgement: Type.Optional(
    Type.Array(AcknowledgementStatus, {
      minItems: 1,
      description: 'Messages that asked their recipient to acknowledge them, and are in one of these states.',
      examples: [['requested', 'unanswered']],
    }),
  ),
  from: who('Sender', 'billing@example.com'),
  to: who('Recipient', 'ana@example.net'),
  subject: text(
    SUBJECT_FILTER_MAX_CHARS,
    'Messages whose subject contains this text; upper and lower case are the same.',
    'invoice',
  ),
  tag: text(TAG_MAX_CHARS, 'Messages that carry this tag.', 'invoice'),
  template_id: text(36, 'Messages made from this template.', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11'),
  api_key_id: text(36, 'Messages that this API key sent.', '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11'),
  metadata_key: text(METADATA_KEY_MAX_CHARS, 'Messages whose metadata has this key.', 'order'),
  metadata_value: Type.Optional(
    Type.String({
      maxLength: METADATA_VALUE_MAX_CHARS,
      pattern: '^[^\\x00]*$',
      description: 'With metadata_key: messages whose metadata has this value there.',
      examples: ['2026-0001'],
    }),
  ),
  ...CREATED_QUERY,
};

export const ListQuery = closed({ ...PAGE_QUERY, ...FILTERS });
/** Exports have no pages. */
export const ExportQuery = closed(FILTERS);

export function readMessageFilter(query: Static<typeof ExportQuery>): MessageFilter {
  const { metadata_key: metadataKey = null, metadata_value: metadataValue = null } = query;
  if (metadataValue !== null && metadataKey === null)
    throw apiError('invalid_parameter', 'metadata_value requires metadata_key: send both, or the key alone.');
  return {
    statuses: query.status ?? null,
    certified: query.certified ?? null,
    sealed: query.sealed ?? null,
    bounceTypes: query.bounce_type ?? null,
    bounceReasons: query.bounce_reason ?? null,
    reasons: query.reason ?? null,
    acknowledgements: query.acknowledgement ?? null,
    from: whoOf(query.from),
    to: whoOf(query.to),
    subject: query.subject ?? null,
    tag: query.tag ?? null,
    templateId: query.template_id === undefined ? null : readIdParameter('template_id', query.template_id),
    apiKeyId: query.api_key_id === undefined ? null : readIdParameter('api_key_id', query.api_key_id),
    metadataKey,
    metadataValue,
    words: query.q === undefined ? null : queryWords(query.q),
    ...readCreated(query),
  };
}

function whoOf(given: string | undefined): WhoFilter | null {
  if (given === undefined) return null;
  if (given.includes('@')) return { address: spelled(given) ?? given.toLowerCase(), domain: null };
  const domain = spelled(`x@${given}`)?.slice(2) ?? given.toLowerCase();
  return { address: null, domain };
}

function spelled(address: string): string | null {
  try {
    return compareKey(parseAddress(address, 'address'));
  } catch {
    return null;
  }
}
