import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { blankEvents } from '../../src/webhooks/erase-store.ts';
import { DELIVERY_LOG_MS, purgeWebhooks } from '../../src/webhooks/purge.ts';
import { claimDeliveries } from '../../src/webhooks/queue-store.ts';
import { type DeliveryResult, recordResults } from '../../src/webhooks/result-store.ts';
import { DAY_MS, startWebhooks, type Webhooks } from './harness.ts';

/** Attempts are rows beside their delivery's, which nothing but those who write them keeps together. */

let hooks: Webhooks;

beforeAll(async () => {
  hooks = await startWebhooks();
});

afterAll(() => hooks.close());

/** So many deliveries of new messages of one endpoint, claimed, with what each attempt came to. */
async function attempted(count: number) {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, 'https://hooks.test/');
  const events = await hooks.emit(tenantId, count);
  const now = hooks.clock.now();
  const claim = { tenantId, webhookId: row.webhook_id, leaseId: newId(), now, limit: count };
  const claimed = await claimDeliveries(hooks.db, claim);
  expect(claimed).toHaveLength(count);
  const results = claimed.map<DeliveryResult>(({ delivery_id: deliveryId, lease_id: leaseId }) => ({
    ...{ tenantId, deliveryId, leaseId, startedAt: now, durationMs: 1, statusCode: 200 },
    ...{ error: null, answer: { headers: {}, excerpt: 'ana@example.com' } },
    ...{ status: 'delivered', dueAt: null, attempt: 1 },
  }));
  return { tenantId, events, results };
}

const attemptsOf = (tenantId: string) =>
  hooks.db.query('select delivery_id from webhook_attempts where tenant_id = $1', [tenantId]);

/** Until a statement waits for a lock that another transaction has. */
async function somebodyWaits(): Promise<void> {
  await expect
    .poll(async () => (await hooks.db.query('select 1 from pg_locks where not granted')).length)
    .toBeGreaterThan(0);
}

test('an attempt that is being recorded while its message is erased goes with it', async () => {
  const { tenantId, events, results } = await attempted(1);
  let commit = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const recording = hooks.db.transact(async (tx) => {
    expect(await recordResults(tx, results)).toHaveProperty('size', 1);
    await mayCommit;
  });
  await expect.poll(() => recordingSeen(tenantId)).toBe(true);
  const erasing = hooks.db.transact((tx) => blankEvents(tx, tenantId, events[0]!.messageId));
  await somebodyWaits().finally(commit);
  await Promise.all([recording, erasing]);
  expect(await attemptsOf(tenantId)).toEqual([]);
});

const inLine = (tenantId: string) =>
  hooks.db.query('select delivery_id from webhook_queue where tenant_id = $1', [tenantId]);

/** Its row in the queue is locked: its removal was sent. */
async function recordingSeen(tenantId: string): Promise<boolean> {
  const free = await hooks.db.query(
    'select 1 from webhook_queue where tenant_id = $1 for update skip locked',
    [tenantId],
  );
  return free.length === 0;
}

test('an attempt that ends after its message was erased is not recorded', async () => {
  const { tenantId, events, results } = await attempted(2);
  await hooks.db.transact((tx) => blankEvents(tx, tenantId, events[0]!.messageId));
  const ours = await hooks.db.transact((tx) => recordResults(tx, results));
  expect(ours.size).toBe(1);
  expect(await attemptsOf(tenantId)).toEqual([{ delivery_id: [...ours][0] }]);
  expect(await inLine(tenantId)).toEqual([]);
});

test('attempts and places in line are purged with their deliveries, and no others', async () => {
  const old = await attempted(2);
  await hooks.db.transact((tx) => recordResults(tx, old.results.slice(1)));
  expect(await inLine(old.tenantId)).toHaveLength(1);
  await hooks.db.execute('update webhook_deliveries set created_at = $2 where tenant_id = $1', [
    old.tenantId,
    new Date(hooks.clock.now().getTime() - DELIVERY_LOG_MS - DAY_MS).toISOString(),
  ]);
  const kept = await attempted(3);
  await hooks.db.transact((tx) => recordResults(tx, kept.results.slice(1)));
  await purgeWebhooks(hooks);
  expect(await attemptsOf(old.tenantId)).toEqual([]);
  expect(await inLine(old.tenantId)).toEqual([]);
  expect(await attemptsOf(kept.tenantId)).toHaveLength(2);
  expect(await inLine(kept.tenantId)).toHaveLength(1);
});
