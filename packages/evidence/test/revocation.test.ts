import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import * as asn1 from '@acuse/tsa/asn1';
import { EKU, encodeExtension, type Issued, positiveSerial } from '@acuse/tsa/certificates';
import { type CrlRequest, makeCrl, makeOcspAnswer, type OcspAnswerRequest } from '@acuse/tsa/revocation';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import type { Bundle } from '../src/bundle.ts';
import { disclose } from '../src/disclose.ts';
import { readCertificate } from '../src/timestamp/certificate.ts';
import { readCrl } from '../src/timestamp/crl.ts';
import { DerError } from '../src/timestamp/der.ts';
import { buildOcspRequest, readOcsp } from '../src/timestamp/ocsp.ts';
import { certificateToPem } from '../src/timestamp/parse.ts';
import { revocationPointers } from '../src/timestamp/pointers.ts';
import { RevocationBook, type RevocationData, type Standing } from '../src/timestamp/revocation.ts';
import { verifyEntries } from '../src/verify.ts';
import { lab, policy, SEALED_AT, storedEvidence, tampered } from './bundle-support.ts';
import { sha256 } from './support.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors');
const HOUR_MS = 3_600_000;
const at = (hours: number) => new Date(SEALED_AT.getTime() + hours * HOUR_MS);
const signer = lab.signer.der;
const chain = [signer, lab.root.der];
const serialOf = (certificate: Uint8Array) => readCertificate(certificate).serialNumber;
const randomSerial = () => positiveSerial(randomBytes);

const crl = (change: Partial<CrlRequest> = {}): RevocationData => ({
  name: 'a.crl',
  kind: 'crl',
  bytes: makeCrl({ issuer: lab.root, thisUpdate: at(-1), nextUpdate: at(23), ...change }),
});

const ocsp = (change: Partial<OcspAnswerRequest> = {}): RevocationData => ({
  name: 'b.ocsp',
  kind: 'ocsp',
  bytes: makeOcspAnswer({
    issuer: lab.root,
    certificate: signer,
    status: 'good',
    producedAt: at(0),
    thisUpdate: at(0),
    nextUpdate: null,
    ...change,
  }),
});

async function standingOf(...data: RevocationData[]): Promise<Standing> {
  const [status] = await new RevocationBook(data).statusOf(chain, SEALED_AT);
  return status!.standing;
}

const responder = (change: Parameters<typeof lab.signerWith>[0] = {}): Issued =>
  lab.signerWith({
    extKeyUsage: { critical: false, oids: ['1.3.6.1.5.5.7.3.9'] },
    notBefore: at(-2),
    notAfter: at(2),
    ...change,
  });
const stranger = lab.authority('stranger');
const sameName = lab.authority('Acuse development root');

