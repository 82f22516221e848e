import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COUNTED, remarkText } from '../src/verdict-words.ts';

const BUNDLES = resolve(import.meta.dirname, '../../../contract/vectors/bundles.json');
const { cases, pinned } = JSON.parse(readFileSync(BUNDLES, 'utf8'));

test('every reason and warning of the vectors has a sentence in Spanish', () => {
  const rows = [...cases, ...pinned].filter(({ verdict }) => verdict !== 'rejected');
  const names = new Set<string>(rows.flatMap(({ reasons, warnings }) => [...reasons, ...warnings]));
  expect(names.size).toBe(13);
  for (const name of names) {
    expect(remarkText({ name, detail: 'said' }, 'es'), name).not.toBe('said');
    expect(remarkText({ name, detail: 'said' }, 'en')).toBe('said');
  }
});

test.each([
  [0, 0, '0 outcomes. None is missing.', '0 resultados. No falta ninguno.'],
  [1, 0, '1 outcome. It is here.', '1 resultado. Está aquí.'],
  [2, 0, '2 outcomes. Both are here.', '2 resultados. Los dos están aquí.'],
  [3, 1, '3 outcomes. 1 of them is withheld.', '3 resultados. 1 de ellos no se muestra.'],
  [3, 2, '3 outcomes. 2 of them are withheld.', '3 resultados. 2 de ellos no se muestran.'],
])('%i outcomes, %i withheld', (count, withheld, english, spanish) => {
  const counted = { count, withheld, time: 'T' };
  expect(COUNTED.en(counted)).toBe(`On T the operator signed: ${english}`);
  expect(COUNTED.es(counted)).toBe(`El T el operador firmó: ${spanish}`);
});
