import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { describe, expect, test } from 'vitest';
import {
  EKU,
  generateKey,
  issuedFromPem,
  issuedToPem,
  makeCertificate,
  positiveSerial,
} from '../src/certificates.ts';
import { createDevelopmentAuthority, developmentPolicy, issueDevelopmentSigner } from '../src/development.ts';

const making = { now: new Date('2026-03-04T05:06:07Z'), random: randomBytes };
const { root, signer } = createDevelopmentAuthority(making);

describe('the development authority', () => {
  test('is a chain that node accepts', () => {
    const [ca, leaf] = [root, signer].map(({ der }) => new X509Certificate(der)) as [
      X509Certificate,
      X509Certificate,
    ];
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.checkPrivateKey(signer.key)).toBe(true);
    expect(leaf.keyUsage).toEqual([EKU.timeStamping]);
    expect(leaf.subject).toBe('O=Acuse development\nCN=Acuse development TSA');
    expect(leaf.validFrom).toBe('Mar  4 04:06:07 2026 GMT');
  });

  test('renews its signer under the same root', () => {
    const next = issueDevelopmentSigner(root, { ...making, now: new Date('2030-01-01T00:00:00Z') });
    expect(new X509Certificate(next.der).verify(new X509Certificate(root.der).publicKey)).toBe(true);
    expect(next.der).not.toEqual(signer.der);
  });

  test('says on its policy what it is', () => {
    expect(developmentPolicy(root)).toMatchObject({ profile: 'rfc3161', development: true });
    expect(developmentPolicy(root).name).toContain('not a NOM-151 constancia');
  });

  test('survives being written down and read back', () => {
    for (const issued of [root, signer]) {
      const { certificate, privateKey } = issuedToPem(issued);
      const back = issuedFromPem(certificate, privateKey);
      expect(back.der).toEqual(issued.der);
      expect(back.key.equals(createPrivateKey(privateKey))).toBe(true);
    }
    expect(() => issuedFromPem(issuedToPem(root).certificate, issuedToPem(signer).privateKey)).toThrow(
      'not the one',
    );
    expect(() => issuedFromPem('nothing', issuedToPem(signer).privateKey)).toThrow('no certificate');
  });
});

test('a certificate carries every extension it was asked for', () => {
  const request = {
    subject: {
      name: { commonName: 'PSC ñandú', organization: 'PSC, S.A. de C.V.', country: 'MX' },
      key: generateKey('rsa-2048'),
    },
    issuer: root,
    serialNumber: positiveSerial(randomBytes),
    notBefore: new Date('2026-01-01T00:00:00.999Z'),
    notAfter: new Date('2055-01-01T00:00:00Z'),
    authority: { ca: true, pathLength: 3 },
    keyUsage: ['digitalSignature', 'nonRepudiation', 'cRLSign'],
    extKeyUsage: { critical: false, oids: [EKU.emailProtection, EKU.clientAuth] },
    crlUrl: 'http://crl.example/ca.crl',
    ocspUrl: 'http://ocsp.example/',
    policies: ['1.2.3.4'],
  } as const;
  const { der } = makeCertificate(request);
  const certificate = readCertificate(der);
  expect(certificate.extensions).toMatchObject({
    basicConstraints: { ca: true, pathLength: 3 },
    keyUsage: new Set([0, 1, 6]),
    extKeyUsage: { critical: false, oids: [EKU.emailProtection, EKU.clientAuth] },
    unknownCritical: [],
  });
  expect(certificate.subject).toBe('CN=PSC ñandú,O=PSC\\, S.A. de C.V.,C=MX');
  expect(certificate.notBefore.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(certificate.notAfter.toISOString()).toBe('2055-01-01T00:00:00.000Z');
  const node = new X509Certificate(der);
  expect(node.infoAccess).toContain('OCSP - URI:http://ocsp.example/');
  expect(node.verify(new X509Certificate(root.der).publicKey)).toBe(true);
});
