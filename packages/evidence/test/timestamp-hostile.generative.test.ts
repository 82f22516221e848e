import { createPublicKey, randomBytes } from 'node:crypto';
import { leastCostOf } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { DEVELOPMENT_POLICY_OID } from '@acuse/tsa/development';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { respond } from '@acuse/tsa/respond';
import { describe, expect, test } from 'vitest';
import { EvidenceError } from '../src/errors.ts';
import { context, readWhole, TAG } from '../src/timestamp/der.ts';
import { encode, encodeOid, encodeSequence } from '../src/timestamp/encode.ts';
import { hashByOid } from '../src/timestamp/oids.ts';
import { MAX_TOKEN_BYTES, responseToken, tokenCertificatesPem } from '../src/timestamp/parse.ts';
import type { ExpectedTimeStamp, TimeStampResult } from '../src/timestamp/policy.ts';
import { buildTimeStampRequest, readResponseStatus } from '../src/timestamp/request.ts';
import { readPublicKey, verifySignature } from '../src/timestamp/signature.ts';
import { verifyTimeStamp } from '../src/timestamp/verify.ts';

/** The most that the slowest hostile input may cost, in plain readings of 25 MiB. */
const COST_MAX = 20;

const lab = new FaultLab(() => new Date('2026-03-04T05:06:07.890Z'), randomBytes);
const expected: ExpectedTimeStamp = {
  imprint: randomBytes(32),
  hashAlgorithm: 'sha256',
  policy: DEVELOPMENT_POLICY_OID,
};
const request = buildTimeStampRequest(expected);
const response = respond(request, lab.responder);

