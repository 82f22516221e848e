import fc from '@acuse/testkit/properties';
import { expect, test } from 'vitest';
import {
  concat,
  decodeAscii,
  decodeUtf8,
  equalBytes,
  fromBase64,
  fromHex,
  isWellFormed,
  put,
  putAscii,
  putHex,
  toBase64,
  toHex,
  type Writer,
} from '../src/bytes.ts';

test('hex and base64 are those of Node, there and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (data) => {
      expect(toHex(data)).toBe(Buffer.from(data).toString('hex'));
      expect(toBase64(data)).toBe(Buffer.from(data).toString('base64'));
      expect(fromHex(toHex(data))).toEqual(data);
      expect(fromBase64(toBase64(data))).toEqual(data);
    }),
  );
});

test('pieces are written one after the other, into exactly their place', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uuid(), (data, id) => {
      const writer: Writer = { out: new Uint8Array(3 * data.length + id.length + 1), at: 0 };
      put(writer, data);
      putAscii(writer, id);
      putHex(writer, data);
      expect(writer.at).toBe(writer.out.length - 1);
      expect(Buffer.from(writer.out)).toEqual(
        Buffer.concat([data, Buffer.from(id), Buffer.from(toHex(data)), Buffer.alloc(1)]),
      );
    }),
  );
});

test.each([
  'A',
  'AA',
  'AA=',
  'AAA',
  'AB==',
  'AAB=',
  'A===',
  '====',
  'AA==AA==',
  'AA=A',
  'AAA\n',
  ' AAA',
  'AA-_',
  'AAé=',
])('base64 %j has no bytes', (text) => expect(fromBase64(text)).toBeUndefined());

test('any base64 taken is the one way to write its bytes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('A', 'B', '/', '+', '=', 'w', '9'), maxLength: 12 }),
      (text) => {
        const bytes = fromBase64(text);
        if (bytes !== undefined) expect(toBase64(bytes)).toBe(text);
      },
    ),
    { numRuns: 2000 },
  );
});

test('hex is lower case, even, and as long as asked', () => {
  expect(fromHex('0aff')).toEqual(Uint8Array.of(10, 255));
  for (const text of ['0A', '0', '0g', ' 0']) expect(fromHex(text)).toBeUndefined();
  expect(fromHex('0a', 2)).toBeUndefined();
});

test('UTF-8 is strict', () => {
  expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]])
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
  expect(isWellFormed('a\u{1f600}')).toBe(true);
  expect(isWellFormed('\ud800a')).toBe(false);
});

test('compare and join', () => {
  expect(equalBytes(concat(Uint8Array.of(1), Uint8Array.of(2, 3)), Uint8Array.of(1, 2, 3))).toBe(true);
  expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
  expect(equalBytes(Uint8Array.of(1), Uint8Array.of(2))).toBe(false);
});

test('each byte is the character of its number, wherever it runs', () => {
  const all = Uint8Array.from({ length: 10_000 }, (_, i) => i % 256);
  expect([...decodeAscii(all)].every((character, i) => character.codePointAt(0) === i % 256)).toBe(true);
  expect(decodeAscii(new Uint8Array())).toBe('');
});
