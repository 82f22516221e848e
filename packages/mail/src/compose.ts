import { isUtf8 } from 'node:buffer';
import { leafParts } from '@acuse/evidence/mime-parts';
import { type AddressItem, mailboxesOf } from './address-list.ts';
import type { Attachment } from './attachment.ts';
import type { BodyPart } from './body-tree.ts';
import type { CustomHeader } from './custom-headers.ts';
import type { BodyText, HeaderText, MessageId } from './header-text.ts';
import {
  addressListHeader,
  asciiHeader,
  formatDate,
  mailboxHeader,
  messageIdHeader,
  parameterHeader,
  unstructuredHeader,
} from './header-write.ts';
import { MailInputError } from './input-error.ts';
import { MESSAGE_MAX_BYTES, MIME_PARTS_MAX } from './limits.ts';
import type { Mailbox } from './mailbox.ts';
import {
  base64LinesSize,
  canonicalText,
  encodeBase64Lines,
  encodeQuotedPrintable,
  trimmedText,
} from './transfer-encoding.ts';
import { type Entity, leastSize, type Assembly as TreeAssembly, writePart } from './write-tree.ts';

/**
 * The content of a message, from JSON or from a parsed message; at least one of text, html and attachments.
 */
export type MessageContent = {
  headerFrom: Mailbox;
  /** As they shall read; either may be empty: who gets the message is the envelope's business. */
  headerTo: readonly AddressItem[];
  headerCc?: readonly AddressItem[] | undefined;
  replyTo?: readonly AddressItem[] | undefined;
  subject: HeaderText;
  text?: BodyText | undefined;
  html?: BodyText | undefined;
  /** The text came as format=flowed and is sent so. RFC 3676 §4 */
  flowed?: 'flowed' | 'flowed-delsp' | undefined;
  headers?: readonly CustomHeader[] | undefined;
  attachments?: readonly Attachment[] | undefined;
  /**
   * The body as submitted; where there is one, text, html and attachments are what was found in it, and it
   * goes out.
   */
  tree?: BodyPart | undefined;
  /** The Date as submitted; else it is made of dateMs. RFC 5322 §3.6.1 */
  submittedDate?: HeaderText | undefined;
};

/** Ties the message to its evidence; both are printable ASCII without spaces or semicolons. */
export type EvidenceMark = { id: HeaderText; log: HeaderText };

/** Where complaints go, and the id that a feedback loop counts by, after the sender's own Feedback-ID. */
export type FeedbackMark = {
  /** Null: no address whose domain the signature vouches for. RFC 9477 §3.1 */
  cfblAddress: HeaderText | null;
  cfblFeedbackId: HeaderText;
  feedbackId: HeaderText;
};

export type ComposeInput = MessageContent & {
  messageId: MessageId;
  dateMs: number;
  /** The first header, `Service-Evidence: v=1; id=…; log=…`; null for none. */
  evidence: EvidenceMark | null;
  feedback?: FeedbackMark | undefined;
  /** 16 to 48 letters, digits and hyphens, such as a UUID. The same input and seed make the same bytes. */
  boundarySeed: string;
};

/**
 * A leaf of the message in document order as the evidence commits to it: an attachment decoded, a text in
 * UTF-8 with LF and without white space at line ends and at its own.
 */
export type ComposedPart = { mediaType: string; filename: string | null; content: Uint8Array };

/** Most callers want `raw` alone: the rest is made when it is asked for. */
export class ComposedMessage {
  /** Headers and body, CRLF, 7-bit unless needsSmtputf8; signatures go in front. */
  readonly raw: Uint8Array;
  readonly #input: ComposeInput;
  readonly #leaves: readonly Leaf[];

  constructor(raw: Uint8Array, input: ComposeInput, leaves: readonly Leaf[]) {
    this.raw = raw;
    this.#input = input;
    this.#leaves = leaves;
  }

