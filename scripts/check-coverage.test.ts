import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { findGaps } from './check-coverage.mjs';

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
const page = (...shown: string[]) =>
  ['| Promise | Shown by |', '|---|---|', ...shown.map((cell) => `| P | ${cell} |`)].join('\n');

test.each([
  'plain',
  "it's a row: $name",
  'on a line of its own',
  'by name',
  'by place',
  '$' + '{COUNT} of many',
])('finds the title %j', (title) => {
  expect(findGaps(page(`\`a.test.ts\` › ${title}`), read)).toEqual([]);
});

test.each(['in a comment', 'also none', 'Plain', 'plai'])('finds no title %j', (title) => {
  expect(findGaps(page(`\`a.test.ts\` › ${title}`), read)).toEqual([
    `contract/specification-coverage.md:3: P: server/test/a.test.ts has no test called ${JSON.stringify(title)}`,
  ]);
});

test('wants a test, or a reason, in every row; every one of several', () => {
  expect(
    findGaps(
      page('`packages/p/test/b.test.ts` › elsewhere<br>`a.test.ts` › plain', '(said in so many words)'),
      read,
    ),
  ).toEqual([]);
  expect(
    findGaps(page('', 'plain', '`c.test.ts` › x', '`a.test.ts` › plain<br>`a.test.ts` › y', '()'), read),
  ).toHaveLength(5);
  expect(findGaps('# nothing', read)).toEqual(['the page has no rows']);
});

test('a title may be cut with an ellipsis; "all" is every test of a file', () => {
  const shown = ['on a line of…', '…of its own', "it's a … $name", 'all'].map(
    (title) => `\`a.test.ts\` › ${title}`,
  );
  expect(findGaps(page(...shown), read)).toEqual([]);
  const dead = ['on a row…', 'plain…ly as it', 'on…', '…'].map((title) => `\`a.test.ts\` › ${title}`);
  expect(findGaps(page(...dead, '`c.test.ts` › all'), read)).toHaveLength(5);
});

test('of a threat the last column names the tests', () => {
  const threats = (title: string) =>
    ['| threat | what holds | shown by |', '|---|---|---|', `| T | H | \`a.test.ts\` › ${title} |`].join(
      '\n',
    );
  expect(findGaps(threats('plain'), read, 'docs/threats.md')).toEqual([]);
  expect(findGaps(threats('plainly'), read, 'docs/threats.md')).toEqual([
    'docs/threats.md:3: T: server/test/a.test.ts has no test called "plainly"',
  ]);
});
