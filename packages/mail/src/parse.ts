/**
 * A message/rfc822 submission, read into the same values that JSON gives, so that what is signed and sent is
 * what was parsed.
 *
 * postal-mime is the second opinion on addresses. The tree and the bodies are read here: 25 MiB of line feeds
 * make postal-mime exhaust a heap of 4 GiB, and it counts no parts.
 */
import { type Attachment, type AttachmentSource, createAttachment } from './attachment.ts';
import { type BodyPart, keepBody } from './body-tree.ts';
import type { MessageContent } from './compose.ts';
import { type BodyText, bodyText, type HeaderText, withoutUnfit } from './header-text.ts';
import { shownWords } from './header-words.ts';
import { MailInputError } from './input-error.ts';
import { FILENAME_MAX_BYTES, MESSAGE_MAX_BYTES } from './limits.ts';
import { type MessageFields, readMessageFields } from './message-fields.ts';
import { decodeContent, decodeText, isAttachment, readDisposition } from './mime-leaf.ts';
import { fieldValue, type HeaderField, type MimeEntity, readMimeTree, refuse } from './mime-tree.ts';
import { createWarnings, type MailWarning, type Warnings } from './warning.ts';

/** Ready for compose, with the facts that the message states about itself. */
export type ParsedMessage = MessageContent &
  Pick<MessageFields, 'headerCc' | 'submittedMessageId' | 'submittedDateMs'> & {
    /** Every field of the message's own header, as submitted. */
    readonly submittedHeader: readonly HeaderField[];
    readonly tree: BodyPart;
    /** Things that were dropped, guessed or changed. */
    readonly warnings: readonly MailWarning[];
  };

/**
 * The text and html found so far, and the alternative (or the leaf) that holds them: texts elsewhere are
 * attachments.
 */
type Body = { text?: BodyText; html?: BodyText; flowed?: MessageContent['flowed']; block?: MimeEntity };

type Reading = {
  body: Body;
  files: AttachmentSource[];
  contents: Map<MimeEntity, Uint8Array>;
  sealed: boolean;
};

type Place = { alternative: MimeEntity | null; inRelated: boolean };

/** Names for attachments that come without one. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['text/html', 'html'],
  ['text/calendar', 'ics'],
  ['text/csv', 'csv'],
  ['message/rfc822', 'eml'],
  ['application/pdf', 'pdf'],
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
]);

const MBOX_LINE = /^From [^\s:]+(?: +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) .*)?\r?$/;
const MBOX_LINE_MAX_BYTES = 512;

/**
 * Reads a raw message. Throws MailInputError: about `address` (From, To, Reply-To, Sender, Cc), `size` (over
 * 25 MiB) or `body` (no text and no attachment, syntax that readers disagree on, unknown encodings, over the
 * limits, signed or encrypted MIME that is not 7-bit and so cannot go out as it is). Never throws anything
 * else.
 */
export function parseMessage(raw: Uint8Array): ParsedMessage {
  if (raw.length > MESSAGE_MAX_BYTES) {
    const fix = `the message exceeds ${MESSAGE_MAX_BYTES / (1024 * 1024)} MiB: send less, or link to the files`;
    throw new MailInputError('size', 'message', 'too_large', fix);
  }
  const warnings = createWarnings();
  const root = readMimeTree(withoutMboxLine(raw), warnings);
  const reading: Reading = { body: {}, files: [], contents: new Map(), sealed: false };
  readPart(root, { alternative: null, inRelated: false }, reading);
  const attachments = attachmentsOf(reading);
  const { text, html, flowed } = reading.body;
  // A PDF from a scanner is a message: an attachment is content.
  const hasText = (text ?? '').trim() !== '' || (html ?? '').trim() !== '';
  if (!hasText && attachments.length === 0 && !reading.sealed)
    throw refuse('no_content', 'give text, html or an attachment');
  // Last: a bad address is reported only if the body is valid.
  const fields = readMessageFields(root.fields, warnings);
  const fileName = (name: string) => keptFilename(name, warnings);
  const tree = keepBody(root, { fileName, contents: reading.contents, warnings });
  const kept = { ...fields, submittedHeader: root.fields, text, html, flowed, attachments, tree };
  return { ...kept, warnings: warnings.found };
}

/**
 * The name as it came, white space included, without characters that no name may hold; null if nothing is
 * left or it is too long.
 */
