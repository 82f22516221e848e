/**
 * The embedded development authority: a real CA and signer, made on the spot, that nobody outside this
 * installation trusts.
 */

import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { EKU, generateKey, type Issued, makeCertificate, positiveSerial } from './certificates.ts';

/** An OID of its own under the UUID arc, which needs no registration. X.667 §6.3 */
export const DEVELOPMENT_POLICY_OID = '2.25.270469922682019947940172261583377259638';

export const DEVELOPMENT_NAME = 'Acuse development TSA (not a NOM-151 constancia)';

/** The root outlives every signer; a signer is made anew from it before it ends. */
const ROOT_YEARS = 20;
const SIGNER_YEARS = 5;
/** Certificates begin this much early, so that a clock set back a little does not stop stamping. */
const BACKDATE_MS = 60 * 60 * 1000;
const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

export interface DevelopmentAuthority {
  readonly root: Issued;
  readonly signer: Issued;
}

export interface Making {
  readonly now: Date;
  /** Octets from a cryptographic source. */
  readonly random: (sizeBytes: number) => Uint8Array;
}

const ORGANIZATION = 'Acuse development';

/** A new root and signer, ECDSA P-256. */
export function createDevelopmentAuthority(making: Making): DevelopmentAuthority {
  const root = makeCertificate({
    subject: {
      name: { commonName: 'Acuse development root', organization: ORGANIZATION },
      key: generateKey('ecdsa-p256'),
    },
    serialNumber: positiveSerial(making.random),
    ...lasting(making.now, ROOT_YEARS),
    authority: { ca: true, pathLength: 0 },
    keyUsage: ['keyCertSign', 'cRLSign'],
  });
  return { root, signer: issueDevelopmentSigner(root, making) };
}

/** A further signer under the same root, for when the last one ends. */
export function issueDevelopmentSigner(root: Issued, making: Making): Issued {
  return makeCertificate({
    subject: {
      name: { commonName: 'Acuse development TSA', organization: ORGANIZATION },
      key: generateKey('ecdsa-p256'),
    },
    issuer: root,
    serialNumber: positiveSerial(making.random),
    ...lasting(making.now, SIGNER_YEARS),
    authority: { ca: false },
    keyUsage: ['digitalSignature'],
    extKeyUsage: { critical: true, oids: [EKU.timeStamping] },
  });
}

/** A verifier's pins to accept this authority and show what it is. */
export function developmentPolicy(root: Issued): TimeStampPolicy {
  return {
    profile: 'rfc3161',
    name: DEVELOPMENT_NAME,
    roots: [certificateToPem(root.der)],
    development: true,
    policies: [DEVELOPMENT_POLICY_OID],
    hashAlgorithms: ['sha256', 'sha384', 'sha512'],
    nonce: true,
  };
}

function lasting(now: Date, years: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(now.getTime() + years * YEAR_MS),
  };
}
