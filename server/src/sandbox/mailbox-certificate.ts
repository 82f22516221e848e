import { randomBytes } from 'node:crypto';
import { generateKey, issuedToPem, makeCertificate, positiveSerial } from '@acuse/tsa/certificates';
import type { SmtpCertificate } from '../platform/smtp/smtp-types.ts';

/** A certificate for the test mailbox, made anew at each start: delivery is opportunistic there, as it is to most of the Internet. */
export function makeMailboxCertificate(hostname: string, now: Date): SmtpCertificate {
  const { certificate, privateKey } = issuedToPem(
    makeCertificate({
      subject: {
        name: { commonName: hostname, organization: 'Acuse sandbox' },
        key: generateKey('ecdsa-p256'),
      },
      serialNumber: positiveSerial(randomBytes),
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(now.getTime() + LIFETIME_MS),
      keyUsage: ['digitalSignature'],
    }),
  );
  return { certPem: certificate, keyPem: privateKey };
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIFETIME_MS = 365 * DAY_MS;
