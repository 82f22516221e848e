import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimDue, claimDueElsewhere } from '../../src/delivery/claim/claim-store.ts';
import { askTenants, findDueTenants, NEWEST_MAX, OLDEST_MAX } from '../../src/delivery/claim/due-store.ts';
import type { Tx } from '../../src/platform/database/db.ts';
import { type Buffers, openBuffers } from '../support/buffers.ts';
import { openOneConnection } from '../support/kept-plan.ts';

/** Reads of scans and claims in a queue that many share: buffers, which do not depend on the machine. */

/** Of a page of due rows in heap order, its index pages, and some room for how they lie. */
const PAGE_BUFFERS = 200;
const LIMIT = 64;
/** To find a row, lease it and write its entries into the indexes. */
const CLAIM_BUFFERS = 30 * LIMIT;

let database: TestDatabase;
let buffers: Buffers;
let owner: pg.Client;
let worker: pg.Client;

const connect = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
};
const tenantOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const TENANT = "('00000000-0000-7000-8000-' || lpad(to_hex(t), 12, '0'))::uuid";

beforeAll(async () => {
  database = await testDatabase();
  buffers = await openBuffers(database.url);
  owner = await connect();
  worker = await connect();
  await worker.query('set role acuse_worker');
});
// Truncated: vacuum would leave what a connection that just begins, to any database, may still see, and with
// it the statistics of a long queue without rows (emptied-queue.test.ts).
afterEach(async () => {
  await worker.query('delete from messages');
  await owner.query('truncate delivery_queue');
  await owner.query('analyze delivery_queue');
});
afterAll(async () => {
  await buffers.close();
  await Promise.all([owner.end(), worker.end()]);
  await database.drop();
});

/** `each` rows for the tenants from `first` to `last`, due `due` (SQL; n counts a tenant's own). */
async function fill(first: number, last: number, each: number, due: string): Promise<void> {
  await worker.query(
    `insert into tenants (tenant_id, name, default_certified, quota_messages_month, quota_plain_messages_month,
       price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
     select ${TENANT}, 'Tenant', false, 0, 0, 0, 0, now(), now() from generate_series(${first}, ${last}) t
     on conflict do nothing`,
  );
  await worker.query(
    `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
     select ${TENANT}, gen_random_uuid(), 'd.test', ${due}, now(), now() + interval '2 days'
       from generate_series(1, ${each}) n, generate_series(${first}, ${last}) t order by n, t`,
  );
}

