import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

/** RFC 6376 §3.3.2, RFC 8463 §3 */
export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

/** RFC 8301 §3.2: at least 1024 must be taken, 2048 should be used; more does not fit a DNS answer well. */
const RSA_BITS = 2048;

/** A new private key. */
export async function generateDkimKey(algorithm: DkimAlgorithm): Promise<KeyObject> {
  const pair =
    algorithm === 'rsa-sha256'
      ? await generate('rsa', { modulusLength: RSA_BITS })
      : await generate('ed25519');
  return pair.privateKey;
}

/** True if a key can sign with the algorithm. */
export function fitsDkimAlgorithm(key: KeyObject, algorithm: DkimAlgorithm): boolean {
  return key.asymmetricKeyType === (algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519');
}

/**
 * The `p=` of a key: base64 of the SubjectPublicKeyInfo for RSA, of the bare 32 bytes for Ed25519. RFC 6376
 * §3.6.1, RFC 8463 §4
 */
export function dkimPublicKey(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  // The SPKI of Ed25519 is a fixed prefix of 12 bytes and the key. RFC 8410 §4
  return (publicKey.asymmetricKeyType === 'ed25519' ? der.subarray(-32) : der).toString('base64');
}

/**
 * The TXT record at `<selector>._domainkey.<domain>`, as one string; DNS cuts it at 255 octets. RFC 6376
 * §3.6.1
 */
export function dkimRecord(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`;
}
