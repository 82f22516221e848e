/** A case file: proof bundles of several messages in order of time, with an index to print, as one ZIP. */
import { MAX_BUNDLE_BYTES, SUMS } from './bundle-entries.ts';
import { decodeAscii, decodeUtf8, type Sha256, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';
import { readZip, writeZip, type ZipEntry } from './zip.ts';

const MIB = 1024 * 1024;
export const CASE_INDEX = 'index.pdf';
export const MAX_CASE_BUNDLES = 100;
export const MAX_CASE_BYTES = 512 * MIB;
const MAX_INDEX_BYTES = 16 * MIB;
const MAX_SUMS_BYTES = 64 * 1024;
const BUNDLE_NAME = /^\d{2,3}-[0-9a-f-]{36}\.zip$/;
/** Offset of the first file name in a ZIP. */
const NAME_AT = 30;

/** Sorts as the messages do. `place`: from 1. */
export function nameInCase(place: number, count: number, messageId: string): string {
  const digits = Math.max(2, String(count).length);
  return `${String(place).padStart(digits, '0')}-${messageId}.zip`;
}

/** The index first; last what `sha256sum -c` reads. */
export function writeCase(index: Uint8Array, bundles: readonly ZipEntry[], sha256: Sha256): Uint8Array {
  const entries = [{ name: CASE_INDEX, bytes: index }, ...bundles];
  return writeZip([...entries, { name: SUMS, bytes: utf8(sumsOf(entries, sha256)) }]);
}

function sumsOf(entries: readonly ZipEntry[], sha256: Sha256): string {
  return entries.map(({ name, bytes }) => `${toHex(sha256(bytes))}  ${name}\n`).join('');
}

export function looksLikeCase(bytes: Uint8Array): boolean {
  return decodeAscii(bytes.subarray(NAME_AT, NAME_AT + CASE_INDEX.length)) === CASE_INDEX;
}

/** The bundles, in order, to be verified one by one. Throws EvidenceError `bundle`. */
export function readCase(bytes: Uint8Array, sha256: Sha256): ZipEntry[] {
  const entries = readZip(bytes, {
    entries: MAX_CASE_BUNDLES + 2,
    totalBytes: MAX_CASE_BYTES,
    entryBytes: limitOf,
  });
  const sums = entries.pop();
  const [index, ...bundles] = entries;
  if (sums?.name !== SUMS || index?.name !== CASE_INDEX || bundles.length === 0)
    throw new EvidenceError('bundle', `a case file has ${CASE_INDEX}, bundles, and ${SUMS}, in this order`);
  if (decodeUtf8(sums.bytes) !== sumsOf(entries, sha256))
    throw new EvidenceError('bundle', `${SUMS} is not that of the files of this case file`);
  return bundles;
}

function limitOf(name: string): number | undefined {
  if (name === CASE_INDEX) return MAX_INDEX_BYTES;
  if (name === SUMS) return MAX_SUMS_BYTES;
  return BUNDLE_NAME.test(name) ? MAX_BUNDLE_BYTES : undefined;
}
