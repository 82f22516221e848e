import { createPrivateKey, createPublicKey, sign as signEd25519 } from 'node:crypto';
import { fromBase64, toBase64, toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import type { Signer } from '@acuse/evidence/note';
import {
  COSIGNATURE_V1,
  ED25519,
  formatVerifierKey,
  type VerifierKey,
  verifierKey,
} from '@acuse/evidence/verifier-key';
import { sha256 } from '../../platform/sha256.ts';

/**
 * A witness's key in one line: `PRIVATE+KEY+<name>+<key id>+<base64 of type ‖ seed>`, as
 * golang.org/x/mod/sumdb/note writes it, to be shared with other programs. The public half is of type 04.
 * C2SP tlog-cosignature
 */
export interface WitnessKey {
  readonly signer: Signer;
  readonly key: VerifierKey;
  readonly vkey: string;
}

const PREFIX = 'PRIVATE+KEY+';
const SEED_BYTES = 32;
/** PKCS #8 of an Ed25519 key, before its seed. RFC 8410 §7 */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: 32 random bytes. Throws EvidenceError `key` for an invalid name. */
export function formatWitnessKey(name: string, seed: Uint8Array): string {
  const { keyId } = verifierKey(name, publicKeyOf(seed), sha256);
  return `${PREFIX}${name}+${toHex(keyId)}+${toBase64(Uint8Array.from([ED25519, ...seed]))}`;
}

/** Throws EvidenceError `key`. */
export function readWitnessKey(line: string): WitnessKey {
  const [, name = '', keyId, encoded = ''] =
    /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([0-9A-Za-z+/=]+)$/.exec(line) ?? [];
  const material = fromBase64(encoded);
  if (material?.length !== 1 + SEED_BYTES || material[0] !== ED25519)
    throw new EvidenceError('key', 'not the private key of a witness');
  const seed = material.subarray(1);
  const publicKey = publicKeyOf(seed);
  if (toHex(verifierKey(name, publicKey, sha256).keyId) !== keyId)
    throw new EvidenceError('key', "the key id is not this key's");
  const key = verifierKey(name, publicKey, sha256, COSIGNATURE_V1);
  const privateKey = privateKeyOf(seed);
  const signer: Signer = { name, publicKey, sign: (message) => signEd25519(null, message, privateKey) };
  return { signer, key, vkey: formatVerifierKey(key) };
}

function privateKeyOf(seed: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(seed: Uint8Array): Uint8Array {
  return Buffer.from(createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' }).x!, 'base64url');
}
