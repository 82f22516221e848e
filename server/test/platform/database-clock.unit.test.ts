import { expect, test } from 'vitest';
import type { Clock } from '../../src/platform/clock.ts';
import { createDatabaseClock } from '../../src/platform/database/database-clock.ts';
import type { Db } from '../../src/platform/database/db.ts';

const DATABASE_MS = Date.UTC(2026, 5, 1);

function setUp(machineAheadMs: number) {
  const at = { passedMs: 0, wallMs: DATABASE_MS + machineAheadMs, tookMs: 0, away: false };
  const machine: Clock = { now: () => new Date(at.wallMs), monotonicMs: () => at.passedMs };
  const db = {
    async query() {
      if (at.away) throw new Error('Connection terminated');
      at.passedMs += at.tookMs;
      return [{ now: new Date(DATABASE_MS + at.passedMs) }];
    },
  } as unknown as Db;
  const told: object[] = [];
  const log = { error() {}, warn: (fields: object) => void told.push(fields) };
  return { at, told, clock: createDatabaseClock({ db, log, machine }) };
}

test.each([150_000, -150_000])(
  'the clock of a machine that is wrong by %i ms counts for nothing, and is told of once',
  async (aheadMs) => {
    const { at, told, clock } = setUp(aheadMs);
    await clock.read();
    expect(clock.now().getTime()).toBe(DATABASE_MS);
    at.passedMs += 5_000;
    at.wallMs += 5_000;
    await clock.read();
    expect(clock.now().getTime()).toBe(DATABASE_MS + 5_000);
    expect(told).toEqual([{ aheadMs }]);
  },
);

test('a step of the machine changes nothing, whether the database answers or not', async () => {
  const { at, clock } = setUp(0);
  await clock.read();
  at.away = true;
  at.wallMs += 3_600_000;
  at.passedMs += 10_000;
  await clock.read();
  expect(clock.now().getTime()).toBe(DATABASE_MS + 10_000);
});

test('a slow answer moves the time by no more than it can tell', async () => {
  const { at, clock } = setUp(0);
  await clock.read();
  at.tookMs = 400;
  await clock.read();
  expect(clock.now().getTime()).toBe(DATABASE_MS + 400);
});

test('before the first reading it is the clock of the machine', () => {
  expect(setUp(1_234).clock.now().getTime()).toBe(DATABASE_MS + 1_234);
});
