import { describe, expect, test } from 'vitest';
import { locate } from '../portal/src/pages/template/problem.ts';
import { complete, readTyped, sampleOf } from '../portal/src/pages/template/variables.ts';
import { ApiError } from '../shared/api/error.ts';
import { diffRows } from '../shared/ui/diff-rows.ts';

describe('test data that a template needs', () => {
  test('its names, as they are nested, lists with one element', () => {
    const source = `{{ name }} {{- customer.first_name | upcase -}} {{ 'not this' | append: suffix }}
      {% for item in invoice.items limit: 3 %}{{ item.name }}{{ item.price.amount }}{{ forloop.index }}{% endfor %}
      {% for tag in tags %}{{ tag }}{% endfor %}{{ invoice.items.size }}`;
    expect(sampleOf([source])).toEqual({
      name: 'name',
      customer: { first_name: 'first name' },
      suffix: 'suffix',
      invoice: { items: [{ name: 'name', price: { amount: 'amount' } }] },
      tags: ['tags'],
    });
  });

  test('what is only asked about is true, what the template sets itself is left out', () => {
    const source = `{% assign total = price | times: 2 %}{% capture note %}x{% endcapture %}{{ total }}{{ note }}
      {% if paid and amount > 0 %}{% elsif due == 'now' %}{% endif %}{{ due }}`;
    expect(sampleOf([source])).toEqual({ price: 'price', paid: true, amount: true, due: 'due' });
  });

  test('of a source that is broken, what there is; of very many braces, soon', () => {
    expect(sampleOf(['{{ name }} {{ broken', '{% if'])).toEqual({ name: 'name' });
    expect(sampleOf(['{{'.repeat(200_000), '{%'.repeat(200_000)])).toEqual({});
  });

  test('completes what somebody typed and changes none of it', () => {
    const sample = sampleOf(['{{ a.b }}{{ a.c }}{{ d }}']);
    expect(complete({ a: { b: 7 }, d: [1] }, sample)).toEqual({ a: { b: 7, c: 'c' }, d: [1] });
    expect(complete({ a: 'text' }, sample)).toEqual({ a: 'text', d: 'd' });
  });

  test('names of the prototype are names like others', () => {
    const made = complete({}, sampleOf(['{{ constructor }}{{ toString }}']));
    expect(Object.keys(made)).toEqual(['constructor', 'toString']);
  });

  test('what is no object is said, with the line where it stops being JSON', () => {
    expect(readTyped('')).toEqual({ value: {} });
    expect(readTyped('{"a": 1}')).toEqual({ value: { a: 1 } });
    expect(readTyped('[1]')).toEqual({ line: 1 });
    expect(readTyped('{\n"a": 1,\n"b": oops\n}')).toEqual({ line: 3 });
    expect(readTyped('{\n"a": 1,\n')).toEqual({ line: 3 });
  });

  test.each([
    ['{\n"a" 1}', 2],
    ['{"a": 1\n"b": 2}', 2],
    ['{"a": [1,\n\n]}', 3],
    ['{"a": 1,}\n', 1],
    ['{"a":\n"tab\t"}', 2],
    ['{"a":\n01}', 2],
    ['{"a": 1}\n}', 2],
    ['\n{"a": "open}', 2],
    ["{\n'a': 1}", 2],
    ['{"a": [1}\n]}', 1],
    ['[[[\n', 2],
  ])('%j is wrong in its line %i', (text, line) => expect(readTyped(text)).toEqual({ line }));
});

describe('where a refusal says that a template is wrong', () => {
  const refusal = (code: string, message: string) =>
    new ApiError({ status: 422, code, message, requestId: null });

  test.each([
    [
      'html: undefined variable: nme, line:3, col:9: did you mean name?',
      {
        language: null,
        part: 'html',
        line: 3,
        column: 9,
        message: 'undefined variable: nme: did you mean name?',
      },
    ],
    [
      'variants.es-MX.text: tag {% if %} not closed, line:1, col:1',
      { language: 'es-MX', part: 'text', line: 1, column: 1, message: 'tag {% if %} not closed' },
    ],
    [
      'subject: rendering takes too long: use fewer or smaller loops and values',
      { language: null, part: 'subject', line: null, column: null },
    ],
    ['At least one of text and html is required.', { part: null, line: null }],
    ['A template named "a" already exists: choose another name, or change that template.', { part: 'name' }],
  ])('%s', (message, expected) => {
    expect(locate(refusal('invalid_body', message))).toMatchObject(expected);
  });

  test('other refusals are none of its content', () => {
    expect(locate(refusal('rate_limited', 'html: x, line:1, col:1'))).toBeNull();
    expect(locate(new Error('html: x, line:1, col:1'))).toBeNull();
  });
});

describe('two versions line by line', () => {
  const lines = (count: number, from = 1) =>
    Array.from({ length: count }, (_, at) => `line ${at + from}\n`).join('');

  test('lines that both have are left out but for three around each change', () => {
    const before = lines(20);
    const rows = diffRows(before, before.replace('line 10\n', 'changed\n'));
    expect(rows.map((row) => (row.kind === 'gap' ? `… ${row.lines}` : `${row.kind} ${row.text}`))).toEqual([
      '… 6',
      ...['same line 7', 'same line 8', 'same line 9', 'removed line 10', 'added changed'],
      ...['same line 11', 'same line 12', 'same line 13', '… 7'],
    ]);
  });

  test('texts that share nothing end soon, and all of both is there', () => {
    const rows = diffRows(lines(5_000), lines(5_000, 10_001));
    expect(rows.filter(({ kind }) => kind === 'removed')).toHaveLength(5_000);
    expect(rows.filter(({ kind }) => kind === 'added')).toHaveLength(5_000);
  });

  test('nothing, and a last line without its end', () => {
    expect(diffRows('', '')).toEqual([]);
    expect(diffRows('', 'a')).toEqual([{ kind: 'added', text: 'a' }]);
    expect(diffRows('a\n\nb', 'a\n\nb')).toEqual([{ kind: 'gap', lines: 3 }]);
  });
});
