/**
 * The openssl program as a second opinion, both ways: it verifies what is issued here, and what it issues is
 * verified here.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  certificateToPem,
  openTimeStamp,
  readSignedData,
  responseToken,
} from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy, TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { buildTimeStampRequest, readResponseStatus } from '@acuse/evidence/timestamp/request';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { beforeAll, describe, expect, test } from 'vitest';
import { generateKey } from '../src/certificates.ts';
import { FaultLab } from '../src/fault-lab.ts';
import type { FaultName } from '../src/faults.ts';
import { type Responder, respond } from '../src/respond.ts';

const version = spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '';
const missing = !/^OpenSSL [3-9]/.test(version);
const title = (what: string): string => (missing ? `${what} (skipped: needs openssl 3)` : what);

const folder = tempFolder();

const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder, name), content);
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));

function openssl(...args: string[]): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
  return { ok: status === 0, said: `${stdout}${stderr}` };
}

const hello = 'hello';
const imprint = new Uint8Array(createHash('sha256').update(hello).digest());
const expected = { imprint, hashAlgorithm: 'sha256', nonce: new Uint8Array(randomBytes(8)) } as const;
const request = buildTimeStampRequest(expected);
const failing = (result: TimeStampResult) => result.checks.filter(({ ok }) => !ok);

describe.skipIf(missing)(title('openssl verifies what is issued here'), () => {
  const lab = new FaultLab(() => new Date(), randomBytes);
  const rsa: Responder = {
    ...lab.responder,
    signer: lab.signerWith({ subject: { name: { commonName: 'RSA' }, key: generateKey('rsa-2048') } }),
  };

  beforeAll(() => {
    write('data', hello);
    write('request.tsq', request);
    write('root.pem', certificateToPem(lab.root.der));
  });

  test('the request reads as it was meant', () => {
    const { said } = openssl('ts', '-query', '-in', 'request.tsq', '-text');
    expect(said).toContain('Hash Algorithm: sha256');
    expect(said).toContain('Certificate required: yes');
  });

  test.each([
    ['ECDSA P-256', lab.responder],
    ['RSA-2048', rsa],
    ['ECDSA with SHA-512', { ...lab.responder, digest: 'sha512' }],
    ['the older ESSCertID', { ...lab.responder, essVersions: [1] }],
    ['both ESSCertIDs', { ...lab.responder, essVersions: [1, 2] }],
  ] as [string, Responder][])('ts -verify accepts %s', (_, responder) => {
    const response = respond(request, responder);
    write('response.tsr', response);
    write('token.der', responseToken(response));
    for (const subject of [
      ['-data', 'data'],
      ['-queryfile', 'request.tsq'],
    ]) {
      for (const source of [
        ['-in', 'response.tsr'],
        ['-in', 'token.der', '-token_in'],
      ]) {
        const result = openssl('ts', '-verify', ...subject, ...source, '-CAfile', 'root.pem');
        expect(result).toMatchObject({ ok: true, said: expect.stringContaining('Verification: OK') });
      }
    }
  });

  test('ts -verify needs the right data', () => {
    write('response.tsr', respond(request, lab.responder));
    write('other', 'hellO');
    expect(openssl('ts', '-verify', '-data', 'other', '-in', 'response.tsr', '-CAfile', 'root.pem').ok).toBe(
      false,
    );
  });

  test('ts -reply reads a rejection', () => {
    write('rejection.tsr', respond(buildTimeStampRequest({ ...expected, policy: '1.2.3' }), lab.responder));
    const { said } = openssl('ts', '-reply', '-in', 'rejection.tsr', '-text');
    expect(said).toContain('Rejected');
    expect(said).toContain('the requested TSA policy is not supported');
  });

  test.each([
    'rejected-with-token',
    'two-signer-infos',
    'message-digest-wrong',
    'signature-corrupt',
    'ess-missing',
    'ess-hash-wrong',
    'eku-not-critical',
    'eku-two',
    'tst-v2',
    'imprint-of-another',
    'root-untrusted',
    'root-no-authority',
    'signer-ended',
  ] satisfies FaultName[])('ts -verify refuses %s too', (fault) => {
    write('faulty.tsr', lab.respond(fault, request));
    write('roots.pem', lab.policy.roots.join(''));
    expect(openssl('ts', '-verify', '-data', 'data', '-in', 'faulty.tsr', '-CAfile', 'roots.pem').ok).toBe(
      false,
    );
  });

  test('cms -verify accepts the token of a signer like a PSC’s, which ts -verify refuses', async () => {
    const response = respond(request, lab.pscResponder);
    const token = responseToken(response);
    write('psc.tsr', response);
    write('psc.der', token);
    expect(openssl('ts', '-verify', '-data', 'data', '-in', 'psc.tsr', '-CAfile', 'root.pem').ok).toBe(false);
    const { facts } = await verifyTimeStamp(response, expected, lab.pscPolicy);
    const attime = String(Math.floor(Date.parse(facts!.genTime) / 1000));
    const options = [
      '-cades',
      '-purpose',
      'any',
      '-attime',
      attime,
      '-inform',
      'DER',
      '-CAfile',
      'root.pem',
      '-out',
      'tst.der',
    ];
    expect(openssl('cms', '-verify', ...options, '-in', 'psc.der').said).toContain('Verification successful');
    expect(read('tst.der')).toEqual(new Uint8Array(readSignedData(openTimeStamp(token).token!).content));
    // The expert next reads the imprint in the verified content.
    expect(openssl('asn1parse', '-inform', 'DER', '-in', 'tst.der').said).toContain(
      facts!.imprintHex.toUpperCase(),
    );
    write(
      'psc-corrupt.der',
      token.map((byte, i) => (i === token.length - 1 ? byte ^ 1 : byte)),
    );
    expect(openssl('cms', '-verify', ...options, '-in', 'psc-corrupt.der').ok).toBe(false);
  });
});

describe.skipIf(missing)(title('what openssl issues is verified here'), () => {
  const must = (...args: string[]): void => {
    const result = openssl(...args);
    if (!result.ok) throw new Error(`openssl ${args.join(' ')}: ${result.said}`);
  };
  const configuration = (essAlgorithm: string, essChain: string): string => `
[tsa]
default_tsa = it
[it]
serial = serial
signer_cert = tsa.pem
certs = ca.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.5
digests = sha256, sha384, sha512
accuracy = secs:1, millisecs:500, microsecs:100
ordering = yes
tsa_name = yes
ess_cert_id_alg = ${essAlgorithm}
ess_cert_id_chain = ${essChain}
`;

  /** A CA and signer that nothing here had a part in. */
  function authority(...key: string[]): TimeStampPolicy {
    const subject = (name: string) => ['-nodes', '-subj', `/C=MX/O=Otra autoridad/CN=${name}`];
    must(
      'req',
      '-x509',
      '-newkey',
      ...key,
      ...subject('root'),
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '30',
    );
    must('req', '-newkey', ...key, ...subject('signer'), '-keyout', 'tsa.key', '-out', 'tsa.csr');
    write(
      'extensions',
      'extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\nbasicConstraints=CA:FALSE\n',
    );
    must(
      'x509',
      '-req',
      '-in',
      'tsa.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-extfile',
      'extensions',
      '-out',
      'tsa.pem',
      '-days',
      '20',
    );
    return { profile: 'rfc3161', name: 'openssl', roots: [Buffer.from(read('ca.pem')).toString()] };
  }

  function reply(query: Uint8Array): Uint8Array {
    write('query.tsq', query);
    openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr');
    return read('reply.tsr');
  }

  test.each([
    ['RSA-2048', ['rsa:2048']],
    ['ECDSA P-256', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['ECDSA P-521', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521']],
  ])('%s, with every kind of ESSCertID', async (_, key) => {
    const policy = authority(...key);
    for (const [algorithm, chain] of [
      ['sha256', 'no'],
      ['sha1', 'no'],
      ['sha512', 'yes'],
    ] as const) {
      write('tsa.cnf', configuration(algorithm, chain));
      const result = await verifyTimeStamp(reply(request), expected, policy);
      expect(failing(result)).toEqual([]);
      expect(result.facts).toMatchObject({
        policyOid: '1.2.3.4.1',
        accuracyMs: 1500.1,
        subject: 'CN=signer,O=Otra autoridad,C=MX',
      });
      expect(Math.abs(Date.parse(result.facts!.genTime) - Date.now())).toBeLessThan(60_000);
    }
  });

  test('RSA-PSS, with SHA-256 throughout and not with SHA-1', async () => {
    write('tsa.cnf', configuration('sha256', 'no'));
    const policy = authority('rsa:2048');
    const sign = (...options: string[]): void => {
      const pss = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32', ...options];
      const names = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-extfile', 'extensions', '-out', 'tsa.pem'];
      must('x509', '-req', '-in', 'tsa.csr', ...names, '-days', '20', ...pss);
    };
    sign('-sha256');
    expect(failing(await verifyTimeStamp(reply(request), expected, policy))).toEqual([]);
    sign('-sha1');
    expect(failing(await verifyTimeStamp(reply(request), expected, policy))).toEqual([
      { name: 'chain', ok: false, detail: expect.stringContaining('RSA-PSS with SHA-1 by default') },
    ]);
  });

  test('under a policy that was asked for, over each hash, and its rejections', async () => {
    const policy = authority('rsa:2048');
    write('tsa.cnf', configuration('sha256', 'no'));
    for (const hashAlgorithm of ['sha384', 'sha512'] as const) {
      const wanted = {
        imprint: new Uint8Array(createHash(hashAlgorithm).update(hello).digest()),
        hashAlgorithm,
        policy: '1.2.3.4.5',
      };
      expect(failing(await verifyTimeStamp(reply(buildTimeStampRequest(wanted)), wanted, policy))).toEqual(
        [],
      );
    }
    const refused = reply(buildTimeStampRequest({ ...expected, policy: '1.2.3.9' }));
    expect(readResponseStatus(refused)).toMatchObject({ status: 2, failures: ['unacceptedPolicy'] });
  });
});
