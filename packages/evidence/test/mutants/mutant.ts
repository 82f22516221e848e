import type { Bundle } from '../../src/bundle.ts';
import { withSums } from '../../src/bundle.ts';
import { entryLimit } from '../../src/bundle-entries.ts';
import type { TrustPolicy } from '../../src/policy.ts';
import { certificatesFromPem } from '../../src/timestamp/certificate.ts';
import { sha256 } from '../support.ts';
import type { Random } from './random.ts';

/** A bundle that verifies, and under which policy it does. */
export interface Subject {
  readonly name: string;
  readonly bundle: Bundle;
  readonly trust: TrustPolicy;
}

/** The changed bundle; `named`: the checks of which at least one must say so. */
export interface Mutant {
  readonly what: string;
  readonly content: Uint8Array | Bundle;
  readonly named: RegExp;
}

/** Undefined: what was drawn would change nothing that the bundle claims, draw again. */
export type Mutator = (subject: Subject, random: Random) => Mutant | undefined;

/**
 * Beside these everything in a bundle is proven. They are words about it, which nobody signs: with the sums
 * made anew another text there leaves the claim as it was. (The policy is one of them wherever one is
 * pinned.) Without new sums no byte of them can change either.
 */
const WORDS = /^(?:VERIFY\.md|report\.pdf|policy\.json|SHA256SUMS|issued\/.*)$/;

export function provingEntries({ bundle }: Subject): string[] {
  return [...bundle.keys()].filter((name) => !WORDS.test(name));
}

/**
 * Entries of which none can go without being missed. Revocation data that nobody asks for can, and so can the
 * count of outcomes and the history of a bundle that nothing else asks them of: then it says less.
 */
export function missedEntries(subject: Subject): string[] {
  return provingEntries(subject).filter(
    (name) => !/^(revocation\/|outcomes\.note$|history\.txt$)/.test(name),
  );
}

/** Which checks look at an entry. */
const WATCHED: readonly (readonly [entry: RegExp, checks: RegExp])[] = [
  [/^manifest/, /\b(manifest|inclusion)\b/],
  [/^openings/, /\b(openings|outcomes)\b/],
  [/^message\.eml/, /\b(message|openings)\b/],
  [/^submission/, /\b(submission|openings)\b/],
  [/^parts/, /\b(message_parts|openings)\b/],
  [/^outcomes/, /\b(outcomes|entries)\b/],
  [/^history/, /\b(history|entries)\b/],
  [/^proof/, /\b(checkpoint|inclusion|witness|stamped_checkpoint)\b/],
  [/^checkpoint/, /\b(stamped_checkpoint|renewal)\b/],
  [/^(chain\/)?constancia/, /\b(timestamp\w*|renewal)\b/],
  [/^(chain\/)?message-constancia/, /\b(message_timestamp\w*|entries)\b/],
  [/^(chain\/)?renewal/, /\b(renewal\w*|entries)\b/],
  [/^(chain\/)?delivery/, /\b(delivery|entries)\b/],
  [/^revocation/, /\b\w*(revocation|renewal)\b/],
];

export function watchersOf(...entries: string[]): RegExp {
  const sources = entries.map((entry) => {
    const watched = WATCHED.find(([pattern]) => pattern.test(entry));
    if (watched === undefined) throw new Error(`nothing watches ${entry}`);
    return watched[1].source;
  });
  // Those that must be there are asked for before anything else.
  return new RegExp([...new Set(sources), '\\bbundle\\b'].join('|'));
}

/** With an entry put in or, undefined, left out, and the sums made anew, as somebody who tampers would. */
export function mended(bundle: Bundle, changes: Readonly<Record<string, Uint8Array | undefined>>): Bundle {
  const entries = new Map(bundle);
  for (const [name, content] of Object.entries(changes)) {
    if (content === undefined) entries.delete(name);
    else entries.set(name, content);
  }
  return withSums(entries, sha256);
}

export function fits(name: string, content: Uint8Array): boolean {
  return content.length <= (entryLimit(name) ?? 0);
}

/**
 * Places in a token that nobody signs and that say nothing: PKIStatus, granted or granted with a note, and
 * the tags around the signer's certificate, which is compared with the chain's file if it can be seen at all.
 * RFC 3161 §2.4.2, RFC 5652 §5.1
 */
export function unsignedPlaces(token: Uint8Array, chainPem: Uint8Array): ReadonlySet<number> {
  const places = new Set<number>();
  const bytes = Buffer.from(token);
  const status = bytes.indexOf(Buffer.of(0x30, 0x03, 0x02, 0x01));
  if (status === bytes[1]! - 0x80 + 2) places.add(status + 4);
  const [signer] = certificatesFromPem(Buffer.from(chainPem).toString());
  const at = bytes.indexOf(signer!);
  if (at >= 0) places.add(at).add(at - SET_HEADER_BYTES);
  return places;
}

/** Tag and length of a set of 256 bytes and more. */
const SET_HEADER_BYTES = 4;

/** The file of the chain of a token. */
export function chainOf(token: string): string {
  const delivery = /^delivery\/(\d\d)/.exec(token)?.[1];
  if (delivery !== undefined) return `chain/delivery-${delivery}.pem`;
  return `chain/${token.replace('/', '-').replace('.tsr', '.pem')}`;
}
