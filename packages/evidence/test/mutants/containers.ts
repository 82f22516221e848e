import { deflateRawSync } from 'node:zlib';
import { bundleToJson, writeBundle } from '../../src/bundle.ts';
import { inBundleOrder } from '../../src/bundle-entries.ts';
import { utf8 } from '../../src/bytes.ts';
import { crc32 } from '../../src/crc32.ts';
import { writeZip, type ZipEntry } from '../../src/zip.ts';
import type { Mutator, Subject } from './mutant.ts';

/** Changes to the file that a bundle comes in. PKWARE APPNOTE 6.3 §4.3 */

const MIB = 1024 * 1024;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;

const entriesOf = ({ bundle }: Subject): ZipEntry[] =>
  inBundleOrder(bundle.keys()).map((name) => ({ name, bytes: bundle.get(name)! }));

interface Records {
  readonly local: number;
  readonly central: number;
  readonly nameBytes: number;
}

/** Where the two records of each entry of one of our own files begin. */
function recordsOf(zip: Buffer): Records[] {
  const end = zip.length - END_BYTES;
  const count = zip.readUInt16LE(end + 10);
  const records: Records[] = [];
  for (let i = 0, central = zip.readUInt32LE(end + 16); i < count; i++) {
    const nameBytes = zip.readUInt16LE(central + 28);
    records.push({ central, nameBytes, local: zip.readUInt32LE(central + 42) });
    central += CENTRAL_BYTES + nameBytes;
  }
  return records;
}

/**
 * Offset, bytes. All but what says who packed it, whether it is text, and a file's permissions: another value
 * there is the same bundle.
 */
const LOCAL_FIELDS = [[0, 30]] as const;
const CENTRAL_FIELDS = [
  [0, 4],
  [6, 2],
  [8, 2],
  [10, 2],
  [12, 4],
  [16, 4],
  [20, 4],
  [24, 4],
  [28, 2],
  [30, 2],
  [32, 2],
  [34, 2],
  [42, 4],
] as const;
const END_FIELDS = [
  [0, 4],
  [4, 2],
  [6, 2],
  [8, 2],
  [10, 2],
  [12, 4],
  [16, 4],
  [20, 2],
] as const;

export const flipZipField: Mutator = (subject, random) => {
  const zip = Buffer.from(writeBundle(subject.bundle));
  const record = random.pick(recordsOf(zip));
  const [start, [offset, bytes]] = random.pick([
    [record.local, random.pick(LOCAL_FIELDS)],
    [record.local, [LOCAL_BYTES, record.nameBytes]],
    [record.central, random.pick(CENTRAL_FIELDS)],
    [record.central, [CENTRAL_BYTES, record.nameBytes]],
    [zip.length - END_BYTES, random.pick(END_FIELDS)],
  ] as const);
  const at = start + offset + random.below(bytes);
  zip[at]! ^= 1 << random.below(8);
  return { what: `byte ${at} of the ZIP, at ${offset} of a record`, content: zip, named: /\bbundle\b/ };
};

export const cutZip: Mutator = (subject, random) => {
  const zip = Buffer.from(writeBundle(subject.bundle));
  const at = random.below(zip.length);
  const junk = Buffer.alloc(1 + random.below(100), random.below(256));
  const [how, parts] = random.pick<[string, Buffer[]]>([
    ['cut after', [zip.subarray(0, at)]],
    ['cut before', [zip.subarray(at + 1)]],
    ['stuffed at', [zip.subarray(0, at), junk, zip.subarray(at)]],
    ['with junk before, as long as', [junk, zip]],
    ['with junk behind, as long as', [zip, junk]],
    ['twice, and', [zip, zip]],
  ]);
  return { what: `the ZIP ${how} ${at}`, content: Buffer.concat(parts), named: /\bbundle\b/ };
};

const HOSTILE_NAMES = [
  '../manifest.json',
  '../../../../etc/passwd',
  '/etc/passwd',
  'C:\\manifest.json',
  'delivery\\01-sent.json',
  './manifest.json',
  'MANIFEST.JSON',
  'manifest.json ',
  'manifest.json\0.pdf',
  'manifest.json/',
  'maniféste.json',
  'manifest.json\u202enosj',
  'delivery/../manifest.json',
  'a'.repeat(5_000),
  '__proto__',
  '',
];

/** An entry under a name that no bundle has, or twice, be it the same or another. */
export const hostileNames: Mutator = (subject, random) => {
  const entries = entriesOf(subject);
  const at = random.below(entries.length);
  const { name, bytes } = entries[at]!;
  const hostile = random.pick(HOSTILE_NAMES);
  const [what, changed] = random.pick<[string, ZipEntry[]]>([
    [`${name} as ${hostile}`, entries.with(at, { name: hostile, bytes })],
    [`${hostile} as well`, [...entries, { name: hostile, bytes: utf8('x') }]],
    [`${name} twice`, [...entries, { name, bytes }]],
    [`${name} twice, first another`, [{ name, bytes: utf8('x') }, ...entries]],
    [`${name} twice, then empty`, [...entries, { name, bytes: new Uint8Array(0) }]],
  ]);
  return { what: what.slice(0, 200), content: writeZip(changed), named: /\bbundle\b/ };
};

