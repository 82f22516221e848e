import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fromHex } from '../src/bytes.ts';
import { verifyEd25519 } from '../src/verifier-key.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors/ed25519.json');
const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
  cases: { valid: boolean; why: string; public_key: string; message: string; signature: string }[];
};

test.each(cases.map((each) => [each.why, each] as const))('a signature: %s', (_why, each) => {
  const [signature, message, key] = [each.signature, each.message, each.public_key].map(
    (hex) => fromHex(hex)!,
  );
  expect(verifyEd25519(signature!, message!, key!)).toBe(each.valid);
});

test('all fourteen encodings of keys of small order are among them', () => {
  expect(cases.filter(({ why }) => why.startsWith('the key: '))).toHaveLength(14);
});