describe('a revocation list', () => {
  test.each<[string, Partial<CrlRequest>, Standing]>([
    ['that does not name it', {}, 'good'],
    ['of a time after', { thisUpdate: at(1), nextUpdate: null }, 'good'],
    ['that names another', { revoked: [{ serialNumber: serialOf(lab.root.der), at: at(-5) }] }, 'good'],
    ['that names it since before', { revoked: [{ serialNumber: serialOf(signer), at: at(-5) }] }, 'revoked'],
    [
      'that names it as superseded since after',
      { revoked: [{ serialNumber: serialOf(signer), at: at(1), reason: 4 }] },
      'good',
    ],
    [
      'that names it since after, for no reason',
      { revoked: [{ serialNumber: serialOf(signer), at: at(1) }] },
      'doubted',
    ],
    ['that was to be renewed before', { thisUpdate: at(-9), nextUpdate: at(-1) }, 'unknown'],
    ['without end, of a time before', { nextUpdate: null }, 'unknown'],
    ['of another authority', { issuer: stranger }, 'unknown'],
    ['of a name-sake', { issuer: sameName }, 'unknown'],
    ['signed by another in its name', { signer: stranger }, 'unknown'],
    [
      'with an extension that nobody knows',
      { extensions: [encodeExtension('1.2.3.4', true, asn1.NULL)] },
      'unknown',
    ],
    ['that is a delta', { extensions: [encodeExtension('2.5.29.27', true, asn1.integer(1))] }, 'unknown'],
    [
      'of user certificates alone',
      {
        extensions: [
          encodeExtension('2.5.29.28', true, asn1.sequence(asn1.taggedPrimitive(1, Uint8Array.of(0xff)))),
        ],
      },
      'unknown',
    ],
    [
      'at a distribution point',
      { extensions: [encodeExtension('2.5.29.28', true, asn1.sequence(asn1.tagged(0, asn1.tagged(0))))] },
      'good',
    ],
  ])('%s', async (_name, change, status) => expect(await standingOf(crl(change))).toBe(status));

  test('whose issuer may not sign lists counts for nothing', async () => {
    const authority = lab.authority('no lists', { keyUsage: ['keyCertSign'] });
    const leaf = lab.signerWith({ issuer: authority });
    const list = crl({ issuer: authority });
    const [status] = await new RevocationBook([list]).statusOf([leaf.der, authority.der], SEALED_AT);
    expect(status!.standing).toBe('unknown');
  });

  test('of a hundred thousand certificates is looked through in time', async () => {
    const others = Array.from({ length: 100_000 }, () => ({ serialNumber: randomSerial(), at: at(-5) }));
    const clean = crl({ revoked: others });
    const fatal = crl({ revoked: [...others, { serialNumber: serialOf(signer), at: at(-5) }] });
    expect(clean.bytes.length).toBeGreaterThan(3_000_000);
    const started = process.cpuUsage();
    expect(await standingOf(clean)).toBe('good');
    expect(await standingOf(fatal)).toBe('revoked');
    expect(process.cpuUsage(started).user / 1_000_000).toBeLessThan(1);
  });
});

describe('an OCSP answer', () => {
  test.each<[string, () => Partial<OcspAnswerRequest>, Standing]>([
    ['good', () => ({}), 'good'],
    ['good, of before, with an end', () => ({ thisUpdate: at(-3), nextUpdate: at(3) }), 'good'],
    ['good, of before, without end', () => ({ thisUpdate: at(-3) }), 'unknown'],
    ['that it does not know', () => ({ status: 'unknown' }), 'unknown'],
    ['revoked before', () => ({ status: { revokedAt: at(-1) } }), 'revoked'],
    ['superseded after', () => ({ status: { revokedAt: at(1), reason: 4 }, thisUpdate: at(2) }), 'good'],
    ['revoked after, for no reason', () => ({ status: { revokedAt: at(1) }, thisUpdate: at(2) }), 'doubted'],
    ['about another', () => ({ certificate: stranger.der }), 'unknown'],
    ['of another authority', () => ({ issuer: stranger }), 'unknown'],
    ['of a delegate', () => ({ responder: responder() }), 'good'],
    [
      'of a delegate that may not answer',
      () => ({ responder: responder({ extKeyUsage: { critical: false, oids: [EKU.clientAuth] } }) }),
      'unknown',
    ],
    ['of a delegate that had ended', () => ({ responder: responder({ notAfter: at(-1) }) }), 'unknown'],
    ['of a stranger’s delegate', () => ({ responder: responder({ issuer: stranger }) }), 'unknown'],
    ['of the signer itself', () => ({ responder: lab.signer }), 'unknown'],
  ])('%s', async (_name, change, status) => expect(await standingOf(ocsp(change()))).toBe(status));
});

test('one word of revocation outweighs any of health', async () => {
  const revoked = crl({ revoked: [{ serialNumber: serialOf(signer), at: at(-5) }] });
  expect(await standingOf(ocsp(), revoked)).toBe('revoked');
  expect(await standingOf(revoked, ocsp())).toBe('revoked');
});

test('hostile bytes are refused by type, whatever they are', async () => {
  for (const [read, good] of [
    [readCrl, crl({ revoked: [{ serialNumber: serialOf(signer), at: at(-5) }] }).bytes],
    [readOcsp, ocsp({ responder: responder() }).bytes],
  ] as const) {
    for (let i = 0; i < good.length; i++) {
      for (const mutant of [
        good.slice(0, i),
        Uint8Array.from(good, (byte, j) => (j === i ? byte ^ 0xff : byte)),
      ]) {
        try {
          read(mutant);
        } catch (error) {
          if (!(error instanceof DerError)) throw error;
        }
        const kind = read === readCrl ? 'crl' : 'ocsp';
        const [status] = await new RevocationBook([{ name: 'x', kind, bytes: mutant }]).statusOf(
          chain,
          SEALED_AT,
        );
        if (i % 16 === 0) expect(status).toBeDefined();
      }
    }
  }
});

