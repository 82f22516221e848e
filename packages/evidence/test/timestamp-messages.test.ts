import { randomBytes } from 'node:crypto';
import { DEVELOPMENT_POLICY_OID } from '@acuse/tsa/development';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { rejection, respond } from '@acuse/tsa/respond';
import { describe, expect, test } from 'vitest';
import { fromHex, toHex } from '../src/bytes.ts';
import { EvidenceError } from '../src/errors.ts';
import { readTimeStampPolicy } from '../src/timestamp/manifest.ts';
import { responseToken } from '../src/timestamp/parse.ts';
import { buildTimeStampRequest, readResponseStatus } from '../src/timestamp/request.ts';
import { describeStatus } from '../src/timestamp/response.ts';
import { verifyTimeStamp } from '../src/timestamp/verify.ts';

const lab = new FaultLab(() => new Date('2026-03-04T05:06:07Z'), randomBytes);
const imprint = fromHex('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')!;
const wanted = { imprint, hashAlgorithm: 'sha256' as const };

describe('a request', () => {
  test('is the DER of RFC 3161', () => {
    // version 1, SHA-256 with NULL, the imprint; then policy 1.2.3, nonce 0x80, certReq TRUE
    const head = '020101 3031 300d 0609608648016503040201 0500 0420';
    const tail = '06022a03 02020080 0101ff';
    const hex = `3041${head}${toHex(imprint)}${tail}`.replaceAll(' ', '');
    expect(toHex(buildTimeStampRequest({ ...wanted, policy: '1.2.3', nonce: Uint8Array.of(0, 0x80) }))).toBe(
      hex,
    );
    const bare = `3036${head}${toHex(imprint)}`.replaceAll(' ', '');
    expect(toHex(buildTimeStampRequest(wanted, { certReq: false }))).toBe(bare);
  });

  test.each([
    [{ ...wanted, imprint: imprint.subarray(1) }, 'an imprint of 31 bytes does not fit sha256'],
    [{ ...wanted, hashAlgorithm: 'sha512' as const }, 'an imprint of 32 bytes does not fit sha512'],
    [{ ...wanted, policy: 'gold' }, 'policy "gold" is not an OID'],
  ])('that no authority could grant is not made: %#', (unfit, reason) => {
    expect(() => buildTimeStampRequest(unfit)).toThrow(EvidenceError);
    expect(() => buildTimeStampRequest(unfit)).toThrow(reason);
  });
});

describe('a rejection', () => {
  const response = rejection('unacceptedPolicy', 'not \u001b[31mthis one');

  test('is read with its reasons, without control characters', () => {
    const status = readResponseStatus(response);
    expect(status).toEqual({
      status: 2,
      granted: false,
      name: 'rejection',
      text: ['not  [31mthis one'],
      failures: ['unacceptedPolicy'],
    });
    expect(describeStatus(status!)).toBe('rejection, unacceptedPolicy, "not  [31mthis one"');
    expect(() => responseToken(response)).toThrow('the response carries no token');
  });

  test('fails verification on its status alone', async () => {
    const { ok, checks } = await verifyTimeStamp(response, wanted, lab.policy);
    expect(ok).toBe(false);
    expect(checks.filter((check) => !check.ok).map(({ name }) => name)).toEqual(['status']);
  });

  test('a grant without a token is malformed', async () => {
    const { checks } = await verifyTimeStamp(fromHex('30053003020100')!, wanted, lab.policy);
    expect(checks.filter((check) => !check.ok)).toEqual([
      { name: 'encoding', ok: false, detail: 'granted, but there is no token' },
    ]);
  });

  test('a grant is read as one', () => {
    const status = readResponseStatus(respond(buildTimeStampRequest(wanted), lab.responder));
    expect(status).toMatchObject({ granted: true, name: 'granted' });
  });
});

describe('a policy from JSON', () => {
  const round = (value: unknown) => readTimeStampPolicy(JSON.parse(JSON.stringify(value)));

  test('comes back as it was', () => {
    expect(round(lab.policy)).toEqual(lab.policy);
    expect(round(lab.pscPolicy)).toEqual(lab.pscPolicy);
    expect(lab.policy.policies).toEqual([DEVELOPMENT_POLICY_OID]);
  });

  test.each([
    [null, 'not an object'],
    [[], 'not an object'],
    [{ ...lab.policy, profile: 'etsi' }, 'profile is neither'],
    [{ ...lab.policy, name: '' }, 'name is not a short text'],
    [{ ...lab.policy, name: 7 }, 'name is not a short text'],
    [{ ...lab.policy, name: 'a\nb' }, 'name is not a short text'],
    [{ ...lab.policy, roots: undefined }, 'roots pins no certificate'],
    [{ ...lab.policy, roots: [] }, 'roots pins no certificate'],
    [{ ...lab.policy, roots: ['none'] }, 'roots[0] is not acceptable'],
    [{ ...lab.policy, roots: 'none' }, 'roots is not a list'],
    [{ ...lab.policy, leafEku: ['timeStamping'] }, 'leafEku[0] is not acceptable'],
    [{ ...lab.policy, policies: [1] }, 'policies[0] is not acceptable'],
    [{ ...lab.policy, hashAlgorithms: ['sha1'] }, 'hashAlgorithms[0] is not acceptable'],
    [{ ...lab.policy, nonce: 'yes' }, 'nonce is neither true nor false'],
    [{ ...lab.policy, development: 1 }, 'development is neither true nor false'],
    [{ ...lab.policy, trust: 'everyone' }, 'unknown field "trust"'],
    [
      { ...lab.policy, policies: Array.from({ length: 33 }, () => '1.2') },
      'policies is not a list of at most 32',
    ],
  ])('is refused, naming the field: %#', (value, reason) => {
    expect(() => readTimeStampPolicy(value)).toThrow(EvidenceError);
    expect(() => readTimeStampPolicy(value)).toThrow(reason);
  });
});
