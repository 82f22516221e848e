import { gunzipSync, inflateRawSync } from 'node:zlib';

/**
 * The text of a report that came packed, within bounds: what a few octets unpack to is the sender's choice.
 * RFC 7489 §7.2.1.1, RFC 8460 §3, §5.3
 */

/** Octets of a report, unpacked; those of the largest receivers have one or two MiB. */
export const MAX_UNPACKED_BYTES = 4 * 1_048_576;
/** Files of an archive that are looked at; a report is one. */
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

/** Null: packed in another way, not whole, or larger than MAX_UNPACKED_BYTES. */
export function unpackReport(bytes: Uint8Array): Uint8Array | null {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b)
      return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
    if (bytes[0] === 0x50 && bytes[1] === 0x4b) return unzip(Buffer.from(bytes));
  } catch {
    return null;
  }
  return bytes.length > MAX_UNPACKED_BYTES ? null : bytes;
}

/** The first XML or JSON file of the archive's directory. */
function unzip(zip: Buffer): Uint8Array | null {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || end < zip.length - END_BYTES - MAX_COMMENT_BYTES || zip.readUInt32LE(end) !== END_MARK)
    return null;
  const entries = Math.min(zip.readUInt16LE(end + 10), MAX_ENTRIES);
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < entries; entry += 1) {
    if (zip.readUInt32LE(at) !== ENTRY_MARK) return null;
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const lengths = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + lengths[0]!);
    if (/\.(?:xml|json)$/i.test(name)) return content(zip, zip.readUInt32LE(at + 42), method, size);
    at += ENTRY_BYTES + lengths[0]! + lengths[1]! + lengths[2]!;
  }
  return null;
}

function content(zip: Buffer, at: number, method: number, size: number): Uint8Array | null {
  if (zip.readUInt32LE(at) !== LOCAL_MARK) return null;
  const start = at + LOCAL_BYTES + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const packed = zip.subarray(start, start + size);
  if (packed.length !== size) return null;
  if (method === STORED) return packed.length > MAX_UNPACKED_BYTES ? null : packed;
  return method === DEFLATED ? inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }) : null;
}
