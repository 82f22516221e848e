import { fromHex } from '@acuse/evidence/bytes';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import {
  type Bytes,
  children,
  DerError,
  type DerNode,
  Fields,
  readBoolean,
  readInteger,
  readOid,
  readSmall,
  readTime,
  readUnsigned,
  readWhole,
  stripZeros,
} from '../src/timestamp/der.ts';
import { encode, encodeOid, encodeSequence, encodeUnsigned } from '../src/timestamp/encode.ts';
import { distinguishedName } from '../src/timestamp/name.ts';

const bytes = (hex: string): Bytes => new Uint8Array(fromHex(hex.replaceAll(' ', ''))!);
const node = (hex: string): DerNode => readWhole(bytes(hex), 'it');
const time = (tag: number, text: string): (() => Date) => {
  const element = readWhole(new Uint8Array(encode(tag, new TextEncoder().encode(text))), 'it');
  return () => readTime(element, 'it');
};

describe('elements', () => {
  test.each([
    ['', 'ends inside'],
    ['30', 'ends inside'],
    ['30 01', 'ends inside'],
    ['30 80 00 00', 'indefinite'],
    ['30 81 7f', 'not minimal'],
    ['30 82 00 80', 'not minimal'],
    ['30 85 01 00 00 00 00', 'length of 5 octets'],
    ['1f 81 01 00', 'multi-octet tag'],
    ['05 00 00', '1 trailing bytes'],
  ])('%s is refused: %s', (hex, reason) => {
    expect(() => node(hex)).toThrow(reason);
    expect(() => node(hex)).toThrow(DerError);
  });

  test('any length is written and read back', () => {
    for (const size of [0, 1, 127, 128, 255, 256, 65535, 65536]) {
      const element = encode(0x04, new Uint8Array(size));
      expect(readWhole(new Uint8Array(element), 'it').content.length).toBe(size);
    }
  });

  test('a primitive has no children, and a sequence only those that are asked for', () => {
    expect(() => children(node('04 02 05 00'), 'it')).toThrow('primitive');
    const fields = new Fields(node('30 06 02 01 05 02 01 06'), 'it');
    expect(readSmall(fields.any('first'), 'it')).toBe(5);
    expect(() => fields.end()).toThrow('unexpected element');
    expect(fields.optional(0x30)).toBeUndefined();
    expect(() => fields.next(0x30, 'second')).toThrow('it.second: tag 0x2, expected 0x30');
    expect(() => fields.any('third')).toThrow('third is missing');
  });
});

describe('object identifiers', () => {
  test.each([
    ['06 03 55 1d 25', '2.5.29.37'],
    ['06 06 2a 86 48 86 f7 0d', '1.2.840.113549'],
    ['06 01 27', '0.39'],
    ['06 01 28', '1.0'],
    ['06 02 88 37', '2.999'],
  ])('%s is %s', (hex, dotted) => {
    expect(readOid(node(hex), 'it')).toBe(dotted);
    expect(encodeOid(dotted)).toEqual(bytes(hex));
  });

  test('of arcs of any size come back', () => {
    const arc = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
    fc.assert(
      fc.property(fc.array(arc, { minLength: 1, maxLength: 3 }), (arcs) => {
        const dotted = `2.25.${arcs.join('.')}`;
        expect(readOid(readWhole(new Uint8Array(encodeOid(dotted)!), 'it'), 'it')).toBe(dotted);
      }),
    );
  });

  test.each(['06 00', '06 02 55 80', '06 02 80 01', '06 01 80'])('%s is refused', (hex) => {
    expect(() => readOid(node(hex), 'it')).toThrow(DerError);
  });

  test.each(['', '1', '3.1', '1.40', '1.2.', '1.02', '1.2.x', '2.5.29.37 '])('%j is none', (text) => {
    expect(encodeOid(text)).toBeUndefined();
  });
});

