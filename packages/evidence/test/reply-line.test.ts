import { expect, test } from 'vitest';
import { replyLine } from '../src/reply-line.ts';

test.each<[number | null, string | null, string | null, string]>([
  [250, '2.0.0', 'OK: queued', '250 2.0.0 OK: queued'],
  [550, '5.1.1', '5.1.1 No such user', '550 5.1.1 No such user'],
  [550, '5.1.1', '550 5.1.1 No such user', '550 5.1.1 No such user'],
  [550, null, 'No such user', '550 No such user'],
  [null, '5.1.1', null, '5.1.1'],
  [421, null, null, '421'],
  [null, null, null, ''],
])('%s %s %s is “%s”', (code, enhanced, text, line) => {
  expect(replyLine({ code, enhanced, text })).toBe(line);
});
