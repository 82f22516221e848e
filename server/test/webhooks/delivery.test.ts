import type { HttpsReceiver, ReceivedRequest } from '@acuse/testkit/https-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { SECRET_OVERLAP_MS } from '../../src/webhooks/endpoints.ts';
import { EVENT_TYPES } from '../../src/webhooks/event.ts';
import { purgeWebhooks } from '../../src/webhooks/purge.ts';
import { acceptsBySpecification, DAY_MS, HOUR_MS, startWebhooks, type Webhooks } from './harness.ts';

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

/** Requests that carry one of these events, in the order in which they came. */
function received(events: readonly { eventId: string }[]) {
  const ids = new Set(events.map(({ eventId }) => eventId));
  return receiver.requests.filter((request) => ids.has(request.headers['webhook-id'] ?? ''));
}

/** The library looks at the time itself: it is shown the test's. */
function verifyByLibrary(request: ReceivedRequest, secret: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: hooks.clock.now() });
  try {
    new Webhook(secret).verify(request.body, request.headers);
  } finally {
    vi.useRealTimers();
  }
}

async function settled(webhookId: string) {
  await expect
    .poll(async () => (await hooks.deliveries(webhookId)).map((row) => row.status), { timeout: 10_000 })
    .not.toContain('pending');
  return hooks.deliveries(webhookId);
}

async function attempted(webhookId: string, attempts: number) {
  await expect
    .poll(async () => (await hooks.deliveries(webhookId)).map((row) => row.attempts), { timeout: 10_000 })
    .toEqual(expect.arrayContaining([attempts]));
  return hooks.deliveries(webhookId);
}

test('every delivery is accepted by a receiver written from the specification, and by the Standard Webhooks library', async () => {
  const { tenantId } = await hooks.tenant();
  const { row, secret } = await hooks.endpoint(tenantId, receiver.url('/all'));
  const data = { to: 'ana@example.com', reply: '250 2.0.0 Ök 漢 "\\\0' };
  const events = (await Promise.all(EVENT_TYPES.map((type) => hooks.emit(tenantId, 3, type, data)))).flat();
  await settled(row.webhook_id);
  const requests = received(events);
  expect(requests).toHaveLength(18);
  for (const request of requests) {
    expect(acceptsBySpecification(request, secret)).toBe(true);
    verifyByLibrary(request, secret);
    const event = events.find((each) => each.eventId === request.headers['webhook-id'])!;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/all',
      headers: {
        'content-type': 'application/json',
        'service-event': event.type,
        'service-webhook-id': row.webhook_id,
        'user-agent': 'service-webhooks/1.0',
      },
    });
    expect(JSON.parse(request.body.toString())).toEqual({
      type: event.type,
      created_at: event.occurredAt.toISOString(),
      data: {
        message_id: event.messageId,
        event_id: event.eventId,
        to: 'ana@example.com',
        reply: '250 2.0.0 Ök 漢 "\\\ufffd',
      },
    });
  }
  // In raw form, because header names stand in the specification as they are to be seen.
  expect(requests[0]!.rawHeaders).toEqual(
    expect.arrayContaining(['Service-Event', 'Service-Signature', 'Service-Webhook-Id', 'User-Agent']),
  );
});

test('a forged body, signature or secret is refused by the same receiver', async () => {
  const { tenantId } = await hooks.tenant();
  const { row, secret } = await hooks.endpoint(tenantId, receiver.url());
  const events = await hooks.emit(tenantId);
  await settled(row.webhook_id);
  const request = received(events)[0]!;
  expect(
    acceptsBySpecification({ ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) }, secret),
  ).toBe(false);
  expect(acceptsBySpecification(request, `${secret}x`)).toBe(false);
  expect(acceptsBySpecification({ ...request, headers: {} }, secret)).toBe(false);
});

test('an endpoint is told of the types that it names, and of nothing before it was there or after it was switched off', async () => {
  const { tenantId } = await hooks.tenant();
  const stranger = await hooks.tenant();
  const before = await hooks.emit(tenantId);
  const some = await hooks.endpoint(tenantId, receiver.url('/some'), ['email.bounced', 'email.sealed']);
  const other = await hooks.endpoint(stranger.tenantId, receiver.url('/other'));
  const events = (await Promise.all(EVENT_TYPES.map((type) => hooks.emit(tenantId, 1, type)))).flat();
  await settled(some.row.webhook_id);
  await hooks.endpoints.update(tenantId, some.row.webhook_id, { enabled: false });
  const after = await hooks.emit(tenantId, 1, 'email.bounced');
  expect(await hooks.deliveries(some.row.webhook_id)).toHaveLength(2);
  expect(await hooks.deliveries(other.row.webhook_id)).toHaveLength(0);
  expect(
    received([...before, ...events, ...after])
      .map((request) => request.headers['service-event'])
      .sort(),
  ).toEqual(['email.bounced', 'email.sealed']);
});

