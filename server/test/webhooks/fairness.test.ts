import { PATIENCE_MS } from '@acuse/testkit/eventually';
import type { HttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HOUR_MS, startWebhooks, type Webhooks } from './harness.ts';

/**
 * Dead receivers hold an attempt for its whole time; live ones must be told of everything long before that.
 */
const STALL_MS = 2 * PATIENCE_MS;

let hooks: Webhooks;
let dead: HttpsReceiver;
let live: HttpsReceiver;

beforeEach(async () => {
  hooks = await startWebhooks();
  dead = await hooks.receiver();
  dead.answer(() => ({ kind: 'stall' }));
  live = await hooks.receiver();
});

afterEach(() => hooks.close());

async function expectTold(tenantId: string, count: number): Promise<void> {
  const before = live.requests.length;
  await hooks.emit(tenantId, count);
  await expect.poll(() => live.requests.length - before).toBeGreaterThanOrEqual(count);
}

test('a flood to the dead receivers of one tenant delays no other tenant', async () => {
  const flooded = await hooks.tenant('flooded');
  const other = await hooks.tenant('other');
  for (let each = 0; each < 20; each++)
    await hooks.endpoint(flooded.tenantId, dead.url(`/${each}`), ['email.sent']);
  await hooks.endpoint(other.tenantId, live.url());
  await hooks.emit(flooded.tenantId, 50, 'email.sent');
  hooks.worker(hooks.outbound(STALL_MS));
  await expect.poll(() => dead.requests.length).toBeGreaterThanOrEqual(20);
  await expectTold(other.tenantId, 100);
  // 20 × 8 places were asked for; a tenant has 64.
  expect(dead.openConnections).toBeLessThanOrEqual(64);
});

test('a dead endpoint delays no other endpoint of its tenant', async () => {
  const { tenantId } = await hooks.tenant();
  await hooks.endpoint(tenantId, dead.url(), ['email.sent']);
  await hooks.endpoint(tenantId, live.url(), ['email.bounced']);
  await hooks.emit(tenantId, 200, 'email.sent');
  hooks.worker(hooks.outbound(STALL_MS));
  await expect.poll(() => dead.requests.length).toBe(8);
  const before = live.requests.length;
  await hooks.emit(tenantId, 100, 'email.bounced');
  await expect.poll(() => live.requests.length - before).toBeGreaterThanOrEqual(100);
  expect(dead.requests.length).toBe(8);
});

test('one that stalls on a host delays nobody who has an endpoint on the same host', async () => {
  live.answer((request) => (request.path === '/dead' ? { kind: 'stall' } : { kind: 'status', status: 200 }));
  const bad = await hooks.tenant('bad');
  const good = await hooks.tenant('good');
  await hooks.endpoint(bad.tenantId, live.url('/dead'));
  await hooks.endpoint(good.tenantId, live.url('/good'));
  await hooks.emit(bad.tenantId, 100);
  hooks.worker(hooks.outbound(STALL_MS));
  await expect.poll(() => live.requests.length).toBe(8);
  await expectTold(good.tenantId, 50);
});

test('an endpoint that is overloaded is soon asked one thing at a time, until it is back', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, dead.url());
  dead.answer(() => ({ kind: 'status', status: 503, afterMs: 300 }));
  await hooks.emit(tenantId, 60);
  hooks.worker();
  await expect.poll(() => dead.requests.length).toBeGreaterThan(15);
  const times = dead.requests.slice(12).map((request) => request.receivedAt.getTime());
  for (const [at, time] of times.entries()) if (at > 0) expect(time - times[at - 1]!).toBeGreaterThan(250);
  dead.answer(() => ({ kind: 'status', status: 200 }));
  hooks.clock.advance(HOUR_MS);
  await hooks.settled(row.webhook_id);
  expect((await hooks.deliveries(row.webhook_id)).every((each) => each.status === 'delivered')).toBe(true);
  expect((await hooks.endpoints.get(tenantId, row.webhook_id)).failing_since).toBeNull();
});

test.each([
  ['known to answer', true],
  ['new', false],
])(
  'an endpoint that is %s is told while endpoints of many tenants hang, more than there are places',
  async (_, known) => {
    const good = await hooks.tenant('good');
    await hooks.endpoint(good.tenantId, live.url());
    // 12 × 64 attempts: half as many again as are begun at once.
    for (let each = 0; each < 12; each++) {
      const { tenantId } = await hooks.tenant(`hanging ${each}`);
      for (let at = 0; at < 8; at++) await hooks.endpoint(tenantId, dead.url(`/${each}/${at}`));
      await hooks.emit(tenantId, 16);
    }
    if (known) await hooks.emit(good.tenantId, 1);
    hooks.worker(hooks.outbound(STALL_MS));
    await expect.poll(() => dead.requests.length).toBeGreaterThan(500);
    if (!known) await hooks.endpoint(good.tenantId, live.url('/made-now'));
    const before = live.requests.length;
    await hooks.emit(good.tenantId, 20);
    await expect.poll(() => live.requests.length - before).toBeGreaterThanOrEqual(20);
    // Not one of those that hang has ended.
    const ended = await hooks.db.query(
      'select from webhook_attempts a join webhook_deliveries d using (tenant_id, delivery_id) where d.tenant_id <> $1',
      [good.tenantId],
    );
    expect(ended).toEqual([]);
  },
);
