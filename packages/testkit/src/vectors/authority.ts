/**
 * The authorities, logs and witnesses of the test vectors: all of their keys are public, so that the vectors
 * can be made again to the byte.
 */
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { StoredStamp } from '@acuse/evidence/assemble';
import type { Sha256 } from '@acuse/evidence/bytes';
import type { Signer } from '@acuse/evidence/note';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampHash, TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { COSIGNATURE_V1, verifierKey } from '@acuse/evidence/verifier-key';
import { type CertificateRequest, EKU, type Issued, makeCertificate } from '@acuse/tsa/certificates';
import { respond, type Tamper } from '@acuse/tsa/respond';
import { makeCrl } from '@acuse/tsa/revocation';
import { ed25519 } from '@noble/curves/ed25519.js';

export const sha256: Sha256 = (data) => new Uint8Array(createHash('sha256').update(data).digest());

/**
 * RSA keys, PEM, by the names of the files in contract/vectors/keys. PKCS #1 v1.5 signs the same bytes the
 * same way each time.
 */
export type VectorKeys = Readonly<
  Record<'root' | 'signer' | 'signer-2' | 'psc' | 'stranger' | 'mail' | 'mail-weak' | RefusedKey, string>
>;
/** RSA of 2040 bits; of 2048 with an exponent of 33. */
export type RefusedKey = 'short' | 'exponent';

export const ORIGIN = 'log.example/acuse';
export const SEALED_AT = new Date('2026-03-04T05:06:15Z');
/** When the outcomes were counted: the full hour before the bundle was made. */
export const COUNTED_AT = new Date('2026-03-04T06:00:00Z');
/** The reader's clock, where a case does not say otherwise. */
export const READ_AT = new Date('2026-03-06T00:00:00Z');

const POLICY_OID = '2.25.270469922682019947940172261583377259638';
const ROOT_BEGINS = new Date('2026-01-01T00:00:00Z');
const ROOT_ENDS = new Date('2046-01-01T00:00:00Z');
/** Before this the first signer's tokens have to be renewed. */
export const SIGNER_ENDS = new Date('2027-01-01T00:00:00Z');

/** An Ed25519 key whose secret is the SHA-256 of its name. */
export function signerFor(name: string): Signer {
  const secretKey = sha256(Buffer.from(name));
  const publicKey = ed25519.getPublicKey(secretKey);
  return { name, publicKey, sign: (message) => ed25519.sign(message, secretKey) };
}

export const logSigner = signerFor(ORIGIN);
export const logKey = verifierKey(ORIGIN, logSigner.publicKey, sha256);
export const witnessSigner = signerFor('witness.example/w1');
export const witnessKey = verifierKey(witnessSigner.name, witnessSigner.publicKey, sha256, COSIGNATURE_V1);

/** A vector's stamp: a signer of the authority, the policy that pins it, the time, and the fault. */
export interface Stamping {
  readonly by?: Issued;
  readonly under?: TimeStampPolicy;
  readonly at?: Date;
  readonly hash?: TimeStampHash;
  readonly tamper?: Tamper;
}

/** Stamps of somebody without a key of the authority's. */
export interface Forger {
  /** A twin of `signer`, down to the serial number, under `twinRoot`, a twin of the root. */
  readonly twin: Issued;
  readonly twinRoot: Issued;
  /** Issued with the signer's key, which does not belong to an authority. */
  readonly belowSigner: Issued;
  /** The authority's own, not valid yet. */
  readonly future: Issued;
}

export interface Authority {
  readonly root: Issued;
  readonly strangerRoot: Issued;
  /** Made when asked for, like `nextPsc`. */
  forger(): Forger;
  readonly signer: Issued;
  /** Takes over when `signer` ends. */
  readonly nextSigner: Issued;
  /** Has what a Mexican PSC's signers have: emailProtection and clientAuth, no timeStamping. */
  readonly psc: Issued;
  /** Sound, under a root that nobody pins. */
  readonly stranger: Issued;
  /** Sound, but ended before the vectors' messages were sealed. */
  readonly ended: Issued;
  /** Sound but for its key. Made when asked for, like `nextPsc`. */
  weak(key: RefusedKey): Issued;
  /**
   * Takes over from `psc`. Made when asked for: serial numbers count up, and all that was made before keeps
   * its own.
   */
  nextPsc(): Issued;
  readonly policy: TimeStampPolicy;
  readonly pscPolicy: TimeStampPolicy;
  /** Of the day of sealing: nobody is on it. */
  readonly revocationList: Uint8Array;
  /** The response's bytes alone. */
  token(imprint: Uint8Array, stamping?: Stamping): Uint8Array;
  /** The same, verified, as it is kept. */
  stamp(imprint: Uint8Array, stamping?: Stamping): Promise<StoredStamp>;
}

