/** The part of ZIP that a bundle needs: read with every size known before a byte is inflated, written always the same. PKWARE APPNOTE 6.3 */
import { Inflate } from 'fflate';
import { concat, decodeAscii, utf8 } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { EvidenceError } from './errors.ts';

export type ZipEntry = { name: string; bytes: Uint8Array };

/** Bytes inflated of `name`; called before anything is inflated. Undefined: no such entry may be there. */
export type EntryLimit = (name: string) => number | undefined;

/** Throughout a file. */
export type ZipLimits = { entries: number; totalBytes: number; entryBytes: EntryLimit };

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_RECORD = 0x06054b50;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD_BYTES = 22;

const STORED = 0;
const DEFLATED = 8;
/** Bit 0: encrypted; 6: strongly encrypted; 13: header masked. */
const ENCRYPTED_FLAGS = 0x2041;

/** Compressed bytes inflated at a time: what comes out of them (at most 1032 times as much) is all that is held too much. */
const INFLATE_STEP = 4 * 1024;

type Place = { name: string; method: number; crc: number; packed: number; size: number; offset: number };

/**
 * The files of a ZIP in its own order; directory entries are passed over. Throws EvidenceError `bundle` for a ZIP that is damaged,
 * encrypted, spanned, a ZIP64, has an entry twice, overlapping ones, or more than the limits allow.
 */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] {
  const places = readDirectory(bytes, limits);
  assertApart(places);
  return places.map((place) => ({ name: place.name, bytes: readContent(bytes, place) }));
}

function readDirectory(bytes: Uint8Array, limits: ZipLimits): Place[] {
  const view = viewOf(bytes);
  const end = bytes.length - END_RECORD_BYTES;
  // No comment: then the end record is at the end, and no second one can be hidden before it.
  if (end < 0 || view.getUint32(end, true) !== END_RECORD || view.getUint16(end + 20, true) !== 0)
    throw refusal('does not end as a ZIP without a comment does');
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (view.getUint32(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count)
    throw refusal('is spread over several files');
  if (count > limits.entries) throw refusal(`has more than ${limits.entries} entries`);
  if (start + view.getUint32(end + 12, true) !== end)
    throw refusal('its directory is not where it should be');
  const places: Place[] = [];
  const names = new Set<string>();
  let at = start;
  let total = 0;
  for (let i = 0; i < count; i++) {
    const { place, next } = readDirectoryEntry(bytes, view, at, end);
    at = next;
    if (place.name.endsWith('/') && place.size === 0) continue;
    const limit = limits.entryBytes(place.name);
    if (limit === undefined) throw refusal(`has the unknown entry ${shown(place.name)}`);
    if (names.has(place.name)) throw refusal(`has ${shown(place.name)} twice`);
    names.add(place.name);
    total += place.size;
    if (place.size > limit) throw refusal(`${shown(place.name)} is larger than ${limit} bytes`);
    if (total > limits.totalBytes) throw refusal(`holds more than ${limits.totalBytes} bytes`);
    places.push(place);
  }
  if (at !== end) throw refusal('its directory has another length than it says');
  return places;
}

function readDirectoryEntry(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  end: number,
): { place: Place; next: number } {
  if (at + CENTRAL_HEADER_BYTES > end || view.getUint32(at, true) !== CENTRAL_HEADER)
    throw refusal('its directory is damaged');
  const nameLength = view.getUint16(at + 28, true);
  const next =
    at + CENTRAL_HEADER_BYTES + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  if (next > end) throw refusal('its directory is damaged');
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const packed = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  if ((flags & ENCRYPTED_FLAGS) !== 0) throw refusal('is encrypted');
  if (method !== STORED && method !== DEFLATED) throw refusal('is compressed in an unknown way');
  if (method === STORED && packed !== size) throw refusal('an entry has two sizes');
  const name = decodeAscii(bytes.subarray(at + CENTRAL_HEADER_BYTES, at + CENTRAL_HEADER_BYTES + nameLength));
  const place = {
    name,
    method,
    crc: view.getUint32(at + 16, true),
    packed,
    size,
    offset: view.getUint32(at + 42, true),
  };
  return { place, next };
}

/** One stretch of bytes told as many entries is how a small bomb is made large. */
function assertApart(places: readonly Place[]): void {
  const byOffset = [...places].sort((a, b) => a.offset - b.offset);
  let free = 0;
  for (const { offset, name, packed } of byOffset) {
    if (offset < free) throw refusal('its entries overlap');
    free = offset + LOCAL_HEADER_BYTES + name.length + packed;
  }
}

function readContent(bytes: Uint8Array, place: Place): Uint8Array {
  const view = viewOf(bytes);
  const { offset, name } = place;
  if (offset + LOCAL_HEADER_BYTES > bytes.length || view.getUint32(offset, true) !== LOCAL_HEADER)
    throw refusal(`${shown(name)} is not where its directory says`);
  const nameLength = view.getUint16(offset + 26, true);
  const nameStart = offset + LOCAL_HEADER_BYTES;
  const start = nameStart + nameLength + view.getUint16(offset + 28, true);
  if (
    decodeAscii(bytes.subarray(nameStart, nameStart + nameLength)) !== name ||
    view.getUint16(offset + 8, true) !== place.method ||
    start + place.packed > bytes.length
  )
    throw refusal(`${shown(name)} is not what its directory says`);
  const packed = bytes.subarray(start, start + place.packed);
  const content = place.method === STORED ? new Uint8Array(packed) : inflate(packed, place);
  if (crc32(content) !== place.crc) throw refusal(`${shown(name)} is damaged`);
  return content;
}

function inflate(packed: Uint8Array, { name, size }: Place): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  const inflater = new Inflate((chunk) => {
    if (at + chunk.length > size) throw refusal(`${shown(name)} is larger than it says`);
    out.set(chunk, at);
    at += chunk.length;
  });
  try {
    for (let i = 0; i < packed.length; i += INFLATE_STEP)
      inflater.push(packed.subarray(i, i + INFLATE_STEP), i + INFLATE_STEP >= packed.length);
  } catch (cause) {
    throw cause instanceof EvidenceError ? cause : refusal(`${shown(name)} is damaged`, cause);
  }
  if (at !== size) throw refusal(`${shown(name)} is smaller than it says`);
  return out;
}

