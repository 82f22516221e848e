import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tenantsWithDueSchedule } from '../../src/messages/schedule-store.ts';
import type { Queryable } from '../../src/platform/database/db.ts';
import { type Buffers, openBuffers } from '../support/buffers.ts';

/** Reads of the scan for due schedules: buffers, which do not depend on the machine. */

let database: TestDatabase;
let buffers: Buffers;
let worker: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  buffers = await openBuffers(database.url);
  worker = new pg.Client({ connectionString: database.url });
  await worker.connect();
  await worker.query('set role acuse_worker');
});
beforeEach(() => worker.query('delete from scheduled_messages'));
afterAll(async () => {
  await buffers.close();
  await worker.end();
  await database.drop();
});

const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** `each` messages on the schedules of the tenants from `first` to `last`, due `due` (SQL). */
const fill = (first: number, last: number, each: number, due: string) =>
  worker.query(
    `insert into scheduled_messages (tenant_id, message_id, send_at)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(t), 12, '0'))::uuid, gen_random_uuid(), ${due}
       from generate_series(1, ${each}) n, generate_series(${first}, ${last}) t`,
  );

test('a look costs nothing where 5,000 accounts have schedules that are not due', async () => {
  await fill(1, 5_000, 10, "now() + interval '1 hour'");
  const look = (db: Queryable) => tenantsWithDueSchedule(db, new Date(), 200);
  expect(await buffers.of(look)).toBeLessThan(20);
});

test('beside a campaign of one account every other one is found', async () => {
  await fill(1, 1, 2_000, "now() - interval '1 hour'");
  await fill(2, 4, 1, "now() - interval '1 second'");
  await fill(5, 5, 1, "now() + interval '1 hour'");
  const run = { query: async (text: string, values: unknown[]) => (await worker.query(text, values)).rows };
  const look = () => tenantsWithDueSchedule(run as unknown as Queryable, new Date(), 200);
  expect(await look()).toEqual([1, 2, 3, 4].map(idOf));
  await worker.query('delete from scheduled_messages where tenant_id = $1', [idOf(1)]);
  expect(await look()).toEqual([2, 3, 4].map(idOf));
});
