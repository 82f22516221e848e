/**
 * Signatures as X.509 and CMS carry them, checked by WebCrypto. SHA-2 with RSA PKCS#1 v1.5, RSA-PSS or ECDSA;
 * nothing else.
 */
import { toHex } from '../bytes.ts';
import {
  type Bytes,
  DerError,
  type DerNode,
  Fields,
  readBitOctets,
  readOid,
  readSmall,
  readUnsigned,
  readWhole,
  TAG,
  unwrap,
} from './der.ts';
import { encode, encodeOid, encodeSequence } from './encode.ts';
import { describeOid, HASHES, type HashAlgorithm, hashByOid, OID } from './oids.ts';

/** NIST SP 800-131A: below it a forged signature is within reach. */
const MIN_RSA_BITS = 2048;
/** Above it one verification costs more than the whole budget of a token; nobody issues such keys. */
const MAX_RSA_BITS = 8192;
/** The cost grows with the exponent, and 65537 is usual; Go reads no longer ones. */
const MAX_RSA_EXPONENT_BITS = 31;

const CURVES: Readonly<Record<string, { name: string; fieldBytes: number }>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', fieldBytes: 32 },
  '1.3.132.0.34': { name: 'P-384', fieldBytes: 48 },
  '1.3.132.0.35': { name: 'P-521', fieldBytes: 66 },
};

/** With the hash in their names: RFC 4055 §5, RFC 5758 §3.2. */
const SIGNATURES: Readonly<Record<string, { kind: 'rsa' | 'ecdsa'; hash: HashAlgorithm }>> = {
  '1.2.840.113549.1.1.11': { kind: 'rsa', hash: HASHES[0]! },
  '1.2.840.113549.1.1.12': { kind: 'rsa', hash: HASHES[1]! },
  '1.2.840.113549.1.1.13': { kind: 'rsa', hash: HASHES[2]! },
  '1.2.840.10045.4.3.2': { kind: 'ecdsa', hash: HASHES[0]! },
  '1.2.840.10045.4.3.3': { kind: 'ecdsa', hash: HASHES[1]! },
  '1.2.840.10045.4.3.4': { kind: 'ecdsa', hash: HASHES[2]! },
};

export type SignatureAlgorithm =
  | { readonly kind: 'rsa' | 'ecdsa'; readonly hash: HashAlgorithm }
  | { readonly kind: 'rsa-pss'; readonly hash: HashAlgorithm; readonly saltBytes: number }
  /** Readable, and not to be trusted: `reason` says what it is. */
  | { readonly kind: 'refused'; readonly reason: string };

const PARAMETRIZED: readonly string[] = [OID.ecPublicKey, OID.rsassaPss, OID.mgf1];

export interface AlgorithmIdentifier {
  readonly oid: string;
  readonly parameters: DerNode | undefined;
}

/**
 * Parameters are absent or NULL, save where an algorithm has some: then the caller reads them. RFC 5754 §2,
 * RFC 4055 §2.1.
 */
export function readAlgorithm(node: DerNode, what: string): AlgorithmIdentifier {
  const fields = new Fields(node, what);
  const oid = readOid(fields.any('algorithm'), `${what}.algorithm`);
  const parameters = fields.maybe();
  fields.end();
  if (parameters === undefined || PARAMETRIZED.includes(oid)) return { oid, parameters };
  if (parameters.tag !== TAG.null || parameters.content.length > 0) {
    throw new DerError(`${what}: parameters of ${oid} are not NULL`);
  }
  return { oid, parameters: undefined };
}

/** `digest`: CMS's digestAlgorithm, which a bare rsaEncryption signs over. RFC 5652 §5.3, RFC 5754 §3.2. */
export function signatureAlgorithm(
  algorithm: AlgorithmIdentifier,
  digest?: HashAlgorithm,
): SignatureAlgorithm {
  const named = SIGNATURES[algorithm.oid];
  if (named !== undefined) return named;
  if (algorithm.oid === OID.rsaEncryption && digest !== undefined) return { kind: 'rsa', hash: digest };
  if (algorithm.oid === OID.rsassaPss) return readPss(algorithm.parameters);
  return { kind: 'refused', reason: `${describeOid(algorithm.oid)} is not a SHA-2 signature` };
}

