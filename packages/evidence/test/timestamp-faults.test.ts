import { randomBytes, webcrypto } from 'node:crypto';
import { certificateToPem, responseToken } from '@acuse/evidence/timestamp/parse';
import { TIME_STAMP_CHECKS } from '@acuse/evidence/timestamp/report';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { DEVELOPMENT_POLICY_OID } from '@acuse/tsa/development';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { FAULTS, type FaultName, VARIATIONS, type VariationName } from '@acuse/tsa/faults';
import { respond } from '@acuse/tsa/respond';
import { describe, expect, test } from 'vitest';
import type { ExpectedTimeStamp, TimeStampResult } from '../src/timestamp/policy.ts';

const genTime = new Date('2026-03-04T05:06:07.890Z');
const lab = new FaultLab(() => genTime, randomBytes);
const imprint = new Uint8Array(await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode('hello')));
const expected: ExpectedTimeStamp = {
  imprint,
  hashAlgorithm: 'sha256',
  nonce: Uint8Array.of(0, 0xc0, 0xff, 0xee, 0, 1, 2, 3),
  policy: DEVELOPMENT_POLICY_OID,
};
const request = buildTimeStampRequest(expected);

const failing = (result: TimeStampResult): string[] =>
  result.checks.filter(({ ok }) => !ok).map(({ name }) => name);

describe('a faulty token', () => {
  const names = Object.keys(FAULTS) as FaultName[];
  test.each(names)('%s: only the check meant for it fails', async (name) => {
    const result = await verifyTimeStamp(lab.respond(name, request), expected, lab.policy);
    expect(failing(result)).toEqual([FAULTS[name].fails]);
    expect(result.ok).toBe(false);
    expect(result.facts).toBeNull();
  });

  test('there is one for every check, but for those tested by themselves', () => {
    const covered = new Set<string>(names.map((name) => FAULTS[name].fails));
    expect(TIME_STAMP_CHECKS.filter((name) => !covered.has(name))).toEqual([
      'encoding',
      'trust_anchors',
      'validity_at',
    ]);
  });
});

describe('an unusual token', () => {
  test.each(Object.keys(VARIATIONS) as VariationName[])('%s: verifies', async (name) => {
    const result = await verifyTimeStamp(lab.vary(name, request), expected, lab.policy);
    expect(failing(result)).toEqual([]);
    expect(result.ok).toBe(true);
  });
});

