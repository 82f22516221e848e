import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endLeakedKey } from '../../src/accounts/api-keys/leak.ts';
import { createApiKey } from '../../src/accounts/api-keys/operations.ts';
import { appendAccountEvent, fromCommandLine } from '../../src/accounts/audit/append.ts';
import { LEAK_PARTS } from '../../src/app/leak-parts.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { signedIn } from '../support/people.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let aheadMs = 0;
const clock: Clock = {
  now: () => new Date(Date.now() + aheadMs),
  monotonicMs: () => performance.now() + aheadMs,
};
beforeAll(async () => {
  service = await startTestService({
    environment: { ACUSE_TRUST_PROXY: '127.0.0.1', ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' },
    clock,
  });
});
afterAll(() => service.stop());

const ALL = ['messages:send', 'evidence:read', 'api_keys:write'];
const make = (fields: object, key = service.account.apiKey) =>
  service.call('POST', '/v1/api-keys', { key, body: { name: 'narrowed', scopes: ALL, ...fields } });
async function made(fields: object, key?: string): Promise<{ id: string; key: string }> {
  const { status, body } = await make(fields, key);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];
const listedKey = async (id: string) =>
  (await service.call('GET', '/v1/api-keys?limit=100')).body.data.find(
    (each: { id: string }) => each.id === id,
  );

describe('a narrowed key', () => {
  test('by default is narrowed in nothing, and says so', async () => {
    const { id } = await made({});
    const narrowed = { senders: null, networks: null, expires_at: null, read_only: [] };
    expect(await listedKey(id)).toMatchObject(narrowed);
  });

  test('sends as its senders alone: one by one, in batches, raw and again', async () => {
    const { key } = await made({ senders: ['Billing@Sandbox.test', '*@other.example'] });
    expect((await service.send({ from: 'Billing <billing@sandbox.test>' }, { key })).status).toBe(201);
    expect(codeOf(await service.send({ from: 'ceo@sandbox.test' }, { key }))).toEqual([
      422,
      'from_not_approved',
    ]);
    const item = { to: 'ana@sandbox.test', subject: 'S', text: 'T' };
    const batch = await service.call('POST', '/v1/messages/batch', {
      key,
      body: {
        messages: [
          { ...item, from: 'billing@sandbox.test', idempotency_key: newKey() },
          { ...item, from: 'ceo@sandbox.test', idempotency_key: newKey() },
        ],
      },
    });
    expect([batch.body.created, batch.body.failed]).toEqual([1, 1]);
    const raw =
      'From: billing@sandbox.test, ceo@sandbox.test\r\nSender: billing@sandbox.test\r\nTo: ana@sandbox.test\r\nSubject: S\r\n\r\nT\r\n';
    for (const text of [raw, raw.replace('billing@sandbox.test, ', '')]) {
      const answer = await service.call('POST', '/v1/messages', {
        key,
        body: text,
        headers: { 'content-type': 'message/rfc822', 'idempotency-key': newKey() },
      });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    const others = (await service.send({ from: 'ceo@sandbox.test' })).body.id;
    expect((await service.call('POST', `/v1/messages/${others}/cancel`)).status).toBe(200);
    const again = await service.call('POST', `/v1/messages/${others}/resend`, {
      key,
      headers: { 'idempotency-key': newKey() },
    });
    expect(codeOf(again)).toEqual([422, 'from_not_approved']);
  });

  test('works from its networks alone, in either family', async () => {
    const { key } = await made({ networks: ['192.0.2.0/24', '2001:db8:1::/48', '198.51.100.7'] });
    const from = async (address: string) =>
      codeOf(await service.call('GET', '/v1/account', { key, headers: { 'x-forwarded-for': address } }));
    for (const address of ['192.0.2.200', '2001:db8:1:ffff::1', '198.51.100.7', '::ffff:192.0.2.1'])
      expect([address, ...(await from(address))]).toEqual([address, 200, undefined]);
    for (const address of ['192.0.3.1', '2001:db8:2::1', '198.51.100.8', '127.0.0.1'])
      expect([address, ...(await from(address))]).toEqual([address, 403, 'insufficient_scope']);
  });

  test('works until its time, also where it was used before', async () => {
    const { key } = await made({ expires_at: new Date(clock.now().getTime() + 60_000).toISOString() });
    const use = async () => codeOf(await service.call('GET', '/v1/account', { key }));
    expect(await use()).toEqual([200, undefined]);
    aheadMs += 61_000;
    expect(await use()).toEqual([401, 'unauthorized']);
  });

  test('reads domains and webhooks, and changes neither', async () => {
    const { key } = await made({ read_only: ['domains', 'webhooks'] });
    const { data } = (await service.call('GET', '/v1/domains', { key })).body;
    const domain = `/v1/domains/${data[0].id}`;
    for (const [method, path, body] of [
      ['POST', '/v1/domains', { name: 'more.example' }],
      ['DELETE', domain, undefined],
      ['POST', `${domain}/dkim/rotate`, {}],
      ['POST', '/v1/senders', { address: 'ceo@sandbox.test' }],
      ['POST', '/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] }],
    ] as const) {
      const answer = await service.call(method, path, { key, ...(body && { body }) });
      expect([path, answer.status]).toEqual([path, path.includes('rotate') ? answer.status : 403]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    for (const path of ['/v1/webhooks', domain, '/v1/senders'])
      expect((await service.call('GET', path, { key })).status).toBe(200);
    expect((await service.send({}, { key })).status).toBe(201);
  });

  test('makes keys that are as narrow as itself, never wider', async () => {
    const until = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const { key } = await made({
      ...{ senders: ['*@sandbox.test'], networks: ['127.0.0.1'] },
      ...{ expires_at: until, read_only: ['webhooks'] },
    });
    const heir = await make({ senders: ['a@sandbox.test'] }, key);
    expect(heir.body).toMatchObject({
      ...{ senders: ['a@sandbox.test'], networks: ['127.0.0.1'], expires_at: until, read_only: ['webhooks'] },
    });
    for (const wider of [
      { senders: ['a@other.example'] },
      { senders: ['a@sandbox.test', '*@other.example'] },
      { networks: ['0.0.0.0/0'] },
      { expires_at: new Date(clock.now().getTime() + 7_200_000).toISOString() },
    ])
      expect(codeOf(await make(wider, key))).toEqual([403, 'insufficient_scope']);
    expect((await make({ read_only: [] }, key)).body.read_only).toEqual(['webhooks']);
  });

  test.each([
    { senders: [] },
    { senders: ['@'] },
    { senders: ['*@*'] },
    { senders: ['*'] },
    { networks: ['loopback'] },
    { networks: ['1'] },
    { networks: ['192.0.2.0/33'] },
    { networks: ['192.0.2.0/24 ', '::/129'] },
    { expires_at: '2020-01-01T00:00:00Z' },
    { expires_at: 'tomorrow' },
    { read_only: ['messages'] },
  ])('is not made with %j', async (fields) => {
    expect(codeOf(await make(fields))).toEqual([400, 'invalid_body']);
  });
});

test('who made a key, and from where it was last used, is shown', async () => {
  const owner = await signedIn(service, service.account.tenantId, 'owner');
  const { body } = await owner.call('POST', '/api-keys', { name: 'of a person', scopes: ALL });
  expect(body.created_by).toMatchObject({ kind: 'user', id: owner.userId });
  await service.call('GET', '/v1/account', { key: body.key, headers: { 'x-forwarded-for': '203.0.113.9' } });
  const child = await made({ name: 'of a key' }, body.key);
  await service.services.keyCheck.close();
  expect(await listedKey(body.id)).toMatchObject({ last_used_from: '203.0.113.9' });
  expect((await listedKey(child.id)).created_by).toEqual({ kind: 'key', id: body.id, name: 'of a person' });
});

test('a key that leaked is revoked with all that it made, and what it did is listed', async () => {
  const leaked = await made({ name: 'leaked' });
  const child = await made({ name: 'child' }, leaked.key);
  const grandchild = await made({ name: 'grandchild' }, child.key);
  const bystander = await made({ name: 'bystander' });
  const endpoint = (key: string, path: string) =>
    service.call('POST', '/v1/webhooks', {
      key,
      body: { url: `https://127.0.0.1:1/${path}`, events: ['*'] },
    });
  const evil = (await endpoint(grandchild.key, 'evil')).body.id;
  const good = (await endpoint(bystander.key, 'good')).body.id;
  // As an earlier version left them: only the audit log knows who made it.
  await service.db.query(
    'update api_keys set created_by_id = null, created_by_kind = null where api_key_id = $1',
    [child.id],
  );
  const sent = (await service.send({}, { key: child.key })).body.id;
  await service.send({}, { key: bystander.key });

  const report = () => service.call('POST', `/v1/api-keys/${leaked.id}/leak`);
  const { status, body } = await report();
  expect(status).toBe(200);
  const ids = body.revoked_keys.map(({ id }: { id: string }) => id).toSorted();
  expect(ids).toEqual([leaked.id, child.id, grandchild.id].toSorted());
  expect(body.deleted_webhooks).toEqual([{ id: evil, url: 'https://127.0.0.1:1/evil' }]);
  expect(body.messages).toMatchObject({ count: 1, ids: [sent] });
  const actions = body.changes.map(({ action }: { action: string }) => action).toSorted();
  expect(actions).toEqual(['create_api_key', 'create_api_key', 'create_webhook']);
  for (const { key } of [leaked, child, grandchild])
    expect((await service.call('GET', '/v1/account', { key })).status).toBe(401);
  expect((await service.call('GET', '/v1/account', { key: bystander.key })).status).toBe(200);
  const webhooks = (await service.call('GET', '/v1/webhooks')).body.data.map(({ id }: { id: string }) => id);
  expect(webhooks).toContain(good);
  expect(webhooks).not.toContain(evil);
  // Again it ends nothing, and lists the same.
  const again = await report();
  expect(again.body).toMatchObject({ revoked_keys: [], deleted_webhooks: [], messages: { count: 1 } });
  // Of another account it is not there.
  const { tenantId } = (
    await service.db.query<{ tenantId: string }>(
      'select tenant_id as "tenantId" from tenants where tenant_id <> $1 limit 1',
      [service.account.tenantId],
    )
  )[0] ?? { tenantId: null };
  if (tenantId !== null) {
    const input = { name: 'other', scopes: ['api_keys:write'] as const };
    const other = await createApiKey(service.services, tenantId, input, null);
    const answer = await service.call('POST', `/v1/api-keys/${bystander.id}/leak`, { key: other.key });
    expect(answer.status).toBe(404);
  }
});

test('what a request under way makes with a key after it was revoked is ended too', async () => {
  const { services } = service;
  const { tenantId } = service.account;
  const leaked = await made({ name: 'leaked under way' });
  const own = { kind: 'key' as const, id: leaked.id, name: 'leaked under way' };
  const body = { url: 'https://127.0.0.1:1/late', events: ['*'] };
  const makeLate = async () => {
    const input = { name: 'late', scopes: ['api_keys:write'] as const, maker: own };
    const { apiKeyId } = await createApiKey(services, tenantId, input, null);
    const webhook = (await service.call('POST', '/v1/webhooks', { body })).body.id;
    const source = { ...fromCommandLine('keys'), ...own };
    await services.db.asTenant(tenantId, (tx) =>
      appendAccountEvent(tx, tenantId, source, { action: 'create_webhook', target: webhook }, clock.now()),
    );
    return { apiKeyId, webhook };
  };
  const late: Awaited<ReturnType<typeof makeLate>>[] = [];
  const announce: typeof services.changes.announce = async (kind, id) => {
    if (id === leaked.id) late.push(await makeLate());
    await services.changes.announce(kind, id);
  };
  const changes = { ...services.changes, announce };
  const deps = { ...services, ...LEAK_PARTS, changes, settleMs: 0 };
  const leak = await endLeakedKey(deps, tenantId, leaked.id, fromCommandLine('keys'));
  expect(leak.revoked.map(({ apiKeyId }) => apiKeyId)).toEqual([leaked.id, late[0]!.apiKeyId]);
  expect(leak.webhooks).toEqual([{ webhookId: late[0]!.webhook, url: body.url }]);
});
