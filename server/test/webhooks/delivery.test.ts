import type { HttpsReceiver, ReceivedRequest } from '@acuse/testkit/https-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { appendEvents } from '../../src/webhooks/append.ts';
import { SECRET_OVERLAP_MS } from '../../src/webhooks/endpoints.ts';
import { EVENT_TYPES } from '../../src/webhooks/event.ts';
import { purgeWebhooks } from '../../src/webhooks/purge.ts';
import { acceptsBySpecification, received, startWebhooks, type Webhooks } from './harness.ts';

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

/** The library looks at the time itself: it is shown the test's. */
function verifyByLibrary(request: ReceivedRequest, secret: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: hooks.clock.now() });
  try {
    new Webhook(secret).verify(request.body, request.headers);
  } finally {
    vi.useRealTimers();
  }
}

test('every delivery is accepted by a receiver written from the specification, and by the Standard Webhooks library', async () => {
  const { tenantId } = await hooks.tenant();
  const { row, secret } = await hooks.endpoint(tenantId, receiver.url('/all'));
  const data = { to: 'ana@example.com', reply: '250 2.0.0 Ök 漢 "\\\0' };
  const events = (await Promise.all(EVENT_TYPES.map((type) => hooks.emit(tenantId, 3, type, data)))).flat();
  await hooks.settled(row.webhook_id);
  const requests = received(receiver, events);
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
  await hooks.settled(row.webhook_id);
  const request = received(receiver, events)[0]!;
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
  await hooks.settled(some.row.webhook_id);
  await hooks.endpoints.update(tenantId, some.row.webhook_id, { enabled: false });
  const after = await hooks.emit(tenantId, 1, 'email.bounced');
  expect(await hooks.deliveries(some.row.webhook_id)).toHaveLength(2);
  expect(await hooks.deliveries(other.row.webhook_id)).toHaveLength(0);
  expect(
    received(receiver, [...before, ...events, ...after])
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
    const [delivery] = await hooks.attempted(row.webhook_id, made + 1);
    const leftMs = delivery!.due_at!.getTime() - hooks.clock.now().getTime();
    expect(delivery).toMatchObject({ status: 'pending', last_status_code: 503, last_error: 'answered 503' });
    expect(leftMs).toBeGreaterThan(waitMs - 5_000);
    expect(leftMs).toBeLessThanOrEqual(waitMs);
    hooks.clock.advance(waitMs);
  }
  const [delivery] = await hooks.settled(row.webhook_id);
  expect(delivery).toMatchObject({ status: 'failed', attempts: 8, due_at: null });
  expect(delivery!.log.map(({ attempt, status_code }) => [attempt, status_code])).toEqual(
    Array.from({ length: 8 }, (_, at) => [at + 1, 503]),
  );
  const requests = received(receiver, [event!]);
  expect(requests).toHaveLength(8);
  for (const request of requests) {
    expect(request.body.equals(requests[0]!.body)).toBe(true);
    expect(acceptsBySpecification(request, secret)).toBe(true);
  }
  // Each attempt has a timestamp of its own, so that a receiver can refuse replays.
  expect(new Set(requests.map((request) => request.headers['webhook-timestamp'])).size).toBe(8);
});

test('an attempt counts though the program refuses the connection, or breaks it', async () => {
  const { tenantId } = await hooks.tenant();
  const gone = await hooks.receiver();
  await gone.close();
  receiver.answer(() => ({ kind: 'hang-up' }));
  for (const url of [gone.url(), receiver.url('/hang-up')]) {
    const { row } = await hooks.endpoint(tenantId, url);
    await hooks.emit(tenantId);
    const [delivery] = await hooks.attempted(row.webhook_id, 1);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, last_status_code: null });
    expect(delivery!.last_error).toMatch(/ECONNREFUSED|ECONNRESET|other side closed|socket/);
    await hooks.endpoints.update(tenantId, row.webhook_id, { enabled: false });
  }
});

test('after a rotation the new secret signs at once, and the old one beside it for a day', async () => {
  const { tenantId } = await hooks.tenant();
  const before = await hooks.endpoint(tenantId, receiver.url('/rotated'));
  const after = await hooks.endpoints.rotate(tenantId, before.row.webhook_id);
  expect(after.secret).not.toBe(before.secret);
  const during = await hooks.emit(tenantId);
  await hooks.settled(before.row.webhook_id);
  const overlapping = received(receiver, during)[0]!;
  expect(acceptsBySpecification(overlapping, after.secret)).toBe(true);
  const previous = { 'service-signature': overlapping.headers['service-signature-previous'] ?? '' };
  expect(acceptsBySpecification({ ...overlapping, headers: previous }, before.secret)).toBe(true);
  verifyByLibrary(overlapping, after.secret);
  verifyByLibrary(overlapping, before.secret);

  hooks.clock.advance(SECRET_OVERLAP_MS);
  const later = await hooks.emit(tenantId);
  await hooks.settled(before.row.webhook_id);
  const only = received(receiver, later)[0]!;
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

test('a name that turns to a private address after the endpoint was made is not called', async () => {
  const { tenantId } = await hooks.tenant();
  const { row } = await hooks.endpoint(tenantId, receiver.url('/rebound', 'other.test'));
  const connections = receiver.connections;
  for (const addresses of [['10.0.0.1'], ['127.0.0.1', '169.254.169.254']]) {
    hooks.names.set('other.test', addresses);
    await hooks.emit(tenantId);
  }
  const deliveries = await hooks.attempted(row.webhook_id, 1);
  expect(deliveries[0]).toMatchObject({
    status: 'pending',
    last_status_code: null,
    last_error: 'other.test does not resolve to public addresses only',
  });
  expect(receiver.connections).toBe(connections);
});