async function verify(bytes: Uint8Array): Promise<TimeStampResult> {
  const { cost, result } = await leastCostOf(COST_MAX, () => verifyTimeStamp(bytes, expected, lab.policy));
  expect(cost).toBeLessThan(COST_MAX);
  expect(result.ok).toBe(result.facts !== null);
  expect(result.ok).toBe(result.checks.every(({ ok }) => ok));
  // The helpers over the same bytes answer or throw what they say they throw.
  for (const helper of [responseToken, tokenCertificatesPem]) {
    try {
      helper(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(EvidenceError);
    }
  }
  readResponseStatus(bytes);
  return result;
}

const refused = async (bytes: Uint8Array): Promise<void> => {
  const { ok, checks } = await verify(bytes);
  expect(ok, Buffer.from(bytes).toString('hex')).toBe(false);
  expect(checks.some((check) => !check.ok)).toBe(true);
};

/** PKIStatus, the first octet with a meaning of its own that nobody signs: 0 and 1 both grant. */
const STATUS = 8;

/** The same response with either status that grants, or the token in it alone. RFC 3161 §2.4.2 */
function isTheToken(bytes: Uint8Array): boolean {
  const granted = response.slice();
  granted[STATUS] = 1;
  return [response, granted, response.subarray(STATUS + 1)].some((each) => Buffer.from(bytes).equals(each));
}

describe('hostile bytes', () => {
  test('of any kind are refused', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), refused), { numRuns: 500 });
  });

  test('of DER of any shape are refused', async () => {
    const { node } = fc.letrec<{ node: Uint8Array }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'large' },
        fc
          .tuple(fc.constantFrom(1, 2, 3, 4, 5, 6, 23, 24, 0x80), fc.uint8Array({ maxLength: 12 }))
          .map(([tag, content]) => encode(tag, content)),
        fc
          .tuple(
            fc.constantFrom(TAG.sequence, TAG.set, context(0), context(1)),
            fc.array(tie('node'), { maxLength: 6 }),
          )
          .map(([tag, members]) => encode(tag, ...members)),
      ),
    }));
    const asToken = (inner: Uint8Array): Uint8Array =>
      encodeSequence(encodeOid('1.2.840.113549.1.7.2')!, encode(context(0), inner));
    await fc.assert(
      fc.asyncProperty(node, async (der) => {
        await refused(der);
        await refused(asToken(der));
      }),
      { numRuns: 500 },
    );
  });

  test('cut short anywhere are refused', async () => {
    for (let length = 0; length < response.length; length++) await refused(response.subarray(0, length));
  });

  test('that differ from a token in any one octet are refused', async () => {
    expect([...response.subarray(STATUS - 4, STATUS + 1)]).toEqual([0x30, 3, 2, 1, 0]);
    for (let i = 0; i < response.length; i++) {
      if (i === STATUS) continue;
      const flipped = response.slice();
      flipped[i]! ^= 1 << (i % 8);
      await refused(flipped);
    }
  });

  test('spliced from a token are refused or are the token', async () => {
    const slice = fc.record({
      from: fc.nat(response.length),
      length: fc.nat(64),
      to: fc.nat(response.length),
      cut: fc.nat(64),
    });
    await fc.assert(
      fc.asyncProperty(slice, async ({ from, length, to, cut }) => {
        const piece = response.subarray(from, from + length);
        const spliced = Uint8Array.from([
          ...response.subarray(0, to),
          ...piece,
          ...response.subarray(to + cut),
        ]);
        if (!isTheToken(spliced)) await refused(spliced);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('bombs', () => {
  const nested = (depth: number, tag: number): Uint8Array => {
    const out: number[] = [];
    for (let i = 0; i < depth; i++) {
      const length = out.length;
      if (length < 0x80) out.unshift(tag, length);
      else if (length < 0x100) out.unshift(tag, 0x81, length);
      else out.unshift(tag, 0x82, length >> 8, length & 255);
    }
    return Uint8Array.from(out);
  };

  test.each([
    ['nested sequences', nested(10_000, 0x30)],
    ['nested context tags', nested(10_000, 0xa0)],
    ['indefinite lengths, nested', new Uint8Array(100_000).map((_, i) => (i % 2 === 0 ? 0x30 : 0x80))],
    ['a length of four gigabytes', Uint8Array.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0)],
    ['a length of 126 octets', Uint8Array.of(0x30, 0xfe, ...new Uint8Array(126))],
    [
      'a hundred thousand empty elements',
      encodeSequence(new Uint8Array(200_000).map((_, i) => (i % 2 === 0 ? 5 : 0))),
    ],
    ['more than any token has', new Uint8Array(MAX_TOKEN_BYTES + 1)],
  ])('%s: refused at once', async (_, bytes) => {
    await refused(bytes);
  });

  test('a token full of certificates of one name stays within its budget of signatures', async () => {
    const name = { commonName: 'many' };
    const key = lab.authority('many key').key;
    // Each signed by each: without a budget the paths through them are beyond counting.
    const many = Array.from({ length: 14 }, (_, i) =>
      lab.authority(`many ${i}`, {
        subject: { name, key },
        issuer: lab.authority('many head', { subject: { name, key } }),
      }),
    );
    const responder = {
      ...lab.responder,
      signer: lab.signerWith({ issuer: many[0]! }),
      chain: many.map(({ der }) => der),
    };
    const result = await verify(respond(request, responder));
    expect(result.checks.filter(({ ok }) => !ok)).toEqual([
      { name: 'chain', ok: false, detail: expect.stringContaining('more than 48 signatures to try') },
    ]);
  });

  test('as many signatures as are ever tried for one token, by the slowest keys, cost little', async () => {
    // 8192 bits with an exponent of 31: the most that is taken.
    const n = Buffer.alloc(1024, 0xa1).toString('base64url');
    const e = Buffer.from('7fffffff', 'hex').toString('base64url');
    const spki = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }).export({
      type: 'spki',
      format: 'der',
    });
    const key = readPublicKey(readWhole(new Uint8Array(spki), 'key'));
    expect(key).toMatchObject({ kind: 'rsa', bits: 8192 });
    const algorithm = { kind: 'rsa', hash: hashByOid('2.16.840.1.101.3.4.2.1')! } as const;
    const { cost } = await leastCostOf(COST_MAX, async () => {
      // 48 certificates may be named as the signer, and 48 signatures are tried for the chain.
      for (let i = 0; i < 96; i++) {
        const signature = new Uint8Array(1024).fill(i, 1);
        expect(await verifySignature(key, algorithm, new Uint8Array(32), signature)).toBe(false);
      }
    });
    expect(cost).toBeLessThan(COST_MAX);
  });

  test('more certificates than a token may hold are refused', async () => {
    const chain = Array.from({ length: 16 }, (_, i) => lab.authority(`crowd ${i}`).der);
    const { checks } = await verify(respond(request, { ...lab.responder, chain }));
    expect(checks.filter(({ ok }) => !ok)).toEqual([
      { name: 'encoding', ok: false, detail: '17 certificates, over 16' },
    ]);
  });

  test('an authority whose answer is a web page is told apart', async () => {
    const page = new TextEncoder().encode('<!doctype html><title>502 Bad Gateway</title>');
    await refused(page);
    expect(readResponseStatus(page)).toBeNull();
  });

  test('the caller may change its buffer while the verification is under way', async () => {
    const bytes = response.slice();
    const pending = verifyTimeStamp(bytes, expected, lab.policy);
    bytes.fill(0);
    expect((await pending).ok).toBe(true);
  });
});
