/**
 * Renewal of time-stamps (the idea of RFC 4998 §5.2): before a certificate in its chain ends, everything that a time-stamp rests on is
 * listed with its SHA-512, as sha512sum does, and the list is stamped anew.
 */
import { sha512 } from '@noble/hashes/sha2.js';
import { assertText, type Bundle, requireEntry } from './bundle.ts';
import { decodeUtf8, toHex, utf8 } from './bytes.ts';
import { EvidenceError } from './errors.ts';

/** Renewals of one bundle; one in ten years is usual. */
export const MAX_RENEWALS = 32;

export const renewalName = (ordinal: number) => String(ordinal).padStart(2, '0');

/** The text to be stamped (imprint: its SHA-512) as renewal number `ordinal`, from 1. Throws EvidenceError `renewal` if an entry is missing. */
export function renewalSums(bundle: Bundle, ordinal: number): string {
  const names = [...renewedEntries(ordinal), ...revocations(bundle)];
  return sumsOf(bundle, names);
}

/** Throws EvidenceError `renewal` unless `renewal/NN.sums` lists exactly what it must, with any of the revocation data, truly. */
export function assertRenewalSums(bundle: Bundle, ordinal: number): void {
  const entry = `renewal/${renewalName(ordinal)}.sums`;
  const lines = (decodeUtf8(requireEntry(bundle, entry, 'renewal')) ?? '').split('\n');
  const listed = new Set(lines.map((line) => line.slice(130)));
  const names = [...renewedEntries(ordinal), ...revocations(bundle).filter((name) => listed.has(name))];
  assertText(bundle, entry, sumsOf(bundle, names), 'renewal');
}

/** How many renewals follow the constancia; they are numbered without a gap. */
export function countRenewals(bundle: Bundle): number {
  const files = [...bundle.keys()].filter((name) => name.startsWith('renewal/') && name.endsWith('.tsr'));
  if (files.length > MAX_RENEWALS) throw new EvidenceError('renewal', `more than ${MAX_RENEWALS} renewals`);
  return files.length;
}

/** The constancia and every renewal before this one, with what they stamp and their chains. */
function renewedEntries(ordinal: number): string[] {
  const names = ['checkpoint.txt', 'constancia.tsr', 'chain/constancia.pem'];
  for (let earlier = 1; earlier < ordinal; earlier++) {
    const number = renewalName(earlier);
    names.push(`renewal/${number}.sums`, `renewal/${number}.tsr`, `chain/renewal-${number}.pem`);
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

/** The imprint of a renewal. */
export function renewalImprint(sums: string): Uint8Array {
  return sha512(utf8(sums));
}
