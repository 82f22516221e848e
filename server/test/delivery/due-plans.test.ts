import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  claimDue,
  claimDueElsewhere,
  claimExpired,
  claimUnleased,
  extendLeases,
  postponeDue,
  takeOver,
} from '../../src/delivery/claim/claim-store.ts';
import { claimSelected, makeSelectedDue } from '../../src/delivery/operate/bulk-store.ts';
import { putOffPausedDestinations, putOffPausedTenant } from '../../src/delivery/operate/pause-store.ts';
import { deleteHeld, requeueHeld } from '../../src/delivery/record/record-store.ts';
import { claimStamps } from '../../src/evidence/stamp/stamp-store.ts';
import { takeDue } from '../../src/messages/schedule-store.ts';
import type { Db, Tx } from '../../src/platform/database/db.ts';
import {
  claimDeliveries,
  extendDeliveries,
  failWaiting,
  releaseClaims,
} from '../../src/webhooks/queue-store.ts';
import { type DeliveryResult, recordResults } from '../../src/webhooks/result-store.ts';
import { type BelievedEmpty, believeEmpty } from '../support/believed-empty.ts';
import { type Buffers, openBuffers } from '../support/buffers.ts';

/**
 * What takes due rows, in queues that PostgreSQL takes for empty: buffers, which do not depend on the
 * machine. Compared with each other, 64 rows and the queue would be 64 times all of it.
 */

const ROWS = 4_000;
const LIMIT = 64;
const HORIZON = 500;
/** A row of the queue, of the message, and their entries in indexes, for each that is taken and looked at. */
const TAKEN_BUFFERS = 40 * LIMIT + 2 * HORIZON;
/** Until the statistics are right again, which the first claim of a long queue sees to. */
const HELD_BUFFERS = TAKEN_BUFFERS + 2 * ROWS;
/** What an operator selects is read once, with the message of each. */
const SELECTED_BUFFERS = TAKEN_BUFFERS + 8 * ROWS;

const TENANT = '00000000-0000-7000-8000-000000000001';
const ENDPOINT = '00000000-0000-7000-8000-000000000002';
const LOG = '00000000-0000-7000-8000-000000000004';
const CLOSED = '00000000-0000-7000-8000-000000000003';
const DUE = "now() - interval '1 hour' + n * interval '1 millisecond'";

let database: TestDatabase;
let buffers: Buffers;
let worker: pg.Client;
const believed: BelievedEmpty[] = [];

beforeAll(async () => {
  database = await testDatabase();
  buffers = await openBuffers(database.url);
  worker = new pg.Client({ connectionString: database.url });
  await worker.connect();
  await worker.query('set role acuse_worker');
  await worker.query(
    `insert into tenants (tenant_id, name, default_certified, quota_messages_month, quota_plain_messages_month,
       price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
     values ($1, 'Tenant', false, 0, 0, 0, 0, now(), now())`,
    [TENANT],
  );
  await worker.query(
    `insert into webhook_endpoints (tenant_id, webhook_id, url, events, description, secret_sealed, created_at,
       updated_at)
     select $1, unnest($2::uuid[]), 'https://hooks.test/', array['*'], '', 'x', now(), now()`,
    [TENANT, [ENDPOINT, CLOSED]],
  );
  await worker.query(
    "update webhook_endpoints set enabled = false, disabled_reason = 'manual' where webhook_id = $1",
    [CLOSED],
  );
  await worker.query(
    `insert into logs (log_id, origin, public_key, private_key_sealed, created_at)
     values ($1, 'log.test', sha256(''), sha256(''), now())`,
    [LOG],
  );
  await worker.query(
    `insert into checkpoints (log_id, tree_size, batch_id, previous_tree_size, root_hash, note, created_at)
     select $1, n, gen_random_uuid(), n - 1, sha256(n::text::bytea), 'n', now()
       from generate_series(1, ${ROWS}) n`,
    [LOG],
  );
  for (const [table, fill] of Object.entries(FILLS)) {
    believed.push(await believeEmpty(database.url, table, fill));
    await fill();
  }
  await accept();
  await hold();
});
afterAll(async () => {
  await buffers.close();
  await worker.end();
  for (const queue of believed) await queue.close();
  await database.drop();
});

