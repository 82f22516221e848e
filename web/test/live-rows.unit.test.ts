import { expect, test } from 'vitest';
import { follow, NOTHING, ROWS_MAX } from '../portal/src/pages/live/rows.ts';
import type { Tail, TailEvent } from '../shared/api/portal-types.ts';

const at = (second: number) => `2026-11-20T09:00:${String(second).padStart(2, '0')}.000Z`;
const event = (id: string, second = 0): TailEvent => ({
  id,
  type: 'email.sent',
  at: at(second),
  message_id: id,
  from: 'a@example.com',
  to: 'b@example.com',
  subject: 'x',
  reply: null,
});
const answer = (ids: readonly string[], readAt: number, lookedFrom: number | null = null): Tail => ({
  data: ids.map((id) => event(id)),
  read_at: at(readAt),
  looked_from: lookedFrom === null ? null : at(lookedFrom),
});
const idsOf = ({ rows }: { rows: readonly TailEvent[] }) => rows.map(({ id }) => id).join('');

test('each event is there once, and one that was committed late takes its place', () => {
  const first = follow(NOTHING, answer(['d', 'b'], 1));
  const second = follow(first, answer(['e', 'd', 'c', 'b'], 2));
  expect([idsOf(first), idsOf(second), second.gaps.size]).toEqual(['db', 'edcb', 0]);
});

test('what was there before the page began is no gap', () => {
  expect(follow(NOTHING, answer(['b'], 9, 5)).gaps.size).toBe(0);
});

test('more than is read at once leaves a gap below the oldest that was read', () => {
  const first = follow(NOTHING, answer(['a'], 10));
  expect([...follow(first, answer(['d', 'c'], 20, 15)).gaps]).toEqual(['c']);
  expect(follow(first, answer(['d', 'c'], 20, 9)).gaps.size).toBe(0);
});

test('a gap in which nothing matched is below the next that does', () => {
  const first = follow(NOTHING, answer(['a'], 10));
  const second = follow(first, answer([], 20, 15));
  const third = follow(second, answer(['d'], 30));
  expect([second.gaps.size, [...third.gaps], third.missed]).toEqual([0, ['d'], false]);
});

test('only so many rows are kept, and no gap of one that is gone', () => {
  const names = Array.from({ length: ROWS_MAX }, (_, n) => String(n + 1_000)).toReversed();
  const first = follow(follow(NOTHING, answer(['0'], 1)), answer(['1', '0'], 20, 15));
  const second = follow(first, answer(names, 21));
  expect([first.gaps.size, second.rows.length, second.gaps.size]).toEqual([1, ROWS_MAX, 0]);
});
