import { leastCost } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import {
  MAX_HEADER_FIELDS,
  relaxedBody,
  relaxedField,
  relaxedHeader,
  relaxedHeaders,
  splitMessage,
  toCrlf,
} from '../src/relaxed.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const text = (data: Uint8Array) => Buffer.from(data).toString('latin1');

/** RFC 6376 §3.4.4, step by step, over text: slow and plain. */
function bodyOracle(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}

const mailish = fc
  .array(fc.constantFrom('a', 'B', ' ', '\t', '\r\n', '\r', '\n', '\xe9', ':', '.', '  ', '\r\n\r\n'))
  .map((chunks) => chunks.join(''));

/** The most that relaxing 25 MiB may cost, in plain readings of as much. */
const COST_MAX = 20;

describe('relaxed body', () => {
  test.each([
    ['', ''],
    ['\r\n', ''],
    [' \t\r\n\r\n', ''],
    [' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'], // RFC 6376 §3.4.5
    ['no end', 'no end\r\n'],
    ['no end \t', 'no end\r\n'],
    ['a\r\n\r\nb\r\n', 'a\r\n\r\nb\r\n'],
    ['a\rb\nc\r\n', 'a\rb\nc\r\n'],
    ['a\n\n', 'a\n\n\r\n'],
    [' a', ' a\r\n'],
  ])('%j', (body, want) => expect(text(relaxedBody(bytes(body)))).toBe(want));

  test('is what the RFC says, and relaxing twice changes nothing', () => {
    fc.assert(
      fc.property(mailish, (body) => {
        const once = relaxedBody(bytes(body));
        expect(text(once)).toBe(bodyOracle(body));
        expect(relaxedBody(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  test('25 MiB cost few plain readings, relaxed already or not', () => {
    const line = `${'QUJD'.repeat(19)}\r\n`;
    const clean = bytes(line.repeat(Math.ceil((25 * 1024 * 1024) / line.length)));
    const spaced = clean.slice();
    for (let i = 70; i < spaced.length; i += 78) spaced[i] = 0x20;
    for (const body of [clean, spaced, new Uint8Array(25 * 1024 * 1024).fill(0x20)]) {
      const cost = leastCost(COST_MAX, () => void relaxedBody(body));
      expect(cost).toBeLessThan(COST_MAX);
    }
  });
});

describe('relaxed header', () => {
  test.each([
    ['A', ' X\r\n', 'a:X'], // RFC 6376 §3.4.5
    ['B ', ' Y\t\r\n\tZ  \r\n', 'b:Y Z'],
    ['Subject', '', 'subject:'],
    ['Subject', ' \t ', 'subject:'],
    ['Subject', ' ', 'subject:'],
    ['Subject', ' caf\xe9\xa0 ', 'subject:caf\xe9\xa0'],
    ['X', 'a\r\n b', 'x:a b'],
  ])('%j %j', (name, value, want) => {
    expect(relaxedHeader(name, value)).toBe(want);
    const raw = bytes(`${name}:${value}`);
    expect(text(relaxedField({ name: name.trim(), raw }))).toBe(`${want}\r\n`);
  });

  test('over bytes and over text it is the same', () => {
    fc.assert(
      fc.property(mailish, (value) => {
        const raw = bytes(`Name :${value}`);
        expect(text(relaxedField({ name: 'Name', raw }))).toBe(`${relaxedHeader('Name ', value)}\r\n`);
      }),
      { numRuns: 2000 },
    );
  });

  test('named fields, every one of a name, in the order asked for', () => {
    const { headers } = splitMessage(bytes('To: b\r\nFROM : a\r\nX: no\r\nTo:\r\n c\r\n\r\n'));
    expect(text(relaxedHeaders(headers, ['From', 'to', 'Cc']))).toBe('from:a\r\nto:b\r\nto:c\r\n');
  });
});

describe('split', () => {
  test('fields keep their bytes, the body starts after the empty line', () => {
    const { headers, body } = splitMessage(bytes('A: 1\r\n 2\r\n\t3\r\nbroken\r\nB: \xe9\r\n\r\nx\r\n\r\ny'));
    expect(headers.map(({ name, raw }) => [name, text(raw)])).toEqual([
      ['A', 'A: 1\r\n 2\r\n\t3'],
      ['', 'broken'],
      ['B', 'B: \xe9'],
    ]);
    expect(text(body)).toBe('x\r\n\r\ny');
  });

  test.each([
    ['', 0, ''],
    ['\r\nbody', 0, 'body'],
    ['A: 1', 1, ''],
    ['A: 1\r\n', 1, ''],
    ['A: 1\r\n \r\n\r\nbody', 1, 'body'],
    ['A: 1\n\nbody', 1, ''],
  ])('%j', (message, fields, want) => {
    const { headers, body } = splitMessage(bytes(message));
    expect(headers).toHaveLength(fields);
    expect(text(body)).toBe(want);
  });

  test('too many fields are refused, any bytes are taken in their stride', () => {
    expect(() => splitMessage(bytes('A:\r\n'.repeat(MAX_HEADER_FIELDS + 1)))).toThrow(/header fields/);
    fc.assert(
      fc.property(mailish, (message) => {
        const { headers, body } = splitMessage(bytes(message));
        const joined = headers.map(({ raw }) => text(raw)).join('\r\n');
        expect(message.startsWith(joined)).toBe(true);
        expect(message.endsWith(text(body))).toBe(true);
      }),
    );
  });
});

test('line ends become CRLF once', () => {
  expect(text(toCrlf(bytes('a\rb\nc\r\nd\n\r\n\r')))).toBe('a\r\nb\r\nc\r\nd\r\n\r\n\r\n');
  const clean = bytes('a\r\n');
  expect(toCrlf(clean)).toBe(clean);
});