describe('a bundle', () => {
  const withData = async (data: Record<string, RevocationData>, required = false): Promise<Bundle> => {
    const timeStamps = policy.timeStamps.map((each) =>
      required ? { ...each, revocation: 'required' as const } : each,
    );
    const revocation = new Map(Object.entries(data).map(([name, { bytes }]) => [name, bytes]));
    return assembleBundle(
      { ...(await storedEvidence()), revocation, policy: { ...policy, timeStamps } },
      sha256,
    );
  };
  const failed = async (bundle: Bundle) =>
    (await verifyEntries(bundle, { sha256, now: new Date() })).checks
      .filter(({ ok }) => !ok)
      .map(({ name }) => name);

  test('says of each time-stamp what its revocation data says', async () => {
    const bundle = await withData({ 'a.crl': crl(), 'b.ocsp': ocsp() });
    const { valid, checks } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect(valid).toBe(true);
    const told = checks.filter(({ name }) => name.includes('revocation')).map(({ name }) => name);
    expect(told).toEqual([
      'timestamp_revocation',
      'message_timestamp_revocation',
      'delivery.01.timestamp_revocation',
      'revocation',
    ]);
    expect(checks.find(({ name }) => name === 'timestamp_revocation')!.detail).toMatch(
      /was good at .*revocation\/a.crl, revocation\/b.ocsp/,
    );
  });

  test('says nothing where there is none, unless the policy asks', async () => {
    const { checks } = await verifyEntries(await withData({}), { sha256, now: new Date() });
    expect(checks.filter(({ name }) => name.includes('revocation'))).toEqual([]);
    expect(await failed(await withData({}, true))).toEqual(
      expect.arrayContaining(['timestamp_revocation', 'message_timestamp_revocation']),
    );
    expect(await failed(await withData({ 'a.crl': crl() }, true))).toEqual([]);
  });

  test('does not hold if its authority had been revoked', async () => {
    const revoked = crl({ revoked: [{ serialNumber: serialOf(signer), at: at(-5) }] });
    const names = await failed(await withData({ 'a.crl': revoked }));
    expect(names).toEqual(expect.arrayContaining(['timestamp_revocation', 'message_timestamp_revocation']));
  });

  test('holds no data that speaks of nothing in it', async () => {
    const bundle = await withData({ 'a.crl': crl() });
    expect(await failed(tampered(bundle, 'revocation/b.crl', crl({ issuer: stranger }).bytes))).toEqual([
      'revocation',
    ]);
    expect(await failed(tampered(bundle, 'revocation/b.ocsp', Buffer.from('x')))).toEqual(['revocation']);
  });

  test('that shows a part alone keeps what speaks of it', async () => {
    const bundle = await withData({ 'a.crl': crl() });
    const shown = await disclose(bundle, [0], { sha256, now: new Date() });
    expect(shown.has('revocation/a.crl')).toBe(true);
    expect(await failed(shown)).toEqual([]);
  });
});

