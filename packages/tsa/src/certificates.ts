/**
 * Making certificates: the development authority's own, and those that resemble what a PSC's signers carry.
 * RFC 5280.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import { certificatesFromPem, readCertificate } from '@acuse/evidence/timestamp/certificate';
import { Fields, readBitOctets, readWhole, TAG } from '@acuse/evidence/timestamp/der';
import { encode, encodeUnsigned } from '@acuse/evidence/timestamp/encode';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import * as asn1 from './asn1.ts';
import { type SigningHash, signatureIdentifier, signDer } from './sign.ts';

/**
 * ECDSA P-256 signs in microseconds and keeps tokens small; RSA-2048 is what Mexican PSCs use. OpenSSL takes
 * both.
 */
export type KeyKind = 'ecdsa-p256' | 'rsa-2048';

export interface DistinguishedName {
  readonly commonName: string;
  readonly organization?: string;
  /** ISO 3166 alpha-2. */
  readonly country?: string;
}

export interface Subject {
  readonly name: DistinguishedName;
  readonly key: KeyObject;
}

/** A certificate and, where it is ours to use, its private key. */
export interface Issued {
  readonly der: Uint8Array;
  readonly key: KeyObject;
}

/** The content of one certificate. OIDs dotted; times cut to seconds. */
export interface CertificateRequest {
  readonly subject: Subject;
  /** Absent: self-signed. */
  readonly issuer?: Issued;
  /** Positive, up to 20 octets. RFC 5280 §4.1.2.2 */
  readonly serialNumber: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly authority?: { readonly ca: boolean; readonly pathLength?: number };
  readonly keyUsage?: readonly KeyUsage[];
  readonly extKeyUsage?: { readonly critical: boolean; readonly oids: readonly string[] };
  readonly crlUrl?: string;
  readonly ocspUrl?: string;
  readonly policies?: readonly string[];
  readonly hash?: SigningHash;
  /** Further extensions, as DER. */
  readonly extensions?: readonly Uint8Array[];
}

const KEY_USAGE_BITS = {
  digitalSignature: 0,
  nonRepudiation: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
} as const;
export type KeyUsage = keyof typeof KEY_USAGE_BITS;