/** The messages of what waits of one tenant, so that a claim finds them. */
async function accept(tenant: number): Promise<void> {
  await worker.query(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
       recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, next_attempt_at)
     select tenant_id, message_id, message_id::text, 'a@d.test', 'b@d.test', 'a@d.test', 'b@d.test', 'r@d.test',
       's', false, 'queued', 1, created_at, due_at from delivery_queue where tenant_id = $1 limit 1000`,
    [tenantOf(tenant)],
  );
}

const now = () => new Date();
const look = (from: Date | null = null) => buffers.of((tx) => findDueTenants(tx, now(), from));
const claim = (tenant: number, from: Date | null = null) =>
  buffers.of((db) => claimDue(db, { tenantId: tenantOf(tenant), now: now(), limit: LIMIT, from }));
const ago = (ms: number) => new Date(Date.now() - ms);

const analyze = () => owner.query('analyze delivery_queue');

describe.each([
  ['with statistics of an empty queue', async () => {}, async () => {}],
  ['with statistics', async () => {}, analyze],
  [
    'with statistics of deferred mail',
    async () => {
      await fill(10_001, 10_001, 20_000, "now() + interval '1 day'");
      await analyze();
    },
    async () => {},
  ],
])('%s', (_, before, settle) => {
  beforeEach(before);

  test('a look costs nothing where 1,000 tenants only have deferred mail', async () => {
    await fill(1, 1_000, 50, "now() + interval '1 hour'");
    await settle();
    expect(await look()).toBeLessThan(10);
  });

  test('a look, a round and a claim cost the same with 10,000 tenants that have due mail', async () => {
    await fill(1, 10_000, 10, "now() - interval '1 hour' + n * interval '1 second'");
    await accept(5_000);
    await settle();
    expect(await look()).toBeLessThan(PAGE_BUFFERS);
    const round = (db: Parameters<typeof askTenants>[0]) =>
      askTenants(db, { now: now(), from: null, among: null }, null, 128);
    expect(await buffers.of(round)).toBeLessThan(128 * 6);
    expect(await claim(5_000)).toBeLessThan(CLAIM_BUFFERS);
  });

  test('a claim of one tenant reads nothing of what another has due', async () => {
    await fill(1, 1, 100_000, "now() - interval '1 hour'");
    await fill(2, 2, 1, "now() - interval '1 second'");
    await accept(2);
    await settle();
    expect(await claim(2)).toBeLessThan(40);
    const elsewhere = { limit: LIMIT, leaveOut: ['full.test'], horizon: 1_000, from: null };
    const stepping = (db: Parameters<typeof claimDueElsewhere>[0]) =>
      claimDueElsewhere(db, { tenantId: tenantOf(2), now: now(), ...elsewhere });
    expect(await buffers.of(stepping)).toBeLessThan(40);
  });
});

test('a connection plans looks once: the plan of an empty queue reads no more of a full one', async () => {
  const name = 'delivery_find_due_tenants';
  const { db, plansOf, buffersOf } = openOneConnection(database.url);
  try {
    const find = () => db.observe((tx) => findDueTenants(tx, now(), null));
    for (let looks = 0; looks < 6; looks++) await find();
    await fill(1, 10_000, 10, "now() - interval '1 hour' + n * interval '1 second'");
    expect((await find()).more).toBe(true);
    expect(await plansOf(name)).toEqual({ made: 0, kept: 7 });
    expect(await buffersOf(name, [null, now().toISOString()])).toBeLessThan(PAGE_BUFFERS);
  } finally {
    await db.close();
  }
});

test('a single message behind a flood is seen at once, and one between old and new in its turn', async () => {
  await fill(1, 1, 10_000, "now() - interval '1 hour' + n * interval '1 millisecond'");
  await fill(2, 2, 1, "now() - interval '1 hour' + interval '5 seconds'");
  await fill(3, 3, 1, "now() - interval '1 second'");
  await fill(4, 4, 1, "now() + interval '1 hour'");
  const query = async (text: string, values: unknown[]) => (await worker.query(text, values)).rows;
  const db = { query, send() {} } as unknown as Tx;
  const found = await findDueTenants(db, now(), null);
  expect(found.more).toBe(true);
  expect(found.owners).toEqual([tenantOf(1), tenantOf(3)]);
  const asked = await askTenants(db, { now: now(), from: null, among: null }, null, 4);
  expect(asked.map(({ due }) => due)).toEqual([true, true, true, false]);
  expect(OLDEST_MAX + NEWEST_MAX).toBeLessThan(1_000);
});

test('under an old snapshot 100,000 delivered messages cost later looks and claims nothing', async () => {
  const reader = await connect();
  await reader.query('begin isolation level repeatable read');
  await reader.query('select count(*) from tenants');
  try {
    await fill(1, 10, 10_000, "now() - interval '1 hour' + n * interval '1 millisecond'");
    // Claimed, and delivered: three entries of each message stay in the index.
    await worker.query(
      "update delivery_queue set due_at = now() - interval '50 minutes', leased_until = now()",
    );
    await worker.query('delete from delivery_queue');
    await owner.query('vacuum delivery_queue');
    await fill(1, 10, 100, "now() - interval '1 second'");
    await accept(5);
    const from = ago(3_000);
    expect(await look(from)).toBeLessThan(PAGE_BUFFERS);
    expect(await claim(5, from)).toBeLessThan(CLAIM_BUFFERS);
    // The entries are still there.
    expect(await look()).toBeGreaterThan(10 * PAGE_BUFFERS);
    expect(await claim(5)).toBeGreaterThan(CLAIM_BUFFERS + 1_000);
  } finally {
    await reader.query('rollback');
    await reader.end();
  }
});
