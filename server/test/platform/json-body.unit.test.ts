import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import {
  JSON_DEPTH_MAX,
  JSON_FIELDS_MAX,
  JSON_VALUES_MAX,
  parseJson,
} from '../../src/platform/http/json-body.ts';

const read = (text: string) => parseJson(Buffer.from(text));

describe('a key given twice', () => {
  test.each([
    ['at the top', '{"to":"a","to":"b"}', 'to'],
    ['with the same value', '{"to":"a","to":"a"}', 'to'],
    ['deep', '{"a":[{"b":{"c":1,"d":[],"c":2}}]}', 'c'],
    ['in an item of a batch', '{"messages":[{"to":"a"},{"to":"b","text":"x","to":"c"}]}', 'to'],
    ['spelled with an escape', '{"a":1,"\\u0061":2}', 'a'],
    ['spelled with escapes in either case', '{"\\u004A":1,"\\u004a":2}', 'J'],
    ['with a solidus, escaped or not', '{"a/b":1,"a\\/b":2}', 'a/b'],
    ['behind a string that ends in backslashes', '{"a":"\\\\","b":"\\\\\\"","a":1}', 'a'],
    ['with white space between', '{ "a" : 1 ,\n\t"a"\r: 2 }', 'a'],
    ['that is empty', '{"":1,"":2}', ''],
    ['that is __proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['that is constructor', '{"constructor":1,"x":{},"constructor":2}', 'constructor'],
    ['with a nested object of the same keys between', '{"a":{"a":{"a":1}},"b":1,"a":2}', 'a'],
    ['after an array', '{"a":[1,"a",{"a":1}],"a":2}', 'a'],
    ['that is an astral character, escaped or not', '{"😀":1,"\\ud83d\\ude00":2}', '😀'],
  ])('%s is refused, and named', (_, text, key) => {
    expect(read(text)).toEqual({
      ok: false,
      problem: `The body is not valid: ${JSON.stringify(key)} is given twice in one object.`,
    });
  });

  test.each([
    ['as a value', '{"a":"a","b":"a"}'],
    ['in different objects', '[{"a":1},{"a":2},{"b":{"a":1},"a":1}]'],
    ['in another case', '{"a":1,"A":2}'],
    ['inside a text', '{"a":"{\\"a\\":1,\\"a\\":2}"}'],
    ['by its look only', '{"a":1,"\\\\u0061":2}'],
    ['in another normal form', '{"é":1,"e\u0301":2}'],
    ['as own properties of Object', '{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}'],
  ])('%s is none', (_, text) => {
    expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test('a long key is cut where it is named', () => {
    const key = 'k'.repeat(100_000);
    const answer = read(`{"${key}":1,"${key}":2}`) as { problem: string };
    expect(answer.problem.length).toBeLessThan(200);
  });
});

test('what JSON.stringify writes reads back as it was, and one more key of an object is found', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
      fc.nat(),
      (made, at) => {
        const keys = Object.keys(made);
        const key = keys[at % keys.length]!;
        const text = `${JSON.stringify(made).slice(0, -1)},${JSON.stringify(key)}:0}`;
        expect(read(text)).toMatchObject({ ok: false, problem: expect.stringContaining('is given twice') });
      },
    ),
  );
});

test('text that is not JSON is refused as before, whatever it looks like', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0a1 ') }), (text) => {
      const parses = (() => {
        try {
          JSON.parse(text);
          return true;
        } catch {
          return false;
        }
      })();
      const answer = read(text);
      if (!parses) expect(answer).toMatchObject({ ok: false });
      else if (!answer.ok) expect(answer.problem).toContain('is given twice');
    }),
    { numRuns: 2_000 },
  );
});

describe('is refused before anything is made of it', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  test.each([
    ['levels', nested(JSON_DEPTH_MAX + 1), `nested more than ${JSON_DEPTH_MAX} levels`],
    ['levels without an end', '{"a":'.repeat(5_000_000), `nested more than ${JSON_DEPTH_MAX} levels`],
    ['values', `[${'[],'.repeat(JSON_VALUES_MAX)}[]]`, `more than ${JSON_VALUES_MAX} values`],
    [
      'fields',
      `{${Array.from({ length: JSON_FIELDS_MAX + 1 }, (_, at) => `"${at}":0`).join(',')}}`,
      `more than ${JSON_FIELDS_MAX} fields`,
    ],
  ])('a body of too many %s', (_, text, says) => {
    expect(read(text)).toMatchObject({ ok: false, problem: expect.stringContaining(says) });
  });

  test('but not one of as many as there may be', () => {
    expect(read(nested(JSON_DEPTH_MAX)).ok).toBe(true);
    expect(read(`[${'0,'.repeat(JSON_VALUES_MAX - 3)}0]`).ok).toBe(true);
  });
});
