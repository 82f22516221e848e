import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../../src/app/describe-api.ts';
import { newId } from '../../src/platform/ids.ts';
import { sealMessage } from '../support/sealed.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { makeTenant, type TestTenant } from '../support/tenants.ts';
import { createTemplateFixture } from './fixtures.ts';
import { countRows, GOOD } from './refusals.ts';

/**
 * Every operation that takes an id × an id of another account: a 404 that is, byte for byte, that of an id
 * nobody has.
 */
const document = describeApi();
const operations = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/') && path.includes('{'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      id: operation.operationId,
    })),
  );

let service: TestService;
let stranger: TestTenant;
/** Things of the owner, by the first part of the path. */
const owned: Record<string, string> = {};
let deliveryId: string;

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  stranger = await makeTenant(service);
  const make = async (path: string, body: object) => (await service.call('POST', path, { body })).body.id;
  owned['webhooks'] = await make('/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] });
  owned['messages'] = (await sealMessage(service)).id;
  owned['templates'] = await createTemplateFixture(() => service).template({ subject: 'S', text: 'T' });
  owned['domains'] = await make('/v1/domains', { name: 'owned.example.com' });
  owned['senders'] = await make('/v1/senders', { address: 'owned@owned.example.com' });
  owned['suppressions'] = await make('/v1/suppressions', { address: 'owned@example.com' });
  owned['api-keys'] = await make('/v1/api-keys', { name: 'owned', scopes: ['evidence:read'] });
  deliveryId = (await service.call('GET', `/v1/webhooks/${owned['webhooks']}/deliveries`)).body.data[0].id;
});
afterAll(() => service?.stop());

const BODIES: Record<string, object> = {
  updateMessage: { send_at: null },
  updateTemplate: { subject: 'stolen' },
  renderTemplate: { variables: {} },
  updateSender: { active: false },
  updateWebhook: { description: 'stolen', enabled: false },
  replayWebhookDeliveries: { since: '2026-01-01T00:00:00Z' },
};

test.each(operations)('$id', async ({ method, path, id: operationId }) => {
  const kind = path.split('/')[2]!;
  expect(owned[kind], `no example of ${kind}`).toBeDefined();
  const ask = (id: string, did: string, key?: string) =>
    service.call(
      method,
      path
        .replace('{id}', encodeURIComponent(id))
        .replace('{did}', encodeURIComponent(did))
        .replace('{index}', '0'),
      {
        ...(BODIES[operationId] && { body: BODIES[operationId] }),
        ...(key !== undefined && { key }),
        ...(operationId === 'resendMessage' && { headers: { 'idempotency-key': newKey() } }),
      },
    );
  const before = await countRows(service.db);
  const unknown = await ask(newId(), newId(), stranger.key);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
  const ids = [
    owned[kind]!,
    owned[kind]!.toUpperCase(),
    `{${owned[kind]}}`,
    'not-an-id',
    '0',
    "' or 1=1 --",
    '\0',
    'ñ',
    '%',
    'x'.repeat(400),
  ];
  for (const id of ids) {
    const answer = await ask(id, deliveryId, stranger.key);
    expect([id, answer.status, answer.raw.toString()]).toEqual([id, 404, unknown.raw.toString()]);
    expect(withoutVarying(answer.headers)).toEqual(withoutVarying(unknown.headers));
  }
  expect(await countRows(service.db)).toEqual(before);
  // The owner is let in, so that it was the account that kept the stranger out.
  if (method === 'GET') expect([200, 404]).toContain((await ask(owned[kind]!, deliveryId)).status);
});

function withoutVarying({ 'request-id': _id, date: _date, ...rest }: Record<string, unknown>) {
  return rest;
}

test('what the owner has is as it was', async () => {
  for (const [kind, id] of Object.entries(owned)) {
    if (kind === 'suppressions' || kind === 'api-keys') {
      const { data } = (await service.call('GET', `/v1/${kind}?limit=100`)).body;
      expect(data.map((each: { id: string }) => each.id)).toContain(id);
    } else {
      expect((await service.call('GET', `/v1/${kind}/${id}`)).status).toBe(200);
    }
  }
  expect((await service.call('GET', `/v1/senders/${owned['senders']}`)).body.active).toBe(true);
  expect((await service.call('GET', `/v1/webhooks/${owned['webhooks']}`)).body).toMatchObject({
    enabled: true,
    description: null,
  });
});

test('lists show nothing of another account', async () => {
  for (const path of [
    '/v1/messages',
    '/v1/templates',
    '/v1/domains',
    '/v1/senders',
    '/v1/suppressions',
    '/v1/webhooks',
  ]) {
    expect([path, (await service.call('GET', path, { key: stranger.key })).body]).toEqual([
      path,
      { data: [], next_cursor: null, ...(path === '/v1/messages' && { scanned_to: null }) },
    ]);
  }
  const keys = (await service.call('GET', '/v1/api-keys', { key: stranger.key })).body.data;
  expect(keys).toHaveLength(1);
  expect((await service.call('GET', '/v1/rates', { key: stranger.key })).body.counters.ingested).toBe(0);
});

test("ids in bodies are held to the same: verify, and a send with another account's template", async () => {
  const verify = (message_id: string) =>
    service.call('POST', '/v1/verify', { body: { message_id }, key: stranger.key });
  const [foreign, unknown] = [await verify(owned['messages']!), await verify(newId())];
  expect([foreign.status, foreign.raw.toString()]).toEqual([404, unknown.raw.toString()]);
  const send = (template_id: string) =>
    service.call('POST', '/v1/messages', {
      body: { from: GOOD.from, to: GOOD.to, template_id },
      headers: { 'idempotency-key': newKey() },
      key: stranger.key,
    });
  const [theirs, nobodys] = [await send(owned['templates']!), await send(newId())];
  expect([theirs.status, theirs.body.error.code, theirs.raw.toString()]).toEqual([
    404,
    'template_not_found',
    nobodys.raw.toString(),
  ]);
});

test("another account's idempotency key is free to use", async () => {
  const headers = { 'idempotency-key': newKey() };
  const own = await makeTenant(service);
  expect((await service.send({}, { headers })).status).toBe(201);
  const answer = await service.send({}, { headers, key: own.key });
  expect(answer.body.error.code).toBe('domain_not_verified');
});