describe('integers', () => {
  test.each(['02 00', '02 02 00 01', '02 02 ff 80'])('%s is not minimal', (hex) => {
    expect(() => readInteger(node(hex), 'it')).toThrow(DerError);
  });

  test('are non-negative where they must be, and small where they must be', () => {
    expect(() => readUnsigned(node('02 01 80'), 'it')).toThrow('negative');
    expect(readUnsigned(node('02 02 00 80'), 'it')).toEqual(bytes('80'));
    expect(readSmall(node('02 04 7f ff ff ff'), 'it')).toBe(2 ** 31 - 1);
    expect(() => readSmall(node('02 05 00 80 00 00 00'), 'it')).toThrow('over 2^31');
    expect(() => readSmall(node('02 06 01 00 00 00 00 00'), 'it')).toThrow('over 2^31');
  });

  test('of any magnitude come back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (magnitude) => {
        const read = readUnsigned(readWhole(new Uint8Array(encodeUnsigned(magnitude)), 'it'), 'it');
        expect([...read]).toEqual([...stripZeros(magnitude)]);
      }),
    );
  });

  test('truth is 00 or ff', () => {
    expect(readBoolean(node('01 01 ff'), 'it')).toBe(true);
    expect(readBoolean(node('01 01 00'), 'it')).toBe(false);
    expect(() => readBoolean(node('01 01 01'), 'it')).toThrow(DerError);
  });
});

describe('times', () => {
  test.each([
    [0x17, '260304050607Z', '2026-03-04T05:06:07.000Z'],
    [0x17, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    [0x17, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    [0x18, '20500101000000Z', '2050-01-01T00:00:00.000Z'],
    [0x18, '20260304050607.89Z', '2026-03-04T05:06:07.890Z'],
    [0x18, '20260304050607.1234567Z', '2026-03-04T05:06:07.123Z'],
    [0x18, '00010101000000Z', '0001-01-01T00:00:00.000Z'],
  ])('%s %s is %s', (tag, text, iso) => {
    expect(time(tag, text)().toISOString()).toBe(iso);
  });

  test.each([
    [0x18, '20260304050607'],
    [0x18, '20260304050607+0100'],
    [0x18, '20260304050607.Z'],
    [0x18, '20260304050607.10Z'],
    [0x18, '20260230000000Z'],
    [0x18, '20261301000000Z'],
    [0x18, '20260304240000Z'],
    [0x18, '20260304235960Z'],
    [0x17, '20260304050607Z'],
    [0x17, '2603040506Z'],
    [0x04, '260304050607Z'],
    [0x18, '20260304050607Z                  '],
  ])('%s %s is refused', (tag, text) => {
    expect(time(tag, text)).toThrow(DerError);
  });
});

describe('names', () => {
  const name = (value: Uint8Array, oid = '2.5.4.3'): string => {
    const attribute = encodeSequence(encodeOid(oid)!, value);
    return distinguishedName(readWhole(new Uint8Array(encodeSequence(encode(0x31, attribute))), 'it'));
  };
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);

  test.each([
    ['Autoridad Certificadora Raíz', 'CN=Autoridad Certificadora Raíz'],
    ['a,b+c"d\\e<f>;', 'CN=a\\,b\\+c\\"d\\\\e\\<f\\>\\;'],
    ['\u001b[2Jgone', 'CN=\\u{1b}[2Jgone'],
    ['\u202eeman', 'CN=\\u{202e}eman'],
    ['#1 ', 'CN=\\#1\\ '],
  ])('%j reads %s', (value, expected) => {
    expect(name(encode(0x0c, text(value)))).toBe(expected);
  });

  test('in other alphabets and of unknown kinds', () => {
    expect(name(encode(0x1e, bytes('00 41 00 f1')))).toBe('CN=Añ');
    expect(name(encode(0x0c, bytes('ff')))).toBe('CN=#0c01ff');
    expect(name(encode(0x13, text('x')), '1.2.3')).toBe('1.2.3=x');
  });
});
