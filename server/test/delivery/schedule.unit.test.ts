import { expect, test } from 'vitest';
import { nextAttemptAt, RETRY_DELAYS_MS } from '../../src/delivery/record/outcome.ts';
import { DELIVERY_LIFETIME_MS } from '../../src/messages/prepare.ts';

const MINUTE_MS = 60_000;
const accepted = new Date('2026-01-01T00:00:00.000Z');
const expires = new Date(accepted.getTime() + DELIVERY_LIFETIME_MS);

test('waits 2, 5, 10, 20, 40 minutes, 1, 2, 4 and then 6 hours, and ends with the message', () => {
  expect(RETRY_DELAYS_MS.map((ms) => ms / MINUTE_MS)).toEqual([2, 5, 10, 20, 40, 60, 120, 240, 360]);
  const times: number[] = [];
  let now = accepted;
  for (let attempts = 1; now < expires; attempts++) {
    now = nextAttemptAt(attempts, now, expires, 0.5);
    times.push((now.getTime() - accepted.getTime()) / MINUTE_MS);
  }
  expect(times.slice(0, 9)).toEqual([2, 7, 17, 37, 77, 137, 257, 497, 857]);
  expect(times.at(-1)).toBe(48 * 60);
  expect(times).toHaveLength(15);
});

test('varies each wait by a tenth', () => {
  expect(nextAttemptAt(1, accepted, expires, 0).getTime() - accepted.getTime()).toBe(2 * MINUTE_MS * 0.9);
  expect(nextAttemptAt(1, accepted, expires, 1).getTime() - accepted.getTime()).toBe(2 * MINUTE_MS * 1.1);
});