export function vectorAuthority(keys: VectorKeys): Authority {
  let made = 0;
  const serial = () => Uint8Array.of(0x40, 0, 0, ++made);
  const keyOf = (name: keyof VectorKeys): KeyObject => createPrivateKey(keys[name]);
  const rootOf = (commonName: string, key: KeyObject) =>
    makeCertificate({
      subject: { name: { commonName, organization: 'Acuse vectors' }, key },
      serialNumber: serial(),
      notBefore: ROOT_BEGINS,
      notAfter: ROOT_ENDS,
      authority: { ca: true, pathLength: 0 },
      keyUsage: ['keyCertSign', 'cRLSign'],
    });
  const root = rootOf('Vector root', keyOf('root'));
  const signerOf = (commonName: string, key: KeyObject, change: Partial<CertificateRequest> = {}) =>
    makeCertificate({
      subject: { name: { commonName, organization: 'Acuse vectors' }, key },
      issuer: root,
      serialNumber: serial(),
      notBefore: ROOT_BEGINS,
      notAfter: SIGNER_ENDS,
      authority: { ca: false },
      keyUsage: ['digitalSignature'],
      extKeyUsage: { critical: true, oids: [EKU.timeStamping] },
      ...change,
    });
  const signer = signerOf('Vector TSA 2026', keyOf('signer'));
  const next = {
    notBefore: new Date('2026-06-01T00:00:00Z'),
    notAfter: new Date('2036-01-01T00:00:00Z'),
  };
  const nextSigner = signerOf('Vector TSA 2027', keyOf('signer-2'), next);
  const asPsc = {
    keyUsage: ['digitalSignature', 'nonRepudiation'],
    extKeyUsage: { critical: false, oids: [EKU.emailProtection, EKU.clientAuth] },
  } satisfies Partial<CertificateRequest>;
  const psc = signerOf('Vector PSC', keyOf('psc'), asPsc);
  const nextPsc = () => signerOf('Vector PSC 2027', keyOf('psc'), { ...asPsc, ...next });
  const weak = (key: RefusedKey) => signerOf(`Vector TSA, ${key}`, keyOf(key));
  const strangerRoot = rootOf('Stranger root', keyOf('stranger'));
  const stranger = signerOf('Stranger TSA', keyOf('stranger'), { issuer: strangerRoot });
  const ended = signerOf('Vector TSA, ended', keyOf('signer'), {
    notAfter: new Date('2026-02-01T00:00:00Z'),
  });
  const forger = (): Forger => {
    const key = keyOf('stranger');
    const twinRoot = rootOf('Vector root', key);
    const { serialNumber } = readCertificate(signer.der);
    return {
      twinRoot,
      twin: signerOf('Vector TSA 2026', key, {
        issuer: twinRoot,
        serialNumber: new Uint8Array(serialNumber),
      }),
      belowSigner: signerOf('Vector TSA, below', key, { issuer: signer }),
      future: signerOf('Vector TSA, later', keyOf('signer'), next),
    };
  };
  const roots = [certificateToPem(root.der)];
  const policy: TimeStampPolicy = {
    profile: 'rfc3161',
    name: 'Vector TSA',
    roots,
    development: true,
    policies: [POLICY_OID],
    hashAlgorithms: ['sha256', 'sha512'],
  };
  const pscPolicy: TimeStampPolicy = {
    profile: 'nom151',
    name: 'Vector PSC',
    roots,
    leafEku: [EKU.emailProtection, EKU.clientAuth],
    policies: [POLICY_OID],
    hashAlgorithms: ['sha256'],
  };

  function token(imprint: Uint8Array, stamping: Stamping = {}): Uint8Array {
    const { by = signer, at = SEALED_AT, hash = 'sha256', tamper } = stamping;
    const responder = { signer: by, chain: [], clock: () => at, serial, policyOid: POLICY_OID };
    return respond(buildTimeStampRequest({ imprint, hashAlgorithm: hash }), responder, tamper);
  }

  async function stamp(imprint: Uint8Array, stamping: Stamping = {}): Promise<StoredStamp> {
    const { under = policy, hash = 'sha256' } = stamping;
    const bytes = token(imprint, stamping);
    const { facts, checks } = await verifyTimeStamp(bytes, { imprint, hashAlgorithm: hash }, under);
    if (facts === null) throw new Error(`a vector's token fails: ${JSON.stringify(checks)}`);
    return { token: bytes, facts };
  }

  const revocationList = makeCrl({
    issuer: root,
    thisUpdate: new Date('2026-03-04T00:00:00Z'),
    nextUpdate: new Date('2026-03-05T00:00:00Z'),
  });
  return {
    root,
    strangerRoot,
    forger,
    signer,
    nextSigner,
    psc,
    nextPsc,
    weak,
    stranger,
    ended,
    policy,
    pscPolicy,
    revocationList,
    token,
    stamp,
  };
}
