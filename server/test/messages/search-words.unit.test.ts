import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idAfter, placesIn, SegmentWords } from '../../src/messages/search/segment.ts';
import { fold, matches, patternOf, queryWords, type Searched } from '../../src/messages/search/words.ts';
import { firstIdAt, newId, timeOf } from '../../src/platform/ids.ts';

const message = (header_to: string, subject = '', reply: string | null = null): Searched => ({
  header_to,
  subject,
  last_reply: reply === null ? null : { code: 250, text: reply },
});
const finds = (query: string, of: Searched) => matches(of, queryWords(query));

describe('a message is found', () => {
  const of = message(
    'Íñigo Ordóñez García <inigo.ordonezgarcia77@mail.example.com>',
    'Su factura FAC2041 (A-10/42) está lista',
    '2.0.0 Ok: queued as 4XyZ12abcD',
  );
  test.each([
    ...['inigo', 'ÍÑIGO', 'iñigo ord', 'garcia', 'García Íñigo', 'Iñigo Ordóñez García'],
    ...['inigo.ordonez', 'garcia77', 'arcia77@mail', 'example.com', 'mail.example', 'xample'],
    ...['inigo.ordonezgarcia77@mail.example.com', '<INIGO.ordonezgarcia77@mail.example.com>'],
    ...['factura', 'FACTURA 2041', 'fac2041', 'fac20', 'a-10/42', 'esta lista', 'está'],
    ...['4XYZ12abcd', '4xyz12', 'factura ordonez'],
  ])('by %s', (query) => expect(finds(query, of)).toBe(true));
  test.each([
    ...['actura', 'inigo perez', 'queued', 'ok', '12abcd', 'zz', '', '%', '  ', '041', 'factura factuur'],
    'ordonez inigo nobody',
  ])('not by %j', (query) => expect(finds(query, of)).toBe(false));
});

test('a reply that refused has no queue id', () => {
  const refused = { ...message('a@b.example'), last_reply: { code: 550, text: 'no such user 4XyZ12abcD' } };
  expect(finds('4XyZ12abcD', refused)).toBe(false);
});

test('a query has at most eight words, of forty characters', () => {
  expect(queryWords('a b c d e f g h i j')).toHaveLength(8);
  expect(queryWords(`${'x'.repeat(99)} y`)).toEqual(['x'.repeat(40), 'y']);
  expect(finds('x'.repeat(99), message('a@b.example', 'x'.repeat(70)))).toBe(true);
});

/** Of the characters that names and subjects have, and some that make trouble. */
const text = fc.string({
  unit: fc.constantFrom(...'aenoAENOáéñõÁÉÑÕüßøłİıάΆйЙ한कि0479 .-_@<>"\u0301\u200b\ufb01\u212a漢字'),
  maxLength: 24,
});

describe('whatever the texts', () => {
  test('PostgreSQL is asked for no less than what is found', () => {
    fc.assert(
      fc.property(text, text, text, (to, subject, query) => {
        const of = message(to, subject);
        const words = queryWords(query);
        if (!matches(of, words)) return;
        for (const word of words) {
          // As PostgreSQL compiles them; the classes and the quantifier mean the same here.
          const [anywhere, begins] = [true, false].map((inside) => new RegExp(patternOf(word, inside), 'u'));
          expect([word, anywhere!.test(to) || begins!.test(subject)]).toEqual([word, true]);
        }
      }),
    );
  });

  test('what a message is found by, its segment has', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 }), text, (texts, query) => {
        const afterId = firstIdAt(new Date(1_700_000_000_000));
        const segment = new SegmentWords(afterId);
        const messages = texts.map(([to, subject], n) => ({
          id: firstIdAt(new Date(1_700_000_000_001 + n * 7)),
          of: message(to, subject),
        }));
        for (const { id, of } of messages) segment.add(id, of);
        const chunks = segment.chunks();
        for (const word of queryWords(query)) {
          const from = chunks.filter(({ lastWord }) => lastWord >= word).map(({ words }) => words);
          const places = placesIn(from, afterId, word)!;
          for (const { id, of } of messages)
            if (matches(of, [word])) expect(places.has(timeOf(id).getTime())).toBe(true);
        }
      }),
    );
  });
});

test('a word of very many messages is marked alone', () => {
  const afterId = newId(1_700_000_000_000);
  const segment = new SegmentWords(afterId);
  for (let n = 1; n <= 600; n++)
    segment.add(firstIdAt(new Date(1_700_000_000_000 + n)), message(`r${n}@b.example`, 'Factura'));
  const chunks = segment.chunks().map(({ words }) => words);
  expect(chunks.every((words) => words.length < 6_000)).toBe(true);
  expect(placesIn(chunks, afterId, 'factura')).toBeNull();
  expect([...placesIn(chunks, afterId, 'r599')!]).toEqual([1_700_000_000_599]);
});

test('the next id', () => {
  expect(idAfter('00000000-0000-0000-0000-0000000000ff')).toBe('00000000-0000-0000-0000-000000000100');
  expect(idAfter('0123ffff-ffff-ffff-ffff-ffffffffffff')).toBe('01240000-0000-0000-0000-000000000000');
});

test('folding takes accents, and no letter', () => {
  expect(fold('ÁÉÍÓÚÜÑ Łódź ΆΣ Йод 한국')).toBe('aeiouun łodz ας иод 한국');
});
