/**
 * `openings.json`: opens a message's commitments. Separate from the hashed manifest, so that commitments can
 * be opened one by one, or never after an erasure.
 */
import { type Sha256, toHex, utf8 } from './bytes.ts';
import { commitmentOf, deriveSalt, type Opening, openingOf } from './commitment.ts';
import { EvidenceError } from './errors.ts';
import { type Json, jcsBytes, parseCanonical } from './jcs.ts';
import { type MessageLayers, messageLayers, type PartFacts, partFactsHash } from './layers.ts';
import { MAX_ENTITIES } from './mime-parts.ts';
import {
  HEX_32_BYTES,
  type JsonObject,
  readArray,
  readInteger,
  readNullable,
  readObject,
  readOneOf,
  readOpening,
  readOpeningFields,
  readString,
} from './read-json.ts';

export const OPENINGS_TYPE = 'acuse/openings/v1';

/** As many as a bundle has outcomes at most. */
const MAX_WITHHELD = 32;

/** Labels of parts, as constants: messages have few, so each label is one string. */
const PART_LABELS = Array.from({ length: MAX_ENTITIES }, (_, index) => `mail.parts.${index}`);

/** Labels of the salts of one message. */
export const LABEL = {
  mailFrom: 'envelope.mail_from',
  rcptTo: 'envelope.rcpt_to',
  body: 'mail.body',
  header: 'mail.header',
  part: (index: number) => PART_LABELS[index] ?? `mail.parts.${index}`,
  raw: 'mail.raw',
  submission: 'submission',
} as const;

/**
 * The content of a message's commitments. `raw`: from `Service-Evidence:` to the end, CRLF. `submission`: the
 * request's bytes.
 */
export type MessageContent = { raw: Uint8Array; submission: Uint8Array; mailFrom: string; rcptTo: string };

/** The commitments of a message's manifest, hex. */
export type MessageCommitments = {
  envelope: { mail_from: string; rcpt_to: string };
  mail: { body: string; header: string; parts: readonly string[]; raw: string };
  submission: string;
};

export type ContentHashes = MessageLayers & {
  submission: Uint8Array;
  mailFrom: Uint8Array;
  rcptTo: Uint8Array;
};

export type PartOpening = PartFacts & { index: number; salt: string };
export type ValueOpening = Opening & { value: string };

/**
 * `complete`: everything is opened. `disclosed`: parts are closed on purpose. `erased`: the operator deleted
 * the openings.
 */
export type ContentState = 'complete' | 'disclosed' | 'erased';

export type Openings = {
  canonical_hash: string;
  content: ContentState;
  envelope: { mail_from?: ValueOpening; rcpt_to?: ValueOpening };
  mail: { body?: Opening; header?: Opening; parts: readonly PartOpening[]; raw?: Opening };
  submission?: Opening;
  type: typeof OPENINGS_TYPE;
  /** Canonical hashes of the message's last outcomes, which the maker of this bundle left out; hex. */
  withheld?: readonly string[];
};

export function contentHashes(content: MessageContent, sha256: Sha256): ContentHashes {
  const { raw, header, body, parts } = messageLayers(content.raw, sha256);
  return {
    raw,
    header,
    body,
    parts,
    submission: sha256(content.submission),
    mailFrom: sha256(utf8(content.mailFrom)),
    rcptTo: sha256(utf8(content.rcptTo)),
  };
}

/** Opens everything. `secret`: the 32 bytes that the manifest was made with. `canonicalHash`: hex. */
export function openMessage(
  canonicalHash: string,
  content: MessageContent,
  secret: Uint8Array,
  sha256: Sha256,
): Openings {
  const hashes = contentHashes(content, sha256);
  const open = (label: string, hash: Uint8Array) => openingOf(secret, label, hash, sha256);
  return {
    canonical_hash: canonicalHash,
    content: 'complete',
    envelope: {
      mail_from: { ...open(LABEL.mailFrom, hashes.mailFrom), value: content.mailFrom },
      rcpt_to: { ...open(LABEL.rcptTo, hashes.rcptTo), value: content.rcptTo },
    },
    mail: {
      body: open(LABEL.body, hashes.body),
      header: open(LABEL.header, hashes.header),
      parts: hashes.parts.map((facts, index) => ({
        ...facts,
        index,
        salt: toHex(deriveSalt(secret, LABEL.part(index), sha256)),
      })),
      raw: open(LABEL.raw, hashes.raw),
    },
    submission: open(LABEL.submission, hashes.submission),
    type: OPENINGS_TYPE,
  };
}

/** Openings of a bundle whose content and secret are erased. */
export function erasedOpenings(canonicalHash: string): Openings {
  return {
    canonical_hash: canonicalHash,
    content: 'erased',
    envelope: {},
    mail: { parts: [] },
    type: OPENINGS_TYPE,
  };
}

/** Only these parts opened, by their index in document order. */
export function discloseParts(openings: Openings, indexes: readonly number[]): Openings {
  const parts = openings.mail.parts.filter(({ index }) => indexes.includes(index));
  if (parts.length !== new Set(indexes).size)
    throw new EvidenceError('openings', 'no such part, or it is not opened here');
  return { ...erasedOpenings(openings.canonical_hash), content: 'disclosed', mail: { parts } };
}

export function formatOpenings(openings: Openings): Uint8Array {
  return jcsBytes(openings);
}

/**
 * Throws EvidenceError `openings` for bytes that are not exactly such a document; nothing is compared with a
 * manifest.
 */
