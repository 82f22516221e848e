import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addUpPage } from '../../../src/accounts/rates/adding-up.ts';
import {
  addToDays,
  countEntries,
  countIngested,
  countSealed,
  takeAdditions,
} from '../../../src/accounts/rates/count-store.ts';
import { readCounters } from '../../../src/accounts/rates/store.ts';
import { createTenant } from '../../../src/accounts/tenants/operations.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createChanges } from '../../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../../src/platform/database/db.ts';

let database: TestDatabase;
let db: Db;
const tenants: string[] = [];
beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 6, applicationName: 'test' });
  const deps = { db, clock: systemClock, changes: createChanges(db) };
  for (const name of ['One', 'Two']) tenants.push((await createTenant(deps, { name })).tenantId);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  await db.execute('delete from counter_additions');
  await db.execute('delete from daily_counters');
});

const FIRST = new Date('2026-03-01T23:59:59.999Z');
const SECOND = new Date('2026-03-02T00:00:00.000Z');

/** One of each kind of count, on both days of both accounts. */
async function countAll(): Promise<void> {
  await db.transact(async (tx) => {
    for (const tenantId of tenants) {
      countIngested(tx, [
        { tenantId, createdAt: FIRST, certified: true },
        { tenantId, createdAt: SECOND, certified: false },
        { tenantId, createdAt: SECOND, certified: true },
      ]);
      await countEntries(tx, [
        { tenantId, state: 'sent', at: FIRST },
        { tenantId, state: 'deferred', at: SECOND },
        { tenantId, state: 'bounced', at: SECOND },
        { tenantId, state: 'complained', at: SECOND },
      ]);
      await countSealed(tx, '2026-03-02', [[tenantId, 2]]);
    }
  });
}

const NOTHING = { sent: 0, deferred: 0, bounced: 0, complained: 0, sealed: 0 };
const times = (n: number) => [
  { ...NOTHING, day: '2026-03-01', ingested: n, ingested_certified: n, sent: n },
  {
    ...NOTHING,
    day: '2026-03-02',
    ingested: 2 * n,
    ingested_certified: n,
    deferred: n,
    bounced: n,
    complained: n,
    sealed: 2 * n,
  },
];

const daysOf = (tenantId: string) =>
  db.asTenant(tenantId, (tx) => readCounters(tx, tenantId, '2026-02-01', '2026-04-01'));
const left = async () => (await db.query('select from counter_additions')).length;

describe('adding up', () => {
  test('changes no figure: before, half way, after, and when more is counted', async () => {
    await countAll();
    for (const tenantId of tenants) expect(await daysOf(tenantId)).toEqual(times(1));
    expect(await addUpPage(db, 3)).toBe(3);
    for (const tenantId of tenants) expect(await daysOf(tenantId)).toEqual(times(1));
    await countAll();
    while ((await addUpPage(db, 3)) > 0);
    expect(await left()).toBe(0);
    for (const tenantId of tenants) expect(await daysOf(tenantId)).toEqual(times(2));
    expect(await addUpPage(db, 3)).toBe(0);
  });

  test('reads no other account, and no day outside of the window', async () => {
    await countAll();
    const [one, two] = tenants;
    expect(await db.asTenant(one!, (tx) => readCounters(tx, two!, '2026-02-01', '2026-04-01'))).toEqual([]);
    const second = await db.asTenant(one!, (tx) => readCounters(tx, one!, '2026-03-02', '2026-03-02'));
    expect(second).toEqual(times(1).slice(1));
  });

  test('a crash between taking and adding loses nothing', async () => {
    await countAll();
    const before = await left();
    await expect(
      db.transact(async (tx) => {
        expect((await takeAdditions(tx, 1_000)).taken).toBe(before);
        throw new Error('crashed');
      }),
    ).rejects.toThrow('crashed');
    expect(await left()).toBe(before);
    await addUpPage(db, 1_000);
    for (const tenantId of tenants) expect(await daysOf(tenantId)).toEqual(times(1));
  });

  test('several at once add each row once, while more is being counted', async () => {
    await Promise.all([
      ...Array.from({ length: 20 }, countAll),
      ...Array.from({ length: 20 }, () => addUpPage(db, 5)),
    ]);
    while ((await addUpPage(db, 50)) > 0);
    for (const tenantId of tenants) expect(await daysOf(tenantId)).toEqual(times(20));
  });

  test('who counts waits neither for another that has not committed, nor for who adds up', async () => {
    await countAll();
    await db.transact(async (open) => {
      const { sums } = await takeAdditions(open, 1_000);
      await addToDays(open, sums);
      countIngested(open, [{ tenantId: tenants[0]!, createdAt: FIRST, certified: true }]);
      // Would wait for ever if anything of these days were locked: `open` ends after it.
      await countAll();
    });
    expect((await daysOf(tenants[1]!))[0]).toEqual(times(2)[0]);
    expect((await daysOf(tenants[0]!))[0]).toMatchObject({ ingested: 3, sent: 2 });
  });
});
