import fc from '@acuse/testkit/properties';
import type { Schema } from '../../src/surfaces/reference/example.ts';

/**
 * Values out of schemas: what they allow, what they nearly allow, and what nobody would send in good faith.
 */

/**
 * Text that has broken programs before: controls, halves of pairs, other scripts' digits, formats of other
 * layers.
 */
const NASTY = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\n',
  'a\r\nBcc: x@y.example',
  '\u0085',
  '\u2028',
  '\ud800',
  '\udfff',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '😀',
  '٣',
  '0',
  '-1',
  '1e999',
  'NaN',
  'null',
  'true',
  '{{',
  '{{ x }}',
  '{% raw %}',
  '%',
  '%00',
  '%s%n',
  '\\',
  "'",
  '"',
  '<',
  '../..',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "' or 1=1 --",
  '=?utf-8?q?=00?=',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '9999-12-31T23:59:60Z',
  '0000-00-00T00:00:00Z',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  'a@b',
  'a@b.example',
  '"a b"@sandbox.test',
  'a@xn--.example',
  '@',
  '*@*',
  'https://127.0.0.1:1/',
  'https://[::1]:1/',
  'http://0/',
  'javascript:alert(1)',
  'https://x:x@127.0.0.1/#',
  'x'.repeat(300),
  'ñ'.repeat(2_000),
];

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

const anything: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    2 ** 31,
    2 ** 53,
    1e308,
    Number.MIN_VALUE,
    [],
    {},
    [[]],
    [null],
    { '': '' },
  ),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false } as fc.JsonSharedConstraints),
);

const DEPTH_MAX = 8;

/**
 * Mostly what the schema allows; each part may be something else altogether. `good`: values that get further
 * than any made here.
 */
export function arbitraryOf(
  schema: Schema,
  resolve: (ref: string) => Schema,
  good: Readonly<Record<string, readonly unknown[]>> = {},
  depth = 0,
): fc.Arbitrary<unknown> {
  const allowed = allowedBy(schema, resolve, good, depth);
  return fc.oneof({ weight: 60, arbitrary: allowed }, { weight: 1, arbitrary: anything });
}

function allowedBy(
  schema: Schema,
  resolve: (ref: string) => Schema,
  good: Readonly<Record<string, readonly unknown[]>>,
  depth: number,
): fc.Arbitrary<unknown> {
  const inner = (each: Schema) => arbitraryOf(each, resolve, good, depth + 1);
  if (depth > DEPTH_MAX) return anything;
  if (typeof schema['$ref'] === 'string') return inner(resolve(schema['$ref']));
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  if (Array.isArray(schema['anyOf']) && schema['properties'] === undefined)
    return fc.oneof(...(schema['anyOf'] as Schema[]).map(inner));
  if (Array.isArray(schema['type']))
    return fc.oneof(...schema['type'].map((type) => inner({ ...schema, type })));
  switch (schema['type']) {
    case 'object':
      return objectOf(schema, resolve, good, depth);
    case 'array':
      return fc.array(inner((schema['items'] ?? {}) as Schema), { maxLength: 3 });
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return anything;
  }
}

function numberOf(schema: Schema): fc.Arbitrary<number> {
  const min = (schema['minimum'] as number | undefined) ?? 1;
  const max = (schema['maximum'] as number | undefined) ?? 100;
  return fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min - 1, max + 1) },
    { weight: 1, arbitrary: fc.double() },
  );
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  const examples = ((schema['examples'] ?? []) as unknown[]).filter(
    (each): each is string => typeof each === 'string',
  );
  const ordinary = fc.string({ maxLength: 20 });
  return examples.length > 0
    ? fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...examples) },
        { weight: 1, arbitrary: ordinary },
        { weight: 1, arbitrary: nastyText },
      )
    : fc.oneof({ weight: 2, arbitrary: ordinary }, { weight: 1, arbitrary: nastyText });
}

function objectOf(
  schema: Schema,
  resolve: (ref: string) => Schema,
  good: Readonly<Record<string, readonly unknown[]>>,
  depth: number,
): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const free = schema['additionalProperties'];
  if (typeof free === 'object')
    return fc.dictionary(nastyText, arbitraryOf(free as Schema, resolve, good, depth + 1), { maxKeys: 4 });
  const required = new Set((schema['required'] ?? []) as string[]);
  const fields = Object.entries(properties).map(([name, property]) => {
    const made = arbitraryOf(property, resolve, good, depth + 1);
    const value =
      good[name] === undefined
        ? made
        : fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...good[name]) }, { weight: 1, arbitrary: made });
    return fc
      .tuple(fc.constant(name), fc.integer({ min: 0, max: 40 }), value)
      .map(([key, roll, each]) => [key, required.has(key) ? roll < 40 : roll < 14, each] as const);
  });
  const unknown = fc
    .tuple(nastyText, fc.integer({ min: 0, max: 39 }), anything)
    .map(([key, roll, each]) => [key, roll === 0, each] as const);
  return fc
    .tuple(...fields, unknown)
    .map((entries) =>
      Object.fromEntries(entries.filter(([, taken]) => taken).map(([key, , value]) => [key, value])),
    );
}
