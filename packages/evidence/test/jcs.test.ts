import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from '@acuse/testkit/properties';
import canonicalize from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { toHex, utf8 } from '../src/bytes.ts';
import { jcs, jcsBytes, parseCanonical } from '../src/jcs.ts';
import { corpus, expectRefusal } from './support.ts';

const folder = corpus('jcs');

describe.skipIf(folder === undefined)(
  `vectors of cyberphone/json-canonicalization${folder ? '' : ' (no corpora here)'}`,
  () => {
    const files = folder === undefined ? [] : readdirSync(resolve(folder, 'input'));
    test.each(files)('%s', (file) => {
      const input = JSON.parse(readFileSync(resolve(folder!, 'input', file), 'utf8'));
      const want = readFileSync(resolve(folder!, 'outhex', file.replace('.json', '.txt')), 'utf8').replace(
        /\s/g,
        '',
      );
      expect(toHex(jcsBytes(input))).toBe(want);
      expect(parseCanonical(jcsBytes(input), 'x')).toEqual(input);
    });
  },
);

test('numbers as RFC 8785 Appendix B', () => {
  expect(
    jcs([0, -0, 5e-324, 1.7976931348623157e308, 9007199254740992, 295147905179352830000, 1e21, 1e-7]),
  ).toBe('[0,0,5e-324,1.7976931348623157e+308,9007199254740992,295147905179352830000,1e+21,1e-7]');
});

test('every JSON value as another implementation writes it', () => {
  const text = fc.string({ unit: 'binary' }).filter((it) => it.isWellFormed());
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false, '', 'a"b', '\\', '\x7f', '\u2028', '__proto__'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (it) => {
      expect(jcs(it)).toBe(canonicalize(it));
    }),
  );
});

test.each<[string, unknown]>([
  ['lone surrogate', 'a\ud800'],
  ['lone surrogate in a key', { '\udc00': 1 }],
  ['NaN', [Number.NaN]],
  ['Infinity', { a: -Infinity }],
  ['undefined', { a: undefined }],
  ['a hole', new Array(1)],
  ['bigint', 1n],
  ['function', { toJSON: () => 1 }],
  ['Date', new Date(0)],
  ['Map', new Map()],
  ['bytes', Uint8Array.of(1)],
  ['symbol', Symbol('x')],
])('%s is refused', (_, value) => expectRefusal(() => jcs(value), 'jcs'));

test('nesting without end is refused, not a stack overflow', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  expectRefusal(() => parseCanonical(utf8(deep), 'manifest'), 'manifest');
});

test.each([
  ['', 'manifest'],
  ['{"b":1,"a":2}', 'order'],
  ['{"a":1,"a":1}', 'twice'],
  ['{ "a":1}', 'space'],
  ['{"a":1.0}', 'number'],
  ['{"a":"\\u0061"}', 'escape'],
  ['{"a":1}\n', 'newline'],
  ['\ufeff{"a":1}', 'byte order mark'],
  ['nul', 'text'],
])('%j is not canonical (%s)', (text) =>
  expectRefusal(() => parseCanonical(utf8(text), 'manifest'), 'manifest'),
);

test('bytes that are not UTF-8 are refused', () => {
  expectRefusal(() => parseCanonical(Uint8Array.of(0x22, 0xff, 0x22), 'manifest'), 'manifest', /UTF-8/);
});

test('whatever JSON.parse gives survives and is stable', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const value = JSON.parse(text);
      fc.pre(!/\\ud[89a-f]/i.test(JSON.stringify(value)));
      const bytes = jcsBytes(value);
      expect(jcsBytes(parseCanonical(bytes, 'x'))).toEqual(bytes);
    }),
  );
});
