import { createHmac } from 'node:crypto';
import fc from '@acuse/testkit/properties';
import { expect, test } from 'vitest';
import { makeReturnPath, readReturnPath } from '../src/verp.ts';

const secret = Buffer.alloc(32, 7);
const messageId = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
const expiresAt = new Date('2026-12-20T10:00:00Z');
const now = new Date('2026-11-20T10:00:00Z');
const address = makeReturnPath({ messageId, expiresAt, secret, domain: 'bounce.example.com' });

test('a return path names its message, in either case, until its day is over', () => {
  expect(address.split('@')[0]!.length).toBeLessThanOrEqual(64);
  expect(readReturnPath(address, [secret], now)).toEqual({ ok: true, messageId });
  expect(readReturnPath(address.toUpperCase(), [secret], now)).toEqual({ ok: true, messageId });
  expect(readReturnPath(address, [secret], new Date('2026-12-20T23:59:59Z')).ok).toBe(true);
  expect(readReturnPath(address, [secret], new Date('2026-12-21T00:00:00Z'))).toEqual({
    ok: false,
    reason: 'expired',
  });
});

test('after a rotation of the secret the old one still reads', () => {
  expect(readReturnPath(address, [Buffer.alloc(32, 9), secret], now).ok).toBe(true);
  expect(readReturnPath(address, [Buffer.alloc(32, 9)], now)).toEqual({ ok: false, reason: 'forged' });
});

test('no other token reads', () => {
  const token = address.slice(2, address.indexOf('@'));
  for (let at = 0; at < token.length; at++) {
    for (const char of 'abcdefghijklmnopqrstuvwxyz234567') {
      if (char === token[at]) continue;
      const forged = `b+${token.slice(0, at)}${char}${token.slice(at + 1)}@x`;
      expect(readReturnPath(forged, [secret], now).ok).toBe(false);
    }
  }
  fc.assert(fc.property(fc.string(), (text) => !readReturnPath(text, [secret], now).ok));
});

test('every message id and day comes back', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 21_000, max: 65_535 }), (id, day) => {
      const made = makeReturnPath({
        messageId: id,
        expiresAt: new Date(day * 86_400_000),
        secret,
        domain: 'x.test',
      });
      return (
        JSON.stringify(readReturnPath(made, [secret], now)) === JSON.stringify({ ok: true, messageId: id })
      );
    }),
  );
});

test('the signature is HMAC-SHA-256, cut to 10 bytes, whatever the length of the secret', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  const bitsOf = (text: string) =>
    [...text].map((char) => alphabet.indexOf(char).toString(2).padStart(5, '0')).join('');
  for (const size of [0, 1, 32, 63, 64, 65, 200]) {
    const key = Buffer.from(Array.from({ length: size }, (_, at) => (at * 37 + size) & 0xff));
    const made = makeReturnPath({ messageId, expiresAt, secret: key, domain: 'x' });
    const bits = bitsOf(made.slice(2, made.indexOf('@')));
    const bytes = Buffer.from(
      Array.from({ length: 28 }, (_, at) => Number.parseInt(bits.slice(8 * at, 8 * at + 8), 2)),
    );
    const mac = createHmac('sha256', key)
      .update('acuse/return-path/v1\n')
      .update(bytes.subarray(0, 18))
      .digest();
    expect(bytes.subarray(18).toString('hex')).toBe(mac.subarray(0, 10).toString('hex'));
  }
});