describe('a sound token', () => {
  const response = respond(request, lab.responder);

  test('states its facts', async () => {
    const { facts } = await verifyTimeStamp(response, expected, lab.policy);
    expect(facts).toMatchObject({
      genTime: '2026-03-04T05:06:07.890Z',
      policyOid: DEVELOPMENT_POLICY_OID,
      issuer: 'CN=Acuse development root,O=Acuse development',
      subject: 'CN=Acuse development TSA,O=Acuse development',
      hashAlgorithm: 'sha256',
      imprintHex: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      nonceHex: 'c0ffee00010203',
      accuracyMs: 1000,
      profile: 'rfc3161',
      development: true,
    });
    expect(facts?.serialNumber).toMatch(/^[4-7][0-9a-f]{31}$/);
    expect(facts?.certificates).toEqual([lab.signer.der, lab.root.der]);
    expect(facts?.chainNotAfter.slice(0, 4)).toBe('2031');
  });

  test('verifies as a bare token, without a status to look at', async () => {
    const result = await verifyTimeStamp(responseToken(response), expected, lab.policy);
    expect(result.ok).toBe(true);
    expect(result.checks.map(({ name }) => name)).not.toContain('status');
  });

  test('verifies without its certificates if they come along otherwise', async () => {
    const bare = respond(buildTimeStampRequest(expected, { certReq: false }), lab.responder);
    expect(failing(await verifyTimeStamp(bare, expected, lab.policy))).toEqual(['signer_certificate']);
    const result = await verifyTimeStamp(bare, expected, lab.policy, [Uint8Array.of(1, 2), lab.signer.der]);
    expect(result.ok).toBe(true);
  });

  test('follows a chain through authorities in any order', async () => {
    const root = lab.authority('long root');
    const middle = lab.authority('long middle', { issuer: root });
    const issuing = lab.authority('long issuing', { issuer: middle });
    const responder = {
      ...lab.responder,
      signer: lab.signerWith({ issuer: issuing }),
      chain: [middle.der, issuing.der],
    };
    const policy = { ...lab.policy, roots: [certificateToPem(root.der)] };
    const result = await verifyTimeStamp(respond(request, responder), expected, policy);
    expect(failing(result)).toEqual([]);
    expect(result.facts?.certificates).toHaveLength(4);
  });

  test('takes the sound one of two chains, whichever is met first', async () => {
    const key = lab.authority('cross').key;
    const subject = { name: { commonName: 'cross' }, key };
    const soundRoot = lab.authority('cross root');
    const ended = lab.authority('cross ended', { subject, issuer: soundRoot, notAfter: lab.ago(1000) });
    const current = lab.authority('cross current', { subject, issuer: soundRoot });
    const policy = { ...lab.policy, roots: [certificateToPem(soundRoot.der)] };
    const responder = { ...lab.responder, signer: lab.signerWith({ issuer: current }) };
    for (const order of [
      [ended, current],
      [current, ended],
    ]) {
      const extra = order.map(({ der }) => der);
      const result = await verifyTimeStamp(respond(request, responder), expected, policy, extra);
      expect(failing(result)).toEqual([]);
    }
  });

  test('must hold at a later time too, if one is given', async () => {
    const later = (at: string) => verifyTimeStamp(response, expected, lab.policy, [], new Date(at));
    expect((await later('2030-01-01T00:00:00Z')).ok).toBe(true);
    expect(failing(await later('2032-01-01T00:00:00Z'))).toEqual(['validity_at']);
  });

  test.each([
    ['no root', []],
    ['text that is no root', ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']],
  ])('needs a root to trust: %s', async (_, roots) => {
    expect(failing(await verifyTimeStamp(response, expected, { ...lab.policy, roots }))).toEqual([
      'trust_anchors',
    ]);
  });

  test('is refused for another imprint, algorithm, nonce or policy than expected', async () => {
    const check = async (change: Partial<ExpectedTimeStamp>) =>
      failing(await verifyTimeStamp(response, { ...expected, ...change }, lab.policy));
    expect(await check({ imprint: new Uint8Array(32) })).toEqual(['imprint']);
    expect(await check({ imprint: imprint.subarray(0, 31) })).toEqual(['imprint']);
    expect(await check({ hashAlgorithm: 'sha512' })).toEqual(['hash_algorithm']);
    expect(await check({ nonce: Uint8Array.of(7) })).toEqual(['nonce']);
    expect(await check({ policy: '1.2.3' })).toEqual(['policy']);
    expect(
      failing(await verifyTimeStamp(response, expected, { ...lab.policy, hashAlgorithms: ['sha512'] })),
    ).toEqual(['hash_algorithm']);
  });
});

describe('the nom151 profile', () => {
  const response = respond(request, lab.pscResponder);

  test('takes a signer with the key usages of the manifest, and says so', async () => {
    const result = await verifyTimeStamp(response, expected, lab.pscPolicy);
    expect(failing(result)).toEqual([]);
    expect(result.facts).toMatchObject({
      profile: 'nom151',
      development: false,
      subject: 'CN=AC TSA,O=PSC de prueba,C=MX',
    });
  });

  test('refuses a usage that the manifest does not list, and a policy that it does not name', async () => {
    const narrow = { ...lab.pscPolicy, leafEku: [lab.pscPolicy.leafEku![0]!] };
    expect(failing(await verifyTimeStamp(response, expected, narrow))).toEqual(['extended_key_usage']);
    const { policies: _, ...unnamed } = lab.pscPolicy;
    expect(failing(await verifyTimeStamp(response, expected, unnamed))).toEqual(['policy']);
    expect(
      failing(await verifyTimeStamp(response, expected, { ...lab.pscPolicy, policies: ['1.2.3'] })),
    ).toEqual(['policy']);
  });

  test('without usages in its manifest is as strict as rfc3161', async () => {
    const { leafEku: _, ...strict } = lab.pscPolicy;
    expect(failing(await verifyTimeStamp(response, expected, strict))).toEqual(['extended_key_usage']);
    expect(failing(await verifyTimeStamp(respond(request, lab.responder), expected, strict))).toEqual([]);
  });
});