test('a transaction that is rolled back leaves no event, delivery or queue row', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url());
  const event = {
    tenantId,
    eventId: newId(),
    messageId: newId(),
    type: 'email.sent' as const,
    occurredAt: hooks.clock.now(),
    data: {},
  };
  await expect(
    hooks.db.transact(async (tx) => {
      await appendEvents(tx, [event]);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await hooks.deliveries(row.webhook_id)).toEqual([]);
  expect(await hooks.db.query('select 1 from webhook_queue where tenant_id = $1', [tenantId])).toEqual([]);
  expect(await hooks.db.query('select 1 from events where tenant_id = $1', [tenantId])).toEqual([]);
});

test('retries come on schedule, byte for byte the same, and end after the eighth attempt', async () => {
  const { tenantId } = await hooks.tenant();
  const { row, secret } = await hooks.endpoint(tenantId, receiver.url());
  receiver.answer(() => ({ kind: 'status', status: 503 }));
  const [event] = await hooks.emit(tenantId);
  const waitsMs = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1_000);
  for (const [made, waitMs] of waitsMs.entries()) {
    const [delivery] = await attempted(row.webhook_id, made + 1);
    const leftMs = delivery!.due_at!.getTime() - hooks.clock.now().getTime();
    expect(delivery).toMatchObject({ status: 'pending', last_status_code: 503, last_error: 'answered 503' });
    expect(leftMs).toBeGreaterThan(waitMs - 5_000);
    expect(leftMs).toBeLessThanOrEqual(waitMs);
    hooks.clock.advance(waitMs);
  }
  const [delivery] = await settled(row.webhook_id);
  expect(delivery).toMatchObject({ status: 'failed', attempts: 8, due_at: null });
  expect(delivery!.log.map(({ attempt, status_code }) => [attempt, status_code])).toEqual(
    Array.from({ length: 8 }, (_, at) => [at + 1, 503]),
  );
  const requests = received([event!]);
  expect(requests).toHaveLength(8);
  for (const request of requests) {
    expect(request.body.equals(requests[0]!.body)).toBe(true);
    expect(acceptsBySpecification(request, secret)).toBe(true);
  }
  // Each attempt has a timestamp of its own, so that a receiver can refuse replays.
  expect(new Set(requests.map((request) => request.headers['webhook-timestamp'])).size).toBe(8);
});

test('410 switches the endpoint off at once; what waits for it fails and can be replayed when it is on again', async () => {
  const { tenantId, key } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/gone'));
  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId, 3);
  await attempted(row.webhook_id, 1);
  receiver.answer(() => ({ kind: 'status', status: 410 }));
  const [last] = await hooks.emit(tenantId);
  const deliveries = await settled(row.webhook_id);
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
  expect((await settled(row.webhook_id)).map((each) => each.status)).toEqual(Array(4).fill('delivered'));
});

test('five days of nothing but failures switch it off, one success in between does not', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/failing'));
  const state = () => hooks.endpoints.get(tenantId, row.webhook_id);
  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId);
  await attempted(row.webhook_id, 1);
  const firstFailure = (await state()).failing_since!;
  hooks.clock.advance(4.5 * DAY_MS);
  await hooks.emit(tenantId);
  await attempted(row.webhook_id, 2);
  expect(await state()).toMatchObject({ enabled: true, failing_since: firstFailure });

  receiver.answer(() => ({ kind: 'status', status: 200 }));
  await hooks.emit(tenantId);
  await expect.poll(async () => (await state()).failing_since).toBeNull();

  receiver.answer(() => ({ kind: 'status', status: 500 }));
  await hooks.emit(tenantId);
  await expect.poll(async () => (await state()).failing_since).not.toBeNull();
  hooks.clock.advance(5 * DAY_MS);
  await expect.poll(async () => (await state()).enabled, { timeout: 10_000 }).toBe(false);
  expect((await state()).disabled_reason).toBe('failing');
  expect((await settled(row.webhook_id)).map((each) => each.status)).toContain('failed');
});