  get parts(): ComposedPart[] {
    if (this.#input.tree !== undefined) return leafParts(this.raw);
    return this.#leaves.map(({ mediaType, filename, content }) => ({
      mediaType,
      filename,
      content: filename === null ? trimmedText(content) : content,
    }));
  }

  /** An address in the header is not ASCII. RFC 6531 §3.2 */
  get needsSmtputf8(): boolean {
    const { headerFrom, headerTo, headerCc = [], replyTo = [] } = this.#input;
    const mailboxes = [headerFrom, ...[headerTo, headerCc, replyTo].flatMap(mailboxesOf)];
    return mailboxes.some((it) => it.needsSmtputf8);
  }
}

/** A text as it is written, without a name, or a file. */
type Leaf = ComposedPart;

type Assembly = TreeAssembly & { leaves: Leaf[] };

const SEED = /^[A-Za-z0-9-]{16,48}$/;
const EVIDENCE_TOKEN = /^[\x21-\x3a\x3c-\x7e]{1,200}$/;

/**
 * The message as its receivers shall get it: 7-bit, CRLF, lines of at most 76 characters (998 for an address,
 * id or X- value with nowhere to fold), no white space at a line's end, a last newline. RFC 5322 §3.6, RFC
 * 2045 §6, RFC 2046 §5, RFC 2047 §5, RFC 2231 §3 Throws MailInputError about `body` (no content, too many
 * parts) or `size` (over 25 MiB).
 */
export function compose(input: ComposeInput): ComposedMessage {
  if (!SEED.test(input.boundarySeed))
    throw new TypeError('the boundary seed is 16 to 48 letters, digits and hyphens');
  const assembly: Assembly = { leaves: [], entities: 0, boundaries: 0, seed: input.boundarySeed };
  refuseOversized(input);
  const entity = input.tree === undefined ? mixed(input, assembly) : writePart(input.tree, assembly);
  if (assembly.entities > MIME_PARTS_MAX) {
    throw new MailInputError(
      'body',
      'attachments',
      'too_many',
      `the message must have at most ${MIME_PARTS_MAX} MIME parts`,
    );
  }
  const header = Buffer.from(`${messageFields(input)}MIME-Version: 1.0\r\n${entity.fields}\r\n`);
  const sizeBytes = header.length + entity.sizeBytes;
  if (sizeBytes > MESSAGE_MAX_BYTES) throw oversized();
  return new ComposedMessage(Buffer.concat([header, ...entity.body], sizeBytes), input, assembly.leaves);
}

/** Before anything is encoded: what is too big already must not cost memory. */
function refuseOversized(input: ComposeInput): void {
  if (input.tree !== undefined) {
    if (leastSize(input.tree) > MESSAGE_MAX_BYTES) throw oversized();
    return;
  }
  let least = (input.text?.length ?? 0) + (input.html?.length ?? 0);
  for (const attachment of input.attachments ?? []) least += base64LinesSize(attachment.content.length);
  if (least > MESSAGE_MAX_BYTES) throw oversized();
}

function oversized(): MailInputError {
  const mebibytes = MESSAGE_MAX_BYTES / (1024 * 1024);
  return new MailInputError(
    'size',
    'message',
    'too_large',
    `the message exceeds ${mebibytes} MiB after encoding: send less, or link to the files`,
  );
}

function messageFields(input: ComposeInput): string {
  const { evidence, headerCc = [], replyTo = [], headers = [] } = input;
  let fields = evidence === null ? '' : evidenceField(evidence);
  fields += mailboxHeader('From', input.headerFrom);
  if (input.headerTo.length > 0) fields += addressListHeader('To', input.headerTo);
  if (headerCc.length > 0) fields += addressListHeader('Cc', headerCc);
  fields += unstructuredHeader('Subject', input.subject);
  fields += `Date: ${input.submittedDate ?? formatDate(input.dateMs)}\r\n`;
  fields += messageIdHeader('Message-ID', [input.messageId]);
  if (replyTo.length > 0) fields += addressListHeader('Reply-To', replyTo);
  for (const header of headers) fields += header.field;
  return fields + feedbackFields(input);
}

