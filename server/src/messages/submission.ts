import { toHex, utf8 } from '@acuse/evidence/bytes';
import { type Json, jcsBytes } from '@acuse/evidence/jcs';
import type { AddressItem } from '@acuse/mail/address-list';
import { type Attachment, createAttachment } from '@acuse/mail/attachment';
import type { BodyPart } from '@acuse/mail/body-tree';
import { type CustomHeader, createCustomHeaders } from '@acuse/mail/custom-headers';
import { honestFrom } from '@acuse/mail/from-name';
import {
  type BodyText,
  bodyText,
  type HeaderText,
  headerText,
  type MessageId,
  subjectText,
} from '@acuse/mail/header-text';
import { readWhollyEncoded } from '@acuse/mail/header-words';
import { type Mailbox, MailboxError, parseMailbox } from '@acuse/mail/mailbox';
import { createWarnings, type MailWarning } from '@acuse/mail/warning';
import type { TemplateChoice } from '../accounts/templates/templates.ts';
import { apiError } from '../errors.ts';
import { asApiError } from '../input-errors.ts';
import { createChecker } from '../platform/http/validator.ts';
import { readId } from '../platform/ids.ts';
import { sha256 } from '../platform/sha256.ts';
import { type Asking, readAsking, refuseAskingFields } from './acknowledgement.ts';
import {
  type Addressees,
  addresseeFacts,
  itemFact,
  mailboxText,
  parseList,
  readAddressees,
} from './recipients.ts';
import { readSendAt } from './send-at.ts';
import {
  METADATA_KEY_MAX_CHARS,
  METADATA_MAX,
  METADATA_VALUE_MAX_CHARS,
  REPLY_TO_MAX,
  type SendFields,
  SendFieldsShape,
  TAG_MAX_CHARS,
} from './send-schema.ts';

export interface Submission extends Addressees {
  readonly headerFrom: Mailbox;
  readonly replyTo: readonly AddressItem[];
  readonly content: GivenContent | TemplateContent;
  /** Null: default_certified decides. */
  readonly certified: boolean | null;
  readonly headers: readonly CustomHeader[];
  readonly attachments: readonly Attachment[];
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly sendAt: Date | null;
  readonly asking?: Asking | undefined;
  /** The author's own; otherwise we make one. */
  readonly messageId: MessageId | null;
  readonly warnings: readonly MailWarning[];
  /** Large content, only in the thread's memory. */
  readonly packed?: PackedContent;
}

export interface PackedContent {
  readonly bytes: Uint8Array;
  readonly facts: ContentFacts;
}

/** Facts for the digest: hashes of large content, hex SHA-256. */
interface ContentFacts {
  readonly text: TextFact;
  readonly html: TextFact;
  readonly tree: string | null;
  readonly variables: string | null;
  readonly attachments: readonly Json[];
}

type TextFact = string | null | { readonly sha256: string };

export interface GivenContent {
  readonly kind: 'given';
  readonly subject: HeaderText;
  readonly text: BodyText | null;
  readonly html: BodyText | null;
  /** RFC 3676 §4. */
  readonly flowed?: 'flowed' | 'flowed-delsp' | undefined;
  /** A raw body and its Date. */
  readonly tree?: BodyPart | undefined;
  readonly date?: HeaderText | undefined;
}

interface TemplateContent {
  readonly kind: 'template';
  readonly choice: TemplateChoice;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly own: OwnParts;
}

/** Null: from the template. */
export interface OwnParts {
  readonly subject: HeaderText | null;
  readonly text: BodyText | null;
  readonly html: BodyText | null;
}

const checkShape = createChecker(SendFieldsShape);

/** Throws invalid_body, then invalid_address. */
export function readJsonSubmission(value: unknown): Submission {
  const checked = checkShape(value);
  if (!checked.ok) throw apiError('invalid_body', checked.problem);
  const fields = checked.value;
  return asApiError(() => {
    const asking = readAsking(fields);
    if (fields.headers !== undefined) refuseAskingFields(Object.keys(fields.headers));
    const content = readContent(fields);
    const headers = createCustomHeaders(Object.entries(fields.headers ?? {}));
    const attachments = (fields.attachments ?? []).map(readAttachment);
    const tags = (fields.tags ?? []).map((tag, at) => headerText(tag, `tags[${at}]`, TAG_MAX_CHARS * 4));
    const metadata = readMetadata(fields.metadata ?? {});
    const sendAt = fields.send_at === undefined ? null : readSendAt(fields.send_at);
    const warnings = createWarnings();
    const headerFrom = honestFrom(parseMailbox(fields.from ?? '', 'from'), warnings);
    const { recipient, headerTo, headerCc, recipients, skipSuppressed } = readTo(fields);
    const replyTo = readReplyTo(fields);
    // No spread: behind other fields it costs more than reading all of them, and makes each later read slow.
    return {
      headerFrom,
      recipient,
      headerTo,
      headerCc,
      recipients,
      skipSuppressed,
      replyTo,
      content,
      asking: asking ?? undefined,
      certified: fields.certified ?? null,
      headers,
      attachments,
      tags,
      metadata,
      sendAt,
      messageId: null,
      warnings: warnings.found,
    };
  });
}

