import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queryable, Tx } from '../../src/platform/database/db.ts';
import { findPendingScanEnd, listDeliveries } from '../../src/webhooks/delivery-store.ts';
import {
  askClosedEndpoints,
  askEndpoints,
  findDueEndpoints,
  type Key,
} from '../../src/webhooks/due-store.ts';
import { claimDeliveries } from '../../src/webhooks/queue-store.ts';
import { type Buffers, openBuffers } from '../support/buffers.ts';
import { openOneConnection } from '../support/kept-plan.ts';

/** Reads of scans, claims and the log's filters of webhooks: buffers, which do not depend on the machine. */

const PAGE_BUFFERS = 400;
const LIMIT = 64;
/** To find a row and what it carries, lease it and write its entries into the indexes. */
const CLAIM_BUFFERS = 30 * LIMIT;
const ENDPOINTS = 5_000;
const NONE = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

let database: TestDatabase;
let buffers: Buffers;
let owner: pg.Client;
let worker: pg.Client;

const idOf = (n: number | string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const keyOf = (n: number): Key => {
  const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  return { tenant_id: id, webhook_id: id };
};
const now = () => new Date();

const connect = async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
};

/** `each` deliveries for the endpoints from `first` to `last`, which are made if need be; due `due` (SQL). */
async function fill(first: number, last: number, each: number, due: string): Promise<void> {
  await worker.query(
    `insert into tenants (tenant_id, name, default_certified, quota_messages_month,
       quota_plain_messages_month, price_per_message_cents, price_per_plain_message_cents, created_at,
       updated_at)
     select ${idOf('t')}, 'Tenant', false, 0, 0, 0, 0, now(), now() from generate_series(${first}, ${last}) t
     on conflict do nothing`,
  );
  await worker.query(
    `insert into webhook_endpoints (tenant_id, webhook_id, url, events, description, secret_sealed, created_at,
       updated_at)
     select ${idOf('t')}, ${idOf('t')}, 'https://hooks.test/', array['*'], '', 'x', now(), now()
       from generate_series(${first}, ${last}) t on conflict do nothing`,
  );
  await worker.query(
    `with made as (
       insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id,
         type, body)
       select ${idOf('t')}, gen_random_uuid(), ${idOf('t')}, now(), gen_random_uuid(), gen_random_uuid(),
         'email.sent', '{}'
         from generate_series(1, ${each}) n, generate_series(${first}, ${last}) t order by n, t
       returning tenant_id, delivery_id, webhook_id)
     insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
     select tenant_id, delivery_id, webhook_id, ${due} from made`,
  );
}

/** Truncated: vacuum would leave what a connection that just begins, to any database, may still see. */
async function empty(): Promise<void> {
  await owner.query('truncate webhook_queue, webhook_deliveries, webhook_endpoints');
  for (const table of ['webhook_queue', 'webhook_deliveries']) await owner.query(`analyze ${table}`);
}

const look = (from: Date | null = null) => buffers.of((tx) => findDueEndpoints(tx, true, now(), from));
const claim = (endpoint: number, from: Date | null = null) => {
  const { tenant_id: tenantId, webhook_id: webhookId } = keyOf(endpoint);
  return buffers.of((db) =>
    claimDeliveries(db, { tenantId, webhookId, leaseId: NONE, now: now(), limit: LIMIT, from }),
  );
};

beforeAll(async () => {
  database = await testDatabase();
  buffers = await openBuffers(database.url);
  owner = await connect();
  worker = await connect();
  await worker.query('set role acuse_worker');
});
afterAll(async () => {
  await buffers.close();
  await Promise.all([owner.end(), worker.end()]);
  await database.drop();
});

