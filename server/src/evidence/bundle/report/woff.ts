import { inflateSync } from 'node:zlib';

/** W3C WOFF 1.0, §3 and §4. */
const WOFF_SIGNATURE = 0x774f4646;
const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;
const SFNT_HEADER_BYTES = 12;
const SFNT_ENTRY_BYTES = 16;

/** Unpacks a WOFF: fontkit inflates it in JavaScript, a second per document. */
export function woffToSfnt(woff: Buffer): Buffer {
  if (woff.readUInt32BE(0) !== WOFF_SIGNATURE) throw new Error('not a WOFF font');
  const tables = Array.from({ length: woff.readUInt16BE(12) }, (_, at) =>
    readTable(woff, WOFF_HEADER_BYTES + at * WOFF_ENTRY_BYTES),
  );
  const header = Buffer.alloc(SFNT_HEADER_BYTES + tables.length * SFNT_ENTRY_BYTES);
  const power = 2 ** Math.floor(Math.log2(tables.length));
  woff.copy(header, 0, 4, 8);
  header.writeUInt16BE(tables.length, 4);
  header.writeUInt16BE(power * 16, 6);
  header.writeUInt16BE(Math.log2(power), 8);
  header.writeUInt16BE((tables.length - power) * 16, 10);
  let offset = header.length;
  const bodies = tables.map(({ tag, checksum, content }, at) => {
    const entry = SFNT_HEADER_BYTES + at * SFNT_ENTRY_BYTES;
    tag.copy(header, entry);
    header.writeUInt32BE(checksum, entry + 4);
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(content.length, entry + 12);
    const padded = Buffer.alloc(Math.ceil(content.length / 4) * 4);
    content.copy(padded);
    offset += padded.length;
    return padded;
  });
  return Buffer.concat([header, ...bodies]);
}

function readTable(woff: Buffer, at: number): { tag: Buffer; checksum: number; content: Buffer } {
  const offset = woff.readUInt32BE(at + 4);
  const stored = woff.subarray(offset, offset + woff.readUInt32BE(at + 8));
  const size = woff.readUInt32BE(at + 12);
  const content = stored.length < size ? inflateSync(stored, { maxOutputLength: size }) : stored;
  if (content.length !== size) throw new Error('a table of the WOFF font is damaged');
  return { tag: woff.subarray(at, at + 4), checksum: woff.readUInt32BE(at + 16), content };
}