function readTo(fields: SendFields): Addressees {
  const { to = '', cc, bcc } = fields;
  if (typeof to !== 'string' || cc !== undefined || bcc !== undefined) return readAddressees(fields);
  const recipient = parseMailbox(to, 'to');
  return { recipient, headerTo: [recipient], headerCc: [] };
}

/** The committed submission without bcc: each recipient's evidence may be shown to others. */
export function withoutBcc(value: unknown): unknown {
  if ((value as { readonly bcc?: unknown }).bcc == null) return value;
  const { bcc: _, ...rest } = value as { readonly bcc?: unknown };
  return rest;
}

/** Canonical JSON, which the sender can recompute, if bcc was removed. */
export function submittedBytes(value: unknown, received: Uint8Array): Uint8Array {
  const shown = withoutBcc(value);
  return shown === value ? received : asApiError(() => jcsBytes(shown));
}

function readReplyTo({ reply_to: replyTo = [] }: SendFields): Mailbox[] {
  if (replyTo.length > REPLY_TO_MAX && typeof replyTo !== 'string')
    throw new MailboxError('reply_to', 'list', `must have at most ${REPLY_TO_MAX} addresses`);
  return parseList(replyTo, 'reply_to');
}

function readContent(fields: SendFields): Submission['content'] {
  const { subject, text, html, variables } = fields;
  const choice = readChoice(fields);
  if (choice !== null) {
    const own = {
      subject: (subject ?? '') === '' ? null : subjectText(readWhollyEncoded(subject!)),
      text: bodyOf('text', text),
      html: bodyOf('html', html),
    };
    // Reports unrepresentable values before addresses.
    jcsBytes(variables ?? {});
    return { kind: 'template', choice, variables: variables ?? {}, own };
  }
  if (variables !== undefined)
    throw apiError(
      'invalid_body',
      'variables requires template or template_id: send both, or leave variables out.',
    );
  return givenContent(subject ?? '', text ?? '', html ?? '');
}

function readChoice(fields: SendFields): TemplateChoice | null {
  const { template_id: id, template: name, locale = null } = fields;
  if (id !== undefined && name !== undefined)
    throw apiError('invalid_body', 'template and template_id both name a template: send one of them.');
  if (id !== undefined) return { by: 'id', value: readId(id) ?? id, locale };
  if (name !== undefined) {
    if (name.includes('\0') || !name.isWellFormed())
      throw apiError('invalid_body', 'template contains NUL or unpaired surrogates: remove them.');
    return { by: 'name', value: name, locale };
  }
  if (locale !== null && fields.acknowledgement === undefined)
    throw apiError(
      'invalid_body',
      'locale requires template, template_id or acknowledgement: send one of them too, or leave it out.',
    );
  return null;
}

/** Throws invalid_body if both are empty. */
function givenContent(subject: string, text: string, html: string): GivenContent {
  if (text === '' && html === '')
    throw apiError('invalid_body', 'At least one of text and html is required.');
  return {
    kind: 'given',
    subject: subjectText(readWhollyEncoded(subject)),
    text: bodyOf('text', text),
    html: bodyOf('html', html),
  };
}

export function wholeContent(content: Submission['content'], rendered: GivenContent | null): GivenContent {
  if (content.kind === 'given') return content;
  const { subject, text, html } = content.own;
  return {
    ...rendered!,
    subject: subject ?? rendered!.subject,
    text: text ?? rendered!.text,
    html: html ?? rendered!.html,
  };
}

function bodyOf(part: 'text' | 'html', given: string | undefined): BodyText | null {
  return given === undefined || given === '' ? null : bodyText(given, part);
}

function readAttachment(given: NonNullable<SendFields['attachments']>[number], at: number): Attachment {
  const field = `attachments[${at}]`;
  return createAttachment(
    {
      filename: given.filename,
      contentType: given.content_type ?? 'application/octet-stream',
      content: decodeBase64(given.content, `${field}.content`),
      contentId: given.content_id,
    },
    field,
  );
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** RFC 4648 §4, with line breaks; Buffer would ignore invalid characters. Throws invalid_body. */
function decodeBase64(text: string, field: string): Uint8Array {
  const packed = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, '') : text;
  if (packed.length % 4 !== 0 || !BASE64.test(packed))
    throw apiError('invalid_body', `${field} is not valid base64 (RFC 4648 §4, with padding).`);
  return Buffer.from(packed, 'base64');
}

