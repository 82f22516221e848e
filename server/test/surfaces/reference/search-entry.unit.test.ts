import { expect, test } from 'vitest';
import { bounded, openingOf } from '../../../src/surfaces/reference/site/search-entry.ts';

const entry = { href: '/docs/limits', title: 'Limits', kind: 'Guide', text: '' } as const;

test('a short section stays as it is', () => {
  const short = { ...entry, text: 'A request has at most 50 MB.' };
  expect(bounded(short)).toBe(short);
});

test('a long section is found by every word of it, and each word is there once', () => {
  const filler = 'attachment '.repeat(200);
  const { text, words } = bounded({
    ...entry,
    text: `${filler}Émile recipient_suppressed 4711 recipient émile`,
  });
  expect(text.length).toBeLessThanOrEqual(500);
  expect(words).toBe('émile recipient_suppressed recipient');
});

test('a section without a blank is cut all the same', () => {
  expect(openingOf('x'.repeat(5_000), 1_000)).toHaveLength(1_000);
  expect(bounded({ ...entry, text: 'x'.repeat(5_000) }).text).toHaveLength(500);
});
