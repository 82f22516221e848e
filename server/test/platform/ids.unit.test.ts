import { expect, test } from 'vitest';
import { firstIdAt, isId, newId, newIdAfter, timeOf } from '../../src/platform/ids.ts';

const NOW = Date.UTC(2026, 10, 26);
const HOUR = 3_600_000;
const madeAt = (id: string) => timeOf(id).getTime();

test('ids of one moment keep their order, more of them than the counter counts too', () => {
  const ids = Array.from({ length: 10_000 }, () => newId(NOW));
  expect(ids.every(isId)).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(madeAt(ids.at(-1)!) - NOW).toBe(2);
});

test('ids keep their order while a clock goes back a little', () => {
  const ids = [0, 40_000, 39_999, 5_000, 40_001].map((ms) => newId(NOW + HOUR + ms));
  expect(ids.toSorted()).toEqual(ids);
  expect(madeAt(ids[3]!)).toBe(NOW + HOUR + 40_000);
});

test('a clock that was far ahead leaves no id of later with its time', () => {
  newId(NOW + 48 * HOUR);
  const id = newId(NOW + 3 * HOUR);
  expect(madeAt(id)).toBe(NOW + 3 * HOUR);
  expect(id >= firstIdAt(new Date(NOW + 3 * HOUR))).toBe(true);
  expect(newId(NOW + 3 * HOUR) > id).toBe(true);
});

test('ids keep their order by each of two clocks that are far apart', () => {
  const ids = Array.from({ length: 100 }, () => [newId(NOW + 72 * HOUR), newId()]);
  for (const clock of [0, 1]) {
    const made = ids.map((pair) => pair[clock]);
    expect(made.toSorted()).toEqual(made);
  }
});

test('ids keep their order by two clocks that are near, in whatever turns they tell the time', () => {
  const start = NOW + 96 * HOUR;
  const ids = Array.from({ length: 100 }, (_, at) => newId(start + at + (at % 2 === 0 ? 5_000 : 0)));
  expect(ids.toSorted()).toEqual(ids);
});

test('an id after another is greater, also where a clock ahead of ours made that one', () => {
  for (const ms of [Date.now() - 5_000, Date.now(), Date.now() + 5_000, Date.now() + 3_600_000]) {
    const id = newId(ms);
    expect(newIdAfter(id) > id).toBe(true);
  }
});