function readMetadata(given: Record<string, string>): Record<string, string> {
  const pairs = Object.entries(given);
  if (pairs.length > METADATA_MAX)
    throw apiError('invalid_body', `metadata must have at most ${METADATA_MAX} pairs.`);
  for (const [key, value] of pairs) {
    if (key === '' || key.length > METADATA_KEY_MAX_CHARS)
      throw apiError('invalid_body', `metadata keys must have 1 to ${METADATA_KEY_MAX_CHARS} characters.`);
    headerText(key, 'metadata', METADATA_KEY_MAX_CHARS * 4);
    if (value.length > METADATA_VALUE_MAX_CHARS || value.includes('\0') || !value.isWellFormed()) {
      throw apiError(
        'invalid_body',
        `metadata.${key} must have at most ${METADATA_VALUE_MAX_CHARS} characters, without NUL or unpaired surrogates.`,
      );
    }
  }
  return given;
}

/**
 * SHA-256 over the parsed submission: independent of key order, white space and address spelling. Without
 * `certified`: a replay compares it separately. Throws invalid_body for unrepresentable variables.
 */
export function submissionDigest(submission: Submission): Uint8Array {
  const { headerFrom, recipient, replyTo, content, headers, tags, metadata } = submission;
  const { text, html, variables, attachments, tree } = submission.packed?.facts ?? contentFacts(submission);
  const facts = [
    'acuse/submission/v4',
    mailboxText(headerFrom),
    mailboxText(recipient),
    replyTo.length === 0 ? null : replyTo.map(itemFact),
    content.kind === 'given'
      ? ['given', content.subject, text, html, content.flowed ?? null, ...(tree === null ? [] : [tree])]
      : [
          'template',
          content.choice.by,
          content.choice.value,
          content.choice.locale,
          variables,
          ...ownFacts(content.own, { text, html }),
        ],
    headers.map(({ name, value }) => [name.toLowerCase(), value]).sort(),
    attachments,
    tags,
    metadata,
    ...addresseeFacts(submission),
    ...(submission.sendAt === null ? [] : [{ send_at: submission.sendAt.toISOString() }]),
    ...(submission.asking === undefined ? [] : [askingFact(submission.asking)]),
  ];
  return sha256(asApiError(() => jcsBytes(facts)));
}

function askingFact({ by, language }: Asking): Json {
  return { acknowledgement: { by: by?.toISOString() ?? null, language } };
}

function ownFacts({ subject }: OwnParts, { text, html }: Pick<ContentFacts, 'text' | 'html'>): Json[] {
  return subject === null && text === null && html === null ? [] : [{ subject, text, html }];
}

export function contentFacts({
  content,
  attachments,
}: Pick<Submission, 'content' | 'attachments'>): ContentFacts {
  const { text, html } = content.kind === 'given' ? content : content.own;
  return {
    text: textFact(text),
    html: textFact(html),
    tree: content.kind === 'given' && content.tree !== undefined ? treeHash(content.tree) : null,
    variables: content.kind === 'given' ? null : toHex(sha256(asApiError(() => jcsBytes(content.variables)))),
    attachments: attachments.map((it) => [
      it.filename,
      it.mediaType.type,
      it.mediaType.parameters.map(([name, value]) => [name, value]),
      it.contentId ?? null,
      toHex(sha256(it.content)),
    ]),
  };
}

/** Shorter texts are cheaper than their hash. */
const SHORT_TEXT_CHARS = 4_096;

function textFact(text: string | null): TextFact {
  if (text === null || text.length <= SHORT_TEXT_CHARS) return text;
  return { sha256: toHex(sha256(utf8(text))) };
}

/** Without Date, which a retry may change. */
function treeHash(tree: BodyPart): string {
  return toHex(sha256(jcsBytes(treeFacts(tree) as Json)));
}

function treeFacts({ mediaType, disposition, contentId, fields, content }: BodyPart): unknown[] {
  const own = [
    mediaType.type,
    mediaType.parameters,
    disposition && [disposition.type, disposition.parameters],
  ];
  return [...own, contentId, fields, octetFacts(content)];
}

function octetFacts(content: BodyPart['content']): unknown[] {
  switch (content.kind) {
    case 'parts':
      return [
        toHex(sha256(content.preamble)),
        toHex(sha256(content.epilogue)),
        ...content.parts.map(treeFacts),
      ];
    case 'message':
      return [content.header.map(({ name, value }) => [name, value]), treeFacts(content.body)];
    default:
      return [toHex(sha256(content.octets))];
  }
}
