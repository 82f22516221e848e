import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bag } from '../../../src/accounts/quota/bag.ts';
import { bagKey, reserveQuota, returnQuota } from '../../../src/accounts/quota/reserve.ts';
import { readUsage } from '../../../src/accounts/quota/store.ts';
import { changeTenant, createTenant } from '../../../src/accounts/tenants/operations.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createChanges } from '../../../src/platform/database/changes.ts';
import { type Db, openDb } from '../../../src/platform/database/db.ts';

let database: TestDatabase;
let db: Db;
let other: Db;
const open = (poolSize: number) =>
  openDb({ connectionString: database.url, poolSize, applicationName: 'test' });

beforeAll(async () => {
  database = await testDatabase();
  db = open(8);
  other = open(8);
});
afterAll(async () => {
  await Promise.all([db.close(), other.close()]);
  await database.drop();
});

const MONTH = '2026-11-01';

async function tenant(quotas: { certified: number; plain: number }): Promise<string> {
  const made = await createTenant(
    { db, clock: systemClock, changes: createChanges(db) },
    { name: 'Q', quotaMessagesMonth: quotas.certified, quotaPlainMessagesMonth: quotas.plain },
  );
  return made.tenantId;
}

function want(tenantId: string, count: number, bag: Bag = 'certified', month = MONTH) {
  return { tenantId, bag, month, count };
}

async function reserve(from: Db, ...wants: ReturnType<typeof want>[]): Promise<number[]> {
  const granted = await from.transact((tx) => reserveQuota(tx, wants));
  return wants.map((each) => granted.get(bagKey(each))!);
}

describe('one bag', () => {
  test('grants what fits, then what is left, then nothing', async () => {
    const id = await tenant({ certified: 10, plain: 0 });
    expect(await reserve(db, want(id, 4))).toEqual([4]);
    expect(await reserve(db, want(id, 4))).toEqual([4]);
    expect(await reserve(db, want(id, 4))).toEqual([2]);
    expect(await reserve(db, want(id, 4))).toEqual([0]);
    expect(await readUsage(db, id, MONTH)).toEqual({ certified: 10, plain: 0 });
  });

  test('grants as many as there are when the first send of a month asks for more', async () => {
    const id = await tenant({ certified: 3, plain: 0 });
    expect(await reserve(db, want(id, 100))).toEqual([3]);
    expect(await reserve(db, want(id, 1, 'plain'))).toEqual([0]);
  });

  test('two bags and two months leave each other alone, in one statement', async () => {
    const id = await tenant({ certified: 5, plain: 2 });
    const wants = [want(id, 6), want(id, 2, 'plain'), want(id, 5, 'certified', '2026-12-01')];
    expect(await reserve(db, ...wants)).toEqual([5, 2, 5]);
    expect(await reserve(db, ...wants.map((each) => ({ ...each, count: 1 })))).toEqual([0, 0, 0]);
  });

  test('a rolled back transaction costs nothing; what is returned in it neither', async () => {
    const id = await tenant({ certified: 10, plain: 0 });
    await expect(
      db.transact(async (tx) => {
        await reserveQuota(tx, [want(id, 7)]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await db.transact(async (tx) => {
      await reserveQuota(tx, [want(id, 7)]);
      await returnQuota(tx, [want(id, 3)]);
    });
    expect((await readUsage(db, id, MONTH)).certified).toBe(4);
  });

  test('a quota that is lowered below what is used grants nothing and takes nothing away; a raised one grants at once', async () => {
    const id = await tenant({ certified: 10, plain: 0 });
    await reserve(db, want(id, 8));
    const deps = { db, clock: systemClock, changes: createChanges(db) };
    await changeTenant(deps, id, { quotaMessagesMonth: 5 });
    expect(await reserve(db, want(id, 1))).toEqual([0]);
    expect((await readUsage(db, id, MONTH)).certified).toBe(8);
    await changeTenant(deps, id, { quotaMessagesMonth: 9 });
    expect(await reserve(db, want(id, 2))).toEqual([1]);
  });

  test('one entry a bag, of at least one', async () => {
    const id = await tenant({ certified: 10, plain: 0 });
    await expect(reserve(db, want(id, 1), want(id, 1))).rejects.toThrow(RangeError);
    await expect(reserve(db, want(id, 0))).rejects.toThrow(RangeError);
  });

  test('an unknown tenant is granted nothing', async () => {
    expect(await reserve(db, want('01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', 1))).toEqual([0]);
  });
});

describe('many at once', () => {
  test('two pools and many groups of all sizes accept exactly 1000', async () => {
    const id = await tenant({ certified: 1_000, plain: 1_000_000 });
    const asked = Array.from({ length: 400 }, (_, i) => 1 + (i % 7));
    const granted = await Promise.all(
      asked.map((count, i) => reserve(i % 2 === 0 ? db : other, want(id, count), want(id, count, 'plain'))),
    );
    expect(granted.reduce((sum, [certified]) => sum + certified!, 0)).toBe(1_000);
    expect(granted.every(([, plain], i) => plain === asked[i])).toBe(true);
    expect((await readUsage(db, id, MONTH)).certified).toBe(1_000);
  });

  test('groups that name the same tenants in any order never deadlock, also over rows that do not exist yet', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, i) => tenant({ certified: i % 2 === 0 ? 40 : 1_000_000, plain: 3 })),
    );
    const shuffled = () => [...ids].sort(() => Math.random() - 0.5);
    await Promise.all(
      Array.from({ length: 120 }, (_, i) => {
        const wants = shuffled()
          .slice(0, 4)
          .flatMap((id) => [want(id, 2), want(id, 2, 'plain')]);
        // One try only: a deadlock would be an error here.
        return once(i % 2 === 0 ? db : other, wants);
      }),
    );
    for (const id of ids) expect((await readUsage(db, id, MONTH)).plain).toBe(3);
    const deadlocks = await db.query<{ deadlocks: number }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks[0]!.deadlocks).toBe(0);
  });
});

async function once(from: Db, wants: ReturnType<typeof want>[]): Promise<void> {
  let tries = 0;
  await from.transact(async (tx) => {
    tries++;
    await reserveQuota(tx, wants);
  });
  expect(tries).toBe(1);
}
