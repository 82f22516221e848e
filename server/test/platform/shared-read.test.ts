import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { createSharedRead } from '../../src/platform/database/shared-read.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 2, applicationName: 'test' });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test('many readers at once ask once, and an answer is kept for a moment', async () => {
  let asked = 0;
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const read = createSharedRead({ db, clock, maxAgeMs: 1_000, read: async () => ++asked });
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  nowMs = 999;
  expect(await read()).toBe(1);
  nowMs = 1_000;
  expect(await read()).toBe(2);
});

test('a look-up that takes too long is ended in the database, and the next one is tried', async () => {
  let slow = true;
  const read = createSharedRead({
    db,
    clock: systemClock,
    read: (q) => q.query(`select pg_sleep(${slow ? 240 : 0})`),
  });
  const startedMs = performance.now();
  await expect(read()).rejects.toMatchObject({ code: '57014' });
  expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS);
  slow = false;
  expect(await read()).toHaveLength(1);
});
