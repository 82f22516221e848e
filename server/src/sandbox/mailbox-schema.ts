import { Type } from 'typebox';
import {
  closed,
  errorAnswers,
  ID_PARAMS,
  Id,
  NoContent,
  named,
  nullable,
  otherContent,
  Timestamp,
} from '../platform/http/api-schema.ts';
import { PAGE_QUERY, pageSchema } from '../platform/http/page.ts';

const RFC822 = 'message/rfc822';
const BYTES = 'application/octet-stream';
const ADDRESS_MAX_CHARS = 320;

const MailTls = named('MailTls', {
  version: Type.String({ examples: ['TLSv1.3'] }),
  cipher: Type.String({ examples: ['TLS_AES_256_GCM_SHA384'] }),
});

const summary = {
  id: Id,
  mail_from: Type.String({
    description: 'Envelope sender (RFC 5321 reverse-path).',
    examples: ['b+01936b0e@sandbox.test'],
  }),
  rcpt_to: Type.String({
    description: 'Envelope recipient (RFC 5321 forward-path), lower case, its domain as people write it.',
    examples: ['ana@example.com'],
  }),
  message_id: nullable(Id, "The message's id here, read from its Service-Evidence header."),
  from: nullable(Type.String({ examples: ['Billing <billing@sandbox.test>'] })),
  to: nullable(Type.String({ examples: ['Ana <ana@example.com>'] })),
  subject: nullable(Type.String({ examples: ['Invoice 2026-0001'] })),
  size_bytes: Type.Integer({ minimum: 0, examples: [1_204] }),
  client_name: Type.String({
    description: 'The EHLO name of the client.',
    examples: ['mail.example.com'],
  }),
  tls: nullable(MailTls, 'TLS of the connection; null: plain text.'),
  received_at: Timestamp,
};

const MailSummary = named('MailSummary', summary);

const MailDetail = named('MailDetail', {
  ...summary,
  headers: Type.Array(
    named('MailHeader', {
      name: Type.String({ examples: ['Subject'] }),
      value: Type.String({ examples: ['Invoice'] }),
    }),
  ),
  text: nullable(Type.String({ examples: ['Hello Ana'] })),
  html: nullable(Type.String({ examples: ['<p>Hello Ana</p>'] })),
  attachments: Type.Array(
    named('MailAttachment', {
      filename: nullable(Type.String({ examples: ['invoice.pdf'] })),
      content_type: Type.String({ examples: ['application/pdf'] }),
      size_bytes: Type.Integer({ minimum: 0, examples: [812] }),
    }),
    { description: 'In the order of their indexes, from 0.' },
  ),
});

const MailPreview = named('MailPreview', {
  url: Type.String({
    description: 'Path of the page, for `<iframe sandbox="">`; it is there for a minute.',
    examples: ['/sandbox/mailbox/preview/3q2-7w'],
  }),
});

const NOT_FOUND = errorAnswers('not_found');
const ONLY_THE_SANDBOX = 'An account other than the sandbox account answers 404.';

export const LIST_MAIL = {
  operationId: 'listMailboxMail',
  summary: 'List the mail of the test mailbox',
  description: `Mail that the sandbox delivered, newest first. ${ONLY_THE_SANDBOX}`,
  querystring: closed({
    ...PAGE_QUERY,
    to: Type.Optional(
      Type.String({
        maxLength: ADDRESS_MAX_CHARS,
        description: 'Only mail to this address.',
        examples: ['ana@example.com'],
      }),
    ),
  }),
  response: { 200: pageSchema(MailSummary), ...NOT_FOUND },
};

export const GET_MAIL = {
  operationId: 'getMailboxMail',
  summary: 'Read a mail of the test mailbox',
  description: 'Its envelope, header, texts, and a list of its attachments.',
  params: ID_PARAMS,
  response: { 200: MailDetail, ...NOT_FOUND },
};

export const GET_RAW_MAIL = {
  operationId: 'getRawMailboxMail',
  summary: 'Download a mail of the test mailbox',
  description: 'The bytes that came after DATA.',
  params: ID_PARAMS,
  response: { 200: otherContent(RFC822, 'The mail.'), ...NOT_FOUND },
};

export const GET_ATTACHMENT = {
  operationId: 'getMailboxAttachment',
  summary: 'Download an attachment of a mail',
  description: 'Decoded. Whatever its type, a browser saves it.',
  params: Type.Object({
    ...ID_PARAMS.properties,
    index: Type.String({ description: 'Place among the attachments, from 0.', examples: ['0'] }),
  }),
  response: { 200: otherContent(BYTES, 'The attachment.'), ...NOT_FOUND },
};

export const PREVIEW_MAIL = {
  operationId: 'previewMailboxMail',
  summary: 'Show the HTML of a mail in a frame',
  description: 'Gives a frame a page to load without a key: nothing in it runs or loads anything.',
  params: ID_PARAMS,
  retry: 'repeatable' as const,
  response: { 200: MailPreview, ...NOT_FOUND },
};

export const DELETE_MAIL = {
  operationId: 'deleteMailboxMail',
  summary: 'Delete a mail of the test mailbox',
  description: 'Its message, events and evidence stay.',
  params: ID_PARAMS,
  response: { 204: NoContent, ...NOT_FOUND },
};

export const EMPTY_MAILBOX = {
  operationId: 'emptyMailbox',
  summary: 'Delete all mail of the test mailbox',
  description: `Messages, their events and their evidence stay. ${ONLY_THE_SANDBOX}`,
  response: { 204: NoContent, ...NOT_FOUND },
};