export function parseOpenings(bytes: Uint8Array): Openings {
  const check = 'openings';
  const fields = ['canonical_hash', 'content', 'envelope', 'mail', 'type'];
  const root = readObject(parseCanonical(bytes, check), check, fields, ['submission', 'withheld']);
  const envelope = readObject(root['envelope'], check, [], ['mail_from', 'rcpt_to']);
  const mail = readObject(root['mail'], check, ['parts'], ['body', 'header', 'raw']);
  const content = readOneOf(root['content'], check, 'content', ['complete', 'disclosed', 'erased']);
  return {
    canonical_hash: readString(root['canonical_hash'], check, 'canonical_hash', HEX_32_BYTES),
    content,
    envelope: {
      ...readIfPresent(envelope, 'mail_from', readValueOpening),
      ...readIfPresent(envelope, 'rcpt_to', readValueOpening),
    },
    mail: {
      ...readIfPresent(mail, 'body', (value) => readOpening(value, check)),
      ...readIfPresent(mail, 'header', (value) => readOpening(value, check)),
      ...readIfPresent(mail, 'raw', (value) => readOpening(value, check)),
      parts: readArray(mail['parts'], check, 'parts', MAX_ENTITIES).map(readPartOpening),
    },
    ...readIfPresent(root, 'submission', (value) => readOpening(value, check)),
    type: readOneOf(root['type'], check, 'type', [OPENINGS_TYPE]),
    ...readIfPresent(root, 'withheld', (value) => readWithheld(value, content)),
  };
}

function readWithheld(value: Json | undefined, content: ContentState): readonly string[] {
  const list = readArray(value, 'openings', 'withheld', MAX_WITHHELD);
  if (list.length === 0 || content !== 'disclosed')
    throw new EvidenceError('openings', 'withheld is empty, or the content is not said to be disclosed');
  return list.map((hash) => readString(hash, 'openings', 'withheld', HEX_32_BYTES));
}

function readIfPresent<K extends string, T>(
  object: JsonObject,
  key: K,
  read: (value: Json | undefined) => T,
): { [P in K]?: T } {
  return (Object.hasOwn(object, key) ? { [key]: read(object[key]) } : {}) as { [P in K]?: T };
}

function readValueOpening(value: Json | undefined): ValueOpening {
  const object = readObject(value, 'openings', ['salt', 'sha256', 'value']);
  return {
    ...readOpeningFields(object, 'openings'),
    value: readString(object['value'], 'openings', 'value'),
  };
}

function readPartOpening(value: Json): PartOpening {
  const fields = ['filename', 'index', 'media_type', 'salt', 'sha256', 'size'];
  const object = readObject(value, 'openings', fields);
  return {
    ...readOpeningFields(object, 'openings'),
    filename: readNullable(object['filename'], (name) => readString(name, 'openings', 'filename')),
    index: readInteger(object['index'], 'openings', 'index'),
    media_type: readString(object['media_type'], 'openings', 'media_type'),
    size: readInteger(object['size'], 'openings', 'size'),
  };
}

/** The commitment to a part: over the canonical JSON of its facts. */
export function partCommitment(part: PartOpening, sha256: Sha256): string {
  return commitmentOf({ salt: part.salt, sha256: toHex(partFactsHash(part, sha256)) }, sha256);
}

/**
 * Throws EvidenceError `openings` unless each opening opens its commitment in the manifest, and as many are
 * opened as `content` says. Does not read the content itself.
 */
export function assertOpens(
  openings: Openings,
  manifest: MessageCommitments,
  canonicalHash: string,
  sha256: Sha256,
): void {
  if (openings.canonical_hash !== canonicalHash)
    throw new EvidenceError('openings', 'belong to another manifest');
  const { envelope, mail, submission } = openings;
  const wholes: [string, Opening | undefined, string][] = [
    ['envelope.mail_from', envelope.mail_from, manifest.envelope.mail_from],
    ['envelope.rcpt_to', envelope.rcpt_to, manifest.envelope.rcpt_to],
    ['mail.body', mail.body, manifest.mail.body],
    ['mail.header', mail.header, manifest.mail.header],
    ['mail.raw', mail.raw, manifest.mail.raw],
    ['submission', submission, manifest.submission],
  ];
  for (const [name, opening, commitment] of wholes)
    if (opening !== undefined && commitmentOf(opening, sha256) !== commitment)
      throw new EvidenceError('openings', `${name} does not open its commitment`);
  for (const [name, value] of Object.entries(envelope))
    if (toHex(sha256(utf8(value.value))) !== value.sha256)
      throw new EvidenceError('openings', `envelope.${name} is another address`);
  assertPartsOpen(mail.parts, manifest.mail.parts, sha256);
  assertContentState(openings, wholes, manifest.mail.parts.length);
}

function assertPartsOpen(
  parts: readonly PartOpening[],
  commitments: readonly string[],
  sha256: Sha256,
): void {
  let last = -1;
  for (const part of parts) {
    if (part.index <= last || part.index >= commitments.length)
      throw new EvidenceError('openings', 'the parts are not in order, or there is one too many');
    if (partCommitment(part, sha256) !== commitments[part.index])
      throw new EvidenceError('openings', `mail.parts.${part.index} does not open its commitment`);
    last = part.index;
  }
}

function assertContentState(
  { content, mail }: Openings,
  wholes: readonly [string, Opening | undefined, string][],
  partCount: number,
): void {
  const opened = wholes.filter(([, opening]) => opening !== undefined).length + mail.parts.length;
  const all = wholes.length + partCount;
  if (content === 'complete' && opened !== all)
    throw new EvidenceError(
      'openings',
      `only ${opened} of ${all} commitments are opened, in a complete bundle`,
    );
  if (content === 'erased' && opened > 0)
    throw new EvidenceError('openings', 'commitments are opened that are said to be erased');
}