/** RFC 9477 §4.1 */
function feedbackFields({ feedback, headers = [] }: ComposeInput): string {
  if (feedback === undefined) return '';
  const { cfblAddress, cfblFeedbackId, feedbackId } = feedback;
  let fields = '';
  if (!headers.some(({ name }) => name.toLowerCase() === 'feedback-id'))
    fields += asciiHeader('Feedback-ID', feedbackId);
  if (cfblAddress === null) return fields;
  fields += asciiHeader('CFBL-Address', `${cfblAddress}; report=arf` as HeaderText);
  return fields + asciiHeader('CFBL-Feedback-ID', cfblFeedbackId);
}

function evidenceField({ id, log }: EvidenceMark): string {
  if (!EVIDENCE_TOKEN.test(id) || !EVIDENCE_TOKEN.test(log))
    throw new TypeError('an evidence mark is printable ASCII without ;');
  return asciiHeader('Service-Evidence', `v=1; id=${id}; log=${log}` as HeaderText);
}

/** The body and, next to it, attachments that the html does not show. RFC 2046 §5.1.3 */
function mixed(input: ComposeInput, assembly: Assembly): Entity {
  const { html, attachments = [] } = input;
  const inline =
    html === undefined ? [] : attachments.filter((attachment) => attachment.contentId !== undefined);
  const beside =
    html === undefined ? attachments : attachments.filter((attachment) => attachment.contentId === undefined);
  if (input.text === undefined && html === undefined && beside.length > 0) {
    // A file alone is the message, as a scanner sends it.
    const files = beside.map((it) => attached(it, 'attachment', assembly));
    return beside.length === 1 ? files[0]! : multipart('mixed', [], files, assembly);
  }
  const files = () => beside.map((it) => attached(asFile(it), 'attachment', assembly));
  const body = alternative(input, inline, invitationIn(beside), assembly);
  return beside.length === 0 ? body : multipart('mixed', [], [body, ...files()], assembly);
}

/** The poorer form first; a calendar's program shows the last. RFC 2046 §5.1.4 */
function alternative(
  input: ComposeInput,
  inline: readonly Attachment[],
  invitation: Invitation | null,
  assembly: Assembly,
): Entity {
  const { text, html, flowed } = input;
  const forms: Entity[] = [];
  if (text !== undefined) forms.push(textEntity('plain', text, formatOf(flowed), assembly));
  if (html !== undefined) forms.push(related(html, inline, assembly));
  const [only] = forms;
  if (only === undefined)
    throw new MailInputError('body', 'text', 'no_content', 'give at least one of text and html');
  if (invitation !== null)
    forms.push(textEntity('calendar', invitation.text, `; method=${invitation.method}`, assembly));
  return forms.length === 1 ? only : multipart('alternative', [], forms, assembly);
}

interface Invitation {
  readonly text: BodyText;
  readonly method: string;
}

/** A token of IANA's: REQUEST, CANCEL, … */
const METHOD = /^[A-Za-z0-9-]{1,32}$/;

/**
 * The first calendar object with a method: as an alternative, mail programs show its buttons. It is sent as a
 * file too, for programs that do not.
 */
function invitationIn(attachments: readonly Attachment[]): Invitation | null {
  for (const { mediaType, content } of attachments) {
    const parameters = new Map<string, string>(mediaType.parameters);
    const method = parameters.get('method') ?? '';
    const charset = (parameters.get('charset') ?? 'utf-8').toLowerCase();
    if (mediaType.type !== 'text/calendar' || !METHOD.test(method)) continue;
    if (!['utf-8', 'us-ascii'].includes(charset) || !isUtf8(content)) continue;
    const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8');
    if (/^\ufeff?\s*BEGIN:VCALENDAR\b/i.test(text) && !text.includes('\0'))
      return { text: text.replace('\ufeff', '') as BodyText, method };
  }
  return null;
}

