import { isDeepStrictEqual } from 'node:util';
import { addressParser, decodeWords } from 'postal-mime';
import type { FsckContent, FsckLeafRow } from './fsck-leaf-store.ts';

/**
 * The columns that the API shows of a message, held against the bytes that its leaf commits to: what was sent
 * says who wrote to whom about what, the request says how it was tagged. Call it once the bytes are known to
 * open the commitments. Pure.
 */
export function columnFaults(leaf: FsckLeafRow, { raw, submission }: FsckContent): string[] {
  const fields = headerFields(raw);
  const request = requestOf(submission);
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ['size_bytes', raw.length, leaf.sizeBytes],
    ['subject', plain(decoded(fields.get('subject') ?? '')), plain(leaf.subject ?? '')],
    ['tags', request.tags, leaf.tags],
    ['metadata', request.metadata, leaf.metadata],
    ['template_id', templateIdOf(request, leaf), leaf.templateId],
  ];
  return [
    ...facts.flatMap(([name, committed, stored]) =>
      isDeepStrictEqual(committed, stored) ? [] : [fault(name, committed, stored)],
    ),
    ...addressFaults('header_from', named(fields, 'from'), leaf.headerFrom),
    // Who got a blind copy is in no header, but in the envelope that the leaf commits to, without a name.
    ...addressFaults(
      'header_to',
      [...named(fields, 'to', 'cc'), ...mailboxes(leaf.recipientAddress ?? '')],
      leaf.headerTo,
    ),
    ...addressFaults('sender_address', named(fields, 'from'), leaf.senderAddress, false),
  ];
}

/** Octets of a header section that are looked at: more than any that we compose. */
const HEADER_MAX_BYTES = 1024 * 1024;
/** Longer values are cut in a finding. */
const SHOWN_MAX_CHARS = 200;

function fault(name: string, committed: unknown, stored: unknown): string {
  return `${name}: the message says ${shown(committed)}, the column ${shown(stored)}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX_CHARS);
}

/** With its continuation lines. Linear: each character can be taken in one way only. */
const SHOWN_FIELDS = /^(?:from|to|cc|subject):[^\r\n\u2028\u2029]*(?:\r\n[ \t][^\r\n\u2028\u2029]*)*/gim;

/**
 * Unfolded values of the fields that columns repeat, by name in lower case; the first of a name counts, a
 * second one is never composed.
 */
function headerFields(raw: Uint8Array): Map<string, string> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADER_MAX_BYTES));
  const end = bytes.indexOf('\r\n\r\n');
  const text = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  const fields = new Map<string, string>();
  for (const [field] of text.matchAll(SHOWN_FIELDS)) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon).toLowerCase();
    if (!fields.has(name)) fields.set(name, field.slice(colon + 1).replaceAll('\r\n', ''));
  }
  return fields;
}

/** White space is what folding may change. */
function plain(text: string): string {
  return text.normalize('NFC').split(/\s+/).join(' ').trim();
}

function named(fields: ReadonlyMap<string, string>, ...names: readonly string[]): Mailbox[] {
  return names.flatMap((name) => mailboxes(fields.get(name) ?? ''));
}

/** What one column names must be in the message, by the same name. */
function addressFaults(
  column: string,
  committed: readonly Mailbox[],
  stored: string | null,
  withName = true,
): string[] {
  const isCommitted = (one: Mailbox) =>
    committed.some((each) => each.address === one.address && (!withName || each.name === one.name));
  // A column shows names without the quotes that a header has round them, so that a comma may be part of one.
  if (isCommitted(single(stored ?? ''))) return [];
  const several = mailboxes(stored ?? '');
  return several.length > 0 && several.every(isCommitted) ? [] : [fault(column, committed, stored)];
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
  return address.normalize('NFC').toLowerCase();
}

/** What fields read as: a sender's are the same from message to message. Forgotten when it is full. */
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
  return text.includes('=?') ? decodeWords(text) : text;
}

interface RequestFacts {
  readonly tags: readonly string[];
  readonly metadata: object;
  readonly templateId: string | null;
  /** Chosen by its name, which says nothing of its id. */
  readonly templateIsNamed: boolean;
}

/** A message/rfc822 body tags nothing. */
const UNTAGGED: RequestFacts = {
  tags: [],
  metadata: {},
  templateId: null,
  templateIsNamed: false,
};

/** A name may have become another template's: that there was one is what the request says. */
function templateIdOf(request: RequestFacts, leaf: FsckLeafRow): string | null {
  return request.templateIsNamed ? (leaf.templateId ?? 'that of a template') : request.templateId;
}

function requestOf(submission: Uint8Array): RequestFacts {
  try {
    const request = JSON.parse(Buffer.from(submission).toString('utf8'));
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
