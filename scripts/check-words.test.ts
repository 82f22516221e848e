import { expect, it } from 'vitest';
// @ts-expect-error a script without types
import { findBreaches, findForms, pagesOf } from './check-words.mjs';

const found = (text: string): string[] => findForms('a.ts', text);

it('a form that is always wrong is named with its line and the plain one', () => {
  expect(found('const a = 1;\n// The link is good no longer.\n')).toEqual([
    'a.ts:2: "good no longer" is not plain: no longer valid, stops working',
  ]);
  expect(found("text: 'What became of it',")).toHaveLength(1);
  expect(found("es: 'lo que ya espera no se afecta',")).toHaveLength(1);
});

it('a form that goes on in the next line of a comment is found', () => {
  expect(found('/**\n * What became\n * of it.\n */')).toHaveLength(1);
  expect(found('// Names of which\n// there is no end.')).toHaveLength(1);
});

it('a comment or a text does not begin with a clause that stands for a noun', () => {
  for (const form of ['What a send came to', 'What is wrong with a note', 'What all calls share'])
    for (const begun of [`/** ${form}. */`, `# ${form}`, `  """${form}."""`, `say('${form}')`])
      expect(found(begun), begun).toHaveLength(1);
  expect(found('// Says What is wrong with it.')).toEqual([]);
});

it('plain words pass', () => {
  expect(
    found('// The outcome of the message, which is no longer valid.\nfor (const tell of this.all) tell();'),
  ).toEqual([]);
});

it('a page has none of them, nor those that only code may have', () => {
  const onPage = (text: string): string[] => findForms('docs/a.md', text);
  expect(onPage('# A\n\nIt says what became\nof messages.')).toEqual([
    'docs/a.md:3: "what became of" is not plain: the outcome, the result',
  ]);
  for (const form of ['for whom', 'is good no longer', 'tell of', 'tells of', 'told of'])
    expect(onPage(`It ${form} it.`).length, form).toBeGreaterThan(0);
  expect(found('// Told of each that is gone, and for whom.')).toEqual([]);
});

it('none is in the sources and the pages', () => {
  expect(pagesOf().length).toBeGreaterThan(60);
  expect(findBreaches()).toEqual([]);
});
