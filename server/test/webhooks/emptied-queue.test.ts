import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OLDEST_MAX } from '../../src/webhooks/due-store.ts';
import { believeEmpty } from '../support/believed-empty.ts';
import { startWebhooks, type Webhooks } from './harness.ts';

const EVENTS = OLDEST_MAX + 500;

let hooks: Webhooks;
beforeAll(async () => {
  hooks = await startWebhooks();
});
afterAll(() => hooks.close());

test('a queue that PostgreSQL takes for empty is analyzed once a look finds much in it', async () => {
  const { tenantId } = await hooks.tenant();
  const receiver = await hooks.receiver();
  const { row } = await hooks.endpoint(tenantId, receiver.url());
  const queue = await believeEmpty(hooks.database.url, 'webhook_queue', () => hooks.emit(tenantId, 4_000));
  for (const table of ['webhook_queue', 'webhook_deliveries']) await hooks.db.execute(`delete from ${table}`);
  const delivered = async () => {
    const rows = await hooks.deliveries(row.webhook_id);
    return rows.filter(({ status }) => status === 'delivered').length;
  };
  const worker = hooks.worker();
  await hooks.emit(tenantId, 50);
  worker.start();
  await vi.waitFor(async () => expect(await delivered()).toBe(50), PATIENCE);
  // Little is no reason for it.
  expect(await queue.believed()).toBe(0);
  await worker.stop();
  await hooks.emit(tenantId, EVENTS);
  hooks.worker().start();
  await vi.waitFor(async () => expect(await queue.believed()).toBeGreaterThan(0), PATIENCE);
  await vi.waitFor(async () => expect(await delivered()).toBe(50 + EVENTS), PATIENCE);
  await queue.close();
});