const packedZeros = new Map<number, { size: number; packed: Buffer; crc: number }>();

function zeros(size: number): { size: number; packed: Buffer; crc: number } {
  const content = Buffer.alloc(packedZeros.has(size) ? 0 : size);
  const known = packedZeros.get(size) ?? { size, packed: deflateRawSync(content), crc: crc32(content) };
  packedZeros.set(size, known);
  return known;
}

/** More than there may be: told so, or packed so that nobody is told. */
export const bombs: Mutator = (subject, random) => {
  const entries = entriesOf(subject);
  const kind = random.below(4);
  if (kind === 0) {
    const many = Array.from({ length: 600 }, (_, i) => ({ name: `revocation/x${i}.crl`, bytes: utf8('x') }));
    return { what: '600 entries more', content: writeZip([...entries, ...many]), named: /\bbundle\b/ };
  }
  const at = random.below(entries.length);
  const { name } = entries[at]!;
  const { size, packed, crc } = zeros(random.pick([2, 4, 12]) * MIB);
  const zip = Buffer.from(writeZip(entries.with(at, { name, bytes: packed })));
  const { local, central } = recordsOf(zip)[at]!;
  // Small as told, large as told but not as allowed, or larger than can be.
  const told = kind === 1 ? 1 + random.below(1_000) : kind === 2 ? 0xffff_fff0 : size;
  zip.writeUInt16LE(8, local + 8);
  zip.writeUInt16LE(8, central + 10);
  for (const header of [local, central + 2]) {
    zip.writeUInt32LE(crc, header + 14);
    zip.writeUInt32LE(told, header + 22);
  }
  // Where there is room for so much, it is unpacked, and is not what the sums say.
  return { what: `${name}: ${size} zeros, told as ${told}`, content: zip, named: /\b(bundle|sums)\b/ };
};

/** Two entries that share their bytes in the file, or one that lies in the directory. */
export const overlap: Mutator = (subject, random) => {
  const zip = Buffer.from(writeBundle(subject.bundle));
  const records = recordsOf(zip);
  const [one, other] = [random.pick(records), random.pick(records)];
  if (one === other) return undefined;
  const offset = random.pick([
    other.local,
    other.local + 1,
    other.central,
    zip.length - END_BYTES,
    zip.length,
  ]);
  zip.writeUInt32LE(offset, one.central + 42);
  return { what: `an entry at ${offset}`, content: zip, named: /\bbundle\b/ };
};

/** The JSON form, with a byte of it changed, cut short, or with entries of other types and names. */
export const jsonForm: Mutator = (subject, random) => {
  const root = bundleToJson(subject.bundle) as { type: string; entries: Record<string, unknown>[] };
  const text = JSON.stringify(root);
  const at = random.below(text.length);
  const each = random.below(root.entries.length);
  const entry = root.entries[each]!;
  const withEntries = (entries: unknown) => JSON.stringify({ ...root, entries });
  const withEntry = (changed: unknown) => withEntries(root.entries.with(each, changed as never));
  const flipped = Buffer.from(text);
  flipped[at]! ^= 1 << random.below(7);
  const [how, changed] = random.pick<[string, string | Buffer]>([
    [`byte ${at} changed`, flipped],
    [`byte ${at} changed`, flipped],
    [`cut after ${at}`, text.slice(0, at)],
    ['two values', text + text],
    ['another type', JSON.stringify({ ...root, type: 'acuse/bundle/v2' })],
    ['no entries', JSON.stringify({ type: root.type })],
    ['entries that are none', withEntries({ length: 1, 0: entry })],
    ['an entry that is none', withEntry(random.pick([null, 1, 'x', [], {}]))],
    ['an entry twice', withEntries([...root.entries, entry])],
    ['an entry of two contents', withEntry({ name: entry['name'], text: 'x', base64: 'eA==' })],
    ['an entry of no content', withEntry({ name: entry['name'] })],
    ['an entry of base64 that is none', withEntry({ name: entry['name'], base64: 'eA=' })],
    ['an entry of another type', withEntry({ name: entry['name'], text: random.pick([null, 1, [], {}]) })],
    ['an entry of a hostile name', withEntry({ ...entry, name: random.pick(HOSTILE_NAMES) })],
    ['an entry with more', withEntry({ ...entry, x: 1 })],
    ['an entry nested deep', withEntry(JSON.parse('['.repeat(900) + ']'.repeat(900)))],
  ]);
  return { what: `JSON: ${how}`, content: new Uint8Array(Buffer.from(changed)), named: /\b(bundle|sums)\b/ };
};
