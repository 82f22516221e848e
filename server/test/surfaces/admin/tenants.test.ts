import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant } from '../../support/tenants.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** Accounts as the operator manages them. */
let service: TestService;
let admin: TestConsole;

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

test('an account is made, found by its name or state, and changed, each with a record of what it was', async () => {
  const made = await admin.call('POST', '/tenants', {
    body: { name: 'Exámple S.A.', price_per_message_cents: 5 },
  });
  expect(made.status).toBe(201);
  expect(made.headers['location']).toBe(`/v1/admin/tenants/${made.body.id}`);
  const found = await admin.call('GET', '/tenants?q=exámple');
  expect(found.body.data).toEqual([made.body]);
  expect((await admin.call('GET', `/tenants?q=${made.body.id}&status=suspended`)).body.data).toEqual([]);

  const changed = await admin.call('PATCH', `/tenants/${made.body.id}`, {
    body: { status: 'suspended', quota_messages_month: 5 },
  });
  expect(changed.body).toEqual({ ...made.body, status: 'suspended', quota_messages_month: 5 });
  expect(await admin.audited(`?tenant_id=${made.body.id}`)).toMatchObject([
    {
      action: 'tenant.update',
      outcome: 'done',
      request_id: changed.headers['request-id'],
      operator: { name: 'Ana <ana@example.com>' },
      before: { status: 'active', quota_messages_month: 10_000 },
      after: { status: 'suspended', quota_messages_month: 5 },
      client_address: '127.0.0.1',
    },
    { action: 'tenant.create', outcome: 'done', subject: 'Exámple S.A.' },
  ]);
});

test('what the operator changes of an account is in the audit log of its people, but for the source pool', async () => {
  const tenant = await makeTenant(service);
  const owner = await signedIn(service, tenant.tenantId, 'owner');
  const path = `/tenants/${tenant.tenantId}`;
  await admin.call('PATCH', path, { body: { status: 'suspended', price_per_message_cents: 7 } });
  await admin.call('PATCH', path, { body: { status: 'active' } });
  await admin.call('PATCH', path, { body: { status: 'active', source_pool: 'default' } });
  const key = (await owner.call('GET', '/api-keys')).body.data[0].id;
  await admin.call('DELETE', `${path}/api-keys/${key}`);
  const { body } = await owner.call('GET', '/audit');
  const actor = { kind: 'operator', name: 'Ana <ana@example.com>' };
  expect(body.data.slice(0, 4)).toMatchObject([
    { action: 'revoke_api_key', target: key, actor },
    { action: 'update_account', actor, before: { status: 'suspended' }, after: { status: 'active' } },
    {
      ...{ action: 'update_account', actor },
      before: { status: 'active', price_per_message_cents: 0 },
      after: { status: 'suspended', price_per_message_cents: 7 },
    },
    { action: 'sign_in' },
  ]);
  // A change that is refused, and a key that is not there, leave nothing.
  await admin.call('PATCH', path, { body: { price_per_message_cents: -1 } });
  await admin.call('DELETE', `${path}/api-keys/${key}`);
  expect((await owner.call('GET', '/audit')).body.data).toHaveLength(body.data.length);
});

test('a suspension holds for a key at once, and its end too', async () => {
  const tenant = await makeTenant(service);
  const ask = () => service.call('GET', '/v1/account', { key: tenant.key });
  await admin.call('PATCH', `/tenants/${tenant.tenantId}`, { body: { status: 'suspended' } });
  expect((await ask()).body.error.code).toBe('tenant_suspended');
  await admin.call('PATCH', `/tenants/${tenant.tenantId}`, { body: { status: 'active' } });
  expect((await ask()).status).toBe(200);
});

test('of two operators who change one account at once, each record continues the other', async () => {
  const { tenantId } = await makeTenant(service);
  const prices = [1, 2, 3, 4, 5, 6];
  await Promise.all(
    prices.map((cents, at) =>
      admin.call('PATCH', `/tenants/${tenantId}`, {
        as: at % 2 === 0 ? 'ana' : 'luis',
        body: { price_per_message_cents: cents },
      }),
    ),
  );
  const entries = await admin.audited(`?tenant_id=${tenantId}`);
  expect(entries).toHaveLength(prices.length);
  const befores = entries.map(({ before }) => before.price_per_message_cents);
  const afters = entries.map(({ after }) => after.price_per_message_cents);
  const { body: now } = await admin.call('GET', `/tenants/${tenantId}`);
  // A chain from 0 to what it is now, whatever the order: every value but the two ends is in both lists.
  expect([...befores, now.price_per_message_cents].sort()).toEqual([0, ...afters].sort());
  expect(afters.toSorted()).toEqual(prices);
});

