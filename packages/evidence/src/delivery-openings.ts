/** Openings of a delivery leaf, stored and erased with the message's content. */
import { type Sha256, toHex, utf8 } from './bytes.ts';
import { commit, commitmentOf, deriveSalt, type Opening } from './commitment.ts';
import {
  assertSource,
  type DeliveryFacts,
  type DeliverySource,
  readDeliveryFacts,
} from './delivery-facts.ts';
import { EvidenceError } from './errors.ts';
import { jcs, jcsBytes, parseCanonical } from './jcs.ts';
import { HEX_32_BYTES, readNullable, readObject, readOneOf, readOpening, readString } from './read-json.ts';

export const DELIVERY_OPENINGS_TYPE = 'acuse/delivery-openings/v1';

/**
 * `transcript`: the conversation as stored; `dsn`: our report, or the one that came by mail, with its secret
 * token hidden.
 */
export type DeliveryContent = { facts: DeliveryFacts; transcript: Uint8Array | null; dsn: Uint8Array | null };

export type DeliveryLabel = 'dsn' | 'facts' | 'transcript';

/** The commitments of a delivery leaf's manifest, hex. */
export type DeliveryCommitments = { dsn: string | null; facts: string; transcript: string | null };

export type DeliveryOpenings = {
  canonical_hash: string;
  dsn: Opening | null;
  facts: { salt: string; value: DeliveryFacts };
  transcript: Opening | null;
  type: typeof DELIVERY_OPENINGS_TYPE;
};

const CHECK = 'delivery';

/** A part of the content under its commitment; all hex. */
export type Sealed = Opening & { readonly commitment: string };

/** `value`: the canonical JSON of the facts. */
export type SealedContent = {
  readonly dsn: Sealed | null;
  readonly facts: Sealed & { readonly value: string };
  readonly transcript: Sealed | null;
};

/** Each part hashed, salted and committed to, once. Throws EvidenceError `delivery` for malformed facts. */
export function sealContent(
  { facts, transcript, dsn }: DeliveryContent,
  secret: Uint8Array,
  sha256: Sha256,
): SealedContent {
  readDeliveryFacts(facts);
  const seal = (label: DeliveryLabel, content: Uint8Array): Sealed => {
    const salt = deriveSalt(secret, label, sha256);
    const hash = sha256(content);
    return { salt: toHex(salt), sha256: toHex(hash), commitment: toHex(commit(salt, hash, sha256)) };
  };
  const value = jcs(facts);
  return {
    dsn: dsn && seal('dsn', dsn),
    facts: { value, ...seal('facts', utf8(value)) },
    transcript: transcript && seal('transcript', transcript),
  };
}

/** Canonical JSON of DeliveryOpenings. */
export function writeOpenings(
  canonicalHash: Uint8Array,
  { dsn, facts, transcript }: SealedContent,
): Uint8Array {
  // Already canonical: names sorted, and values that need no escapes.
  const opening = (part: Sealed | null) =>
    part === null ? 'null' : `{"salt":"${part.salt}","sha256":"${part.sha256}"}`;
  return utf8(
    `{"canonical_hash":"${toHex(canonicalHash)}","dsn":${opening(dsn)},` +
      `"facts":{"salt":"${facts.salt}","value":${facts.value}},"transcript":${opening(transcript)},` +
      `"type":"${DELIVERY_OPENINGS_TYPE}"}`,
  );
}

/** Throws EvidenceError `delivery` for bytes that are not exactly such a document. */
export function parseDeliveryOpenings(bytes: Uint8Array): DeliveryOpenings {
  const fields = ['canonical_hash', 'dsn', 'facts', 'transcript', 'type'];
  const root = readObject(parseCanonical(bytes, CHECK), CHECK, fields);
  const facts = readObject(root['facts'], CHECK, ['salt', 'value']);
  return {
    canonical_hash: readString(root['canonical_hash'], CHECK, 'canonical_hash', HEX_32_BYTES),
    dsn: readNullable(root['dsn'], (value) => readOpening(value, CHECK)),
    facts: {
      salt: readString(facts['salt'], CHECK, 'salt', HEX_32_BYTES),
      value: readDeliveryFacts(facts['value']),
    },
    transcript: readNullable(root['transcript'], (value) => readOpening(value, CHECK)),
    type: readOneOf(root['type'], CHECK, 'type', [DELIVERY_OPENINGS_TYPE]),
  };
}

/** Throws EvidenceError `delivery` unless everything that the manifest commits to is opened, and truly. */
export function assertDeliveryOpens(
  openings: DeliveryOpenings,
  manifest: DeliveryCommitments & { kind: string; source: DeliverySource },
  canonicalHash: string,
  sha256: Sha256,
): void {
  if (openings.canonical_hash !== canonicalHash)
    throw new EvidenceError(CHECK, 'the openings are those of another leaf');
  const factsOpening = {
    salt: openings.facts.salt,
    sha256: toHex(sha256(jcsBytes(openings.facts.value))),
  };
  const pairs: [DeliveryLabel, Opening | null, string | null][] = [
    ['dsn', openings.dsn, manifest.dsn],
    ['facts', factsOpening, manifest.facts],
    ['transcript', openings.transcript, manifest.transcript],
  ];
  for (const [label, opening, commitment] of pairs)
    if ((opening && commitmentOf(opening, sha256)) !== commitment)
      throw new EvidenceError(CHECK, `${label} does not open its commitment`);
  assertSource(openings.facts.value, manifest.kind, manifest.source);
}
