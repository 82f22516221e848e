import { expect, test } from 'vitest';
// @ts-expect-error: a script without types
import { checkExpressions, findBreaches } from './check-expressions.mjs';
// @ts-expect-error: a script without types
import { committedVerdicts, judgeAnew, verdictOf } from './expressions/verdicts.mjs';
import { smallTree } from './small-tree.ts';

const PATH = 'packages/mail/src/a.ts';

const breachesOf = (text: string, exceptions: object[] = []) =>
  checkExpressions(PATH, text, exceptions, new Set()) as string[];

test.each([
  ['blanks before a line end, found by searching', String.raw`text.replace(/\s*\n\s*/g, ' ')`],
  ['blanks at the end', String.raw`const a = /[ \t]+$/;`],
  ['blanks at the end, split at', String.raw`text.split(/\s+;/)`],
  ['two runs of the same side by side', String.raw`/^([\w.-]{1,32})[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line)`],
  ['a loop in a loop', '/^(a+)+$/.test(text)'],
  ['a start that may stand in the middle', '/<[^>]*>/.test(text)'],
  ['a count so large that it is none', '/<[^>]{0,2000}>/.test(text)'],
  ['an optional part that fails late, for each match', "text.replaceAll(/<(?:[^>]*>)?/g, '')"],
  ['an alternative that fails late, for each match', 'text.matchAll(/<[^>]*>|</g)'],
  ['a look-ahead to the end, from each place', '/a(?=.*b)/.test(text)'],
  ['a constructor', `const END = '$'; const a = new RegExp('[ ]+' + END);`],
  ['a constructor of a source', "const A = /a+/; const b = new RegExp(A.source + 'b');"],
  ['a function that constructs', "function near(a: string) { return new RegExp(a + 'x'); }\nnear('a+');"],
  ["a schema's pattern", String.raw`const shape = { type: 'string', pattern: '\\s+$' };`],
])('%s is not linear: %s', (_, text) => {
  const found = breachesOf(text);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/packages\/mail\/src\/a\.ts:\d+: .* takes .* time, as on/);
});

test.each([
  ['an argument in it', "export const f = (a: string) => new RegExp('^' + a);", /more than constants/],
  ['a backreference', String.raw`/(a+)\1$/.test(text)`, /backreference/],
])('%s cannot be judged', (_, text, breach) => {
  expect(breachesOf(text)[0]).toMatch(breach);
});

test.each([
  [String.raw`text.split(/\r?\n/)`],
  [String.raw`/^\s+/.test(text)`],
  [String.raw`text.replace(/\s+/g, ' ')`],
  [String.raw`/^"((?:[^"\\]|\\.)*)"$/su.exec(value)`],
  ['/<[^<>]*>/g.test(text)'],
  [String.raw`/^(?=.*\S)\P{Cc}*$/u.test(text)`],
  ["// not one: /a+$/\nconst text = '/a+$/';"],
])('linear: %s', (text) => {
  expect(breachesOf(text)).toEqual([]);
});

test('a listed exception holds in its file, with a bound, and while it is needed', () => {
  const exception = { path: PATH, expression: '/a+$/', maxChars: 100, bound: 'the caller cuts it' };
  expect(breachesOf('/a+$/.test(text)', [exception])).toEqual([]);
  expect(breachesOf('/b+$/.test(text)', [exception])).toHaveLength(1);
  const root = smallTree({ [PATH]: '/a+$/.test(text)', 'packages/testkit/src/b.ts': '/b+$/.test(text)' });
  expect(findBreaches(root, [exception])).toEqual([]);
  const other = { ...exception, expression: '/b+$/' };
  expect(findBreaches(root, [exception, other])).toEqual([
    `${PATH}: the exception for /b+$/ is not needed: remove it`,
  ]);
  expect(findBreaches(root, [{ ...exception, bound: '' }])).toEqual([
    expect.stringContaining('does not say what bounds its input'),
  ]);
});

test('what is committed of eight expressions, picked by chance, is what the judge says', () => {
  const verdicts = committedVerdicts() as [string, string | null][];
  expect(verdicts.length).toBeGreaterThan(100);
  for (let i = 0; i < 8; i++) {
    const [key, verdict] = verdicts[Math.floor(Math.random() * verdicts.length)]!;
    const { found, ranOut } = judgeAnew(key);
    if (!ranOut) expect({ key, linear: found === null }).toEqual({ key, linear: verdict === null });
  }
});

test('a judgement that ran out of time is not kept; a verdict is, and is not asked for again', () => {
  const ask = (answer: object) => verdictOf('a+b+', '', false, () => answer) as string | null;
  expect(ask({ status: 'unknown', error: { kind: 'timeout' } })).toMatch(/cannot be judged \(timeout\)/);
  expect(ask({ status: 'safe' })).toBe(null);
  expect(ask({ status: 'unknown', error: { kind: 'timeout' } })).toBe(null);
  const [key] = committedVerdicts()[0] as [string];
  const [, source, flags, bound] = /^(.*)\/([a-z]*)\/(\w+)$/s.exec(key)!;
  verdictOf(source, flags, bound === 'quadratic', () => expect.fail('asked for what is committed'));
});
