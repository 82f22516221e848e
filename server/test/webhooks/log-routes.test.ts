import { createGate, type HttpsReceiver, type ReceivedRequest } from '@acuse/testkit/https-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EXCERPT_MAX_BYTES } from '../../src/platform/network/answer-excerpt.ts';
import { DELIVERIES_SCANNED_MAX } from '../../src/webhooks/delivery-store.ts';
import { REPLAYABLE_COUNTED_MAX } from '../../src/webhooks/queue-store.ts';
import { acceptsBySpecification, HOUR_MS, startWebhooks, type Webhooks } from './harness.ts';

/** The header fields that came, named as the log names them, without the signatures. */
function sentHeaders({ headers }: ReceivedRequest): Record<string, string> {
  const names = ['Content-Type', 'User-Agent', 'Service-Event', 'Service-Webhook-Id'];
  const own = [...names, 'webhook-id', 'webhook-timestamp'];
  return Object.fromEntries(own.map((name) => [name, String(headers[name.toLowerCase()])]));
}

let hooks: Webhooks;
let receiver: HttpsReceiver;
let key: string;
let tenantId: string;

beforeAll(async () => {
  hooks = await startWebhooks();
  receiver = await hooks.receiver();
  hooks.worker();
});

afterAll(() => hooks.close());

beforeEach(async () => {
  receiver.answer(() => ({ kind: 'status', status: 200 }));
  ({ key, tenantId } = await hooks.tenant());
});

const create = (body: object = {}) =>
  hooks.call('POST', '/v1/webhooks', key, { url: receiver.url('/hooks'), events: ['*'], ...body });

describe('ping', () => {
  test('delivers a synthetic event at once and says what was sent and what came of it', async () => {
    const { id, secret } = (await create({ events: ['email.bounced', 'email.sent'] })).body;
    const answer = await hooks.call('POST', `/v1/webhooks/${id}/ping`, key);
    const request = receiver.requests.at(-1)!;
    expect(answer).toMatchObject({
      status: 200,
      body: { delivered: true, status_code: 200, duration_ms: expect.any(Number), error: null },
    });
    expect(Object.keys(answer.body).sort()).toEqual([
      'delivered',
      'duration_ms',
      'error',
      'request',
      'response_excerpt',
      'response_headers',
      'status_code',
    ]);
    expect(request.body.toString()).toBe(answer.body.request.body);
    for (const [name, value] of Object.entries<string>(answer.body.request.headers))
      expect(request.headers[name.toLowerCase()]).toBe(value);
    expect(acceptsBySpecification(request, secret)).toBe(true);
    new Webhook(secret).verify(request.body, request.headers);
    expect(request.headers['service-event']).toBe('email.bounced');
    expect(JSON.parse(request.body.toString())).toEqual({
      type: 'email.bounced',
      created_at: expect.stringMatching(/Z$/),
      data: { message_id: expect.any(String), event_id: request.headers['webhook-id'], synthetic: true },
    });
    expect(await hooks.deliveries(id)).toEqual([]);
    expect(await hooks.db.query('select 1 from events where tenant_id = $1', [tenantId])).toEqual([]);
  });

  test('is email.queued for *, and reaches an endpoint that is off', async () => {
    const { id } = (await create()).body;
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: false });
    expect((await hooks.call('POST', `/v1/webhooks/${id}/ping`, key)).body.delivered).toBe(true);
    expect(receiver.requests.at(-1)!.headers['service-event']).toBe('email.queued');
  });

  test("an endpoint's failure is an answer, and changes nothing about it", async () => {
    const { id } = (await create()).body;
    const ping = () => hooks.call('POST', `/v1/webhooks/${id}/ping`, key);
    receiver.answer(() => ({ kind: 'status', status: 410 }));
    expect((await ping()).body).toMatchObject({ delivered: false, status_code: 410, error: 'answered 410' });
    receiver.answer(() => ({ kind: 'status', status: 302, headers: { location: 'https://10.0.0.1/' } }));
    expect((await ping()).body).toMatchObject({ delivered: false, status_code: 302 });
    receiver.answer(() => ({ kind: 'hang-up' }));
    expect((await ping()).body).toMatchObject({
      delivered: false,
      status_code: null,
      error: expect.stringMatching(/./),
    });
    expect(await hooks.endpoints.get(tenantId, id)).toMatchObject({ enabled: true, failing_since: null });
  });

  test('four of a tenant may be under way at once', async () => {
    const { id } = (await create()).body;
    const gate = createGate();
    receiver.answer(() => ({ kind: 'status', status: 200, until: gate.until }));
    let refused = 0;
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const answer = await hooks.call('POST', `/v1/webhooks/${id}/ping`, key);
        if (answer.status !== 200) refused++;
        if (refused === 4) gate.open();
        return answer;
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject({
        status: 429,
        headers: { 'retry-after': '5' },
        body: { error: { code: 'rate_limited' } },
      });
    expect((await hooks.call('POST', `/v1/webhooks/${id}/ping`, key)).status).toBe(200);
  });
});

