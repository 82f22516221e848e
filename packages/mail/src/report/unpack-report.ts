import { gunzipSync, inflateRawSync } from 'node:zlib';

/**
 * The text of a report that came packed, within bounds: what a few octets unpack to is the sender's choice.
 * RFC 7489 §7.2.1.1, RFC 8460 §3, §5.3
 */

/** Octets of a mail's report, unpacked, files of an archive together; the largest have one or two MiB. */
export const MAX_UNPACKED_BYTES = 4 * 1_048_576;
/** Files read in an archive; most have one. */
const MAX_ENTRIES = 8;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

/** None: packed in another way, not whole, or larger than MAX_UNPACKED_BYTES. */
export function unpackReports(bytes: Uint8Array): Uint8Array[] {
  try {
    if (isGzip(bytes)) return [gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })];
    if (bytes[0] === 0x50 && bytes[1] === 0x4b) return unzip(Buffer.from(bytes));
  } catch {
    return [];
  }
  return bytes.length > MAX_UNPACKED_BYTES ? [] : [bytes];
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The XML and JSON files of the archive's directory, those that are gzip in it, too. */
function unzip(zip: Buffer): Uint8Array[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || end < zip.length - END_BYTES - MAX_COMMENT_BYTES || zip.readUInt32LE(end) !== END_MARK)
    return [];
  const entries = Math.min(zip.readUInt16LE(end + 10), MAX_ENTRIES);
  const files: Uint8Array[] = [];
  let room = MAX_UNPACKED_BYTES;
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < entries && room > 0; entry += 1) {
    if (zip.readUInt32LE(at) !== ENTRY_MARK) return [];
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + lengths[0]!);
    if (/\.(?:xml|json)(?:\.gz)?$/i.test(name)) {
      const file = content(zip, { at: zip.readUInt32LE(at + 42), method, size }, room);
      room -= file?.length ?? 0;
      if (file !== null) files.push(file);
    }
    at += ENTRY_BYTES + lengths[0]! + lengths[1]! + lengths[2]!;
  }
  return files;
}

interface Place {
  readonly at: number;
  readonly method: number;
  readonly size: number;
}

function content(zip: Buffer, { at, method, size }: Place, room: number): Uint8Array | null {
  if (zip.readUInt32LE(at) !== LOCAL_MARK) return null;
  const start = at + LOCAL_BYTES + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const packed = zip.subarray(start, start + size);
  if (packed.length !== size || (method !== STORED && method !== DEFLATED)) return null;
  const bounds = { maxOutputLength: room };
  const file = method === STORED ? packed : inflateRawSync(packed, bounds);
  const whole = isGzip(file) ? gunzipSync(file, bounds) : file;
  return whole.length > room ? null : whole;
}
