import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { differences, snapshots, textsOf } from './texts.mjs';

/** A placeholder, written so that it is none here. */
const put = (name: string) => ['$', '{', name, '}'].join('');
const texts = (source: string, path = 'server/src/a/b.ts') => textsOf(path, source) as [string, string][];
const english = (source: string) => texts(source).map(([, text]) => text);

test.each([
  ["apiError('invalid_body', 'Send the body again.')", ['Send the body again.']],
  [`throw new Error(\`${put('size')} bytes exceed ${put('limits.most')}\`)`, ['{} bytes exceed {}']],
  ["const doc = 'One text ' + 'in two parts';", ['One text in two parts']],
  ["const doc = 'Waits for ' + name();", ['Waits for {}']],
  [`\`It waits ${put("late ? 'for very long' : ''")}\``, ['It waits {}', 'for very long']],
  [
    'const page = `First line\nand second.\n\nThe next paragraph.`;',
    ['First line and second.', 'The next paragraph.'],
  ],
  ["import { a } from 'not a text';", []],
  ["type A = 'not a text';", []],
  ["// 'not a text'\ncode('oneword', 'snake_case', 'a/b');", []],
  ["fail('--limit takes a number')", ['--limit takes a number']],
  [`say(\`and ${put('count')} more, one per recipient\`)`, ['and {} more, one per recipient']],
  ["say('-----BEGIN CERTIFICATE-----', '-- a comment of SQL')", []],
])('%s', (source, expected) => {
  expect(english(source)).toEqual(expected);
});

test('what is Spanish goes by its declaration, or by its letters', () => {
  const words = "const english = { to: 'To' }; const spanish = { to: 'Para' };";
  expect(texts(words, 'server/src/page/words.ts')).toEqual([
    ['en', 'To'],
    ['es', 'Para'],
  ]);
  expect(texts("print('Según el operador')")).toEqual([['es', 'Según el operador']]);
});

test('what begins like SQL is a text where the walls let no SQL in', () => {
  const statement = "run('select a from b where c = 1')";
  expect(texts(statement, 'server/src/platform/a.ts')).toEqual([]);
  expect(texts("say('with SHA-1 by default')", 'server/src/cli/a.ts')).toEqual([
    ['en', 'with SHA-1 by default'],
  ]);
});

test('of a store only what it throws is a text', () => {
  const source = "run('a and b'); throw new Error('There is no row.');";
  expect(texts(source, 'server/src/a/store.ts')).toEqual([['en', 'There is no row.']]);
});

test('a text keeps its line when its file moves inside its folder or a variable is renamed', () => {
  const one = snapshots([['server/src/a/b.ts', `say(\`Over ${put('limit')} bytes\`)`]]);
  const two = snapshots([['server/src/a/c/d.ts', `say(\`Over ${put('most')} bytes\`)`]]);
  expect(one).toEqual(two);
  expect(one.en).toContain('[server/src/a]\nOver {} bytes\n');
});

test('a changed wording is told as the line that went and the line that came', () => {
  const [was, now] = ["say('It is here.')", "say('It is there.')"].map(
    (source) => snapshots([['server/src/a/b.ts', source]]).en,
  );
  expect(differences(was, now)).toEqual(['- It is here.', '+ It is there.']);
  expect(differences(now, now)).toEqual([]);
});
