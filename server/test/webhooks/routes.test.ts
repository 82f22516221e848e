import type { HttpsReceiver } from '@acuse/testkit/https-receiver';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { behind, MACHINE_DOOR } from '../../src/platform/http/door.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { newId } from '../../src/platform/ids.ts';
import { webhookRoutes } from '../../src/webhooks/routes.ts';
import { startWebhooks, type Webhooks } from './harness.ts';

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

describe('endpoints', () => {
  test('the answer to the creation is the endpoint with its secret, which is shown nowhere else', async () => {
    const answer = await create({
      events: ['email.sent', 'email.sent', 'email.bounced'],
      description: 'label',
    });
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `/v1/webhooks/${answer.body.id}` },
      body: {
        url: receiver.url('/hooks'),
        events: ['email.sent', 'email.bounced'],
        description: 'label',
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        disables_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    const { id, secret, ...shown } = answer.body;
    const read = await hooks.call('GET', `/v1/webhooks/${id}`, key);
    expect(read).toMatchObject({ status: 200, body: { id, ...shown } });
    const list = await hooks.call('GET', '/v1/webhooks', key);
    const patched = await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { description: null });
    for (const later of [read, list, patched]) {
      expect(later.text).not.toContain('secret');
      expect(later.text).not.toContain(secret);
    }
    const stored = await hooks.db.query<{ row: string }>(
      'select e::text as row from webhook_endpoints e where webhook_id = $1',
      [id],
    );
    expect(stored[0]!.row).not.toContain(Buffer.from(secret).toString('hex'));
  });

  test('lists are newest first, in pages', async () => {
    const ids: string[] = [];
    for (let each = 0; each < 5; each++) ids.unshift((await create()).body.id);
    const first = await hooks.call('GET', '/v1/webhooks?limit=3', key);
    const second = await hooks.call('GET', `/v1/webhooks?limit=3&after=${first.body.next_cursor}`, key);
    expect([...first.body.data, ...second.body.data].map((each: { id: string }) => each.id)).toEqual(ids);
    expect(second.body.next_cursor).toBeNull();
  });

  test('twenty at once of thirty are made, the rest are told of the limit', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => create()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const [first] = answers.filter(({ status }) => status === 201);
    expect((await hooks.call('DELETE', `/v1/webhooks/${first!.body.id}`, key)).status).toBe(204);
    expect((await create()).status).toBe(201);
  });

  test('a change changes what it names, and a switched-off endpoint can be switched on', async () => {
    const { id } = (await create({ description: 'a' })).body;
    const change = (body: object) => hooks.call('PATCH', `/v1/webhooks/${id}`, key, body);
    expect((await change({})).body).toMatchObject({ description: 'a', events: ['*'], enabled: true });
    expect((await change({ events: ['email.sent'], description: 'b' })).body).toMatchObject({
      events: ['email.sent'],
      description: 'b',
      url: receiver.url('/hooks'),
    });
    expect((await change({ url: receiver.url('/new'), description: null })).body).toMatchObject({
      url: receiver.url('/new'),
      description: null,
    });
    expect((await change({ enabled: false })).body).toMatchObject({
      enabled: false,
      disabled_reason: 'manual',
    });
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, disabled_reason: null });
  });
});