/** RSASSA-PSS-params: every default in it is SHA-1, so all must be stated. RFC 4055 §3.1. */
function readPss(parameters: DerNode | undefined): SignatureAlgorithm {
  const refused = (reason: string): SignatureAlgorithm => ({ kind: 'refused', reason: `RSA-PSS ${reason}` });
  if (parameters === undefined) return refused('with SHA-1 by default');
  const what = 'RSASSA-PSS-params';
  const fields = new Fields(parameters, what);
  const hashNode = fields.optional(0xa0);
  const maskNode = fields.optional(0xa1);
  const saltNode = fields.optional(0xa2);
  fields.end();
  if (hashNode === undefined || maskNode === undefined) return refused('with SHA-1 by default');
  const hash = hashByOid(readAlgorithm(unwrap(hashNode, what), what).oid);
  const mask = readAlgorithm(unwrap(maskNode, what), what);
  const maskHash = mask.parameters && readAlgorithm(mask.parameters, what).oid;
  if (hash === undefined || mask.oid !== OID.mgf1 || maskHash !== hash.oid) {
    return refused('without one SHA-2 hash throughout');
  }
  return {
    kind: 'rsa-pss',
    hash,
    saltBytes: saltNode === undefined ? 20 : readSmall(unwrap(saltNode, what), what),
  };
}

/** A SubjectPublicKeyInfo of a kind and size taken here. */
export type PublicKey =
  | {
      readonly kind: 'rsa';
      /** As rsaEncryption, whatever the key is for: WebCrypto takes no other. */
      readonly spki: Bytes;
      readonly bits: number;
      /** For RSASSA-PSS alone, with this hash and a salt of at least as many octets, if it says so. */
      readonly pss?: { readonly hash?: HashAlgorithm; readonly saltBytes: number };
    }
  | { readonly kind: 'ec'; readonly spki: Bytes; readonly curve: string; readonly fieldBytes: number }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * RFC 3279 §2.3.1, RFC 5480 §2.1.1. Keys of other kinds and sizes come back as refused; malformed ones throw
 * DerError.
 */
export function readPublicKey(spki: DerNode): PublicKey {
  const what = 'subjectPublicKeyInfo';
  const fields = new Fields(spki, what);
  const algorithm = readAlgorithm(fields.any('algorithm'), what);
  const key = readBitOctets(fields.next(TAG.bitString, 'subjectPublicKey'), what);
  fields.end();
  if (algorithm.oid === OID.ecPublicKey) {
    const parameters = algorithm.parameters;
    const curve = parameters?.tag === TAG.oid ? CURVES[readOid(parameters, what)] : undefined;
    if (curve === undefined) {
      return { kind: 'refused', reason: 'elliptic curve key on none of P-256, P-384, P-521' };
    }
    return { kind: 'ec', spki: spki.bytes, curve: curve.name, fieldBytes: curve.fieldBytes };
  }
  const pss = algorithm.oid === OID.rsassaPss ? pssOfKey(algorithm.parameters) : undefined;
  if (algorithm.oid !== OID.rsaEncryption && algorithm.oid !== OID.rsassaPss) {
    return { kind: 'refused', reason: `key of kind ${describeOid(algorithm.oid)}` };
  }
  if (pss?.kind === 'refused') return { kind: 'refused', reason: `key for ${pss.reason}` };
  const rsa = new Fields(readWhole(key, what), what);
  const bits = bitLength(readUnsigned(rsa.any('modulus'), what));
  const exponentBits = bitLength(readUnsigned(rsa.any('publicExponent'), what));
  rsa.end();
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
    return { kind: 'refused', reason: `RSA key of ${bits} bits` };
  }
  if (exponentBits < 2 || exponentBits > MAX_RSA_EXPONENT_BITS) {
    return { kind: 'refused', reason: `RSA exponent of ${exponentBits} bits` };
  }
  if (pss === undefined) return { kind: 'rsa', spki: spki.bytes, bits };
  const plain = encodeSequence(
    encodeSequence(encodeOid(OID.rsaEncryption)!, encode(TAG.null)),
    encode(TAG.bitString, Uint8Array.of(0), key),
  );
  return { kind: 'rsa', spki: new Uint8Array(plain), bits, pss };
}

