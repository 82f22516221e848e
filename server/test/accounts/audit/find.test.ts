import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccountEvents } from '../../../src/accounts/audit/account-events-store.ts';
import type { Queryable } from '../../../src/platform/database/db.ts';
import { newId } from '../../../src/platform/ids.ts';
import { listAudit } from '../../../src/surfaces/admin/audit-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Both audit logs, found in by each filter that a screen offers, without reading the rest of the log. */

const ENTRIES = 20_000;
/**
 * The most that a page of 50 may touch (blocks of 8 KiB): a row each and the way down the index; the log has
 * 400.
 */
const BLOCKS_MAX = 220;
const PAGE_ROWS = 51;
const ALL = { from: '00000000-0000-0000-0000-000000000000', below: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const RARE = newId();

let service: TestService;
let tenantId: string;

beforeAll(async () => {
  service = await startTestService();
  ({ tenantId } = service.account);
  const ids = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
  // The rare entry is the oldest: a walk from the newest would read all.
  const rare = (value: string, common: string) => `case when n <= 20 then ${value} else ${common} end`;
  const schema = new pg.Client({ connectionString: service.databaseUrl });
  await schema.connect();
  await schema.query('set role acuse_worker');
  await schema.query(
    `insert into account_events (tenant_id, event_id, occurred_at, actor_kind, actor_id, actor_name, action, target)
       select $1::uuid, ${ids}, now(), 'user', ${rare('$2::uuid', 'gen_random_uuid()')}, 'Ana',
         ${rare(`'rename_account'`, `'send_message'`)}, ${rare(`'ana@example.com'`, 'n::text')}
       from generate_series(1, ${ENTRIES}) n`,
    [tenantId, RARE],
  );
  await schema.query(
    `insert into operator_events (event_id, request_id, phase, operator_id, operator_name, action, tenant_id,
         client_address, occurred_at, outcome)
       select ${ids}, gen_random_uuid(), 'ended', ${rare('$2::uuid', 'gen_random_uuid()')}, 'Ana',
         ${rare(`'tenant.update'`, `'session.begin'`)}, ${rare('$1::uuid', 'gen_random_uuid()')}, '127.0.0.1',
         now(), 'done'
       from generate_series(1, ${ENTRIES}) n`,
    [tenantId, RARE],
  );
  await schema.query('reset role');
  await schema.query('analyze account_events, operator_events');
  await schema.end();
});
afterAll(() => service?.stop());

/** Runs the store's own statement for its plan. */
function explaining(q: Queryable, touched: { blocks: number }): Queryable {
  return {
    ...q,
    query: async (sql: string, values?: unknown[]) => {
      const [row] = await q.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json, timing off) ${sql}`,
        values as never,
      );
      const plan = row!['QUERY PLAN'][0].Plan;
      touched.blocks = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
      return [] as never;
    },
  } as Queryable;
}

const NONE = { createdAfter: null, createdBefore: null };

test.each([
  { action: null, actorId: null, target: null },
  { action: 'rename_account', actorId: null, target: null },
  { action: 'send_message', actorId: null, target: null },
  { action: 'delete_domain', actorId: null, target: null },
  { action: null, actorId: RARE, target: null },
  { action: null, actorId: null, target: 'ana@example.com' },
  { action: 'rename_account', actorId: RARE, target: 'ana@example.com' },
])("an account's log reads a page and no more: %j", async (filter) => {
  const touched = { blocks: -1 };
  await service.db.asTenant(tenantId, (tx) =>
    listAccountEvents(explaining(tx, touched), tenantId, ALL, { ...NONE, ...filter }, PAGE_ROWS),
  );
  expect(touched.blocks).toBeGreaterThan(0);
  expect(touched.blocks).toBeLessThan(BLOCKS_MAX);
});

test.each([
  { tenantId: false, operatorId: null, action: null },
  { tenantId: false, operatorId: null, action: 'tenant.update' },
  { tenantId: false, operatorId: null, action: 'session.begin' },
  { tenantId: false, operatorId: null, action: 'message.erase' },
  { tenantId: false, operatorId: RARE, action: null },
  { tenantId: true, operatorId: null, action: null },
  { tenantId: true, operatorId: RARE, action: 'tenant.update' },
])("the operators' log reads a page and no more: %j", async (filter) => {
  const touched = { blocks: -1 };
  await service.db.transact((tx) =>
    listAudit(
      explaining(tx, touched),
      { ...NONE, ...filter, tenantId: filter.tenantId ? tenantId : null },
      ALL,
      PAGE_ROWS,
    ),
  );
  expect(touched.blocks).toBeGreaterThan(0);
  expect(touched.blocks).toBeLessThan(BLOCKS_MAX);
});
