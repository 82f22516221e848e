/** ZIP files that two programs would read in two ways, or that hold more than files. PKWARE APPNOTE 6.3 §4.3 */
import { inflateRawSync } from 'node:zlib';
import { utf8 } from '@acuse/evidence/bytes';
import { crc32 } from '@acuse/evidence/crc32';
import { deflateSync, inflateSync } from 'fflate';

/** The description of an entry in one header; `extra` follows its name. */
interface Header {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly extra: Uint8Array;
}

/** Deflated unless `content` is given. `before`, `behind`: bytes around the entry that nothing accounts for. `local`, `central`: where that header says otherwise. */
export interface Packed {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly content?: Uint8Array;
  readonly before?: Uint8Array;
  readonly behind?: Uint8Array;
  readonly both?: Partial<Header>;
  readonly local?: Partial<Header>;
  readonly central?: Partial<Header> & { mode?: number; dos?: number; comment?: string; offset?: number };
  /** Is in the file, but not in the directory. */
  readonly unlisted?: boolean;
}

const NONE = new Uint8Array(0);
const REGULAR = 0o100644;
const DATE = 0x0021;

export function packZip(entries: readonly Packed[], comment: Uint8Array = NONE): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let listed = 0;
  for (const entry of entries) {
    const { name, bytes, before = NONE, behind = NONE, both, local, central } = entry;
    const content = entry.content ?? deflateSync(bytes, { level: 9 });
    const own: Header = {
      ...{ name, flags: 0, method: 8, crc: crc32(bytes), packed: content.length, size: bytes.length },
      ...{ extra: NONE, ...both },
    };
    const file = Buffer.concat([before, localHeader({ ...own, ...local }), content, behind]);
    const { mode = REGULAR, dos = 0, comment: note = '', offset: at, ...other } = central ?? {};
    if (entry.unlisted !== true) {
      const attributes = ((mode << 16) | dos) >>> 0;
      directory.push(centralHeader({ ...own, ...other }, attributes, at ?? offset + before.length, note));
      listed++;
    }
    files.push(file);
    offset += file.length;
  }
  const size = directory.reduce((sum, one) => sum + one.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(listed, 8);
  end.writeUInt16LE(listed, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return new Uint8Array(Buffer.concat([...files, ...directory, end, comment]));
}

function writeCommon(into: Buffer, at: number, { name, flags, method, crc, packed, size, extra }: Header) {
  into.writeUInt16LE(10, at);
  into.writeUInt16LE(flags, at + 2);
  into.writeUInt16LE(method, at + 4);
  into.writeUInt16LE(DATE, at + 8);
  into.writeUInt32LE(crc, at + 10);
  into.writeUInt32LE(packed, at + 14);
  into.writeUInt32LE(size, at + 18);
  into.writeUInt16LE(Buffer.byteLength(name), at + 22);
  into.writeUInt16LE(extra.length, at + 24);
}

function localHeader(header: Header): Buffer {
  const out = Buffer.alloc(30);
  out.writeUInt32LE(0x04034b50, 0);
  writeCommon(out, 4, header);
  return Buffer.concat([out, Buffer.from(header.name), header.extra]);
}

function centralHeader(header: Header, attributes: number, offset: number, comment: string): Buffer {
  const out = Buffer.alloc(46);
  out.writeUInt32LE(0x02014b50, 0);
  out.writeUInt16LE((3 << 8) | 20, 4);
  writeCommon(out, 6, header);
  out.writeUInt16LE(comment.length, 32);
  out.writeUInt32LE(attributes, 38);
  out.writeUInt32LE(offset, 42);
  return Buffer.concat([out, Buffer.from(header.name), header.extra, Buffer.from(comment)]);
}

type Case = [name: string, why: string, zip: Uint8Array];

/** Each with a name for its file and a sentence for people. `entries`: of a bundle that is good. */
export function brokenZips(entries: readonly { name: string; bytes: Uint8Array }[]): Case[] {
  const changed = (name: string, change: Partial<Packed>) =>
    packZip(entries.map((one) => (one.name === name ? { ...one, ...change } : one)));
  const manifest = entries.find(({ name }) => name === 'manifest.json')!;
  const other = utf8(new TextDecoder().decode(manifest.bytes).replace('"17"', '"18"'));
  const whole = packZip(entries);
  return [
    ...strangeBytes(entries, changed, manifest, other, whole),
    ...twoHeaders(changed, manifest, other),
    ...notFiles(entries, changed),
  ];
}

type Change = (name: string, change: Partial<Packed>) => Uint8Array;
type Plain = { name: string; bytes: Uint8Array };

function strangeBytes(
  entries: readonly Plain[],
  changed: Change,
  manifest: Plain,
  other: Uint8Array,
  whole: Uint8Array,
): Case[] {
  const hidden: Packed = { name: 'manifest.json', bytes: other, unlisted: true };
  const packed = deflateSync(manifest.bytes);
  const padded = Buffer.concat([packed, utf8('more')]);
  return [
    ['zip-bytes-before-first', 'bytes before the first entry', changed(entries[0]!.name, { before: other })],
    ['zip-bytes-between', 'bytes between two entries', changed('manifest.json', { behind: other })],
    ['zip-entry-unlisted-first', 'an entry that the directory does not list', packZip([hidden, ...entries])],
    ['zip-entry-unlisted-last', 'an entry that the directory does not list', packZip([...entries, hidden])],
    ['zip-twice', 'two archives in one, offsets of the second', Buffer.concat([whole, whole])],
    ['zip-after-another', 'behind another archive', relocated(entries, whole)],
    ['zip-in-comment', 'another archive in the comment', packZip(entries, whole.subarray(0, 60_000))],
    ['zip-comment', 'a comment', packZip(entries, utf8('x'))],
    ['zip-self-extracting', 'a program before the ZIP', relocated(entries, utf8('#!/bin/sh\nexit 0\n'))],
    [
      'zip-bytes-behind-deflate',
      'bytes behind the compressed content of an entry',
      changed('manifest.json', { content: padded }),
    ],
    [
      'zip-deflate-codes',
      'codes of DEFLATE that leave sequences of bits without a meaning',
      changed('manifest.json', { content: withIncompleteCodes(manifest.bytes) }),
    ],
    [
      'zip-deflate-lone-code',
      'one code of DEFLATE for distances, of two bits',
      changed('manifest.json', { content: withLoneCode(manifest.bytes) }),
    ],
    [
      'zip-descriptor',
      'sizes behind the content that say otherwise',
      changed('manifest.json', {
        both: { flags: 8 },
        local: { crc: 0, packed: 0, size: 0 },
        behind: descriptor(),
      }),
    ],
  ];
}

/** Compressed data that a lenient program unpacks to these bytes, and zlib not at all. */
function withIncompleteCodes(bytes: Uint8Array): Uint8Array {
  const packed = deflateSync(bytes, { level: 9 });
  for (let bit = 0; bit < packed.length * 8; bit++) {
    const changed = Uint8Array.from(packed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    if (unpacksTo(bytes, () => inflateSync(changed)) && !unpacksTo(bytes, () => inflateRawSync(changed)))
      return changed;
  }
  throw new Error('no such data for these bytes');
}

/** Literals alone, in one block whose only code for distances has two bits: RFC 1951 §3.2.7 */
function withLoneCode(bytes: Uint8Array): Uint8Array {
  const bits: number[] = [];
  const number = (value: number, count: number) => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1);
  };
  const code = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  // The last block, with codes of its own: 257 for literals, 1 for distances, 16 lengths of lengths.
  number(1, 1);
  number(2, 2);
  number(0, 5);
  number(0, 5);
  number(12, 4);
  const ofLengths: Record<number, number> = { 2: 2, 8: 1, 9: 2 };
  for (const length of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2])
    number(ofLengths[length] ?? 0, 3);
  for (let symbol = 0; symbol < 255; symbol++) code(0, 1);
  code(3, 2);
  code(3, 2);
  code(2, 2);
  for (const byte of bytes) byte === 255 ? code(510, 9) : code(byte, 8);
  code(511, 9);
  const out = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [at, bit] of bits.entries()) out[at >> 3]! |= bit << (at & 7);
  return out;
}