export const EKU = {
  timeStamping: '1.3.6.1.5.5.7.3.8',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

export function generateKey(kind: KeyKind): KeyObject {
  if (kind === 'ecdsa-p256') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

/** 16 octets, positive and never zero. `random`: that many random octets. */
export function positiveSerial(random: (sizeBytes: number) => Uint8Array): Uint8Array {
  const serial = Uint8Array.from(random(16));
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  return serial;
}

/** Signs a v3 certificate. DER. */
export function makeCertificate(request: CertificateRequest): Issued {
  const { subject, issuer } = request;
  const signingKey = issuer?.key ?? subject.key;
  const identifier = signatureIdentifier(signingKey, request.hash ?? 'sha256');
  const name = encodeName(subject.name);
  const spki = publicKeyInfo(subject.key);
  const issuerCertificate = issuer && readCertificate(issuer.der);
  const authorityKey = issuerCertificate?.extensions.subjectKeyIdentifier ?? keyIdentifier(spki);
  const tbs = asn1.sequence(
    asn1.tagged(0, asn1.integer(2)),
    encodeUnsigned(request.serialNumber),
    identifier,
    issuerCertificate?.subjectDer ?? name,
    asn1.sequence(asn1.certificateTime(request.notBefore), asn1.certificateTime(request.notAfter)),
    name,
    spki,
    asn1.tagged(3, asn1.sequence(...encodeExtensions(request, keyIdentifier(spki), authorityKey))),
  );
  const signature = signDer(signingKey, request.hash ?? 'sha256', tbs);
  return { der: asn1.sequence(tbs, identifier, asn1.bitString(signature)), key: subject.key };
}

function encodeName(name: DistinguishedName): Uint8Array {
  const part = (oid: string, value: Uint8Array): Uint8Array =>
    asn1.setOf(asn1.sequence(asn1.oid(oid), value));
  return asn1.sequence(
    name.country === undefined
      ? asn1.nothing
      : part('2.5.4.6', encode(TAG.printableString, new TextEncoder().encode(name.country))),
    name.organization === undefined ? asn1.nothing : part('2.5.4.10', asn1.utf8String(name.organization)),
    part('2.5.4.3', asn1.utf8String(name.commonName)),
  );
}

function publicKeyInfo(key: KeyObject): Uint8Array {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  return new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
}

/** RFC 7093 §2 method 1: the leftmost 160 bits of SHA-256 of the key. */
function keyIdentifier(spki: Uint8Array): Uint8Array {
  const fields = new Fields(readWhole(new Uint8Array(spki), 'SubjectPublicKeyInfo'), 'SubjectPublicKeyInfo');
  fields.any('algorithm');
  const key = readBitOctets(fields.any('subjectPublicKey'), 'subjectPublicKey');
  return new Uint8Array(createHash('sha256').update(key).digest().subarray(0, 20));
}

/** One extension, for `extensions` too. */
export function encodeExtension(oid: string, critical: boolean, value: Uint8Array): Uint8Array {
  return asn1.sequence(asn1.oid(oid), critical ? asn1.boolean(true) : asn1.nothing, asn1.octetString(value));
}

function encodeExtensions(
  request: CertificateRequest,
  subjectKey: Uint8Array,
  authorityKey: Uint8Array,
): Uint8Array[] {
  const { authority, keyUsage, extKeyUsage, policies, crlUrl, ocspUrl } = request;
  const out: Uint8Array[] = [];
  if (authority !== undefined) {
    const limit = authority.pathLength === undefined ? asn1.nothing : asn1.integer(authority.pathLength);
    out.push(
      encodeExtension(
        '2.5.29.19',
        true,
        asn1.sequence(authority.ca ? asn1.boolean(true) : asn1.nothing, limit),
      ),
    );
  }
  if (keyUsage !== undefined) {
    out.push(
      encodeExtension('2.5.29.15', true, asn1.bitList(keyUsage.map((usage) => KEY_USAGE_BITS[usage]))),
    );
  }
  if (extKeyUsage !== undefined) {
    out.push(
      encodeExtension('2.5.29.37', extKeyUsage.critical, asn1.sequence(...extKeyUsage.oids.map(asn1.oid))),
    );
  }
  out.push(encodeExtension('2.5.29.14', false, asn1.octetString(subjectKey)));
  out.push(encodeExtension('2.5.29.35', false, asn1.sequence(asn1.taggedPrimitive(0, authorityKey))));
  if (policies !== undefined) {
    out.push(
      encodeExtension(
        '2.5.29.32',
        false,
        asn1.sequence(...policies.map((policy) => asn1.sequence(asn1.oid(policy)))),
      ),
    );
  }
  if (crlUrl !== undefined) {
    out.push(
      encodeExtension(
        '2.5.29.31',
        false,
        asn1.sequence(asn1.sequence(asn1.tagged(0, asn1.tagged(0, uri(crlUrl))))),
      ),
    );
  }
  if (ocspUrl !== undefined) {
    out.push(
      encodeExtension(
        '1.3.6.1.5.5.7.1.1',
        false,
        asn1.sequence(asn1.sequence(asn1.oid('1.3.6.1.5.5.7.48.1'), uri(ocspUrl))),
      ),
    );
  }
  return [...out, ...(request.extensions ?? [])];
}

/** Host names and IP addresses, as an extension. RFC 5280 §4.2.1.6 */
export function subjectAltNames(names: readonly string[]): Uint8Array {
  const general = names.map((name) =>
    isIP(name) === 0
      ? asn1.taggedPrimitive(2, new TextEncoder().encode(name))
      : asn1.taggedPrimitive(7, addressOctets(name)),
  );
  return encodeExtension('2.5.29.17', false, asn1.sequence(...general));
}

/** 4 octets, or 16. */
function addressOctets(ip: string): Uint8Array {
  if (isIP(ip) === 4) return Uint8Array.from(ip.split('.').map(Number));
  const [left = '', right] = ip.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [before, after] = [groups(left), groups(right ?? '')];
  const filled = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Uint8Array.from(
    filled.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}

/** GeneralName [6]. */
const uri = (url: string): Uint8Array => asn1.taggedPrimitive(6, new TextEncoder().encode(url));

/** PEM of the certificate and, apart, of its key as unencrypted PKCS#8: the caller keeps that one secret. */
export function issuedToPem(issued: Issued): { certificate: string; privateKey: string } {
  return {
    certificate: certificateToPem(issued.der),
    privateKey: issued.key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The reverse. Throws when either is unreadable or the key is not the certificate's. */
export function issuedFromPem(certificate: string, privateKey: string): Issued {
  const [der] = certificatesFromPem(certificate);
  if (der === undefined) throw new Error('no certificate in the PEM text');
  const key = createPrivateKey(privateKey);
  const { publicKey } = readCertificate(der);
  if (publicKey.kind === 'refused' || !Buffer.from(publicKey.spki).equals(publicKeyInfo(key))) {
    throw new Error('the private key is not the one of the certificate');
  }
  return { der, key };
}
