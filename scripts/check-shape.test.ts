import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkLines, checkMerged, checkSizes, findBreaches, findCircles } from './check-shape.mjs';
import { smallTree } from './small-tree.ts';

const lines = (count: number, line = 'x();') => Array(count).fill(line).join('\n');

test.each([
  ['a file', 'server/src/a.ts', `${lines(401)}\n`, /a\.ts: 401 lines: 400 at most/],
  ['a function', 'server/src/a.ts', `\nfunction long() {\n${lines(79)}\n}\n`, /a\.ts:2: long has 81 lines/],
  [
    'a route table outside routes',
    'server/src/a.ts',
    `function aRoutes() {\n${lines(79)}\n}\n`,
    /aRoutes has 81/,
  ],
  ['an arrow', 'scripts/a.mjs', `const f = () => {\n${lines(79)}\n};\n`, /a function has 81 lines/],
  [
    'parameters',
    'packages/mail/src/a.ts',
    'function many(a, b, c, d, e, f) {\n}\n',
    /many takes 6 parameters: 5 at most/,
  ],
  [
    'parameters of a test',
    'server/test/a.test.ts',
    'const f = (a, b, c, d, e, f) => 1;\n',
    /takes 6 parameters/,
  ],
])('%s is too large', (_what, path, text, breach) => {
  const found = checkSizes(path, text) as string[];
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(breach);
});

test.each([
  ['the limits themselves', 'server/src/a.ts', `function f(a, b, c, d, e) {\n${lines(78)}\n}\n`],
  ['a route table', 'server/src/a/routes.ts', `function aRoutes() {\n${lines(100)}\n}\n`],
  ['a test', 'server/test/a.test.ts', `test('x', () => {\n${lines(500)}\n});\n`],
  ['a type', 'server/src/a.ts', 'type F = (a: 1, b: 2, c: 3, d: 4, e: 5, f: 6) => void;\n'],
])('%s fits', (_what, path, text) => {
  expect(checkSizes(path, text)).toEqual([]);
});

test('an unfinished merge', () => {
  const text = `${'<'.repeat(7)} HEAD\none\n=======\ntwo\n${'>'.repeat(7)} 8b2df35 (Two)\n`;
  expect(checkMerged('docs/a.md', text)).toEqual([
    'docs/a.md:1: an unfinished merge: choose a side',
    'docs/a.md:5: an unfinished merge: choose a side',
  ]);
  expect(checkMerged('docs/a.md', 'Title\n=======\n')).toEqual([]);
});

test('a line over the limit', () => {
  const long = 'word '.repeat(23);
  expect(checkLines('docs/a.md', `short\n${long}\n`)).toEqual([
    'docs/a.md:2: a line of 115 characters: 110 at most',
  ]);
  expect(checkLines('server/src/a.ts', ` * ${long}`)).toHaveLength(1);
  expect(checkLines('server/src/a.ts', `// ${long}'quoted'`)).toHaveLength(1);
  expect(checkLines('docs/a.md', `| ${long} |`)).toEqual([]);
  expect(checkLines('server/src/a.ts', `fail('${long}');`)).toEqual([]);
  expect(checkLines('docs/a.md', `https://example.com/${'a'.repeat(100)}`)).toEqual([]);
});

test.each([
  ['docs/a.md', `    ${'word '.repeat(23)}`],
  ['docs/a.md', `\`\`\`\n${'word '.repeat(23)}`],
  ['docs/a.md', `https://example.com/${'a'.repeat(100)} ${'word '.repeat(23)}`],
  ['scripts/a.sh', `# ${'word '.repeat(23)}`],
  ['server/src/migrations/0001_a.sql', `-- 'word' ${'word '.repeat(23)}'`],
  ['scripts/a.mjs', `f('a', 'b'); // ${'word '.repeat(23)}`],
  ['scripts/a.mjs', `// a \`\n/* ${'word '.repeat(23)} */`],
  ['server/src/a.ts', `const a = /\`/;\n// ${'word '.repeat(23)}`],
  ['server/src/a-store.ts', `q(\`\n  ${'word, '.repeat(23)}\n\`)`],
  ['web/portal/src/a.tsx', `/** ${'word '.repeat(23)} */`],
  ['deploy/compose/a.yaml', `# ${'word '.repeat(23)}`],
])('a line over the limit in %s: %s', (path, text) => {
  expect(checkLines(path, text)).toHaveLength(1);
});

test.each([
  ['docs/a.md', `\`\`\`\n${'word '.repeat(23)}\n\`\`\``],
  ['server/src/a.ts', `const a = \`\n${'word '.repeat(23)}\n\`;`],
])('content of %s is as long as it is', (path, text) => {
  expect(checkLines(path, text)).toEqual([]);
});

test.each([
  "import './b.ts';",
  "import type { B } from './b.ts';",
  "import { type B } from './b.ts';",
  "type B = import('./b.ts').B;",
  "export type { B } from './b.ts';",
  "const b = await import('./b.ts');",
  "const b = require('./b.ts');",
  "new Worker(new URL('./b.ts', import.meta.url));",
  "import b from '../a/b.ts';",
])('a circle by way of %s', (text) => {
  const files = new Map([
    ['server/src/a/a.ts', text],
    ['server/src/a/b.ts', "import type { A } from './a.ts';"],
  ]);
  expect(findCircles(files)).toEqual(['server/src/a/a.ts: imports itself by way of server/src/a/b.ts']);
});

test('a file that imports itself', () => {
  expect(findCircles(new Map([['server/src/a.ts', "import type { A } from './a.ts';"]]))).toEqual([
    'server/src/a.ts: imports itself',
  ]);
});

test('files that import each other, by steps and for types alone', () => {
  const files = new Map([
    ['server/src/a.ts', "import { b } from './b.ts';"],
    ['server/src/b.ts', "import { c } from './deep/c.ts';"],
    ['server/src/deep/c.ts', "import type { A } from '../a.ts';"],
    ['server/src/d.ts', "import { a } from './a.ts'; import { e } from './e.ts';"],
    ['server/src/e.ts', "import { x } from 'node:fs';"],
  ]);
  expect(findCircles(files)).toEqual([
    'server/src/a.ts: imports itself by way of server/src/b.ts, server/src/deep/c.ts',
  ]);
  files.delete('server/src/b.ts');
  expect(findCircles(files)).toEqual([]);
});

test('a tree is read wherever people write; what is generated or a fixture has a form of its own', () => {
  const long = `# ${'word '.repeat(23)}`;
  const root = smallTree({
    'README.md': long,
    '.ci/run': long,
    'docs/a.png': long,
    'server/src/a.ts': "import type { B } from './b.ts';",
    'server/src/b.ts': "import type { A } from './a.ts';\nconst f = (a, b, c, d, e, g) => 1;\n",
    'server/test/fixtures/a.md': long,
    'server/node_modules/a/a.md': long,
    'sdks/go/types_generated.go.md': long,
  });
  expect(findBreaches(root)).toEqual([
    expect.stringMatching(/^README\.md:1: a line of 117 characters/),
    expect.stringMatching(/^\.ci\/run:1: a line of 117 characters/),
    expect.stringMatching(/^server\/src\/b\.ts:2: a function takes 6 parameters/),
    'server/src/a.ts: imports itself by way of server/src/b.ts',
  ]);
});
