/** `archive.json`: what an archive consists of. docs/archive-format.md */
import { EvidenceError } from './errors.ts';
import { type Json, jcsBytes, parseCanonical } from './jcs.ts';
import {
  HEX_32_BYTES,
  readArray,
  readInteger,
  readNullable,
  readObject,
  readOneOf,
  readString,
  readTime,
  UUID,
} from './read-json.ts';

const ARCHIVE_TYPE = 'acuse/archive/v1';
export const ARCHIVE_INDEX = 'archive.json';
export const MAX_INDEX_BYTES = 32 * 1024 * 1024;
const MAX_OBJECTS = 65_536;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
const CHECK = 'archive';

/** `state`: see MessageState. `first`, `last`: ids. */
export type ArchivePart = {
  sha256: string;
  size: number;
  messages: number;
  first: string;
  last: string;
  state: string;
};

export type ArchiveIndex = {
  tenantId: string;
  /** YYYY-MM, UTC. */
  month: string;
  /** When everything of the month was in it; null: never yet. */
  completeAt: string | null;
  /** Ascending by id. */
  parts: readonly ArchivePart[];
  /** SHA-256 of each object with renewals. */
  renewals: readonly { sha256: string; size: number }[];
  /** Objects that may be there and belong to nothing: about to be written, or to be deleted. */
  pending: readonly string[];
};

export function isArchiveMonth(text: string): boolean {
  return MONTH.test(text);
}

export function formatArchiveIndex(index: ArchiveIndex): Uint8Array {
  return jcsBytes({
    complete_at: index.completeAt,
    month: index.month,
    parts: index.parts,
    pending: index.pending,
    renewals: index.renewals,
    tenant_id: index.tenantId,
    type: ARCHIVE_TYPE,
  });
}

/** Throws EvidenceError `archive`, naming the field. */
export function parseArchiveIndex(bytes: Uint8Array): ArchiveIndex {
  const fields = ['complete_at', 'month', 'parts', 'pending', 'renewals', 'tenant_id', 'type'];
  const root = readObject(parseCanonical(bytes, CHECK), CHECK, fields);
  readOneOf(root['type'], CHECK, 'type', [ARCHIVE_TYPE]);
  const parts = readArray(root['parts'], CHECK, 'parts', MAX_OBJECTS).map(readPart);
  for (const [i, { first, last }] of parts.entries())
    if (last < first || (i > 0 && first <= parts[i - 1]!.last))
      throw new EvidenceError(CHECK, 'parts are not in the order of their messages');
  const renewals = readArray(root['renewals'], CHECK, 'renewals', MAX_OBJECTS).map((value) => {
    const { sha256, size } = readObject(value, CHECK, ['sha256', 'size']);
    return { sha256: readHash(sha256), size: readInteger(size, CHECK, 'size') };
  });
  const listed = [...parts, ...renewals].map(({ sha256 }) => sha256);
  if (new Set(listed).size !== listed.length) throw new EvidenceError(CHECK, 'an object is listed twice');
  return {
    tenantId: readString(root['tenant_id'], CHECK, 'tenant_id', UUID),
    month: readString(root['month'], CHECK, 'month', MONTH),
    completeAt: readNullable(root['complete_at'], (value) => readTime(value, CHECK, 'complete_at')),
    parts,
    renewals,
    pending: readArray(root['pending'], CHECK, 'pending', MAX_OBJECTS).map(readHash),
  };
}

function readPart(value: Json): ArchivePart {
  const fields = ['first', 'last', 'messages', 'sha256', 'size', 'state'];
  const part = readObject(value, CHECK, fields);
  return {
    sha256: readHash(part['sha256']),
    size: readInteger(part['size'], CHECK, 'size'),
    messages: readInteger(part['messages'], CHECK, 'messages'),
    first: readString(part['first'], CHECK, 'first', UUID),
    last: readString(part['last'], CHECK, 'last', UUID),
    state: readHash(part['state']),
  };
}

const readHash = (value: Json | undefined) => readString(value, CHECK, 'sha256', HEX_32_BYTES);