function keptFilename(name: string, warnings: Warnings): HeaderText | null {
  const given = lastSegment(name);
  const kept = withoutUnfit(given);
  const isKept = isFilename(kept.trim());
  if (!isKept && given.trim() !== '') {
    const fix = `give one of 1 to ${FILENAME_MAX_BYTES} bytes`;
    const message = `A part was sent without its file name, which cannot be one: ${fix}.`;
    warnings.add({ code: 'name_changed', field: 'filename', message });
  } else if (kept !== given) {
    const fix = 'a file name has no control or invisible characters';
    const message = `The file name ${JSON.stringify(kept)} was sent without some of its characters: ${fix}.`;
    warnings.add({ code: 'name_changed', field: 'filename', message });
  }
  if (!isKept) return null;
  return Buffer.byteLength(kept) > FILENAME_MAX_BYTES ? (kept.trim() as HeaderText) : kept;
}

/**
 * `From address Thu Nov 20 …`, with which mailbox files start a message: no header, and no reader takes it
 * for one. RFC 4155 §A
 */
function withoutMboxLine(raw: Uint8Array): Uint8Array {
  const lineEnd = raw.subarray(0, MBOX_LINE_MAX_BYTES).indexOf(0x0a);
  if (lineEnd < 0) return raw;
  const line = Buffer.from(raw.subarray(0, lineEnd)).toString('latin1');
  return MBOX_LINE.test(line) ? raw.subarray(lineEnd + 1) : raw;
}

function readPart(entity: MimeEntity, place: Place, reading: Reading): void {
  const type = entity.type.value;
  // keepBody sends it unchanged, or refuses it.
  if (type === 'multipart/signed' || type === 'multipart/encrypted') {
    reading.sealed = true;
    return;
  }
  if (type.startsWith('multipart/')) {
    refuseEncodedMultipart(entity);
    const alternative = type === 'multipart/alternative' ? entity : place.alternative;
    const inRelated = place.inRelated || type === 'multipart/related';
    for (const child of entity.children) readPart(child, { alternative, inRelated }, reading);
    return;
  }
  const disposition = readDisposition(entity);
  const name = disposition.parameters.get('filename') ?? entity.type.parameters.get('name');
  const isText =
    (type === 'text/plain' || type === 'text/html') && !isAttachment(disposition) && name === undefined;
  if (isText && takeAsBody(entity, place, reading.body)) return;
  reading.files.push(readFile(entity, name, place, reading));
}

/** RFC 2045 §6.4: the parts are encoded, never the whole. */
function refuseEncodedMultipart(entity: MimeEntity): void {
  const encoding = fieldValue(entity, 'content-transfer-encoding') ?? '';
  if (/base64|quoted-printable/i.test(encoding))
    throw refuse('transfer_encoding', 'a multipart must not have a Content-Transfer-Encoding of its own');
}

/** False if the body has such a text already, or holds another block of the message. */
function takeAsBody(entity: MimeEntity, { alternative }: Place, body: Body): boolean {
  const block = alternative ?? entity;
  if (body.block !== undefined && body.block !== block) return false;
  const kind = entity.type.value === 'text/plain' ? 'text' : 'html';
  if (body[kind] !== undefined) return false;
  body.block = block;
  body[kind] = bodyText(decodeText(entity).text, kind);
  if (kind === 'text') body.flowed = flowedOf(entity);
  return true;
}

function flowedOf(entity: MimeEntity): MessageContent['flowed'] {
  const parameter = (name: string) => entity.type.parameters.get(name)?.toLowerCase();
  if (parameter('format') !== 'flowed') return undefined;
  return parameter('delsp') === 'yes' ? 'flowed-delsp' : 'flowed';
}

function readFile(
  entity: MimeEntity,
  name: string | undefined,
  place: Place,
  { files, contents }: Reading,
): AttachmentSource {
  const content = decodeContent(entity);
  contents.set(entity, content);
  const contentId = place.inRelated ? fieldValue(entity, 'content-id')?.replace(/^<|>$/g, '') : undefined;
  return {
    filename: safeFilename(name) ?? `part-${files.length + 1}.${EXTENSIONS.get(entity.type.value) ?? 'bin'}`,
    contentType: fieldValue(entity, 'content-type') || entity.type.value,
    content,
    contentId: contentId === '' ? undefined : contentId,
  };
}

/** Without html nothing can refer to a content id. */
function attachmentsOf({ body, files }: Reading): Attachment[] {
  return files.map((file, i) => {
    const contentId = body.html === undefined ? undefined : file.contentId;
    return createAttachment({ ...file, contentId }, `attachments[${i}]`);
  });
}

/** The part at a path. */
function lastSegment(name: string): string {
  return shownWords(name)
    .replace(/^.*[/\\]/s, '')
    .replaceAll('\t', ' ');
}

/** A name for an attachment, or null if it cannot be kept. */
function safeFilename(name: string | undefined): string | null {
  const base = withoutUnfit(lastSegment(name ?? '')).trim();
  return isFilename(base) ? base : null;
}

function isFilename(base: string): boolean {
  return base !== '' && base !== '.' && base !== '..' && Buffer.byteLength(base) <= FILENAME_MAX_BYTES;
}