test('after a rotation the new secret signs at once, and the old one beside it for a day', async () => {
  const { tenantId } = await hooks.tenant();
  const before = await hooks.endpoint(tenantId, receiver.url('/rotated'));
  const after = await hooks.endpoints.rotate(tenantId, before.row.webhook_id);
  expect(after.secret).not.toBe(before.secret);
  const during = await hooks.emit(tenantId);
  await settled(before.row.webhook_id);
  const overlapping = received(during)[0]!;
  expect(acceptsBySpecification(overlapping, after.secret)).toBe(true);
  const previous = { 'service-signature': overlapping.headers['service-signature-previous'] ?? '' };
  expect(acceptsBySpecification({ ...overlapping, headers: previous }, before.secret)).toBe(true);
  verifyByLibrary(overlapping, after.secret);
  verifyByLibrary(overlapping, before.secret);

  hooks.clock.advance(SECRET_OVERLAP_MS);
  const later = await hooks.emit(tenantId);
  await settled(before.row.webhook_id);
  const only = received(later)[0]!;
  expect(acceptsBySpecification(only, after.secret)).toBe(true);
  expect(only.headers).not.toHaveProperty('service-signature-previous');
  expect(only.headers['webhook-signature']!.split(' ')).toHaveLength(1);

  await purgeWebhooks(hooks);
  expect(
    await hooks.db.query(
      'select previous_secret_sealed, previous_secret_until from webhook_endpoints where webhook_id = $1',
      [before.row.webhook_id],
    ),
  ).toEqual([{ previous_secret_sealed: null, previous_secret_until: null }]);
});

test('switched off while an attempt is under way: its success counts, its failure is not tried again', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/off'));
  receiver.answer(() => ({ kind: 'status', status: 200, afterMs: 400 }));
  const [good] = await hooks.emit(tenantId);
  await expect.poll(() => received([good!]).length).toBe(1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: false });
  expect(await settled(row.webhook_id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);

  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: true });
  receiver.answer(() => ({ kind: 'status', status: 500, afterMs: 400 }));
  const [bad] = await hooks.emit(tenantId);
  await expect.poll(() => received([bad!]).length).toBe(1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: false });
  const deliveries = await settled(row.webhook_id);
  expect(deliveries[1]).toMatchObject({ status: 'failed', attempts: 1, due_at: null });
  expect(received([bad!])).toHaveLength(1);
});

test('deleted while an attempt is under way: nothing breaks, nothing is sent any more', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/deleted'));
  receiver.answer(() => ({ kind: 'status', status: 500, afterMs: 300 }));
  const events = await hooks.emit(tenantId, 20);
  await expect.poll(() => received(events).length).toBeGreaterThan(0);
  await hooks.endpoints.remove(tenantId, row.webhook_id);
  const deliveries = await settled(row.webhook_id);
  expect(deliveries.every((each) => each.status === 'failed' && each.due_at === null)).toBe(true);
  const reached = received(events).length;
  hooks.clock.advance(DAY_MS);
  const [later] = await hooks.emit(tenantId);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(received([...events, later!])).toHaveLength(reached);
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
  expect((await settled(row.webhook_id)).length).toBe(2);
});

test('an url that is changed is where the retries go, and its failures begin anew', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/old'));
  receiver.answer((request) => ({ kind: 'status', status: request.path === '/old' ? 500 : 200 }));
  const events = await hooks.emit(tenantId);
  await attempted(row.webhook_id, 1);
  await hooks.endpoints.update(tenantId, row.webhook_id, { url: receiver.url('/new') });
  expect((await hooks.endpoints.get(tenantId, row.webhook_id)).failing_since).toBeNull();
  hooks.clock.advance(6_000);
  expect(await settled(row.webhook_id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  expect(received(events).map((request) => request.path)).toEqual(['/old', '/new']);
});

test('deliveries are kept for 30 days, with their attempts, and no longer', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/kept'));
  await hooks.emit(tenantId, 3);
  await settled(row.webhook_id);
  hooks.clock.advance(29 * DAY_MS);
  await hooks.emit(tenantId);
  await settled(row.webhook_id);
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
  try {
    const receiverAlone = await alone.receiver();
    const { tenantId } = await alone.tenant();
    const { row } = await alone.endpoint(tenantId, receiverAlone.url());
    receiverAlone.answer(() => ({ kind: 'status', status: 500, afterMs: 1_500 }));
    await alone.emit(tenantId);
    alone.worker();
    await expect.poll(() => receiverAlone.requests.length).toBe(1);
    // As if the first worker had been frozen for longer than its lease.
    receiverAlone.answer(() => ({ kind: 'status', status: 200 }));
    alone.clock.advance(61_000);
    alone.worker();
    await expect
      .poll(async () => (await alone.deliveries(row.webhook_id))[0]?.status, { timeout: 5_000 })
      .toBe('delivered');
    await new Promise((resolve) => setTimeout(resolve, 1_700));
    const [delivery] = await alone.deliveries(row.webhook_id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_status_code: 200, due_at: null });
    expect(delivery!.log).toHaveLength(1);
  } finally {
    await alone.close();
  }
});
