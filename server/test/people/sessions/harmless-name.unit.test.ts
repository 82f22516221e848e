import { expect, test } from 'vitest';
import { harmlessName } from '../../../src/people/sessions/harmless-name.ts';

test.each([
  ['Example S.A. de C.V.'],
  ['Tienda Ñandú, S.C.'],
  ["L'Oréal (México) & Hijos"],
  ['3 Hermanos'],
  ['株式会社 例'],
])('%s may stand in a mail of the installation', (name) => {
  expect(harmlessName(name)).toBe(name);
});

test.each([
  ['Acuse Security: your mailbox is blocked'],
  ['unblock at https://evil.test'],
  ['www.evil.test'],
  ['evil.test'],
  ['EVIL。test'],
  ['evil․test'],
  ['ana@evil.test'],
  ['ana＠evil.test'],
  ['a/b'],
  ['a\nb'],
  ['Urgent! Call now'],
  ['+52 55 1234 5678'],
  ['‮live'],
  ['x'.repeat(61)],
  [''],
  ['.'],
])('%j may not', (name) => {
  expect(harmlessName(name)).toBeNull();
});
