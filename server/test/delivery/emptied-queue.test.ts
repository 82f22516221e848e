import { PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OLDEST_MAX } from '../../src/delivery/claim/due-store.ts';
import { believeEmpty } from '../support/believed-empty.ts';
import { type Harness, openHarness } from './harness.ts';
import { routerTo } from './routers.ts';

const MESSAGES = OLDEST_MAX + 500;

let h: Harness;
beforeAll(async () => {
  h = await openHarness();
});
afterAll(() => h.close());

test('a queue that PostgreSQL takes for empty is analyzed once a look finds much in it', async () => {
  const tenantId = await h.tenant();
  const queue = await believeEmpty(h.url, 'delivery_queue', () =>
    h.db.execute(
      `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
       select $1, gen_random_uuid(), 'd.test', now(), now(), now() + interval '2 days'
         from generate_series(1, 4000)`,
      [tenantId],
    ),
  );
  const put = async (count: number) => {
    for (let at = 0; at < count; at += 50)
      await Promise.all(Array.from({ length: 50 }, () => h.queue(tenantId)));
  };
  const sent = async () => {
    const [row] = await h.db.query<{ count: number }>(
      "select count(*)::integer as count from messages where status = 'sent'",
    );
    return row!.count;
  };
  const peer = await h.peer();
  await put(50);
  const worker = h.work(routerTo(peer));
  await vi.waitFor(async () => expect(await sent()).toBe(50), PATIENCE);
  // Little is no reason for it.
  expect(await queue.believed()).toBe(0);
  await worker.stop();
  await put(MESSAGES);
  h.work(routerTo(peer));
  await vi.waitFor(async () => expect(await queue.believed()).toBeGreaterThan(0), PATIENCE);
  await vi.waitFor(async () => expect(await sent()).toBe(50 + MESSAGES), PATIENCE);
  await queue.close();
});