test('what cannot be is refused with its reason', async () => {
  const { tenantId } = await makeTenant(service);
  const refusals = [
    [{ source_pool: 'bulk' }, 'ACUSE_SOURCE_POOLS has no pool "bulk"; it has default'],
    [{ status: 'closed' }, 'status'],
    [{ name: '  ' }, 'name'],
    [{ quota_messages_month: -1 }, 'quota_messages_month'],
    [{ price_per_message_cents: 0.5 }, 'price_per_message_cents'],
    [{ sandbox: true }, 'sandbox'],
    [{}, ''],
  ] as const;
  for (const [body, text] of refusals) {
    const answer = await admin.call('PATCH', `/tenants/${tenantId}`, { body });
    expect([body, answer.status, answer.body.error.code]).toEqual([body, 400, 'invalid_body']);
    expect(answer.body.error.message).toContain(text);
  }
  for (const id of [newId(), 'nonsense']) {
    for (const part of ['', '/usage', '/rates', '/api-keys', '/domains', '/queue'])
      expect([part, (await admin.call('GET', `/tenants/${id}${part}`)).status]).toEqual([part, 404]);
    expect((await admin.call('PATCH', `/tenants/${id}`, { body: { name: 'x' } })).status).toBe(404);
  }
  expect((await admin.audited('?action=tenant.update'))[0]).toMatchObject({
    outcome: 'refused',
    error: 'not_found',
    tenant_id: null,
  });
});

test("an account's keys and domains are seen; one is revoked, the other vouched for", async () => {
  const tenant = await makeTenant(service);
  const domainId = await giveDomain(service, tenant.tenantId, 'vouched.example.com');
  const base = `/tenants/${tenant.tenantId}`;
  const { body: keys } = await admin.call('GET', `${base}/api-keys`);
  expect(keys.data).toMatchObject([{ name: 'test' }]);
  expect(JSON.stringify(keys)).not.toContain('acuse_');
  const vouched = await admin.call('POST', `${base}/domains/${domainId}/vouch`);
  expect(vouched.body).toMatchObject({ id: domainId, status: 'verified' });
  expect((await admin.call('GET', `${base}/domains`)).body.data).toMatchObject([{ id: domainId }]);
  const other = await makeTenant(service);
  const wrong = await admin.call('DELETE', `/tenants/${other.tenantId}/api-keys/${keys.data[0].id}`);
  expect(wrong.status).toBe(404);
  expect((await admin.call('DELETE', `${base}/api-keys/${keys.data[0].id}`)).status).toBe(204);
  expect((await service.call('GET', '/v1/account', { key: tenant.key })).status).toBe(401);
});

test('usage and rates are those that the account sees', async () => {
  await service.send();
  const { tenantId } = service.account;
  const own = await service.call('GET', '/v1/account');
  expect((await admin.call('GET', `/tenants/${tenantId}/usage`)).body).toEqual(own.body.usage);
  const rates = await service.call('GET', '/v1/rates?days=3');
  expect((await admin.call('GET', `/tenants/${tenantId}/rates?days=3`)).raw).toEqual(rates.raw);
});

test('support reads, and changes no account', async () => {
  const { tenantId } = await makeTenant(service);
  expect((await admin.call('GET', `/tenants/${tenantId}`, { as: 'support' })).status).toBe(200);
  const refused = await admin.call('PATCH', `/tenants/${tenantId}`, { as: 'support', body: { name: 'x' } });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_scope']);
});

test('support reads the webhooks of an account, with their last answers and without their paths', async () => {
  const { account, db, services } = service;
  const path = `/tenants/${account.tenantId}/webhooks`;
  const create = async (url: string, description?: string) =>
    (await services.endpoints.create(account.tenantId, { url, events: ['*'], description })).row.webhook_id;
  const failing = await create('https://1.1.1.1/hooks/T000/secret?token=abc', 'ERP');
  const untried = await create('https://1.0.0.1/');
  await db.execute(
    "update webhook_endpoints set failing_since = '2026-11-20T09:30:00Z' where webhook_id = $1",
    [failing],
  );
  const tried = async (attempt: number, at: string, code: number | null, error: string) => {
    const delivery = newId();
    await db.execute(
      `insert into webhook_deliveries (tenant_id, delivery_id, webhook_id, event_id, message_id, type, body,
         created_at) values ($1, $2, $3, $4, $4, 'email.sent', '', $5)`,
      [account.tenantId, delivery, failing, newId(), at],
    );
    await db.execute(
      `insert into webhook_attempts (tenant_id, delivery_id, attempt, started_at, duration_ms, status_code,
         error) values ($1, $2, $3, $4, 31, $5, $6)`,
      [account.tenantId, delivery, attempt, at, code, error],
    );
  };
  // A retry of the older delivery is the last attempt.
  await tried(2, '2026-11-20T10:00:00Z', 503, 'answered 503');
  await tried(1, '2026-11-20T09:30:00Z', null, 'connect ECONNREFUSED 1.1.1.1:443');
  const { body } = await admin.call('GET', path, { as: 'support' });
  const none = { last_attempt_at: null, last_status_code: null, last_error: null };
  expect(body).toEqual({
    data: [
      {
        ...{ id: untried, host: 'https://1.0.0.1', description: null, enabled: true, disabled_reason: null },
        ...{ failing_since: null, disables_at: null, ...none },
      },
      {
        ...{ id: failing, host: 'https://1.1.1.1', description: 'ERP', enabled: true, disabled_reason: null },
        failing_since: '2026-11-20T09:30:00.000Z',
        disables_at: '2026-11-25T09:30:00.000Z',
        last_attempt_at: '2026-11-20T10:00:00.000Z',
        last_status_code: 503,
        last_error: 'answered 503',
      },
    ],
    next_cursor: null,
  });
  const other = await makeTenant(service);
  expect((await admin.call('GET', `/tenants/${other.tenantId}/webhooks`)).body.data).toEqual([]);
  expect((await admin.call('GET', `/tenants/${newId()}/webhooks`)).status).toBe(404);
});
