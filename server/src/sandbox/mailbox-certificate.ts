import { randomBytes } from 'node:crypto';
import {
  EKU,
  generateKey,
  type Issued,
  issuedToPem,
  makeCertificate,
  positiveSerial,
  subjectAltNames,
} from '@acuse/tsa/certificates';
import type { SmtpCertificate } from '../platform/smtp/smtp-types.ts';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * A fallback certificate, made at each start under the development root, which sandbox.json names
 * (`ca_file`), valid for our name and localhost. RFC 5280 §4.2.1.6
 */
export function makeMailboxCertificate(root: Issued, hostname: string, now: Date): SmtpCertificate {
  const { certificate, privateKey } = issuedToPem(
    makeCertificate({
      subject: {
        name: { commonName: hostname, organization: 'Acuse sandbox' },
        key: generateKey('ecdsa-p256'),
      },
      issuer: root,
      serialNumber: positiveSerial(randomBytes),
      notBefore: new Date(now.getTime() - BACKDATE_MS),
      notAfter: new Date(now.getTime() + LIFETIME_MS),
      authority: { ca: false },
      keyUsage: ['digitalSignature'],
      extKeyUsage: { critical: false, oids: [EKU.serverAuth] },
      extensions: [subjectAltNames([...new Set([hostname, ...LOCAL_NAMES])])],
    }),
  );
  return { certPem: certificate, keyPem: privateKey };
}

/** Tolerates a clock that is slightly behind. */
const BACKDATE_MS = 60 * 60 * 1_000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1_000;
