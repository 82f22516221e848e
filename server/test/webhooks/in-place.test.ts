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

test('that a delivery arrived changes its row in place: no index of the log is written', async () => {
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
    return tx.query<{ updated: number; in_place: number }>(
      `select pg_stat_get_xact_tuples_updated(t.oid)::integer as updated,
              pg_stat_get_xact_tuples_hot_updated(t.oid)::integer as in_place
         from (select 'webhook_deliveries'::regclass::oid) t`,
    );
  });
  expect(counted).toEqual({ updated: 5, in_place: 5 });
});
