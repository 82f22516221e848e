/**
 * Renewal of time-stamps (the idea of RFC 4998 §5.2): before a certificate in its chain ends, everything that
 * a time-stamp rests on is written down with its SHA-512, as sha512sum does, and that is stamped anew: alone,
 * or many at once by a list of their hashes.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { assertText, type Bundle, requireEntry } from './bundle.ts';
import { decodeUtf8, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

/** Renewals of one bundle; one in ten years is usual. */
export const MAX_RENEWALS = 32;

/** Renewals that one time-stamp may cover: the list is in each bundle and has to stay small. */
export const MAX_LISTED = 512;

export const renewalName = (ordinal: number) => String(ordinal).padStart(2, '0');

/** The entries of renewal number `ordinal`, from 1. Throws EvidenceError `renewal` if an entry is missing. */
export function renewalSums(bundle: Bundle, ordinal: number): string {
  const names = [...renewedEntries(bundle, ordinal), ...revocations(bundle)];
  return sumsOf(bundle, names);
}

/**
 * Throws EvidenceError `renewal` unless `renewal/NN.sums` lists exactly what it must, with any of the
 * revocation data, truly.
 */
function assertRenewalSums(bundle: Bundle, ordinal: number): void {
  const entry = `renewal/${renewalName(ordinal)}.sums`;
  const lines = (decodeUtf8(requireEntry(bundle, entry, 'renewal')) ?? '').split('\n');
  const listed = new Set(lines.map((line) => line.slice(130)));
  const revocation = revocations(bundle).filter((name) => listed.has(name));
  const names = [...renewedEntries(bundle, ordinal), ...revocation];
  assertText(bundle, entry, sumsOf(bundle, names), 'renewal');
}

/** The text that covers many renewals: the SHA-512 of the sums of each, hex, a line each, ascending. */
export function renewalList(sums: readonly string[]): string {
  const digests = [...new Set(sums.map((text) => toHex(renewalImprint(text))))].sort();
  return digests.map((digest) => `${digest}\n`).join('');
}

/**
 * The stamped content of renewal number `ordinal`: its sums, or the list that contains them. Throws
 * EvidenceError `renewal` unless the sums cover what they must, and the list has them.
 */
export function renewedText(bundle: Bundle, ordinal: number): string {
  assertRenewalSums(bundle, ordinal);
  const base = `renewal/${renewalName(ordinal)}`;
  const sums = decodeUtf8(requireEntry(bundle, `${base}.sums`, 'renewal')) ?? '';
  const listBytes = bundle.get(`${base}.list`);
  if (listBytes === undefined) return sums;
  const list = decodeUtf8(listBytes) ?? '';
  const lines = list.split('\n').slice(0, -1);
  const ascending = lines.every((line, i) => DIGEST.test(line) && (i === 0 || line > lines[i - 1]!));
  if (!ascending || !list.endsWith('\n') || lines.length > MAX_LISTED)
    throw new EvidenceError(
      'renewal',
      `${base}.list is not an ascending list of at most ${MAX_LISTED} hashes`,
    );
  if (!lines.includes(toHex(renewalImprint(sums))))
    throw new EvidenceError('renewal', `${base}.list does not have ${base}.sums`);
  return list;
}

const DIGEST = /^[0-9a-f]{128}$/;

/** How many renewals follow the constancia; they are numbered without a gap. */
export function countRenewals(bundle: Bundle): number {
  const files = [...bundle.keys()].filter((name) => name.startsWith('renewal/') && name.endsWith('.tsr'));
  if (files.length > MAX_RENEWALS) throw new EvidenceError('renewal', `more than ${MAX_RENEWALS} renewals`);
  return files.length;
}

/** The constancia and every renewal before this one, with what they stamp and their chains. */
function renewedEntries(bundle: Bundle, ordinal: number): string[] {
  const names = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem'];
  for (let earlier = 1; earlier < ordinal; earlier++) {
    const number = renewalName(earlier);
    names.push(`renewal/${number}.sums`, `renewal/${number}.tsr`, `chain/renewal-${number}.pem`);
    if (bundle.has(`renewal/${number}.list`)) names.push(`renewal/${number}.list`);
  }
  return names;
}

function revocations(bundle: Bundle): string[] {
  return [...bundle.keys()].filter((name) => name.startsWith('revocation/'));
}

function sumsOf(bundle: Bundle, names: readonly string[]): string {
  return [...names]
    .sort()
    .map((name) => `${toHex(sha512(requireEntry(bundle, name, 'renewal')))}  ${name}\n`)
    .join('');
}

/** The imprint of a renewal over this text, its sums or a list. */
export function renewalImprint(text: string): Uint8Array {
  return sha512(utf8(text));
}
