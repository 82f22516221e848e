import { expect, it } from 'vitest';
// @ts-expect-error a script without types
import { findBreaches, findForms } from './check-words.mjs';

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

it('plain words pass', () => {
  expect(
    found('// The outcome of the message, which is no longer valid.\nfor (const tell of this.all) tell();'),
  ).toEqual([]);
});

it('none is in the sources', () => {
  expect(findBreaches()).toEqual([]);
});
