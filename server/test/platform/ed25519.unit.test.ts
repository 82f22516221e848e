import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromHex, utf8 } from '@acuse/evidence/bytes';
import { verifyEd25519 } from '@acuse/evidence/verifier-key';
import { twistedSignature } from '@acuse/testkit/vectors/weak-keys';
import { expect, test } from 'vitest';
import { ed25519 } from '../../src/platform/ed25519.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors/ed25519.json');
const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8')) as {
  cases: { valid: boolean; why: string; public_key: string; message: string; signature: string }[];
};

test.each(cases.map((each) => [each.why, each] as const))('a signature: %s', (_why, each) => {
  const [signature, message, key] = [each.signature, each.message, each.public_key].map(
    (hex) => fromHex(hex)!,
  );
  expect(ed25519(signature!, message!, key!)).toBe(each.valid);
});

const message = utf8('log.example/acuse\n');

test.each(['R', 'key'] as const)('a point of order 8 in the %s: as the rules in JavaScript say', (what) => {
  for (let run = 0; run < 16; run++) {
    const { signature, publicKey } = twistedSignature(what, message);
    expect(verifyEd25519(signature, message, publicKey)).toBe(true);
    expect(ed25519(signature, message, publicKey)).toBe(true);
  }
});

test('one bit changed anywhere: refused, and no key is taken for another', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signature = sign(null, message, privateKey);
  expect(ed25519(signature, message, key)).toBe(true);
  const changed = (bytes: Uint8Array, bit: number) =>
    Uint8Array.from(bytes, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
  for (let bit = 0; bit < 256; bit += 7) {
    expect(ed25519(changed(signature, bit), message, key)).toBe(false);
    expect(ed25519(changed(signature, 256 + bit), message, key)).toBe(false);
    expect(ed25519(signature, message, changed(key, bit))).toBe(false);
    expect(ed25519(signature, changed(message, bit % 128), key)).toBe(false);
  }
  expect(ed25519(signature, message, key)).toBe(true);
});