describe.each([
  ['with statistics of an empty queue', false],
  ['with statistics', true],
])('%s', (_, analyzed) => {
  const settle = async () => {
    if (!analyzed) return;
    for (const table of ['webhook_queue', 'webhook_deliveries', 'webhook_endpoints'])
      await owner.query(`analyze ${table}`);
  };

  test('a look costs nothing where 5,000 endpoints only have deliveries that wait', async () => {
    await empty();
    await fill(1, ENDPOINTS, 4, "now() + interval '1 hour'");
    await settle();
    expect(await look()).toBeLessThan(10);
    const closed = (db: Queryable) => askClosedEndpoints(db, { sandbox: true, among: null }, null, 3_000);
    expect(await buffers.of(closed)).toBeLessThan(10);
  });

  test('a look, a round and a claim cost the same with 5,000 endpoints that have due deliveries', async () => {
    await empty();
    await fill(1, ENDPOINTS, 6, "now() - interval '1 hour'");
    await settle();
    // Up to 1,300 endpoints, each looked up.
    expect(await look()).toBeLessThan(PAGE_BUFFERS + 1_300 * 4);
    const asking = { sandbox: true, now: now(), from: null, among: null };
    const round = (db: Queryable) => askEndpoints(db, asking, null, 128);
    expect(await buffers.of(round)).toBeLessThan(128 * 8);
    expect(await claim(2_500)).toBeLessThan(CLAIM_BUFFERS);
  });

  test('the pending ones of the log cost a page, whatever else the log or the queue holds', async () => {
    await empty();
    await fill(1, 1, 30_000, "now() + interval '1 hour'");
    await owner.query('truncate webhook_queue');
    await fill(1, 1, 300, "now() + interval '1 hour'");
    await fill(2, 3, 10_000, "now() + interval '1 hour'");
    await settle();
    const { tenant_id: tenantId, webhook_id: webhookId } = keyOf(1);
    const range = { from: NONE, below: LAST };
    const filter = { status: 'pending', types: null, createdAfter: null, createdBefore: null } as const;
    const list = (db: Queryable) => listDeliveries(db, tenantId, webhookId, { range, filter, limit: 101 });
    expect(await buffers.of(list)).toBeLessThan(101 * 8);
    expect(await buffers.of((db) => findPendingScanEnd(db, tenantId, range))).toBeLessThan(400);
  });
});

test('a connection plans looks once: the plan of an empty queue reads no more of a full one', async () => {
  await empty();
  const name = 'webhook_find_due_endpoints';
  const { db, plansOf, buffersOf } = openOneConnection(database.url);
  try {
    const find = () => db.observe((tx) => findDueEndpoints(tx, true, now(), null));
    for (let looks = 0; looks < 6; looks++) await find();
    await fill(1, ENDPOINTS, 6, "now() - interval '1 hour'");
    expect((await find()).more).toBe(true);
    expect(await plansOf(name)).toEqual({ made: 0, kept: 7 });
    // Up to 1,300 endpoints, each looked up, and its account: index and row.
    expect(await buffersOf(name, [now().toISOString(), null])).toBeLessThan(PAGE_BUFFERS + 1_300 * 6);
  } finally {
    await db.close();
  }
});

test('an endpoint behind a flood is seen at once, one between old and new in its turn, and one that is off', async () => {
  await empty();
  await fill(1, 1, 5_000, "now() - interval '1 hour'");
  await fill(2, 2, 1, "now() - interval '30 minutes'");
  await fill(3, 3, 1_000, "now() - interval '1 minute'");
  await fill(4, 4, 1, "now() + interval '1 hour'");
  await worker.query(
    `update webhook_endpoints set enabled = false, disabled_reason = 'manual' where tenant_id = ${idOf(4)}`,
  );
  const query = async (text: string, values: unknown[]) => (await worker.query(text, values)).rows;
  const db = { query, send() {} } as unknown as Tx;
  const found = await findDueEndpoints(db, true, now(), null);
  expect(found.more).toBe(true);
  expect(found.owners.map((each) => each.webhook_id).sort()).toEqual([1, 3].map((n) => keyOf(n).webhook_id));
  const asked = await askEndpoints(db, { sandbox: true, now: now(), from: null, among: null }, null, 4);
  expect(asked.map(({ due }) => due)).toEqual([true, true, true, false]);
  expect(await askClosedEndpoints(db, { sandbox: true, among: null }, null, 10)).toEqual([
    { ...keyOf(4), waits: true },
  ]);
});

test('under an old snapshot 50,000 deliveries that were made cost later looks and claims nothing', async () => {
  await empty();
  const reader = await connect();
  await reader.query('begin isolation level repeatable read');
  await reader.query('select count(*) from tenants');
  try {
    await fill(1, 10, 5_000, "now() - interval '1 hour'");
    await worker.query("update webhook_queue set due_at = now() - interval '50 minutes'");
    await worker.query('delete from webhook_queue');
    await fill(1, 10, 100, "now() - interval '1 second'");
    const from = new Date(Date.now() - 3_000);
    expect(await look(from)).toBeLessThan(PAGE_BUFFERS);
    expect(await claim(5, from)).toBeLessThan(CLAIM_BUFFERS);
    // The entries are still there.
    expect(await look()).toBeGreaterThan(2 * PAGE_BUFFERS);
  } finally {
    await reader.query('rollback');
    await reader.end();
  }
});
