import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { claimDeliveries } from '../../src/webhooks/queue-store.ts';
import { recordResults } from '../../src/webhooks/result-store.ts';
import { startWebhooks, type Webhooks } from './harness.ts';

let hooks: Webhooks;

beforeAll(async () => {
  hooks = await startWebhooks();
});

afterAll(() => hooks.close());

test('that a delivery arrived is written beside it: its row, with the body, stays as it was', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, 'https://hooks.test/');
  const webhookId = row.webhook_id;
  await hooks.emit(tenantId, 5);
  const now = hooks.clock.now();
  const claim = { tenantId, webhookId, leaseId: newId(), now, limit: 5 };
  const claimed = await claimDeliveries(hooks.db, claim);
  const results = claimed.map(({ delivery_id: deliveryId, lease_id: leaseId }) => ({
    ...{ tenantId, deliveryId, leaseId, startedAt: now, durationMs: 1, statusCode: 200 },
    ...{ error: null, answer: null, status: 'delivered' as const, dueAt: null, attempt: 1 },
  }));
  const [counted] = await hooks.db.transact(async (tx) => {
    expect(await recordResults(tx, results)).toHaveProperty('size', 5);
    return tx.query<{ updated: number; attempts: number }>(
      `select pg_stat_get_xact_tuples_updated('webhook_deliveries'::regclass)::integer as updated,
              pg_stat_get_xact_tuples_inserted('webhook_attempts'::regclass)::integer as attempts`,
    );
  });
  expect(counted).toEqual({ updated: 0, attempts: 5 });
});
