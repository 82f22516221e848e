/** Signatures as certificates and tokens carry them. RFC 3279, RFC 4055, RFC 5754, RFC 5758. */
import { type KeyObject, sign } from 'node:crypto';
import * as asn1 from './asn1.ts';

/** The last two exist to make tokens that must be refused. */
export type SigningHash = 'sha256' | 'sha384' | 'sha512' | 'sha1' | 'md5';

export const HASH_OIDS: Readonly<Record<SigningHash, string>> = {
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
  sha1: '1.3.14.3.2.26',
  md5: '1.2.840.113549.2.5',
};

const RSA_OIDS: Readonly<Record<SigningHash, string>> = {
  sha256: '1.2.840.113549.1.1.11',
  sha384: '1.2.840.113549.1.1.12',
  sha512: '1.2.840.113549.1.1.13',
  sha1: '1.2.840.113549.1.1.5',
  md5: '1.2.840.113549.1.1.4',
};

const ECDSA_OIDS: Readonly<Partial<Record<SigningHash, string>>> = {
  sha256: '1.2.840.10045.4.3.2',
  sha384: '1.2.840.10045.4.3.3',
  sha512: '1.2.840.10045.4.3.4',
  sha1: '1.2.840.10045.4.1',
};

/** AlgorithmIdentifier of a signature by this key: RSA with NULL parameters, ECDSA with none. */
export function signatureIdentifier(key: KeyObject, hash: SigningHash): Uint8Array {
  if (key.asymmetricKeyType === 'rsa') return asn1.algorithm(RSA_OIDS[hash], asn1.NULL);
  if (key.asymmetricKeyType === 'rsa-pss')
    return asn1.algorithm('1.2.840.113549.1.1.10', pssParameters(hash));
  const oid = ECDSA_OIDS[hash];
  if (key.asymmetricKeyType !== 'ec' || oid === undefined) {
    throw new RangeError(`no signature by ${key.asymmetricKeyType} with ${hash}`);
  }
  return asn1.algorithm(oid);
}

const PSS_SALT_BYTES = 32;

function pssParameters(hash: SigningHash): Uint8Array {
  const digest = asn1.algorithm(HASH_OIDS[hash]);
  return asn1.sequence(
    asn1.tagged(0, digest),
    asn1.tagged(1, asn1.algorithm('1.2.840.113549.1.1.8', digest)),
    asn1.tagged(2, asn1.integer(PSS_SALT_BYTES)),
  );
}

export function signDer(key: KeyObject, hash: SigningHash, data: Uint8Array): Uint8Array {
  const salt = key.asymmetricKeyType === 'rsa-pss' ? { saltLength: PSS_SALT_BYTES } : {};
  return new Uint8Array(sign(hash, data, { key, ...salt }));
}
