/**
 * The part of ZIP that a bundle needs: read with every size known before a byte is inflated, written always
 * the same. PKWARE APPNOTE 6.3
 */
import { concat, decodeAscii, equalBytes, utf8 } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { EvidenceError } from './errors.ts';
import { InflateError, type InflateFault, inflate } from './inflate.ts';

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
/** Bits 1 and 2: how hard the packer tried; 11: the name is UTF-8, and ours are ASCII. */
const HARMLESS_FLAGS = 0x0806;

/** The upper half of the external attributes is a mode on Unix: kind of file above, permissions below. */
const MODE_KIND = 0o170000;
const REGULAR_FILE = 0o100000;
const PERMISSIONS = 0o777;
/** MS-DOS: volume label, directory. */
const DOS_KINDS = 0x18;

/** `at`: of its entry in the directory. */
type Place = {
  name: string;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
  at: number;
};

/**
 * The files of a ZIP in its own order. Throws EvidenceError `bundle` for whatever two programs could read two
 * ways: each byte belongs to exactly one entry, the directory or the end record, both headers of an entry say
 * the same, and entries are plain files.
 */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] {
  const { places, start } = readDirectory(bytes, limits);
  assertSeamless(places, start);
  return places.map((place) => ({ name: place.name, bytes: readContent(bytes, place) }));
}

function readDirectory(bytes: Uint8Array, limits: ZipLimits): { places: Place[]; start: number } {
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
    throw refusal('its directory is not at the position that it states');
  const places: Place[] = [];
  const names = new Set<string>();
  let at = start;
  let total = 0;
  for (let i = 0; i < count; i++) {
    const { place, next } = readDirectoryEntry(bytes, view, at, end);
    at = next;
    const limit = limits.entryBytes(place.name);
    if (limit === undefined) throw refusal(`has the unknown entry ${shown(place.name)}`);
    // On a file system that ignores case, two such names are one file.
    const folded = place.name.toLowerCase();
    if (names.has(folded)) throw refusal(`has ${shown(place.name)} twice`);
    names.add(folded);
    total += place.size;
    if (place.size > limit) throw refusal(`${shown(place.name)} is larger than ${limit} bytes`);
    if (total > limits.totalBytes) throw refusal(`holds more than ${limits.totalBytes} bytes`);
    places.push(place);
  }
  if (at !== end) throw refusal('its directory has another length than it says');
  return { places, start };
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
  const next = at + CENTRAL_HEADER_BYTES + nameLength;
  if (next > end) throw refusal('its directory is damaged');
  const name = decodeAscii(bytes.subarray(at + CENTRAL_HEADER_BYTES, next));
  // Extra fields can say another name or other sizes than the header, and a disk number another file.
  if (view.getUint32(at + 30, true) !== 0 || view.getUint16(at + 34, true) !== 0)
    throw refusal(
      `${shown(name)} has extra fields, a comment or a disk of its own: another program packed it`,
    );
  assertPlainFile(view, at, name);
  const method = view.getUint16(at + 10, true);
  const packed = view.getUint32(at + 20, true);
  const size = view.getUint32(at + 24, true);
  if (method !== STORED && method !== DEFLATED) throw refusal('is compressed in an unknown way');
  if (method === STORED && packed !== size) throw refusal('an entry has two sizes');
  const crc = view.getUint32(at + 16, true);
  return { place: { name, method, crc, packed, size, offset: view.getUint32(at + 42, true), at }, next };
}

function assertPlainFile(view: DataView, at: number, name: string): void {
  const flags = view.getUint16(at + 8, true);
  if ((flags & ENCRYPTED_FLAGS) !== 0) throw refusal('is encrypted');
  if ((flags & ~HARMLESS_FLAGS) !== 0)
    throw refusal(
      `${shown(name)} has flags that a plain entry does not have, such as sizes after its content`,
    );
  const attributes = view.getUint32(at + 38, true);
  if ((attributes & DOS_KINDS) !== 0 || name.endsWith('/'))
    throw refusal(`${shown(name)} is a folder, and a bundle holds files alone`);
  const mode = attributes >>> 16;
  const kind = mode & MODE_KIND;
  if ((kind !== 0 && kind !== REGULAR_FILE) || (mode & ~(MODE_KIND | PERMISSIONS)) !== 0)
    throw refusal(`${shown(name)} is a link or another thing that is not a plain file`);
}

/**
 * From the first byte to the directory one entry follows the other: nothing hides before, between or behind
 * them, and none share bytes.
 */
function assertSeamless(places: readonly Place[], directory: number): void {
  let free = 0;
  for (const { offset, name, packed } of places.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < free) throw refusal('its entries overlap');
    if (offset > free) throw refusal(`has bytes before ${shown(name)} that belong to no entry`);
    free = offset + LOCAL_HEADER_BYTES + name.length + packed;
  }
  if (free !== directory)
    throw refusal('has bytes before its directory that belong to no entry, or entries inside it');
}

function readContent(bytes: Uint8Array, place: Place): Uint8Array {
  const view = viewOf(bytes);
  const { offset, name, at } = place;
  if (view.getUint32(offset, true) !== LOCAL_HEADER)
    throw refusal(`${shown(name)} is not where its directory says`);
  const start = offset + LOCAL_HEADER_BYTES + name.length;
  // Version, flags, method, time, sum, sizes, name's length: what stands before the content is what the
  // directory says, to the bit.
  const local = bytes.subarray(offset + 4, offset + 28);
  const sameName = decodeAscii(bytes.subarray(offset + LOCAL_HEADER_BYTES, start)) === name;
  if (!sameName || !equalBytes(local, bytes.subarray(at + 6, at + 30)))
    throw refusal(`${shown(name)} is not what its directory says`);
  if (view.getUint16(offset + 28, true) !== 0)
    throw refusal(`${shown(name)} has extra fields: another program packed it`);
  const packed = bytes.subarray(start, start + place.packed);
  const content = place.method === STORED ? new Uint8Array(packed) : unpacked(packed, place);
  if (crc32(content) !== place.crc) throw refusal(`${shown(name)} is damaged`);
  return content;
}

const FAULTS: Record<InflateFault, string> = {
  damaged: 'is damaged',
  larger: 'is larger than it says',
  smaller: 'is smaller than it says',
  followed: 'has bytes after its compressed content',
};

function unpacked(packed: Uint8Array, { name, size }: Place): Uint8Array {
  try {
    return inflate(packed, size);
  } catch (cause) {
    throw cause instanceof InflateError ? refusal(`${shown(name)} ${FAULTS[cause.fault]}`, cause) : cause;
  }
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
