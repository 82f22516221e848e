import { createGate, type HttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { createWebhookDelivery, type WebhookDelivery } from '../../src/webhooks/deliver.ts';
import { purgeWebhooks } from '../../src/webhooks/purge.ts';
import { DAY_MS, HOUR_MS, received, startWebhooks, type Webhooks } from './harness.ts';

let hooks: Webhooks;
let receiver: HttpsReceiver;

beforeAll(async () => {
  hooks = await startWebhooks();
  receiver = await hooks.receiver();
  hooks.worker();
});

afterAll(() => hooks.close());

beforeEach(() => {
  receiver.answer(() => ({ kind: 'status', status: 200 }));
});

test('410 switches the endpoint off at once; what waits for it fails and can be replayed when it is on again', async () => {
  const { tenantId, key } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/gone'));
  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId, 3);
  await hooks.attempted(row.webhook_id, 1);
  receiver.answer(() => ({ kind: 'status', status: 410 }));
  const [last] = await hooks.emit(tenantId);
  const deliveries = await hooks.settled(row.webhook_id);
  expect(await hooks.endpoints.get(tenantId, row.webhook_id)).toMatchObject({
    enabled: false,
    disabled_reason: 'gone',
  });
  expect(deliveries.map((each) => each.status)).toEqual(Array(4).fill('failed'));
  expect(deliveries.find((each) => each.event_id === last!.eventId)).toMatchObject({
    last_status_code: 410,
    last_error: 'answered 410',
  });
  const since = new Date(hooks.clock.now().getTime() - HOUR_MS).toISOString();
  const replay = `/v1/webhooks/${row.webhook_id}/replay`;
  expect(await hooks.call('POST', replay, key, { since })).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict' } },
  });
  receiver.answer(() => ({ kind: 'status', status: 200 }));
  await hooks.call('PATCH', `/v1/webhooks/${row.webhook_id}`, key, { enabled: true });
  expect(await hooks.call('POST', replay, key, { since })).toMatchObject({
    status: 202,
    body: { replayed: 4 },
  });
  expect((await hooks.settled(row.webhook_id)).map((each) => each.status)).toEqual(
    Array(4).fill('delivered'),
  );
});

test('five days of nothing but failures switch it off, one success in between does not', async () => {
  const { tenantId, key } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/failing'));
  const shown = async () => (await hooks.call('GET', `/v1/webhooks/${row.webhook_id}`, key)).body;
  const state = () => hooks.endpoints.get(tenantId, row.webhook_id);
  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId);
  await hooks.attempted(row.webhook_id, 1);
  const firstFailure = (await state()).failing_since!;
  expect(Date.parse((await shown()).disables_at)).toBe(firstFailure.getTime() + 5 * DAY_MS);
  hooks.clock.advance(4.5 * DAY_MS);
  await hooks.emit(tenantId);
  await hooks.attempted(row.webhook_id, 2);
  expect(await state()).toMatchObject({ enabled: true, failing_since: firstFailure });

  receiver.answer(() => ({ kind: 'status', status: 200 }));
  await hooks.emit(tenantId);
  await expect.poll(async () => (await state()).failing_since).toBeNull();

  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId);
  await expect.poll(async () => (await state()).failing_since).not.toBeNull();
  hooks.clock.advance(5 * DAY_MS);
  await expect.poll(async () => (await state()).enabled).toBe(false);
  expect((await state()).disabled_reason).toBe('failing');
  expect((await shown()).disables_at).toBeNull();
  expect((await hooks.settled(row.webhook_id)).map((each) => each.status)).toContain('failed');
});

test('switched off while an attempt is under way: its success counts, its failure is not tried again', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/off'));
  const success = createGate();
  receiver.answer(() => ({ kind: 'status', status: 200, until: success.until }));
  const [good] = await hooks.emit(tenantId);
  await expect.poll(() => received(receiver, [good!]).length).toBe(1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: false });
  success.open();
  expect(await hooks.settled(row.webhook_id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);

  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: true });
  const failure = createGate();
  receiver.answer(() => ({ kind: 'status', status: 500, until: failure.until }));
  const [bad] = await hooks.emit(tenantId);
  await expect.poll(() => received(receiver, [bad!]).length).toBe(1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: false });
  failure.open();
  const deliveries = await hooks.settled(row.webhook_id);
  expect(deliveries[1]).toMatchObject({ status: 'failed', attempts: 1, due_at: null });
  expect(received(receiver, [bad!])).toHaveLength(1);
});

