/** Object identifiers by the names their RFCs give them. */
import type { TimeStampHash } from './policy.ts';

export const OID = {
  // RFC 5652 §5.1, §11.1, §11.2
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  // RFC 3161 §2.4.2, RFC 2634 §5.4, RFC 5035 §3
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  // RFC 5280 §4.2
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  certificatePolicies: '2.5.29.32',
  policyMappings: '2.5.29.33',
  policyConstraints: '2.5.29.36',
  inhibitAnyPolicy: '2.5.29.54',
  authorityKeyIdentifier: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  crlDistributionPoints: '2.5.29.31',
  issuingDistributionPoint: '2.5.29.28',
  // RFC 5280 §5.2.4, §5.3
  deltaCrlIndicator: '2.5.29.27',
  reasonCode: '2.5.29.21',
  invalidityDate: '2.5.29.24',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  // RFC 6960 §4.2.1, §4.2.2.2
  ocsp: '1.3.6.1.5.5.7.48.1',
  basicOcsp: '1.3.6.1.5.5.7.48.1.1',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  // RFC 3279 §2.3.1, RFC 4055 §3.1, RFC 5480 §2.1.1
  rsaEncryption: '1.2.840.113549.1.1.1',
  mgf1: '1.2.840.113549.1.1.8',
  rsassaPss: '1.2.840.113549.1.1.10',
  ecPublicKey: '1.2.840.10045.2.1',
} as const;

/** FIPS 180-4 hash algorithms taken here: OID, name, octets of output, WebCrypto's name. */
export const HASHES: readonly { oid: string; name: TimeStampHash; sizeBytes: number; webCrypto: string }[] = [
  { oid: '2.16.840.1.101.3.4.2.1', name: 'sha256', sizeBytes: 32, webCrypto: 'SHA-256' },
  { oid: '2.16.840.1.101.3.4.2.2', name: 'sha384', sizeBytes: 48, webCrypto: 'SHA-384' },
  { oid: '2.16.840.1.101.3.4.2.3', name: 'sha512', sizeBytes: 64, webCrypto: 'SHA-512' },
];

export type HashAlgorithm = (typeof HASHES)[number];

export const hashByOid = (oid: string): HashAlgorithm | undefined => HASHES.find((hash) => hash.oid === oid);

/** Names of what authorities send, good or bad, for the sentences in a report. */
const NAMES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'SHA-1',
  '1.2.840.113549.2.5': 'MD5',
  '1.2.840.113549.1.1.4': 'md5WithRSAEncryption',
  '1.2.840.113549.1.1.5': 'sha1WithRSAEncryption',
  '1.2.840.10045.4.1': 'ecdsa-with-SHA1',
  '1.2.840.113549.1.7.1': 'id-data',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.3': 'codeSigning',
  '1.3.6.1.5.5.7.3.4': 'emailProtection',
  [OID.timeStamping]: 'timeStamping',
  [OID.tstInfo]: 'id-ct-TSTInfo',
};

/** An OID, with its name if that helps the reader of a report. */
export function describeOid(oid: string): string {
  const name = hashByOid(oid)?.name ?? NAMES[oid];
  return name === undefined ? oid : `${name} (${oid})`;
}