describe('refusals', () => {
  const BAD: [string, object | string, RegExp][] = [
    ['no body at all', '', /./],
    ['a body that is no object', '[]', /./],
    ['no url', { events: ['*'] }, /url is required/],
    ['no events', { url: 'https://hooks.test/' }, /events is required/],
    ['empty events', { url: 'https://hooks.test/', events: [] }, /events/],
    ['an unknown event', { url: 'https://hooks.test/', events: ['email.opened'] }, /email\.queued/],
    ['events as text', { url: 'https://hooks.test/', events: '*' }, /events/],
    ['too many events', { url: 'https://hooks.test/', events: Array(11).fill('*') }, /events/],
    [
      'an unknown field',
      { url: 'https://hooks.test/', events: ['*'], secret: 'mine' },
      /secret is not a field/,
    ],
    [
      'a long description',
      { url: 'https://hooks.test/', events: ['*'], description: 'a'.repeat(501) },
      /description/,
    ],
    [
      'NUL in the description',
      { url: 'https://hooks.test/', events: ['*'], description: 'a\0b' },
      /description/,
    ],
    ['a url that is no URL', { url: 'hooks', events: ['*'] }, /url/],
    ['http to a public host', { url: 'http://93.184.215.14/', events: ['*'] }, /https/],
    ['http to a name elsewhere', { url: 'http://private.test/', events: ['*'] }, /http/],
    ['a private address', { url: 'https://10.0.0.1/', events: ['*'] }, /public/],
    ['a metadata service', { url: 'https://169.254.169.254/', events: ['*'] }, /public/],
    ['a name that leads to a private address', { url: 'https://private.test/', events: ['*'] }, /public/],
    ['a name that leads nowhere', { url: 'https://hooks.invalid/', events: ['*'] }, /does not resolve/],
    ['credentials', { url: 'https://user:pass@hooks.test/', events: ['*'] }, /credentials/],
    ['a fragment', { url: 'https://hooks.test/#a', events: ['*'] }, /fragment/],
    ['an empty fragment', { url: 'https://hooks.test/#', events: ['*'] }, /fragment/],
    ['white space in the url', { url: 'https://hooks.test/a b', events: ['*'] }, /white space/],
    ['NUL in the url', { url: 'https://hooks.test/\0', events: ['*'] }, /white space or control/],
    ['a long url', { url: `https://hooks.test/${'a'.repeat(2_048)}`, events: ['*'] }, /url/],
  ];

  test.each(BAD)('%s: 400 invalid_body that says what is wrong', async (_name, body, message) => {
    hooks.names.set('private.test', ['192.168.0.1']);
    const answer = await (typeof body === 'string'
      ? hooks.app
          .inject({
            method: 'POST',
            url: '/v1/webhooks',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            payload: body,
          })
          .then((each) => ({ status: each.statusCode, body: each.json() }))
      : hooks.call('POST', '/v1/webhooks', key, body));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } });
    expect(answer.body.error.message).toMatch(message);
  });

  test('a change is held to the same, and leaves the endpoint as it was', async () => {
    const { id } = (await create()).body;
    for (const body of [
      { url: 'https://10.0.0.1/' },
      { url: 'http://93.184.215.14/' },
      { events: [] },
      { enabled: 'yes' },
      { id: 'x' },
      { url: 5 },
    ])
      expect(await hooks.call('PATCH', `/v1/webhooks/${id}`, key, body)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_body' } },
      });
    // Null where null is no value: as if it were not there.
    expect((await hooks.call('PATCH', `/v1/webhooks/${id}`, key, { url: null })).status).toBe(200);
    expect((await hooks.call('GET', `/v1/webhooks/${id}`, key)).body).toMatchObject({
      url: receiver.url('/hooks'),
      events: ['*'],
    });
  });

  test('since must be a time, however far away', async () => {
    const { id } = (await create()).body;
    const replay = (since: unknown) => hooks.call('POST', `/v1/webhooks/${id}/replay`, key, { since });
    for (const since of ['yesterday', '2026', '2026-13-01T00:00:00Z', 1, null, '2026-01-01 00:00:00'])
      expect((await replay(since)).status, String(since)).toBe(400);
    for (const since of [
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      '2026-01-01T00:00:00.123456789+01:00',
    ])
      expect(await replay(since), since).toMatchObject({ status: 202, body: { replayed: 0 } });
  });

  test('lists refuse what is no page', async () => {
    const { id } = (await create()).body;
    for (const path of ['/v1/webhooks', `/v1/webhooks/${id}/deliveries`])
      for (const query of ['limit=0', 'limit=101', 'limit=x', 'after=x', 'page=2'])
        expect(await hooks.call('GET', `${path}?${query}`, key), `${path}?${query}`).toMatchObject({
          status: 400,
          body: { error: { code: 'invalid_parameter' } },
        });
    expect((await hooks.call('GET', `/v1/webhooks/${id}/deliveries?status=lost`, key)).status).toBe(400);
  });
});