describe('the delivery log', () => {
  test('shows each delivery with its attempts and its exact body', async () => {
    const { id } = (await create()).body;
    const faulty = { 'content-type': 'text/plain', 'set-cookie': 'session=secret' };
    const page = `<script>\0ñ${'x'.repeat(10_000)}`;
    receiver.answer(() => ({ kind: 'status', status: 500, headers: faulty, body: page }));
    const [event] = await hooks.emit(tenantId);
    await expect.poll(async () => (await hooks.deliveries(id))[0]?.attempts).toBe(1);
    receiver.answer(() => ({ kind: 'status', status: 200 }));
    hooks.clock.advance(6_000);
    await hooks.settled(id);
    const list = await hooks.call('GET', `/v1/webhooks/${id}/deliveries`, key);
    const shown = {
      event_id: event!.eventId,
      message_id: event!.messageId,
      type: 'email.sent',
      status: 'delivered',
      attempts: 2,
      last_status_code: 200,
      last_error: null,
      next_attempt_at: null,
      created_at: event!.occurredAt.toISOString(),
      delivered_at: expect.stringMatching(/Z$/),
    };
    expect(list.body).toEqual({
      data: [{ id: expect.any(String), ...shown }],
      next_cursor: null,
      scanned_to: null,
    });
    const read = await hooks.call('GET', `/v1/webhooks/${id}/deliveries/${list.body.data[0].id}`, key);
    const request = receiver.requests.find((each) => each.headers['webhook-id'] === event!.eventId)!;
    expect(read.body).toEqual({
      ...list.body.data[0],
      body: request.body.toString(),
      attempt_log: [
        {
          attempt: 1,
          started_at: expect.any(String),
          duration_ms: expect.any(Number),
          status_code: 500,
          error: 'answered 500',
          request_headers: sentHeaders(request),
          response_headers: expect.objectContaining({
            'content-type': 'text/plain',
            'set-cookie': '(hidden)',
          }),
          response_excerpt: `<script>\ufffdñ${'x'.repeat(EXCERPT_MAX_BYTES - 11)}`,
        },
        {
          attempt: 2,
          started_at: expect.any(String),
          duration_ms: expect.any(Number),
          status_code: 200,
          error: null,
          request_headers: expect.objectContaining({ 'webhook-id': event!.eventId }),
          response_headers: expect.any(Object),
          response_excerpt: expect.any(String),
        },
      ],
    });
  });

  test('is read by type and time, and looks at so many for what is rare', async () => {
    const { id } = (await create({ events: ['*'] })).body;
    await hooks.emit(tenantId, 2, 'email.queued');
    await hooks.emit(tenantId, 1, 'email.bounced');
    await hooks.settled(id);
    const path = `/v1/webhooks/${id}/deliveries`;
    const types = async (query: string) =>
      (await hooks.call('GET', `${path}?${query}`, key)).body.data.map(({ type }: { type: string }) => type);
    expect(await types('type=email.bounced')).toEqual(['email.bounced']);
    expect(await types('type=email.bounced,email.queued&status=delivered')).toHaveLength(3);
    expect(await types('status=pending')).toEqual([]);
    expect(
      await types(`created_after=${new Date(hooks.clock.now().getTime() + 60_000).toISOString()}`),
    ).toEqual([]);
    expect((await hooks.call('GET', `${path}?type=none`, key)).status).toBe(400);
    // As old as deliveries get, and as many.
    await hooks.db.execute(
      `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body,
         created_at)
       select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, $2, $2, 'email.sent', 'x',
              now() from generate_series(1, $3::integer) n`,
      [tenantId, id, DELIVERIES_SCANNED_MAX + 5],
    );
    const first = await hooks.call('GET', `${path}?type=email.complained`, key);
    expect(first.body).toEqual({
      data: [],
      next_cursor: expect.any(String),
      scanned_to: expect.any(String),
    });
    const next = await hooks.call(
      'GET',
      `${path}?type=email.complained&after=${first.body.next_cursor}`,
      key,
    );
    expect(next.body).toEqual({ data: [], next_cursor: null, scanned_to: null });
  });

  test('is newest first, by status, in pages', async () => {
    const { id } = (await create()).body;
    await hooks.emit(tenantId, 5);
    await hooks.settled(id);
    receiver.answer(() => ({ kind: 'status', status: 410 }));
    await hooks.emit(tenantId, 1);
    await hooks.settled(id);
    const path = `/v1/webhooks/${id}/deliveries`;
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await hooks.call('GET', `${path}?limit=2${after}`, key);
      seen.push(...page.body.data.map((each: { id: string }) => each.id));
      if (page.body.next_cursor === null) break;
      after = `&after=${page.body.next_cursor}`;
    }
    const all = await hooks.deliveries(id);
    expect(seen).toEqual(all.map((each) => each.delivery_id).reverse());
    expect((await hooks.call('GET', `${path}?status=failed`, key)).body.data).toHaveLength(1);
    expect((await hooks.call('GET', `${path}?status=delivered`, key)).body.data).toHaveLength(5);
    expect((await hooks.call('GET', `${path}?status=pending`, key)).body.data).toHaveLength(0);
  });

  test('one delivery can be sent again, whatever became of it, with the same bytes', async () => {
    const { id } = (await create()).body;
    const [event] = await hooks.emit(tenantId);
    await hooks.settled(id);
    const [delivery] = await hooks.deliveries(id);
    const replay = () =>
      hooks.call('POST', `/v1/webhooks/${id}/deliveries/${delivery!.delivery_id}/replay`, key);
    expect(await replay()).toMatchObject({ status: 202, body: { replayed: 1 } });
    const requests = () => receiver.requests.filter((each) => each.headers['webhook-id'] === event!.eventId);
    await expect.poll(() => requests().length).toBe(2);
    await hooks.settled(id);
    expect(requests()[1]!.body.equals(requests()[0]!.body)).toBe(true);
    expect((await hooks.deliveries(id))[0]).toMatchObject({
      status: 'delivered',
      attempts: 2,
      log: [{ attempt: 1 }, { attempt: 2 }],
    });
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: false });
    expect(await replay()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });

  test('one that waits for a retry comes at once, one that is under way is left alone', async () => {
    const { id } = (await create()).body;
    receiver.answer(() => ({ kind: 'status', status: 500 }));
    const [waiting] = await hooks.emit(tenantId);
    await expect.poll(async () => (await hooks.deliveries(id))[0]?.attempts).toBe(1);
    await hooks.putOff(id);
    const requests = (eventId: string) =>
      receiver.requests.filter((each) => each.headers['webhook-id'] === eventId).length;
    const gate = createGate();
    receiver.answer(() => ({ kind: 'status', status: 200, until: gate.until }));
    const [first] = await hooks.deliveries(id);
    const replay = () =>
      hooks.call('POST', `/v1/webhooks/${id}/deliveries/${first!.delivery_id}/replay`, key);
    expect((await replay()).status).toBe(202);
    await expect.poll(() => requests(waiting!.eventId)).toBe(2);
    expect((await replay()).status).toBe(202);
    gate.open();
    await hooks.settled(id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(requests(waiting!.eventId)).toBe(2);
  });

  test('all that failed since a time can be sent again, and nothing else', async () => {
    const { id } = (await create()).body;
    await hooks.emit(tenantId, 2);
    await hooks.settled(id);
    const fail = async (count: number) => {
      receiver.answer(() => ({ kind: 'status', status: 410 }));
      await hooks.emit(tenantId, count);
      await hooks.settled(id);
      await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: true });
    };
    await fail(3);
    hooks.clock.advance(2 * HOUR_MS);
    const since = new Date(hooks.clock.now().getTime() - HOUR_MS).toISOString();
    await fail(4);
    receiver.answer(() => ({ kind: 'status', status: 200 }));
    const replay = () => hooks.call('POST', `/v1/webhooks/${id}/replay`, key, { since });
    const count = async (at: string) =>
      hooks.call('GET', `/v1/webhooks/${id}/replay?since=${encodeURIComponent(at)}`, key);
    expect(await count(since)).toMatchObject({ status: 200, body: { failed: 4, waiting: 0, more: false } });
    expect((await count('1970-01-01T00:00:00Z')).body).toEqual({ failed: 7, waiting: 0, more: false });
    expect((await count('yesterday')).body.error.code).toBe('invalid_parameter');
    expect(await replay()).toMatchObject({ status: 202, body: { replayed: 4 } });
    await hooks.settled(id);
    expect((await hooks.deliveries(id)).map((each) => each.status)).toEqual([
      ...Array(2).fill('delivered'),
      ...Array(3).fill('failed'),
      ...Array(4).fill('delivered'),
    ]);
    expect(await replay()).toMatchObject({ status: 202, body: { replayed: 0 } });
    expect((await count(since)).body).toEqual({ failed: 0, waiting: 0, more: false });
  });

  test('what waits for its next attempt comes at once when that is asked for, and only what was made since', async () => {
    const { id } = (await create()).body;
    receiver.answer(() => ({ kind: 'status', status: 500 }));
    await hooks.emit(tenantId, 2);
    const tried = async (count: number) =>
      expect
        .poll(async () => (await hooks.deliveries(id)).filter((each) => each.attempts > 0).length)
        .toBe(count);
    await tried(2);
    hooks.clock.advance(1_000);
    const since = hooks.clock.now().toISOString();
    await hooks.emit(tenantId, 3);
    await tried(5);
    await hooks.putOff(id);
    receiver.answer(() => ({ kind: 'status', status: 200 }));
    const path = `/v1/webhooks/${id}/replay`;
    const count = async () =>
      (await hooks.call('GET', `${path}?since=${encodeURIComponent(since)}`, key)).body;
    expect(await count()).toEqual({ failed: 0, waiting: 3, more: false });
    expect((await hooks.call('POST', path, key, { since })).body).toEqual({ replayed: 0 });
    expect((await hooks.call('POST', path, key, { since, waiting: true })).body).toEqual({ replayed: 3 });
    await expect
      .poll(async () => (await hooks.deliveries(id)).map((each) => each.status))
      .toEqual(['pending', 'pending', 'delivered', 'delivered', 'delivered']);
    expect(await count()).toEqual({ failed: 0, waiting: 0, more: false });
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: false });
    expect((await hooks.call('POST', path, key, { since, waiting: true })).status).toBe(409);
  });

  test('replays go through page by page, however many failed', async () => {
    const { id } = (await create({ events: ['email.deferred'] })).body;
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: false });
    await hooks.db.execute(
      `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body,
        failed, created_at)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), gen_random_uuid(), 'email.deferred', '\\x7b7d',
         true, $3
         from generate_series(1, 10500)`,
      [tenantId, id, hooks.clock.now().toISOString()],
    );
    const all = await hooks.call('GET', `/v1/webhooks/${id}/replay?since=1970-01-01T00:00:00Z`, key);
    expect(all.body).toEqual({ failed: REPLAYABLE_COUNTED_MAX, waiting: 0, more: true });
    // Off between the check and the last page: the worker puts back what was put in line.
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: true });
    const since = new Date(hooks.clock.now().getTime() - HOUR_MS).toISOString();
    expect(await hooks.call('POST', `/v1/webhooks/${id}/replay`, key, { since })).toMatchObject({
      status: 202,
      body: { replayed: 10_500 },
    });
    await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { enabled: false });
    await expect
      .poll(
        async () =>
          (await hooks.db.query('select count(*) as n from webhook_queue where webhook_id = $1', [id]))[0],
      )
      .toEqual({ n: 0 });
  });
});
