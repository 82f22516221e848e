import { expect, test } from 'vitest';
import { escapeHtml } from '../../../src/accounts/templates/escape-html.ts';

/** As the short way does it, said once more. */
const expected = (text: string) =>
  [...text]
    .map((char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' })[char] ?? char)
    .join('');

test.each([
  ['', ''],
  ['a', 'a'],
  [`<a href="x" title='y'>&amp;</a>`, '&lt;a href=&#34;x&#34; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;'],
])('%j', (text, written) => {
  expect(escapeHtml(text)).toBe(written);
});

test.each([
  ['markup', '<&>"\''],
  ['Spanish', 'Señor & señora <niño> «x» '],
  ['other scripts', '日本語 🙂 & \u{10ffff}\0\u0085'],
  ['nothing special', 'abc'],
])('a long text is written as a short one: %s', (_, piece) => {
  for (const length of [4_095, 4_096, 4_097, 70_000]) {
    const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    expect(escapeHtml(text)).toBe(expected(text));
  }
});

test('half of a pair stays half of a pair', () => {
  const text = `${'<'.repeat(5_000)}\ud83d`;
  expect(escapeHtml(text)).toBe(`${'&lt;'.repeat(5_000)}\ud83d`);
});
