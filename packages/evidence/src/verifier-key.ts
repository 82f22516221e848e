/** Verifier keys: who may sign a note, as one line of text. C2SP signed-note, "Verifier keys" */
import { ed25519 } from '@noble/curves/ed25519.js';
import {
  concat,
  decodeAscii,
  equalBytes,
  fromBase64,
  fromHex,
  isWellFormed,
  type Sha256,
  toBase64,
  toHex,
  utf8,
} from './bytes.ts';
import { EvidenceError } from './errors.ts';

/** Ed25519 over the note text. C2SP signed-note */
export const ED25519 = 0x01;
/** Ed25519 over a time and the note text. C2SP tlog-cosignature */
export const COSIGNATURE_V1 = 0x04;
/** ML-DSA-44 (FIPS 204) over a time and a tree. C2SP tlog-cosignature */
export const MLDSA44 = 0x06;

export const KEY_ID_BYTES = 4;
export const ED25519_PUBLIC_KEY_BYTES = 32;
export const ED25519_SIGNATURE_BYTES = 64;
export const MLDSA44_PUBLIC_KEY_BYTES = 1312;

const MAX_NAME_BYTES = 255;

export type SignatureType = typeof ED25519 | typeof COSIGNATURE_V1 | typeof MLDSA44;

/** `keyId`: 4 bytes; `publicKey`: 32 bytes, or 1312 of ML-DSA-44. */
export type VerifierKey = {
  name: string;
  type: SignatureType;
  keyId: Uint8Array;
  publicKey: Uint8Array;
};

/** Throws EvidenceError `key` for a name with white space or a plus, or a key of another size. */
export function verifierKey(
  name: string,
  publicKey: Uint8Array,
  sha256: Sha256,
  type: SignatureType = ED25519,
): VerifierKey {
  if (!isKeyName(name)) throw new EvidenceError('key', 'not a key name');
  if (type === MLDSA44 && publicKey.length !== MLDSA44_PUBLIC_KEY_BYTES)
    throw new EvidenceError('key', 'an ML-DSA-44 key has 1312 bytes');
  if (type !== MLDSA44 && publicKey.length !== ED25519_PUBLIC_KEY_BYTES)
    throw new EvidenceError('key', 'an Ed25519 key has 32 bytes');
  const keyId = sha256(concat(utf8(name), Uint8Array.of(0x0a, type), publicKey)).subarray(0, KEY_ID_BYTES);
  return { name, type, keyId, publicKey };
}

export function isKeyName(name: string): boolean {
  return (
    name !== '' &&
    isWellFormed(name) &&
    !/[\p{White_Space}\p{Cc}+]/u.test(name) &&
    utf8(name).length <= MAX_NAME_BYTES
  );
}

/** `name+hex key id+base64(type ‖ public key)`. */
export function formatVerifierKey(key: VerifierKey): string {
  return `${key.name}+${toHex(key.keyId)}+${toBase64(concat(Uint8Array.of(key.type), key.publicKey))}`;
}

/** Throws EvidenceError `key` for any other text, a key id that is not the key's, and unknown types. */
export function parseVerifierKey(text: string, sha256: Sha256): VerifierKey {
  const match = /^([^+]+)\+([0-9a-f]{8})\+([0-9A-Za-z+/=]+)$/.exec(text);
  const material = match === null ? undefined : fromBase64(match[3]!);
  if (match === null || material === undefined) throw new EvidenceError('key', 'not a verifier key');
  const type = material[0];
  if (type !== ED25519 && type !== COSIGNATURE_V1 && type !== MLDSA44)
    throw new EvidenceError('key', `unknown key type ${type}`);
  const key = verifierKey(match[1]!, material.subarray(1), sha256, type);
  if (!equalBytes(key.keyId, fromHex(match[2]!)!))
    throw new EvidenceError('key', "the key id is not this key's");
  return key;
}

/**
 * True if this key signed the message, exactly as verifyEd25519 judges it: for callers with a faster one at
 * hand, as a server's is.
 */
export type VerifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** Strict RFC 8032 §5.1.7: no small-order keys, no second spelling of a signature. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== ED25519_SIGNATURE_BYTES) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}

/** False for a key under which verifyEd25519 accepts nothing: no point, a second spelling, of small order. */
export function isStrictEd25519Key(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey, false).isSmallOrder();
  } catch {
    return false;
  }
}

/** For messages: a name that may be hostile, shortened and without control characters. */
export function shownName(name: string): string {
  return decodeAscii(utf8(name))
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 80);
}

/** The reason why two of these witnesses are one; undefined if there are as many as it seems. */
export function sameWitness(keys: readonly VerifierKey[]): string | undefined {
  if (new Set(keys.map(({ name }) => name)).size !== keys.length) return 'one witness with two keys';
  const materials = keys.map(({ publicKey }) => toHex(publicKey));
  return new Set(materials).size === keys.length ? undefined : 'one key under two names';
}