/** To some programs a calendar object twice in one message is two invitations; as a file it is not one. */
function asFile(attachment: Attachment): Attachment {
  const { mediaType } = attachment;
  if (invitationIn([attachment]) === null) return attachment;
  const parameters = mediaType.parameters.filter(([name]) => name !== 'method');
  return { ...attachment, mediaType: { type: 'application/ics', parameters } };
}

/** The html with what it refers to by `cid:`. RFC 2387 §3 */
function related(html: BodyText, inline: readonly Attachment[], assembly: Assembly): Entity {
  const root = textEntity('html', html, '', assembly);
  if (inline.length === 0) return root;
  const children = [root, ...inline.map((it) => attached(it, 'inline', assembly))];
  return multipart('related', [['type', 'text/html' as HeaderText]], children, assembly);
}

/** RFC 3676 §4 */
function formatOf(flowed: MessageContent['flowed']): string {
  return flowed === undefined ? '' : `; format=flowed${flowed === 'flowed-delsp' ? '; delsp=yes' : ''}`;
}

function textEntity(
  subtype: 'plain' | 'html' | 'calendar',
  text: BodyText,
  parameters: string,
  assembly: Assembly,
): Entity {
  const content = canonicalText(text);
  assembly.entities++;
  assembly.leaves.push({ mediaType: `text/${subtype}`, filename: null, content });
  const fields = `Content-Type: text/${subtype}; charset=utf-8${parameters}\r\nContent-Transfer-Encoding: quoted-printable\r\n`;
  const encoded = encodeQuotedPrintable(content);
  return { fields, body: [encoded], sizeBytes: encoded.length, endsInContent: true };
}

function attached(attachment: Attachment, disposition: 'attachment' | 'inline', assembly: Assembly): Entity {
  const { filename, mediaType, content, contentId } = attachment;
  assembly.entities++;
  assembly.leaves.push({ mediaType: mediaType.type, filename, content });
  let fields = parameterHeader('Content-Type', mediaType.type, mediaType.parameters);
  fields += 'Content-Transfer-Encoding: base64\r\n';
  fields += parameterHeader('Content-Disposition', disposition, [['filename', filename]]);
  if (contentId !== undefined)
    fields += `Content-ID:${contentId.length > 60 ? '\r\n' : ''} <${contentId}>\r\n`;
  const encoded = encodeBase64Lines(content);
  return { fields, body: [encoded], sizeBytes: encoded.length, endsInContent: false };
}

/**
 * `=_` stands in no line of quoted-printable or base64, so no content can hold the boundary. RFC 2046 §5.1.1
 */
function multipart(
  subtype: string,
  parameters: readonly (readonly [string, HeaderText])[],
  children: readonly Entity[],
  assembly: Assembly,
): Entity {
  assembly.entities++;
  const boundary = `=_${assembly.seed}_${++assembly.boundaries}` as HeaderText;
  const body: Uint8Array[] = [];
  let sizeBytes = 0;
  let delimiterBreak = '';
  for (const child of children) {
    const opening = Buffer.from(`${delimiterBreak}--${boundary}\r\n${child.fields}\r\n`);
    body.push(opening, ...child.body);
    sizeBytes += opening.length + child.sizeBytes;
    delimiterBreak = child.endsInContent ? '\r\n' : '';
  }
  const closing = Buffer.from(`${delimiterBreak}--${boundary}--\r\n`);
  body.push(closing);
  sizeBytes += closing.length;
  const fields = parameterHeader('Content-Type', `multipart/${subtype}`, [
    ...parameters,
    ['boundary', boundary],
  ]);
  return { fields, body, sizeBytes, endsInContent: false };
}
