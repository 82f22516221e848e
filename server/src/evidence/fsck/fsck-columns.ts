import { isDeepStrictEqual } from 'node:util';
import { readEncodedWords } from '@acuse/evidence/encoded-words';
import { addressParser } from 'postal-mime';
import type { FsckContent, FsckLeafRow } from './fsck-leaf-store.ts';

/** Columns of a message that the API shows. */
export type ShownColumns = Pick<
  FsckLeafRow,
  | 'sizeBytes'
  | 'subject'
  | 'tags'
  | 'metadata'
  | 'templateId'
  | 'headerFrom'
  | 'headerTo'
  | 'senderAddress'
  | 'recipientAddress'
>;

/**
 * Compares the API's columns with the committed bytes: addresses and subject with the message, tags with the
 * request. Only for bytes that open the commitments. Pure.
 */
export function columnFaults(leaf: ShownColumns, { raw, submission }: FsckContent): string[] {
  const fields = headerFields(raw);
  const request = requestOf(submission);
  const faults: string[] = [];
  const compare = (name: string, committed: unknown, stored: unknown) => {
    if (committed !== stored && !isDeepStrictEqual(committed, stored))
      faults.push(fault(name, committed, stored));
  };
  compare('size_bytes', raw.length, leaf.sizeBytes);
  compare('subject', plain(decoded(fields.get('subject') ?? '')), plain(leaf.subject ?? ''));
  compare('tags', request.tags, leaf.tags);
  compare('metadata', request.metadata, leaf.metadata);
  compare('template_id', templateIdOf(request, leaf), leaf.templateId);
  const from = mailboxes(fields.get('from') ?? '');
  addressFault(faults, 'header_from', from, leaf.headerFrom);
  // Blind copies are only in the committed envelope, without a name.
  const to = ['to', 'cc'].flatMap((name) => mailboxes(fields.get(name) ?? ''));
  addressFault(faults, 'header_to', [...to, ...mailboxes(leaf.recipientAddress ?? '')], leaf.headerTo);
  addressFault(faults, 'sender_address', from, leaf.senderAddress, false);
  return faults;
}

/** More than any header section we compose. */
const HEADER_MAX_BYTES = 1024 * 1024;
const SHOWN_MAX_CHARS = 200;

function fault(name: string, committed: unknown, stored: unknown): string {
  return `${name}: the message says ${shown(committed)}, the column ${shown(stored)}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX_CHARS);
}

/** With continuation lines. Linear. */
const SHOWN_FIELDS = /^(?:from|to|cc|subject):[^\r\n\u2028\u2029]*(?:\r\n[ \t][^\r\n\u2028\u2029]*)*/gim;

/** Unfolded values of compared fields; the first counts, we compose no second. */
function headerFields(raw: Uint8Array): Map<string, string> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADER_MAX_BYTES));
  const end = bytes.indexOf('\r\n\r\n');
  const text = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  const fields = new Map<string, string>();
  for (const [field] of text.matchAll(SHOWN_FIELDS)) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    if (!fields.has(name))
      fields.set(
        name,
        field
          .slice(colon + 1)
          .replaceAll('\r\n', '')
          .trim(),
      );
  }
  return fields;
}

/** Folding may change white space. */
function plain(text: string): string {
  return isPlain(text) ? text : text.normalize('NFC').split(/\s+/).join(' ').trim();
}

/** Fast path for visible ASCII with single spaces. */
function isPlain(text: string): boolean {
  let before = SPACE;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || code > 0x7e || (code === SPACE && before === SPACE)) return false;
    before = code;
  }
  return before !== SPACE;
}

const SPACE = 0x20;

function addressFault(
  faults: string[],
  column: string,
  committed: readonly Mailbox[],
  stored: string | null,
  withName = true,
): void {
  const isCommitted = (one: Mailbox) =>
    committed.some((each) => each.address === one.address && (!withName || each.name === one.name));
  // Columns show names without quotes, so that a comma may belong to one.
  if (isCommitted(single(stored ?? ''))) return;
  const several = mailboxes(stored ?? '');
  if (several.length === 0 || !several.every(isCommitted)) faults.push(fault(column, committed, stored));
}

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** `Name <address>` or an address. */
function single(text: string): Mailbox {
  const at = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  if (at === -1) return { name: '', address: folded(text) };
  return { name: plain(text.slice(0, at)), address: folded(text.slice(at + 1, -1)) };
}

function folded(address: string): string {
  return (isPlain(address) ? address : address.normalize('NFC')).toLowerCase();
}

/** Cached, because senders repeat; cleared when full. */
const known = new Map<string, readonly Mailbox[]>();
const KNOWN_MAX = 256;
const KNOWN_MAX_CHARS = 512;

function mailboxes(text: string): readonly Mailbox[] {
  const found = known.get(text);
  if (found !== undefined) return found;
  const read = addressParser(text, { flatten: true }).map(({ name, address }) => ({
    name: plain(decoded(name ?? '')),
    address: folded(address ?? ''),
  }));
  if (known.size >= KNOWN_MAX) known.clear();
  if (text.length <= KNOWN_MAX_CHARS) known.set(text, read);
  return read;
}

function decoded(text: string): string {
  return readEncodedWords(text);
}

interface RequestFacts {
  readonly tags: readonly string[];
  readonly metadata: object;
  readonly templateId: string | null;
  /** Chosen by name, which does not reveal its id. */
  readonly templateIsNamed: boolean;
}

/** message/rfc822 has no tags. */
const UNTAGGED: RequestFacts = {
  tags: [],
  metadata: {},
  templateId: null,
  templateIsNamed: false,
};

/** A reused name may have another id now: only its presence is compared. */
function templateIdOf(request: RequestFacts, leaf: ShownColumns): string | null {
  return request.templateIsNamed ? (leaf.templateId ?? 'that of a template') : request.templateId;
}

/** The names of these fields in JSON, unless escaped. */
const NAMES = ['"tags"', '"metadata"', '"template'].map((name) => Buffer.from(name));
/** Only \u can write a letter differently. RFC 8259 §7 */
const ESCAPE = Buffer.from('\\u');

function requestOf(submission: Uint8Array): RequestFacts {
  const bytes = Buffer.from(submission.buffer, submission.byteOffset, submission.length);
  // Most requests have none: the search takes a fifth of the parsing.
  if (!bytes.includes(ESCAPE) && !NAMES.some((name) => bytes.includes(name))) return UNTAGGED;
  try {
    const request = JSON.parse(bytes.toString('utf8'));
    const { tags, metadata, template_id: templateId, template } = request;
    return {
      tags: tags ?? [],
      metadata: metadata ?? {},
      templateId: templateId ?? null,
      templateIsNamed: typeof template === 'string',
    };
  } catch {
    return UNTAGGED;
  }
}