const FILLS = {
  delivery_queue: () =>
    worker.query(
      `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
       select $1, gen_random_uuid(), 'd.test', ${DUE}, now(), now() + interval '2 days'
         from generate_series(1, ${ROWS}) n`,
      [TENANT],
    ),
  scheduled_messages: () =>
    worker.query(
      `insert into scheduled_messages (tenant_id, message_id, send_at)
       select $1, gen_random_uuid(), ${DUE} from generate_series(1, ${ROWS}) n`,
      [TENANT],
    ),
  webhook_queue: () =>
    worker.query(
      `insert into webhook_queue (tenant_id, delivery_id, webhook_id, due_at)
       select $1, gen_random_uuid(), w.webhook_id, ${DUE}
         from generate_series(1, ${ROWS / 2}) n cross join unnest($2::uuid[]) as w (webhook_id)`,
      [TENANT, [ENDPOINT, CLOSED]],
    ),
  stamp_queue: () =>
    worker.query(
      `insert into stamp_queue (log_id, tree_size, due_at, created_at)
       select $1, n, ${DUE}, now() from generate_series(1, ${ROWS}) n`,
      [LOG],
    ),
};

/** The messages and deliveries of what waits. */
async function accept(): Promise<void> {
  for (const [table, status, at] of [
    ['delivery_queue', 'queued', 'due_at'],
    ['scheduled_messages', 'scheduled', 'send_at'],
  ])
    await worker.query(
      `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
         recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, next_attempt_at,
         send_at)
       select tenant_id, message_id, message_id::text, 'a@d.test', 'b@d.test', 'a@d.test', 'b@d.test',
         'r@d.test', 's', false, '${status}', 1, now() - interval '1 day', ${at},
         ${status === 'scheduled' ? at : 'null'} from ${table}`,
    );
  await worker.query(
    `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, created_at, event_id, message_id,
       type, body)
     select tenant_id, delivery_id, webhook_id, now(), gen_random_uuid(), gen_random_uuid(), 'email.sent', '{}'
       from webhook_queue`,
  );
  await worker.query(
    "insert into paused_destinations (destination, reason, paused_by, paused_at) values ('d.test', 'r', 'p', now())",
  );
  await worker.query(
    "insert into paused_tenants (tenant_id, reason, paused_by, paused_at) values ($1, 'r', 'p', now())",
    [TENANT],
  );
}

const held: { tenantId: string; messageId: string; attempt: number }[] = [];
const sending: { tenant_id: string; delivery_id: string; lease_id: string }[] = [];

/** Those due last. */
async function hold(): Promise<void> {
  const last = (table: string) => `(select ctid from ${table} order by due_at desc limit ${LIMIT})`;
  const until = "now() + interval '1 hour'";
  const { rows: messages } = await worker.query(
    `update delivery_queue set attempt = 1, due_at = ${until}, leased_until = ${until}
      where ctid in ${last('delivery_queue')} returning message_id`,
  );
  for (const { message_id: messageId } of messages) held.push({ tenantId: TENANT, messageId, attempt: 1 });
  const { rows: deliveries } = await worker.query(
    `update webhook_queue set attempt = 1, due_at = ${until}, lease_id = $1
      where ctid in ${last('webhook_queue')} returning tenant_id, delivery_id, lease_id`,
    [ENDPOINT],
  );
  sending.push(...deliveries);
}

const asResult = (one: (typeof sending)[number], at: number): DeliveryResult => ({
  ...{ tenantId: one.tenant_id, deliveryId: one.delivery_id, leaseId: one.lease_id, attempt: 1 },
  ...{ startedAt: now, durationMs: 1, statusCode: 200, error: null, answer: null },
  ...(at % 2 === 0 ? { status: 'delivered', dueAt: null } : { status: 'pending', dueAt: now }),
});

const now = new Date();
const claim = { tenantId: TENANT, now, limit: LIMIT };
const all = { tenantId: TENANT, destination: null, acceptedBefore: null };
const before = { ...claim, from: new Date(now.getTime() - 7_200_000) };
const elsewhere = { leaveOut: ['other.test'], horizon: HORIZON };
const later = new Map([['d.test', { until: new Date(now.getTime() + 60_000), capId: null }]]);
const hooks = (webhookId: string) => ({ ...claim, webhookId, leaseId: webhookId });

