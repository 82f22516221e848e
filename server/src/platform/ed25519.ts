import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  ED25519_SIGNATURE_BYTES,
  isStrictEd25519Key,
  type VerifyEd25519,
  verifyEd25519,
} from '@acuse/evidence/verifier-key';

/**
 * verifyEd25519 through OpenSSL: ten times as fast, with the same verdicts. OpenSSL compares R byte by byte
 * and bounds S, so that only keys of small order and non-canonical keys are checked here. Its refusals are
 * judged again, because RFC 8032 §5.1.7 multiplies the equation by eight and OpenSSL does not.
 */
export const ed25519: VerifyEd25519 = (signature, message, publicKey) =>
  isAccepted(signature, message, publicKey) || verifyEd25519(signature, message, publicKey);

function isAccepted(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== ED25519_SIGNATURE_BYTES) return false;
  const key = keyOf(publicKey);
  return key !== null && verify(null, message, key, signature);
}

/** Null: a key that the strict rules refuse. A log's and its witnesses' keys repeat. */
const keys = new Map<string, KeyObject | null>();
/** The cache is cleared when full. */
const KEYS_MAX = 256;

function keyOf(publicKey: Uint8Array): KeyObject | null {
  const x = Buffer.from(publicKey).toString('base64url');
  const known = keys.get(x);
  if (known !== undefined) return known;
  const key = isStrictEd25519Key(publicKey)
    ? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    : null;
  if (keys.size >= KEYS_MAX) keys.clear();
  keys.set(x, key);
  return key;
}
