import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { formatKey, KEY_CHARS, parseKey, SECRET_BYTES, secretHash } from '../../src/accounts/api-keys/key.ts';
import { newId } from '../../src/platform/ids.ts';

const secrets = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES });

describe('API key', () => {
  test('has one written form', () => {
    const key = formatKey('01890a5d-ac96-774b-bcce-b302099a8057', new Uint8Array(SECRET_BYTES).fill(0xa5));
    expect(key).toBe('acuse_01h455vb4pex5vsknk084sn02q_mpjtb9d5mpjtb9d5mpjtb9d5mpjtb9d533bpq19');
    expect(key).toHaveLength(KEY_CHARS);
    expect(parseKey(key)).toEqual({
      apiKeyId: '01890a5d-ac96-774b-bcce-b302099a8057',
      secret: 'mpjtb9d5mpjtb9d5mpjtb9d5mpjtb9d5',
    });
  });

  test('reads back what was written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(null), fc.uuid()), secrets, (uuid, secret) => {
        const id = uuid ?? newId();
        expect(parseKey(formatKey(id, secret))?.apiKeyId).toBe(id);
      }),
    );
  });

  test('a changed, dropped or added character is refused without a look-up', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.nat(KEY_CHARS - 1),
        fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }),
        (secret, at, other) => {
          const key = formatKey(newId(), secret);
          fc.pre(key[at] !== other);
          expect(parseKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
          expect(parseKey(key.slice(0, at) + key.slice(at + 1))).toBeNull();
          expect(parseKey(key.slice(0, at) + other + key.slice(at))).toBeNull();
        },
      ),
    );
  });

  test.each([
    '',
    'acuse_',
    'ACUSE_',
    'acuse_x_y',
    `acuse_${'8'.repeat(26)}_${'0'.repeat(39)}`,
    'a'.repeat(100_000),
  ])('refuses %j', (text) => {
    expect(parseKey(text)).toBeNull();
  });

  test('hashes the characters of the secret', () => {
    expect(secretHash('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