/** 1980-01-01, the first day that ZIP knows: the same entries make the same bytes. */
const DOS_DATE = 0x0021;
/** Made on Unix by version 2.0; needs version 1.0; a plain file that its owner may write. */
const MADE_BY = (3 << 8) | 20;
const NEEDED = 10;
const FILE_MODE = 0o100644;

/** Entries are stored, not deflated: nothing about the file depends on a compressor. Names are ASCII. */
export function writeZip(entries: readonly ZipEntry[]): Uint8Array {
  const chunks: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const nameBytes = utf8(name);
    const common = [NEEDED, 0, STORED, 0, DOS_DATE];
    const sizes = [crc32(bytes), bytes.length, bytes.length];
    const local = record(LOCAL_HEADER, common, sizes, [nameBytes.length, 0]);
    const central = concat(
      record(CENTRAL_HEADER, [MADE_BY, ...common], sizes, [nameBytes.length, 0, 0, 0, 0]),
      words32([(FILE_MODE << 16) >>> 0, offset]),
    );
    chunks.push(local, nameBytes, bytes);
    directory.push(central, nameBytes);
    offset += local.length + nameBytes.length + bytes.length;
  }
  const directoryBytes = concat(...directory);
  const end = concat(
    record(END_RECORD, [0, 0, entries.length, entries.length], [directoryBytes.length, offset], [0]),
  );
  return concat(...chunks, directoryBytes, end);
}

/** A signature, 16-bit words, 32-bit words, 16-bit words again: the shape of all ZIP records. */
function record(
  signature: number,
  first: readonly number[],
  wide: readonly number[],
  last: readonly number[],
): Uint8Array {
  return concat(words32([signature]), words16(first), words32(wide), words16(last));
}

function words16(values: readonly number[]): Uint8Array {
  const out = new Uint8Array(2 * values.length);
  for (const [i, value] of values.entries()) new DataView(out.buffer).setUint16(2 * i, value, true);
  return out;
}

function words32(values: readonly number[]): Uint8Array {
  const out = new Uint8Array(4 * values.length);
  for (const [i, value] of values.entries()) new DataView(out.buffer).setUint32(4 * i, value, true);
  return out;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function refusal(detail: string, cause?: unknown): EvidenceError {
  return new EvidenceError('bundle', `the ZIP ${detail}`, cause === undefined ? undefined : { cause });
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