describe('who may do what', () => {
  const ROUTES: [string, string, object?][] = [
    ['GET', '/v1/webhooks/:id'],
    ['PATCH', '/v1/webhooks/:id', { enabled: true }],
    ['DELETE', '/v1/webhooks/:id'],
    ['POST', '/v1/webhooks/:id/rotate-secret'],
    ['POST', '/v1/webhooks/:id/ping'],
    ['GET', '/v1/webhooks/:id/deliveries'],
    ['GET', '/v1/webhooks/:id/deliveries/:did'],
    ['POST', '/v1/webhooks/:id/deliveries/:did/replay'],
    ['POST', '/v1/webhooks/:id/replay', { since: '2026-01-01T00:00:00Z' }],
  ];

  test.each(ROUTES)(
    "%s %s of another tenant is, byte for byte, what an unknown id's is",
    async (method, path, body) => {
      const { id } = (await create()).body;
      await hooks.emit(tenantId);
      const [delivery] = await hooks.deliveries(id);
      const stranger = await hooks.tenant('stranger');
      const fill = (webhookId: string, deliveryId: string) =>
        path.replace(':id', webhookId).replace(':did', deliveryId);
      const theirs = await hooks.call(method, fill(id, delivery!.delivery_id), stranger.key, body);
      const unknown = await hooks.call(method, fill(newId(), newId()), stranger.key, body);
      const malformed = await hooks.call(method, fill('x', 'x'), stranger.key, body);
      expect(theirs.status).toBe(404);
      expect(theirs.text).toBe(unknown.text);
      expect(theirs.text).toBe(malformed.text);
      expect((await hooks.endpoints.get(tenantId, id)).enabled).toBe(true);
    },
  );

  test('a delivery of one endpoint is not found under another of the same tenant', async () => {
    const { id } = (await create()).body;
    await hooks.emit(tenantId);
    const other = (await create()).body;
    const [delivery] = await hooks.deliveries(id);
    const path = `/v1/webhooks/${other.id}/deliveries/${delivery!.delivery_id}`;
    expect((await hooks.call('GET', path, key)).status).toBe(404);
    expect((await hooks.call('POST', `${path}/replay`, key)).status).toBe(404);
  });

  test('nothing of a deleted endpoint is found any more', async () => {
    const { id } = (await create()).body;
    await hooks.emit(tenantId);
    const [delivery] = await hooks.deliveries(id);
    expect((await hooks.call('DELETE', `/v1/webhooks/${id}`, key)).status).toBe(204);
    for (const path of ['', '/deliveries', `/deliveries/${delivery!.delivery_id}`])
      expect((await hooks.call('GET', `/v1/webhooks/${id}${path}`, key)).status).toBe(404);
    expect((await hooks.call('DELETE', `/v1/webhooks/${id}`, key)).status).toBe(404);
  });

  test('reading takes either scope, writing takes messages:send', async () => {
    const { id } = (await create()).body;
    await hooks.emit(tenantId);
    const [delivery] = await hooks.deliveries(id);
    const reader = await hooks.tenant('reader', ['evidence:read']);
    const sender = await hooks.tenant('sender', ['messages:send']);
    const neither = await hooks.tenant('neither', ['suppressions:write', 'api_keys:write']);
    const url = receiver.url('/scoped');
    for (const [method, path, body] of [
      ...ROUTES,
      ['POST', '/v1/webhooks', { url, events: ['*'] }] as const,
    ]) {
      const full = path.replace(':id', id).replace(':did', delivery!.delivery_id);
      const status = async (as: { key: string }) => (await hooks.call(method, full, as.key, body)).status;
      expect(await status(neither), `${method} ${path}`).toBe(403);
      expect((await status(reader)) === 403, `${method} ${path}`).toBe(method !== 'GET');
      expect(await status(sender), `${method} ${path}`).not.toBe(403);
      expect((await hooks.call(method, full, null, body)).status).toBe(401);
    }
    expect((await hooks.call('GET', '/v1/webhooks', reader.key)).status).toBe(200);
    expect((await hooks.call('GET', '/v1/webhooks', neither.key)).status).toBe(403);
  });
});

test('every route says which errors it answers', async () => {
  const seen: { url: string; method: string; schema: Record<string, unknown> }[] = [];
  const app = createHttpServer({ log: hooks.deps.log, authenticate: async () => {}, trustProxy: null });
  app.addHook('onRoute', (route) => {
    seen.push({
      url: route.url,
      method: String(route.method),
      schema: route.schema as Record<string, unknown>,
    });
  });
  webhookRoutes(behind(app, MACHINE_DOOR)('Webhooks'), { ...hooks, wake: () => {} });
  const routes = seen.filter(({ method }) => method !== 'HEAD');
  expect(routes).toHaveLength(13);
  for (const { url, method, schema } of routes) {
    const statuses = Object.keys(schema['response'] as object);
    expect(statuses, `${method} ${url}`).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
    if (url.includes(':id')) expect(statuses, `${method} ${url}`).toContain('404');
    if (method !== 'GET')
      expect(statuses, `${method} ${url}`).toEqual(expect.arrayContaining(['400', '413', '415']));
  }
});
