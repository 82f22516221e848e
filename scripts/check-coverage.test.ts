import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { findGaps, findStrangers } from './check-coverage.mjs';

const FILES: Record<string, string> = {
  'server/test/a.test.ts': [
    "test('plain', () => {});",
    'test.each(ROWS)("it\'s a row: $name", () => {});',
    'test(',
    "  'on a line of its own',",
    '  async () => {},',
    ');',
    "const ROWS = [{ name: 'by name', code: 'x' }, ['by place', 1]];",
    'test(`$' + "{COUNT} of many`, () => { send('no title'); });",
    "// test('in a comment', () => {});",
    "const other = 'also none';",
  ].join('\n'),
  'packages/p/test/b.test.ts': "it('elsewhere', () => {});",
};
const read = (path: string) => FILES[path] ?? null;
const gapsOf = (...shown: string[]) => findGaps('P', shown, read);

test.each([
  'plain',
  "it's a row: $name",
  'on a line of its own',
  'by name',
  'by place',
  '$' + '{COUNT} of many',
])('finds the title %j', (title) => {
  expect(gapsOf(`a.test.ts › ${title}`)).toEqual([]);
});

test.each(['in a comment', 'also none', 'Plain', 'plai'])('finds no title %j', (title) => {
  expect(gapsOf(`a.test.ts › ${title}`)).toEqual([
    `contract/coverage.json: P: server/test/a.test.ts has no test called ${JSON.stringify(title)}`,
  ]);
});

test('wants a test, or a reason, for everything; every one of several', () => {
  expect(gapsOf('packages/p/test/b.test.ts › elsewhere', 'a.test.ts › plain')).toEqual([]);
  expect(findGaps('P', '(said in so many words)', read)).toEqual([]);
  expect(gapsOf('plain', 'c.test.ts › x', 'a.test.ts › plain', 'a.test.ts › y')).toHaveLength(3);
  expect([findGaps('P', [], read), findGaps('P', '()', read)]).toMatchObject(
    [[/no test/], [/no reason/]].map(([what]) => [expect.stringMatching(what!)]),
  );
});

test('a title may be cut with an ellipsis; "all" is every test of a file', () => {
  for (const title of ['on a line of…', '…of its own', "it's a … $name", 'all'])
    expect(gapsOf(`a.test.ts › ${title}`)).toEqual([]);
  for (const title of ['on a row…', 'plain…ly as it', 'on…', '…'])
    expect(gapsOf(`a.test.ts › ${title}`)).toHaveLength(1);
  expect(gapsOf('c.test.ts › all')).toHaveLength(1);
});

test('the page of threats has those of the file, and no other', () => {
  const page = '| threat | what holds |\n|---|---|\n| T | H |\n| U | H |\n';
  expect(findStrangers(page, { T: [], V: [] })).toEqual([
    'contract/coverage.json lacks: U',
    'docs/threats.md lacks: V',
  ]);
});
