import type { HttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { createWebhookDelivery } from '../../src/webhooks/deliver.ts';
import { startWebhooks, type Webhooks } from './harness.ts';

let hooks: Webhooks;
let receiver: HttpsReceiver;

beforeEach(async () => {
  hooks = await startWebhooks();
  receiver = await hooks.receiver();
});

afterEach(() => hooks.close());

test('one look serves many claims: they are 20 ms apart, however many attempts end in between', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url());
  await hooks.emit(tenantId, 600);
  const looks: number[] = [];
  const db: Db = {
    ...hooks.db,
    observe(work) {
      looks.push(performance.now());
      return hooks.db.observe(work);
    },
  };
  const worker = createWebhookDelivery({ ...hooks.deps, db });
  const startedMs = performance.now();
  worker.start();
  try {
    await hooks.settled(row.webhook_id);
  } finally {
    await worker.stop(100);
  }
  expect(receiver.requests).toHaveLength(600);
  expect(looks.length).toBeGreaterThan(0);
  expect(looks.length).toBeLessThanOrEqual((performance.now() - startedMs) / 20 + 1);
});

test('an endpoint with more than half of its window under way has its turn all the same', async () => {
  const { tenantId } = await hooks.tenant();
  await hooks.endpoint(tenantId, receiver.url('/slow'));
  receiver.answer(() => ({ kind: 'stall' }));
  hooks.worker();
  // Of 8 that may be under way at once at first.
  await hooks.emit(tenantId, 5);
  await expect.poll(() => receiver.requests.length).toBe(5);
  await hooks.emit(tenantId, 2);
  await expect.poll(() => receiver.requests.length).toBe(7);
});
