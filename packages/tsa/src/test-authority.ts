/** An authority for tests: a sound CA and signer, and the means to make flawed ones beside them. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import {
  type CertificateRequest,
  EKU,
  generateKey,
  type Issued,
  makeCertificate,
  positiveSerial,
} from './certificates.ts';
import {
  createDevelopmentAuthority,
  DEVELOPMENT_POLICY_OID,
  developmentPolicy,
  type Making,
} from './development.ts';
import type { Responder } from './respond.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export class TestAuthority {
  readonly root: Issued;
  readonly signer: Issued;
  readonly responder: Responder;
  readonly #making: Making;
  readonly #made = new Map<string, Issued>();
  readonly #flawedRoots: Issued[];

  /** `clock` gives the genTime of what is stamped; certificates are made around its time now. */
  constructor(clock: () => Date, random: (sizeBytes: number) => Uint8Array) {
    this.#making = { now: clock(), random };
    const authority = createDevelopmentAuthority(this.#making);
    this.root = authority.root;
    this.signer = authority.signer;
    this.responder = {
      signer: this.signer,
      chain: [],
      clock,
      serial: () => positiveSerial(random),
      policyOid: DEVELOPMENT_POLICY_OID,
    };
    this.#flawedRoots = [
      this.authority('root that is no CA', { authority: { ca: false } }),
      this.authority('root that may not sign certificates', { keyUsage: ['cRLSign'] }),
      this.authority('root that has ended', { notAfter: this.ago(DAY_MS) }),
    ];
  }

  /** Pins the sound root, and roots whose own flaws must be seen although they are pinned. */
  get policy(): TimeStampPolicy {
    const sound = developmentPolicy(this.root);
    return {
      ...sound,
      roots: [...sound.roots, ...this.#flawedRoots.map((root) => certificateToPem(root.der))],
    };
  }

  /** A PSC's manifest for the signer of `pscResponder`. */
  get pscPolicy(): TimeStampPolicy {
    return {
      profile: 'nom151',
      name: 'Test PSC',
      roots: [certificateToPem(this.root.der)],
      leafEku: [EKU.emailProtection, EKU.clientAuth],
      policies: [DEVELOPMENT_POLICY_OID],
      hashAlgorithms: ['sha256'],
    };
  }

  /** Signs as a real PSC does: RSA-2048, emailProtection and clientAuth, no timeStamping. */
  get pscResponder(): Responder {
    const signer = this.made('psc', () =>
      this.signerWith({
        subject: {
          name: { commonName: 'AC TSA', organization: 'PSC de prueba', country: 'MX' },
          key: generateKey('rsa-2048'),
        },
        keyUsage: ['digitalSignature', 'nonRepudiation'],
        extKeyUsage: { critical: false, oids: [EKU.emailProtection, EKU.clientAuth] },
      }),
    );
    return { ...this.responder, signer };
  }

  ago(ms: number): Date {
    return new Date(this.#making.now.getTime() - ms);
  }

  ahead(ms: number): Date {
    return this.ago(-ms);
  }

  /** Made once for each name: keys are slow to make. */
  made(name: string, make: () => Issued): Issued {
    const known = this.#made.get(name) ?? make();
    this.#made.set(name, known);
    return known;
  }

  /** A signer as the sound one, but for what is given, and without the extension named. */
  signerWith(change: Partial<CertificateRequest>, without?: 'extKeyUsage' | 'keyUsage'): Issued {
    const request: CertificateRequest = {
      subject: { name: { commonName: 'Test TSA' }, key: generateKey('ecdsa-p256') },
      issuer: this.root,
      serialNumber: positiveSerial(this.#making.random),
      notBefore: this.ago(HOUR_MS),
      notAfter: this.ahead(365 * DAY_MS),
      authority: { ca: false },
      keyUsage: ['digitalSignature'],
      extKeyUsage: { critical: true, oids: [EKU.timeStamping] },
      ...change,
    };
    if (without === undefined) return makeCertificate(request);
    const { [without]: _, ...rest } = request;
    return makeCertificate(rest);
  }

  /** A self-signed CA, or one under `issuer`, but for what is given. */
  authority(commonName: string, change: Partial<CertificateRequest> = {}): Issued {
    return this.made(commonName, () =>
      makeCertificate({
        subject: { name: { commonName }, key: generateKey('ecdsa-p256') },
        serialNumber: positiveSerial(this.#making.random),
        notBefore: this.ago(30 * DAY_MS),
        notAfter: this.ahead(3650 * DAY_MS),
        authority: { ca: true },
        keyUsage: ['keyCertSign', 'cRLSign'],
        ...change,
      }),
    );
  }

  rsaKey(bits: number): KeyObject {
    return generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;
  }
}
