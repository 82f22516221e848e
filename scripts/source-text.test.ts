import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { codeOf, importsOf, stringsOf } from './source-text.mjs';

/** A placeholder as text, not as one of this file's own templates. */
const OPEN = '$' + '{';

test('comments, strings and expressions are not code; lines stay where they are', () => {
  const text =
    "const a = 'process.env'; // process.env\n/* Buffer\n*/ b(`x " +
    OPEN +
    "c('}')} y`); const d = /['\"`/]+/g.test(e) / 2;\nf";
  const code = codeOf(text) as string;
  expect(code).toHaveLength(text.length);
  expect(code.split('\n')).toHaveLength(4);
  expect(code).not.toMatch(/process|Buffer|[xy]/);
  expect(code).toMatch(/const a = ' +';/);
  expect(code).toContain(`${OPEN}c(`);
  expect(code).toContain('.test(e) / 2;');
});

test('imports of every kind are found, those in comments and strings are not', () => {
  const text = [
    "import a from './a.ts';",
    "import type { B } from '@acuse/b/c';",
    "import './effect.ts';",
    "// import x from './x.ts';",
    'const text = "import y from \'./y.ts\'";',
    "const z = await import('./z.ts');",
    'import {',
    '  long,',
    "} from './long.ts';",
  ].join('\n');
  expect(importsOf(text)).toEqual([
    { from: './a.ts', line: 1, typeOnly: false },
    { from: '@acuse/b/c', line: 2, typeOnly: true },
    { from: './effect.ts', line: 3, typeOnly: false },
    { from: './z.ts', line: 6, typeOnly: false },
    { from: './long.ts', line: 9, typeOnly: false },
  ]);
});

test('strings are found whole, templates in parts', () => {
  expect(stringsOf(`a('select 1');\nb(\`with ${OPEN}x} as\`)`)).toEqual([
    { value: 'select 1', line: 1 },
    { value: 'with ', line: 2 },
    { value: ' as', line: 2 },
  ]);
});

test.each(['/* never ends', "'never ends", '`never ends', `\`${OPEN}`, 'a = /never ends', ''])(
  '%j ends',
  (text) => {
    expect(codeOf(text)).toHaveLength(text.length);
  },
);
