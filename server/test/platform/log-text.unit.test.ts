import { expect, test } from 'vitest';
import { logText } from '../../src/platform/logger.ts';

const LINE = { level: 40, time: '2026-11-26T18:25:42.313Z', msg: 'refused' };
/** Without the time, which is of the place. */
const textOf = (fields: object) => logText(JSON.stringify({ ...LINE, ...fields }), false).slice(9);

test('a line says when, how bad, what, and the rest', () => {
  expect(logText(`${JSON.stringify(LINE)}\n`, false)).toMatch(/^\d\d:\d\d:\d\d WARN {2}refused\n$/);
  expect(textOf({ level: 30, port: 25, to: 'a b', of: { x: 1 } })).toBe(
    'INFO  refused port=25 to="a b" of={"x":1}\n',
  );
  expect(logText(JSON.stringify(LINE), true)).toContain('\u001b[33mWARN \u001b[0m');
});

test('an error is its message and its causes, without a stack', () => {
  const cause = { type: 'Error', message: 'no route', code: 'EHOSTUNREACH', stack: 'at secret.ts:1' };
  expect(textOf({ err: { type: 'Error', message: 'not sent', stack: 'at a.ts:1', cause } })).toBe(
    'WARN  refused: not sent, because of: no route (EHOSTUNREACH)\n',
  );
  expect(textOf({ err: 'words' })).toBe('WARN  refused: words\n');
});

test('nothing of a line moves the cursor or begins another line', () => {
  const text = textOf({ msg: 'a\nb\u001b[2J', to: '\u202e', err: { message: '\r' } });
  expect(text).toBe('WARN  a\\nb\\x1b[2J: \\r to=\\u202e\n');
  expect(logText('no JSON \u001b[2J\n', false)).toBe('no JSON \\x1b[2J\n');
});
