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

/** How programs on this machine reach it, whatever it is called. */
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * A certificate for SMTP listeners without one of the operator's, made at each start under the root of the
 * development authority, which sandbox.json names (`ca_file`): a client that trusts that file can verify us
 * by our name and as localhost. RFC 5280 §4.2.1.6
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

/** As the root is, so that a clock set back a little does not stop anybody. */
const BACKDATE_MS = 60 * 60 * 1_000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * 1_000;