function unpacksTo(bytes: Uint8Array, unpack: () => Uint8Array): boolean {
  try {
    return Buffer.compare(unpack(), bytes) === 0;
  } catch {
    return false;
  }
}

/** Offsets made for where the archive now starts, as a self-extractor has them. */
function relocated(entries: readonly Plain[], before: Uint8Array): Uint8Array {
  return packZip(entries.map((one, i) => (i === 0 ? { ...one, before } : one)));
}

function descriptor(): Uint8Array {
  const out = Buffer.alloc(16);
  out.writeUInt32LE(0x08074b50, 0);
  return out;
}

function extra(id: number, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(content.length, 2);
  return Buffer.concat([head, content]);
}

function twoHeaders(changed: Change, manifest: Plain, other: Uint8Array): Case[] {
  const at = (local: Partial<Header>) => changed('manifest.json', { local });
  const unicodePath = extra(0x7075, Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), utf8('x.json')]));
  const zip64 = extra(0x0001, Buffer.alloc(16));
  return [
    ['zip-local-size', 'another size in the local header', at({ size: manifest.bytes.length - 1 })],
    ['zip-local-packed', 'another packed size in the local header', at({ packed: 1 })],
    ['zip-local-crc', 'another checksum in the local header', at({ crc: crc32(other) })],
    ['zip-local-name', 'another name in the local header', at({ name: 'manifest.jsoN' })],
    ['zip-local-method', 'another method in the local header', at({ method: 0 })],
    ['zip-local-flags', 'encrypted, as the local header has it', at({ flags: 1 })],
    ['zip-local-extra', 'an extra field in the local header alone', at({ extra: unicodePath })],
    [
      'zip-unicode-path',
      'an extra field that says another name',
      changed('manifest.json', { both: { extra: unicodePath } }),
    ],
    ['zip-zip64', 'sizes in a ZIP64 field', changed('manifest.json', { both: { extra: zip64 } })],
    ['zip-encrypted', 'marked as encrypted', changed('manifest.json', { both: { flags: 1 } })],
    ['zip-patched', 'marked as a patch', changed('manifest.json', { both: { flags: 0x20 } })],
    ['zip-entry-comment', 'an entry with a comment', changed('manifest.json', { central: { comment: 'x' } })],
  ];
}

