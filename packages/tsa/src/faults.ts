/** One token for each thing that can be wrong with a token, and the check that alone must fail for it. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import type { TimeStampCheckName } from '@acuse/evidence/timestamp/report';
import { boolean } from './asn1.ts';
import { EKU, encodeExtension, type Issued } from './certificates.ts';
import type { Responder } from './respond.ts';
import { HASH_OIDS } from './sign.ts';
import type { TestAuthority } from './test-authority.ts';
import { hash, type TokenPlan } from './token.ts';

export interface Fault {
  readonly fails: TimeStampCheckName;
  /** Replaces parts of the responder, before the plan is made. */
  readonly signedBy?: (lab: TestAuthority) => Partial<Responder>;
  /** Alters the plan, which is then signed. */
  readonly tamper?: (plan: TokenPlan, lab: TestAuthority) => TokenPlan;
  /** Alters the response's bytes. */
  readonly after?: (response: Uint8Array) => Uint8Array;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const ID_DATA = '1.2.840.113549.1.7.1';

const flipLast = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
const tst = (plan: TokenPlan, change: Partial<TokenPlan['tst']>): TokenPlan => ({
  ...plan,
  tst: { ...plan.tst, ...change },
});
const ess = (plan: TokenPlan, change: Partial<TokenPlan['ess'][number]>): TokenPlan => ({
  ...plan,
  ess: plan.ess.map((one) => ({ ...one, ...change })),
});

/** A signer with a flawed certificate. */
const signer =
  (name: string, change: (lab: TestAuthority) => Parameters<TestAuthority['signerWith']>[0]) =>
  (lab: TestAuthority): Partial<Responder> => ({ signer: lab.made(name, () => lab.signerWith(change(lab))) });

/** A sound signer under a flawed authority. */
const under =
  (issuer: (lab: TestAuthority) => Issued, ...above: ((lab: TestAuthority) => Issued)[]) =>
  (lab: TestAuthority): Partial<Responder> => ({
    signer: lab.signerWith({ issuer: issuer(lab) }),
    chain: [issuer, ...above].map((authority) => authority(lab).der),
  });

/** Another sound signer of the same authority. */
const decoy = (lab: TestAuthority): Issued => lab.made('decoy', () => lab.signerWith({}));

/** An authority that calls itself as the sound root does. */
function impostor(lab: TestAuthority): Issued {
  const name = { commonName: 'Acuse development root', organization: 'Acuse development' };
  return lab.authority('impostor', { subject: { name, key: lab.authority('impostor key').key } });
}

/** Nobody issued it; it is pinned nowhere. */
function selfSigned(lab: TestAuthority): Issued {
  return lab.authority('self', {
    authority: { ca: false },
    keyUsage: ['digitalSignature'],
    extKeyUsage: { critical: true, oids: [EKU.timeStamping] },
  });
}

/** An RSA key of 16384 bits without a private half; verifying with it would be slow. */
function absurdKey(): KeyObject {
  const n = Buffer.alloc(2048, 0xab).toString('base64url');
  return createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
}

