import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { certificatesFromPem } from '../src/timestamp/certificate.ts';
import { certificateToPem, responseToken, tokenCertificatesPem } from '../src/timestamp/parse.ts';
import type { TimeStampHash, TimeStampPolicy } from '../src/timestamp/policy.ts';
import { verifyTimeStamp } from '../src/timestamp/verify.ts';

const folder = join(
  process.env['ACUSE_CORPORA'] ?? join(import.meta.dirname, '../../../../shared/corpora'),
  'rfc3161',
);
const absent = !existsSync(folder);

/** Time-stamps over the five bytes `hello` that another authority made. */
describe.skipIf(absent)(`the rfc3161 corpus${absent ? ' (skipped: corpora absent)' : ''}`, () => {
  const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, name)));
  const hello = (hashAlgorithm: TimeStampHash) => ({
    imprint: new Uint8Array(createHash(hashAlgorithm).update('hello').digest()),
    hashAlgorithm,
  });
  const policy = (pick: (chain: string[]) => string[]): TimeStampPolicy => {
    const chain = certificatesFromPem(readFileSync(join(folder, 'ts_chain.pem'), 'utf8')).map(
      certificateToPem,
    );
    return { profile: 'rfc3161', name: 'sigstore', roots: pick(chain) };
  };

  test.each([
    ['response-sha256.tsr', 'sha256'],
    ['response-sha512.tsr', 'sha512'],
  ] as const)('%s verifies, whether its root or its whole chain is pinned', async (name, hash) => {
    for (const pick of [(chain: string[]) => chain, (chain: string[]) => chain.slice(-1)]) {
      const result = await verifyTimeStamp(read(name), hello(hash), policy(pick));
      expect(result.checks.filter(({ ok }) => !ok)).toEqual([]);
      expect(result.facts).toMatchObject({
        policyOid: '1.3.6.1.4.1.57264.2',
        accuracyMs: 1000,
        chainNotAfter: '2035-03-26T08:14:06.000Z',
      });
      expect(result.facts?.certificates).toHaveLength(2);
    }
  });

  test('response-invalid-signature.tsr fails on its signature and on nothing else', async () => {
    const result = await verifyTimeStamp(
      read('response-invalid-signature.tsr'),
      hello('sha256'),
      policy((chain) => chain),
    );
    expect(result.checks.filter(({ ok }) => !ok)).toEqual([
      { name: 'signature', ok: false, detail: 'the signature is not by the signer' },
    ]);
  });

  test('a response for one hash is none for the other', async () => {
    const result = await verifyTimeStamp(
      read('response-sha512.tsr'),
      hello('sha256'),
      policy((chain) => chain),
    );
    expect(result.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual([
      'hash_algorithm',
      'imprint',
    ]);
  });

  test('a request is no response', async () => {
    const result = await verifyTimeStamp(
      read('request.der'),
      hello('sha512'),
      policy((chain) => chain),
    );
    expect(result.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['encoding']);
  });

  test('its token and certificates come out as they went in', () => {
    const response = read('response-sha256.tsr');
    const token = responseToken(response);
    expect(Buffer.from(response).subarray(-token.length).equals(token)).toBe(true);
    expect(responseToken(token)).toEqual(token);
    const [leaf] = certificatesFromPem(readFileSync(join(folder, 'ts_chain.pem'), 'utf8'));
    expect(tokenCertificatesPem(response)).toEqual([certificateToPem(leaf!)]);
  });
});