describe('beside OpenSSL', () => {
  const folder = tempFolder();
  const file = (name: string, content: Uint8Array | string) => {
    writeFileSync(join(folder, name), content);
    return name;
  };
  const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  file('root.pem', certificateToPem(lab.root.der));
  file('signer.pem', certificateToPem(signer));

  test.each([
    ['good', crl(), /signer.pem: OK/],
    ['revoked', crl({ revoked: [{ serialNumber: serialOf(signer), at: at(-5) }] }), /certificate revoked/],
  ])('a list says %s', (_name, { bytes }, said) => {
    file('list.crl', bytes);
    execFileSync('openssl', ['crl', '-inform', 'DER', '-in', 'list.crl', '-out', 'list.pem'], {
      cwd: folder,
    });
    const { stdout, stderr } = openssl(
      'verify',
      '-crl_check',
      '-CAfile',
      'root.pem',
      '-CRLfile',
      'list.pem',
      'signer.pem',
    );
    expect(stdout + stderr).toMatch(said);
  });

  test.each([
    ['good', ocsp({ thisUpdate: at(-1), nextUpdate: at(1) }), /signer.pem: good/],
    [
      'good, by a delegate',
      ocsp({ thisUpdate: at(-1), nextUpdate: at(1), responder: responder() }),
      /signer.pem: good/,
    ],
    ['revoked', ocsp({ status: { revokedAt: at(-1) }, nextUpdate: at(1) }), /signer.pem: revoked/],
  ])('an answer says %s', (_name, { bytes }, said) => {
    file('answer.ocsp', bytes);
    const args = [
      'ocsp',
      '-respin',
      'answer.ocsp',
      '-issuer',
      'root.pem',
      '-cert',
      'signer.pem',
      '-CAfile',
      'root.pem',
    ];
    const { stdout, stderr } = openssl(...args);
    expect(stderr).toMatch(/Response verify OK/);
    expect(stdout).toMatch(said);
  });

  test('it passes nobody who is not good by a list of the vectors, but for what it does not look at', () => {
    const { chain: pem, cases } = JSON.parse(readFileSync(join(VECTORS, 'revocation.json'), 'utf8'));
    const [own, root] = pem.split(/(?<=END CERTIFICATE-----\n)/);
    file('vector.pem', own);
    file('vector-root.pem', root);
    const passed: string[] = [];
    const good: string[] = [];
    for (const { kind, name, data, standing } of cases) {
      if (kind !== 'crl') continue;
      file('vector.crl', Buffer.from(data, 'base64'));
      const files = ['-CAfile', 'vector-root.pem', '-CRLfile', 'vector.crl', 'vector.pem'];
      if (openssl('verify', '-crl_check', '-no_check_time', ...files).status === 0) passed.push(name);
      if (standing === 'good') good.push(name);
    }
    // It is told not to look at times, and does not mind how they are written; from 3.0.22 on it refuses a
    // delta in place of a list.
    const other = /^a list (?:until|without an end$|that ended)|^a delta /;
    expect(passed.filter((name) => !good.includes(name) && !other.test(name))).toEqual([
      'reason 8, a second before it stamped',
      'reason 8, when it stamped',
      'reason 8, a second after it stamped',
      'an entry in the name of another issuer',
      'a list of persons alone',
    ]);
    // It knows nothing of the time of a stamp: whoever is on a list is revoked.
    const listed = /^reason [0345], a second after it stamped$|^superseded, |^a critical reason$/;
    expect(good.filter((name) => !passed.includes(name) && !listed.test(name))).toEqual([]);
    expect(passed.length).toBeGreaterThan(8);
  });

  test('a question is as OpenSSL would ask it', async () => {
    const asked = await buildOcspRequest(readCertificate(signer), readCertificate(lab.root.der));
    execFileSync(
      'openssl',
      ['ocsp', '-issuer', 'root.pem', '-cert', 'signer.pem', '-no_nonce', '-reqout', 'own.req'],
      { cwd: folder },
    );
    file('ours.req', asked);
    const text = (name: string) => openssl('ocsp', '-reqin', name, '-req_text').stdout;
    expect(text('ours.req')).toBe(text('own.req'));
    expect(text('ours.req')).toContain('Serial Number');
  });
});

test('a certificate says where to ask', () => {
  const pointing = lab.signerWith({ crlUrl: 'http://crl.example/tsa.crl', ocspUrl: 'http://ocsp.example' });
  expect(revocationPointers(readCertificate(pointing.der))).toEqual({
    crl: ['http://crl.example/tsa.crl'],
    ocsp: ['http://ocsp.example'],
  });
  expect(revocationPointers(readCertificate(signer))).toEqual({ crl: [], ocsp: [] });
  for (const url of ['ldap://crl.example', 'x', `http://${'a'.repeat(3_000)}`]) {
    const other = lab.signerWith({ crlUrl: url });
    expect(revocationPointers(readCertificate(other.der)).crl).toEqual([]);
  }
});