export const FAULTS = {
  'trailing-bytes': { fails: 'trailing_bytes', after: (response) => Uint8Array.from([...response, 0]) },
  'rejected-with-token': { fails: 'status', tamper: (plan) => ({ ...plan, status: 2 }) },
  'waiting-with-token': { fails: 'status', tamper: (plan) => ({ ...plan, status: 3 }) },
  'signed-data-v1': { fails: 'signed_data_version', tamper: (plan) => ({ ...plan, signedDataVersion: 1 }) },
  'two-signer-infos': { fails: 'single_signer', tamper: (plan) => ({ ...plan, signerInfos: 2 }) },
  'content-type-data': { fails: 'content_type', tamper: (plan) => ({ ...plan, contentType: ID_DATA }) },
  'content-type-attribute-data': {
    fails: 'content_type_attribute',
    tamper: (plan) => ({ ...plan, contentTypeAttribute: ID_DATA }),
  },
  'content-type-attribute-missing': {
    fails: 'content_type_attribute',
    tamper: (plan) => ({ ...plan, contentTypeAttribute: null }),
  },
  'sha1-digest': { fails: 'signature_algorithm', tamper: (plan) => ({ ...plan, digest: 'sha1' }) },
  'digest-sha256-signature-sha384': {
    fails: 'signature_algorithm',
    tamper: (plan) => ({ ...plan, signatureHash: 'sha384' }),
  },
  'sha1-signature': { fails: 'signature_algorithm', tamper: (plan) => ({ ...plan, signatureHash: 'sha1' }) },
  'md5-signature': {
    fails: 'signature_algorithm',
    signedBy: signer('rsa', (lab) => ({
      subject: { name: { commonName: 'RSA TSA' }, key: lab.rsaKey(2048) },
    })),
    tamper: (plan) => ({ ...plan, signatureHash: 'md5' }),
  },
  'message-digest-wrong': {
    fails: 'message_digest',
    tamper: (plan) => ({ ...plan, messageDigest: new Uint8Array(32) }),
  },
  'message-digest-missing': { fails: 'message_digest', tamper: (plan) => ({ ...plan, messageDigest: null }) },
  'signer-certificate-missing': {
    fails: 'signer_certificate',
    tamper: (plan) => ({ ...plan, certificates: [] }),
  },
  'signer-identifier-of-another': {
    fails: 'signer_certificate',
    tamper: (plan, lab) => ({ ...plan, signerCertificate: decoy(lab).der }),
  },
  'signature-corrupt': { fails: 'signature', after: flipLast },
  'signature-by-another-key': {
    fails: 'signature',
    tamper: (plan, lab) => ({ ...plan, signingKey: decoy(lab).key }),
  },
  'signer-key-weak': {
    fails: 'signature',
    signedBy: signer('weak', (lab) => ({
      subject: { name: { commonName: 'Weak TSA' }, key: lab.rsaKey(1024) },
    })),
  },
  'signer-key-absurd': {
    fails: 'signature',
    signedBy: signer('absurd', () => ({ subject: { name: { commonName: 'Absurd TSA' }, key: absurdKey() } })),
    tamper: (plan, lab) => ({ ...plan, signingKey: lab.made('absurd signs', () => lab.signerWith({})).key }),
  },
  'ess-missing': { fails: 'ess_binding', tamper: (plan) => ({ ...plan, ess: [] }) },
  'ess-hash-wrong': {
    fails: 'ess_binding',
    tamper: (plan) => ess(plan, { certificateHash: new Uint8Array(32) }),
  },
  'ess-names-decoy': {
    fails: 'ess_binding',
    tamper: (plan, lab) =>
      ess(plan, { certificateHash: hash('sha256', decoy(lab).der), issuerSerialOf: decoy(lab).der }),
  },
  'ess-serial-of-another': {
    fails: 'ess_binding',
    tamper: (plan, lab) => ess(plan, { issuerSerialOf: decoy(lab).der }),
  },
  'ess-twice': { fails: 'ess_binding', tamper: (plan) => ({ ...plan, ess: [...plan.ess, ...plan.ess] }) },
  'ess-v1-wrong-beside-v2': {
    fails: 'ess_binding',
    tamper: (plan) => ({
      ...plan,
      ess: [...plan.ess, { version: 1, certificateHash: new Uint8Array(20), issuerSerialOf: null }],
    }),
  },
  'eku-missing': {
    fails: 'extended_key_usage',
    signedBy: (lab) => ({ signer: lab.made('no eku', () => lab.signerWith({}, 'extKeyUsage')) }),
  },
  'eku-of-a-psc': { fails: 'extended_key_usage', signedBy: (lab) => ({ signer: lab.pscResponder.signer }) },
  'eku-not-critical': {
    fails: 'extended_key_usage',
    signedBy: signer('eku not critical', () => ({
      extKeyUsage: { critical: false, oids: [EKU.timeStamping] },
    })),
  },
  'eku-two': {
    fails: 'extended_key_usage',
    signedBy: signer('eku two', () => ({
      extKeyUsage: { critical: true, oids: [EKU.timeStamping, EKU.clientAuth] },
    })),
  },
  'key-usage-certificates': {
    fails: 'key_usage',
    signedBy: signer('key usage', () => ({ keyUsage: ['digitalSignature', 'keyCertSign'] })),
  },
  'key-usage-encryption': {
    fails: 'key_usage',
    signedBy: signer('key usage 2', () => ({ keyUsage: ['keyAgreement'] })),
  },
  'tst-v2': { fails: 'tst_version', tamper: (plan) => tst(plan, { version: 2 }) },
  'imprint-called-sha1': {
    fails: 'hash_algorithm',
    tamper: (plan) => tst(plan, { hashOid: HASH_OIDS.sha1 }),
  },
  'imprint-called-sha512': {
    fails: 'hash_algorithm',
    tamper: (plan) => tst(plan, { hashOid: HASH_OIDS.sha512 }),
  },
  'imprint-of-another': {
    fails: 'imprint',
    tamper: (plan) => tst(plan, { imprint: hash('sha256', plan.tst.imprint) }),
  },
  'nonce-wrong': { fails: 'nonce', tamper: (plan) => tst(plan, { nonce: Uint8Array.of(1, 2, 3) }) },
  'nonce-missing': {
    fails: 'nonce',
    tamper: ({ tst: { nonce: _, ...rest }, ...plan }) => ({ ...plan, tst: rest }),
  },
  'policy-of-another': { fails: 'policy', tamper: (plan) => tst(plan, { policyOid: '1.2.3.4.5' }) },
  'root-untrusted': { fails: 'chain', signedBy: under((lab) => lab.authority('root that no policy pins')) },
  'root-impostor': { fails: 'chain', signedBy: under((lab) => impostor(lab)) },
  'signer-self-signed': { fails: 'chain', signedBy: (lab) => ({ signer: selfSigned(lab) }) },
  'certificate-signed-with-sha1': {
    fails: 'chain',
    signedBy: signer('sha1 certificate', () => ({ hash: 'sha1' })),
  },
  'root-no-authority': {
    fails: 'authorities',
    signedBy: under((lab) => lab.authority('root that is no CA')),
  },
  'root-may-not-certify': {
    fails: 'authorities',
    signedBy: under((lab) => lab.authority('root that may not sign certificates')),
  },
  'path-too-long': {
    // The sound root allows no authority between itself and signers.
    fails: 'authorities',
    signedBy: under((lab) => lab.authority('authority too many', { issuer: lab.root })),
  },
  'extension-unknown-critical': {
    fails: 'critical_extensions',
    signedBy: signer('unknown critical', () => ({
      extensions: [encodeExtension('1.2.3.4.6', true, boolean(true))],
    })),
  },
  'signer-ended': {
    fails: 'validity',
    signedBy: signer('ended', (lab) => ({ notBefore: lab.ago(9 * DAY_MS), notAfter: lab.ago(DAY_MS) })),
  },
  'signer-not-begun': {
    fails: 'validity',
    signedBy: signer('not begun', (lab) => ({ notBefore: lab.ahead(DAY_MS) })),
  },
  'root-ended': { fails: 'validity', signedBy: under((lab) => lab.authority('root that has ended')) },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Variants of an honest authority, or an attacker's vain attempts: all of these must verify. */
export const VARIATIONS = {
  'as-usual': {},
  'status-with-modifications': { tamper: (plan) => ({ ...plan, status: 1 }) },
  'decoy-first': {
    tamper: (plan, lab) => ({ ...plan, certificates: [decoy(lab).der, lab.root.der, ...plan.certificates] }),
  },
  // The signer identifier cannot distinguish these two; the signature does.
  'namesake-first': {
    tamper: (plan, lab) => ({ ...plan, certificates: [namesake(plan, lab).der, ...plan.certificates] }),
  },
  'ess-v1': { signedBy: () => ({ essVersions: [1] }) },
  'ess-both': { signedBy: () => ({ essVersions: [1, 2] }) },
  'ess-without-serial': { tamper: (plan) => ess(plan, { issuerSerialOf: null }) },
  rsa: {
    signedBy: signer('rsa 3072', (lab) => ({
      subject: { name: { commonName: 'RSA TSA' }, key: lab.rsaKey(3072) },
    })),
  },
  'digest-sha512': { tamper: (plan) => ({ ...plan, digest: 'sha512' }) },
  'no-accuracy': { tamper: ({ tst: { accuracySeconds: _, ...rest }, ...plan }) => ({ ...plan, tst: rest }) },
} as const satisfies Record<string, Omit<Fault, 'fails'>>;

export type VariationName = keyof typeof VARIATIONS;

/** A certificate with the signer's very issuer and serial number, and another key. */
function namesake(plan: TokenPlan, lab: TestAuthority): Issued {
  return lab.signerWith({ serialNumber: readCertificate(plan.signerCertificate).serialNumber });
}
