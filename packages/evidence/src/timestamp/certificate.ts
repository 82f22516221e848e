/** X.509 v3 certificates: the part of RFC 5280 that a time-stamp's chain needs, read strictly. */
import { equalBytes, fromBase64 } from '../bytes.ts';
import {
  type GeneralName,
  type NameConstraints,
  type PolicyConstraints,
  readGeneralNames,
  readInhibitAny,
  readNameConstraints,
  readPolicyConstraints,
} from './constraint-extensions.ts';
import {
  type Bytes,
  children,
  context,
  DerError,
  type DerNode,
  expectTag,
  Fields,
  readBitOctets,
  readBoolean,
  readInteger,
  readOid,
  readSmall,
  readTime,
  readWhole,
  TAG,
  unwrap,
} from './der.ts';
import { readExtensions } from './extension.ts';
import { distinguishedName } from './name.ts';
import { OID } from './oids.ts';
import {
  type PublicKey,
  readAlgorithm,
  readPublicKey,
  type SignatureAlgorithm,
  signatureAlgorithm,
} from './signature.ts';

/** A certificate of 16 KiB already carries dozens of extensions; WebTrust ones stay under 3 KiB. */
export const MAX_CERTIFICATE_BYTES = 16 * 1024;
/** PEM certificates in one text: more than any authority's chain. */
const MAX_PEM_CERTIFICATES = 32;

export interface Certificate {
  readonly der: Bytes;
  readonly tbs: Bytes;
  /** The INTEGER's octets: authorities of old made negative ones. */
  readonly serialNumber: Bytes;
  /**
   * The Name as DER, compared octet by octet: a CA copies its subject into what it issues. RFC 5280 §4.1.2.4
   */
  readonly issuerDer: Bytes;
  readonly subjectDer: Bytes;
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: PublicKey;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Bytes;
  readonly extensions: Extensions;
}

/** `undefined` where the certificate lacks the extension. */
export interface Extensions {
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength?: number };
  /** Bits by RFC 5280 §4.2.1.3: 0 digitalSignature, 1 nonRepudiation, 5 keyCertSign. */
  readonly keyUsage?: ReadonlySet<number>;
  readonly extKeyUsage?: { readonly critical: boolean; readonly oids: readonly string[] };
  readonly subjectKeyIdentifier?: Bytes;
  readonly subjectAltNames?: readonly GeneralName[];
  readonly nameConstraints?: NameConstraints;
  readonly policies?: readonly string[];
  readonly policyMappings?: true;
  readonly policyConstraints?: PolicyConstraints;
  readonly inhibitAnyPolicy?: number;
  /** As they are; pointers.ts reads them. RFC 5280 §4.2.1.13, §4.2.2.1 */
  readonly crlDistributionPoints?: Bytes;
  readonly authorityInfoAccess?: Bytes;
  /** Unknown critical extensions: the certificate must be refused. RFC 5280 §4.2 */
  readonly unknownCritical: readonly string[];
}

export const KEY_USAGE = { digitalSignature: 0, nonRepudiation: 1, keyCertSign: 5, crlSign: 6 } as const;