test('deleted while an attempt is under way: nothing breaks, nothing is sent any more', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/deleted'));
  const failure = createGate();
  receiver.answer(() => ({ kind: 'status', status: 500, until: failure.until }));
  const events = await hooks.emit(tenantId, 20);
  await expect.poll(() => received(receiver, events).length).toBeGreaterThan(0);
  await hooks.endpoints.remove(tenantId, row.webhook_id);
  failure.open();
  const deliveries = await hooks.settled(row.webhook_id);
  expect(deliveries.every((each) => each.status === 'failed' && each.due_at === null)).toBe(true);
  const reached = received(receiver, events).length;
  hooks.clock.advance(DAY_MS);
  const [later] = await hooks.emit(tenantId);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(received(receiver, [...events, later!])).toHaveLength(reached);
  expect(await hooks.deliveries(row.webhook_id)).toHaveLength(20);
});

test('an event that is written while its endpoint is deleted fails nothing', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url());
  await hooks.db.transact(async (tx) => {
    const [event] = await hooks.emit(tenantId);
    await appendEvents(tx, [{ ...event!, eventId: newId() }]);
    await hooks.endpoints.remove(tenantId, row.webhook_id);
  });
  expect((await hooks.settled(row.webhook_id)).length).toBe(2);
});

test('an url that is changed is where the retries go, and its failures begin anew', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/old'));
  receiver.answer((request) => ({ kind: 'status', status: request.path === '/old' ? 500 : 200 }));
  const events = await hooks.emit(tenantId);
  await hooks.attempted(row.webhook_id, 1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { url: receiver.url('/new') });
  expect((await hooks.endpoints.get(tenantId, row.webhook_id)).failing_since).toBeNull();
  hooks.clock.advance(6_000);
  expect(await hooks.settled(row.webhook_id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  expect(received(receiver, events).map((request) => request.path)).toEqual(['/old', '/new']);
});

test('deliveries are kept for 30 days, with their attempts, and no longer', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/kept'));
  await hooks.emit(tenantId, 3);
  await hooks.settled(row.webhook_id);
  hooks.clock.advance(29 * DAY_MS);
  await hooks.emit(tenantId);
  await hooks.settled(row.webhook_id);
  await purgeWebhooks(hooks);
  expect(await hooks.deliveries(row.webhook_id)).toHaveLength(4);
  hooks.clock.advance(1.01 * DAY_MS);
  await purgeWebhooks(hooks);
  const left = await hooks.deliveries(row.webhook_id);
  expect(left).toHaveLength(1);
  expect(
    await hooks.db.query('select distinct delivery_id from webhook_attempts where tenant_id = $1', [
      tenantId,
    ]),
  ).toEqual([{ delivery_id: left[0]!.delivery_id }]);
});

test('what a stop breaks off is given back: due at once, not counted, and delivered by the next', async () => {
  const alone = await startWebhooks();
  try {
    const slow = await alone.receiver();
    slow.answer(() => ({ kind: 'stall' }));
    const { tenantId } = await alone.tenant();
    const { row } = await alone.endpoint(tenantId, slow.url());
    await alone.emit(tenantId, 3);
    const first = alone.worker();
    await expect.poll(() => slow.requests.length).toBe(3);
    await first.stop(50);
    expect(await alone.deliveries(row.webhook_id)).toMatchObject(
      Array(3).fill({ status: 'pending', attempts: 0, lease_id: null, log: [] }),
    );
    slow.answer(() => ({ kind: 'status', status: 200 }));
    alone.worker();
    await expect
      .poll(async () => (await alone.deliveries(row.webhook_id)).map((each) => each.status))
      .toEqual(Array(3).fill('delivered'));
  } finally {
    await alone.close();
  }
});

test('a worker that is gone holds nothing: its lease runs out, and what it says afterwards changes nothing', async () => {
  const alone = await startWebhooks();
  const frozen = createGate();
  let other: WebhookDelivery | undefined;
  try {
    const receiverAlone = await alone.receiver();
    const { tenantId } = await alone.tenant();
    const { row } = await alone.endpoint(tenantId, receiverAlone.url());
    receiverAlone.answer(() => ({ kind: 'status', status: 500, until: frozen.until }));
    await alone.emit(tenantId);
    // One look: a frozen worker makes no other, which would lease the delivery again.
    let looked = false;
    const observe: Db['observe'] = async (work) => {
      if (looked) await frozen.until;
      looked = true;
      return alone.db.observe(work);
    };
    other = createWebhookDelivery({ ...alone.deps, db: { ...alone.db, observe }, pollMs: HOUR_MS });
    other.start();
    await expect.poll(() => receiverAlone.requests.length).toBe(1);
    // As if it had been frozen for longer than its lease.
    receiverAlone.answer(() => ({ kind: 'status', status: 200 }));
    await alone.db.execute("update webhook_queue set due_at = now() - interval '1 second'");
    alone.worker();
    await expect.poll(async () => (await alone.deliveries(row.webhook_id))[0]?.status).toBe('delivered');
    frozen.open();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [delivery] = await alone.deliveries(row.webhook_id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_status_code: 200, due_at: null });
    expect(delivery!.log).toHaveLength(1);
  } finally {
    frozen.open();
    await other?.stop(100);
    await alone.close();
  }
});