/** Parameters limit the key to what they say; without any, it may sign with each. RFC 4055 §1.2, §3.1 */
function pssOfKey(
  parameters: DerNode | undefined,
): { kind: 'limits'; hash?: HashAlgorithm; saltBytes: number } | { kind: 'refused'; reason: string } {
  if (parameters === undefined) return { kind: 'limits', saltBytes: 0 };
  const read = readPss(parameters);
  if (read.kind === 'rsa-pss') return { kind: 'limits', hash: read.hash, saltBytes: read.saltBytes };
  return { kind: 'refused', reason: read.kind === 'refused' ? read.reason : 'no RSA-PSS' };
}

function bitLength(magnitude: Uint8Array): number {
  const first = magnitude[0];
  return first === undefined ? 0 : 8 * magnitude.length - Math.clz32(first) + 24;
}

/** Importing a key costs more than a verification, and authorities reuse theirs for years. */
const importedKeys = new Map<string, Promise<CryptoKey>>();
/** Cleared when full. */
const IMPORTED_KEYS_MAX = 64;

function importedKey(spki: Bytes, parameters: EcKeyImportParams | RsaHashedImportParams): Promise<CryptoKey> {
  const name = `${JSON.stringify(parameters)} ${toHex(spki)}`;
  const known = importedKeys.get(name);
  if (known !== undefined) return known;
  const importing = crypto.subtle.importKey('spki', spki, parameters, false, ['verify']);
  if (importedKeys.size >= IMPORTED_KEYS_MAX) importedKeys.clear();
  importedKeys.set(name, importing);
  return importing;
}

/** True if `signature` over `data` is by `key`; malformed or mismatched ones are false, never an error. */
export async function verifySignature(
  key: PublicKey,
  algorithm: SignatureAlgorithm,
  data: Bytes,
  signature: Bytes,
): Promise<boolean> {
  if (key.kind === 'refused' || algorithm.kind === 'refused') return false;
  if ((key.kind === 'ec') !== (algorithm.kind === 'ecdsa')) return false;
  if (key.kind === 'rsa' && key.pss !== undefined) {
    const { hash, saltBytes } = key.pss;
    if (algorithm.kind !== 'rsa-pss' || algorithm.saltBytes < saltBytes) return false;
    if (hash !== undefined && hash !== algorithm.hash) return false;
  }
  try {
    const hash = algorithm.hash.webCrypto;
    if (key.kind === 'ec') {
      const imported = await importedKey(key.spki, { name: 'ECDSA', namedCurve: key.curve });
      return await crypto.subtle.verify(
        { name: 'ECDSA', hash },
        imported,
        fixedWidth(signature, key.fieldBytes),
        data,
      );
    }
    const name = algorithm.kind === 'rsa-pss' ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
    const imported = await importedKey(key.spki, { name, hash });
    const parameters = algorithm.kind === 'rsa-pss' ? { name, saltLength: algorithm.saltBytes } : { name };
    return await crypto.subtle.verify(parameters, imported, signature, data);
  } catch {
    // WebCrypto throws for invalid points or moduli: no valid signature.
    return false;
  }
}

/** DER Ecdsa-Sig-Value to the fixed-width r ‖ s of WebCrypto. RFC 3279 §2.2.3. */
function fixedWidth(signature: Bytes, fieldBytes: number): Bytes {
  const what = 'Ecdsa-Sig-Value';
  const fields = new Fields(readWhole(signature, what), what);
  const r = readUnsigned(fields.any('r'), what);
  const s = readUnsigned(fields.any('s'), what);
  fields.end();
  if (r.length > fieldBytes || s.length > fieldBytes) throw new DerError(`${what}: wider than the curve`);
  const out = new Uint8Array(2 * fieldBytes);
  out.set(r, fieldBytes - r.length);
  out.set(s, 2 * fieldBytes - s.length);
  return out;
}