/** Throws DerError. RFC 5280 §4.1. */
export function readCertificate(der: Uint8Array): Certificate {
  if (der.length > MAX_CERTIFICATE_BYTES) throw new DerError(`certificate of ${der.length} bytes`);
  const whole = readWhole(new Uint8Array(der), 'certificate');
  const outer = new Fields(whole, 'certificate');
  const tbs = outer.next(TAG.sequence, 'tbsCertificate');
  const algorithm = outer.next(TAG.sequence, 'signatureAlgorithm');
  const signature = readBitOctets(outer.any('signatureValue'), 'certificate.signatureValue');
  outer.end();

  const fields = new Fields(tbs, 'tbsCertificate');
  const version = fields.optional(context(0));
  const serialNumber = fields.next(TAG.integer, 'serialNumber');
  const inner = fields.next(TAG.sequence, 'signature');
  const issuer = fields.next(TAG.sequence, 'issuer');
  const validity = new Fields(fields.any('validity'), 'validity');
  const subject = fields.next(TAG.sequence, 'subject');
  const spki = fields.next(TAG.sequence, 'subjectPublicKeyInfo');
  fields.optional(context(1, false));
  fields.optional(context(2, false));
  const extensions = fields.optional(context(3));
  fields.end();

  if (version === undefined || readSmall(unwrap(version, 'version'), 'version') !== 2) {
    throw new DerError('certificate is not v3');
  }
  if (!equalBytes(inner.bytes, algorithm.bytes)) {
    throw new DerError('certificate names two signature algorithms');
  }
  const notBefore = readTime(validity.any('notBefore'), 'notBefore');
  const notAfter = readTime(validity.any('notAfter'), 'notAfter');
  validity.end();
  return {
    der: whole.bytes,
    tbs: tbs.bytes,
    serialNumber: readInteger(serialNumber, 'serialNumber'),
    issuerDer: issuer.bytes,
    subjectDer: subject.bytes,
    issuer: distinguishedName(issuer),
    subject: distinguishedName(subject),
    notBefore,
    notAfter,
    publicKey: readPublicKey(spki),
    signatureAlgorithm: signatureAlgorithm(readAlgorithm(algorithm, 'signatureAlgorithm')),
    signature,
    extensions: extensionsOf(extensions),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Extensions that are read and not judged: harmless when critical, and often so in authorities' certificates.
 */
const UNJUDGED: readonly string[] = [OID.authorityKeyIdentifier];

function extensionsOf(node: DerNode | undefined): Extensions {
  const unknownCritical: string[] = [];
  const out: Mutable<Extensions> = { unknownCritical };
  if (node === undefined) return out;
  for (const { oid, critical, content } of readExtensions(unwrap(node, 'extensions'), 'extensions')) {
    const value = (): DerNode => readWhole(content, `extension ${oid}`);
    if (oid === OID.basicConstraints) out.basicConstraints = readBasicConstraints(value());
    else if (oid === OID.keyUsage) out.keyUsage = readKeyUsage(value());
    else if (oid === OID.extKeyUsage) out.extKeyUsage = { critical, oids: readExtKeyUsage(value()) };
    else if (oid === OID.subjectKeyIdentifier) {
      out.subjectKeyIdentifier = expectTag(value(), TAG.octetString, 'subjectKeyIdentifier').content;
    } else if (oid === OID.subjectAltName) out.subjectAltNames = readGeneralNames(value());
    else if (oid === OID.nameConstraints) out.nameConstraints = readNameConstraints(value());
    else if (oid === OID.certificatePolicies) out.policies = readPolicies(value());
    else if (oid === OID.policyMappings) out.policyMappings = true;
    else if (oid === OID.policyConstraints) out.policyConstraints = readPolicyConstraints(value());
    else if (oid === OID.inhibitAnyPolicy) out.inhibitAnyPolicy = readInhibitAny(value());
    else if (oid === OID.crlDistributionPoints && !critical) out.crlDistributionPoints = content;
    else if (oid === OID.authorityInfoAccess && !critical) out.authorityInfoAccess = content;
    else if (critical && !UNJUDGED.includes(oid)) unknownCritical.push(oid);
  }
  return out;
}

function readBasicConstraints(node: DerNode): { ca: boolean; pathLength?: number } {
  const what = 'basicConstraints';
  const fields = new Fields(node, what);
  const flag = fields.optional(TAG.boolean);
  const length = fields.optional(TAG.integer);
  fields.end();
  const ca = flag !== undefined && readBoolean(flag, what);
  return length === undefined ? { ca } : { ca, pathLength: readSmall(length, what) };
}

function readKeyUsage(node: DerNode): ReadonlySet<number> {
  const { content } = expectTag(node, TAG.bitString, 'keyUsage');
  // Nine bits are defined: a count of unused bits and at most two octets.
  if (content.length < 2 || content.length > 3 || content[0]! > 7) {
    throw new DerError('keyUsage: not a named bit list');
  }
  const bits = new Set<number>();
  for (let bit = 0; bit < 8 * (content.length - 1); bit++) {
    if (content[1 + (bit >> 3)]! & (0x80 >> (bit & 7))) bits.add(bit);
  }
  return bits;
}

function readExtKeyUsage(node: DerNode): string[] {
  const usages = children(expectTag(node, TAG.sequence, 'extKeyUsage'), 'extKeyUsage');
  return usages.map((usage) => readOid(usage, 'extKeyUsage'));
}

/** OIDs alone; qualifiers are for people. */
function readPolicies(node: DerNode): string[] {
  return children(expectTag(node, TAG.sequence, 'certificatePolicies'), 'certificatePolicies').map((policy) =>
    readOid(new Fields(policy, 'PolicyInformation').any('policyIdentifier'), 'policyIdentifier'),
  );
}

const PEM_BEGIN = '-----BEGIN CERTIFICATE-----';
const PEM_END = '-----END CERTIFICATE-----';

/** The DER of every certificate in a PEM text; text around them is ignored. Throws DerError. RFC 7468 §5. */
export function certificatesFromPem(pem: string): Uint8Array[] {
  const out: Uint8Array[] = [];
  // Text after the last end is not a block: each piece before it is scanned once.
  for (const piece of pem.split(PEM_END).slice(0, -1)) {
    const begin = piece.lastIndexOf(PEM_BEGIN);
    const body = begin < 0 ? '' : piece.slice(begin + PEM_BEGIN.length);
    if (begin < 0 || /[^A-Za-z0-9+/=\s]/.test(body)) continue;
    const der = fromBase64(body.replace(/\s+/g, ''));
    if (der === undefined || out.length === MAX_PEM_CERTIFICATES) {
      throw new DerError('PEM: not readable as certificates');
    }
    out.push(der);
  }
  return out;
}
