import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate with its key, PEM for servers and DER for comparing. */
export interface TestCertificate {
  readonly certPem: string;
  readonly keyPem: string;
  readonly der: Uint8Array;
  /** DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly key: KeyObject;
  readonly subject: string;
}

/**
 * A certificate to issue; without `issuer` it signs itself. Names that are IP addresses become iPAddress
 * entries.
 */
export interface CertificateRequest {
  readonly subject: string;
  readonly names?: readonly string[];
  readonly ca?: boolean;
  readonly issuer?: TestCertificate;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const HOUR_MS = 3_600_000;

/**
 * Issues an ECDSA P-256 certificate, good from an hour ago for a day unless asked otherwise. RFC 5280 §4.1
 */
export function issueCertificate(request: CertificateRequest): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
  const issuer = request.issuer;
  const now = Date.now();
  const validity = sequence(
    utcTime(request.notBefore ?? new Date(now - HOUR_MS)),
    utcTime(request.notAfter ?? new Date(now + 24 * HOUR_MS)),
  );
  const serial = randomBytes(8);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const extensions = [basicConstraints(request.ca === true)];
  if (request.names !== undefined && request.names.length > 0) extensions.push(subjectAltName(request.names));
  const tbs = sequence(
    tlv(0xa0, tlv(0x02, Uint8Array.of(2))),
    tlv(0x02, serial),
    ECDSA_WITH_SHA256,
    commonName(issuer?.subject ?? request.subject),
    validity,
    commonName(request.subject),
    spki,
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', tbs, issuer?.key ?? privateKey);
  const der = sequence(tbs, ECDSA_WITH_SHA256, tlv(0x03, concat([Uint8Array.of(0), signature])));
  return {
    certPem: pem('CERTIFICATE', der),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    der,
    spki,
    key: privateKey,
    subject: request.subject,
  };
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function tlv(tag: number, ...contents: Uint8Array[]): Uint8Array {
  const body = concat(contents);
  if (body.length < 0x80) return concat([Uint8Array.of(tag, body.length), body]);
  const length = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return concat([Uint8Array.of(tag, ...length), body]);
}

function sequence(...contents: Uint8Array[]): Uint8Array {
  return tlv(0x30, ...contents);
}

function text(tag: number, value: string): Uint8Array {
  return tlv(tag, new TextEncoder().encode(value));
}

function oid(...bytes: number[]): Uint8Array {
  return tlv(0x06, Uint8Array.of(...bytes));
}

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const TRUE = tlv(0x01, Uint8Array.of(0xff));

function commonName(name: string): Uint8Array {
  return sequence(tlv(0x31, sequence(oid(0x55, 0x04, 0x03), text(0x0c, name))));
}

function utcTime(date: Date): Uint8Array {
  return text(0x17, `${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`);
}

function basicConstraints(ca: boolean): Uint8Array {
  return sequence(oid(0x55, 0x1d, 0x13), TRUE, tlv(0x04, ca ? sequence(TRUE) : sequence()));
}

function subjectAltName(names: readonly string[]): Uint8Array {
  const entries = names.map((name) => {
    if (isIP(name) === 4) return tlv(0x87, Uint8Array.from(name.split('.').map(Number)));
    return text(0x82, name);
  });
  return sequence(oid(0x55, 0x1d, 0x11), tlv(0x04, sequence(...entries)));
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