function notFiles(entries: readonly Plain[], changed: Change): Case[] {
  const more = (name: string, central?: Packed['central']) =>
    packZip([...entries, { name, bytes: utf8('x'), ...(central && { central }) }]);
  const empty = (name: string): Uint8Array => packZip([...entries, { name, bytes: NONE }]);
  return [
    ['zip-symlink', 'a symbolic link', changed('manifest.json', { central: { mode: 0o120777 } })],
    ['zip-device', 'a device', changed('manifest.json', { central: { mode: 0o020644 } })],
    ['zip-directory-mode', 'a folder by its mode', changed('manifest.json', { central: { mode: 0o040755 } })],
    ['zip-directory-dos', 'a folder by its attributes', changed('manifest.json', { central: { dos: 0x10 } })],
    [
      'zip-setuid',
      'a file that runs as its owner',
      changed('manifest.json', { central: { mode: 0o104755 } }),
    ],
    ['zip-directory', 'a folder', empty('delivery/')],
    ['zip-name-parent', 'a name that leads out', more('delivery/../manifest.json')],
    ['zip-name-absolute', 'an absolute name', more('/manifest.json')],
    ['zip-name-backslash', 'a name with a backslash', more('delivery\\01-sent.json')],
    ['zip-name-drive', 'a name with a drive', more('C:manifest.json')],
    ['zip-name-nul', 'a name with a NUL', more('manifest.json\0.txt')],
    ['zip-name-not-ascii', 'a name that is not ASCII', more('manife\u0301st.json')],
    ['zip-name-case', 'a name that differs only in case', more('Manifest.json')],
  ];
}