const STATEMENTS: Record<string, (tx: Tx) => Promise<unknown>> = {
  claimDue: (tx) => claimDue(tx, claim),
  'claimDue since': (tx) => claimDue(tx, before),
  claimDueElsewhere: (tx) => claimDueElsewhere(tx, { ...claim, ...elsewhere }),
  'claimDueElsewhere since': (tx) => claimDueElsewhere(tx, { ...before, ...elsewhere }),
  claimExpired: (tx) =>
    claimExpired(tx, { ...claim, now: new Date(Date.now() + 3 * 86_400_000), horizon: HORIZON }),
  postponeDue: (tx) => postponeDue(tx, TENANT, now, later, LIMIT),
  putOffPausedDestinations: (tx) => putOffPausedDestinations(tx as unknown as Db, TENANT, now, LIMIT),
  putOffPausedTenant: (tx) => putOffPausedTenant(tx as unknown as Db, TENANT, now, LIMIT),
  takeDue: (tx) => takeDue(tx, TENANT, now, LIMIT),
  claimDeliveries: (tx) => claimDeliveries(tx, hooks(ENDPOINT)),
  'claimDeliveries since': (tx) => claimDeliveries(tx, { ...hooks(ENDPOINT), from: before.from }),
  failWaiting: (tx) => failWaiting(tx, TENANT, CLOSED, LIMIT),
  claimStamps: (tx) => claimStamps(tx, LOG, LIMIT, new Date()),
};

/** What is leased is found by its key: a row that changed meanwhile is still held, and has another place. */
const OF_HELD: typeof STATEMENTS = {
  extendLeases: (tx) => extendLeases(tx, held),
  takeOver: (tx) => takeOver(tx, held),
  deleteHeld: (tx) => deleteHeld(tx, held),
  requeueHeld: (tx) =>
    requeueHeld(
      tx,
      held.map((each) => ({ ...each, dueAt: now })),
    ),
  extendDeliveries: (tx) => extendDeliveries(tx, sending),
  releaseClaims: (tx) =>
    releaseClaims(
      tx,
      sending.map((each) => ({ ...each, dueAt: now })),
    ),
  recordResults: (tx) => recordResults(tx, sending.map(asResult)),
};

describe('in a queue that PostgreSQL takes for empty', () => {
  test.each(Object.keys(STATEMENTS))('%s reads what it takes', async (name) => {
    expect(await buffers.of(STATEMENTS[name]!)).toBeLessThan(TAKEN_BUFFERS);
  });

  test('an operator reads what was selected once', async () => {
    expect(await buffers.of((tx) => claimSelected(tx, all, LIMIT))).toBeLessThan(SELECTED_BUFFERS);
    expect(await buffers.of((tx) => makeSelectedDue(tx, all, now, LIMIT))).toBeLessThan(SELECTED_BUFFERS);
  });

  test('one message is found by its key', async () => {
    const { rows } = await worker.query('select message_id from delivery_queue limit 1');
    const found = (tx: Tx) => claimUnleased(tx, TENANT, rows[0].message_id);
    expect(await buffers.of(found)).toBeLessThan(ROWS);
  });

  test.each(Object.keys(OF_HELD))('%s reads the queue once at most', async (name) => {
    expect(await buffers.of(OF_HELD[name]!)).toBeLessThan(HELD_BUFFERS);
  });

  test('the statistics are still those of an empty queue', async () => {
    expect(await Promise.all(believed.map((queue) => queue.believed()))).toEqual([0, 0, 0, 0]);
  });
});

test('each of the statements takes rows', async () => {
  for (const [name, take] of Object.entries({ ...STATEMENTS, ...OF_HELD })) {
    let took = 0;
    await buffers.of((tx) =>
      take({
        ...tx,
        query: async (...asked) => {
          const rows = await tx.query(...asked);
          took += rows.length;
          return rows as never;
        },
        execute: async (...asked) => {
          const count = await tx.execute(...asked);
          took += count;
          return count;
        },
      } as Tx),
    );
    expect([name, took > 0]).toEqual([name, true]);
  }
});

test('what is leased is found without reading the queue once the statistics are right', async () => {
  await worker.query('select refresh_queue_statistics()');
  for (const [name, take] of Object.entries(OF_HELD)) {
    const read = await buffers.of(take);
    expect([name, read, read < TAKEN_BUFFERS]).toEqual([name, read, true]);
  }
});
