import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_KEYS_MAX } from '../../src/accounts/api-keys/operations.ts';
import { monthOf } from '../../src/accounts/quota/bag.ts';
import { reserveQuota } from '../../src/accounts/quota/reserve.ts';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { newId } from '../../src/platform/ids.ts';
import { type Accounts, startAccounts } from './harness.ts';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await startAccounts();
});
afterAll(() => accounts.close());

describe('API keys', () => {
  test('are created, listed without their secret, used and revoked', async () => {
    const { key, apiKeyId } = await accounts.tenant();
    const made = await accounts.call('POST', '/v1/api-keys', key, {
      name: 'billing',
      scopes: ['evidence:read', 'messages:send'],
    });
    expect(made.status).toBe(201);
    const narrowing = ['senders', 'networks', 'expires_at', 'read_only', 'needs_approval', 'created_by'];
    expect(Object.keys(made.body)).toEqual(['id', 'name', 'scopes', 'key', 'created_at', ...narrowing]);
    expect(made.body.scopes).toEqual(['messages:send', 'evidence:read']);
    expect((await accounts.call('GET', '/v1/account', made.body.key)).status).toBe(200);

    const listed = await accounts.call('GET', '/v1/api-keys', key);
    expect(listed.body.next_cursor).toBeNull();
    expect(listed.body.data.map((each: { id: string }) => each.id)).toEqual([made.body.id, apiKeyId]);
    expect(JSON.stringify(listed.body)).not.toContain(made.body.key.slice(-39));

    expect((await accounts.call('DELETE', `/v1/api-keys/${made.body.id}`, key)).status).toBe(204);
    expect((await accounts.call('GET', '/v1/account', made.body.key)).status).toBe(401);
    expect((await accounts.call('DELETE', `/v1/api-keys/${made.body.id}`, key)).status).toBe(404);
  });

  test('are so many in an account; one that is revoked makes room', async () => {
    const { key, tenant, apiKeyId } = await accounts.tenant();
    const { tenantId } = tenant;
    await accounts.db.asTenant(tenantId, (tx) =>
      tx.execute(
        `insert into api_keys (tenant_id, api_key_id, name, scopes, secret_sha256, created_at)
         select tenant_id, gen_random_uuid(), name, scopes, secret_sha256, created_at
         from api_keys, generate_series(2, $3::int) where tenant_id = $1 and api_key_id = $2`,
        [tenantId, apiKeyId, API_KEYS_MAX],
      ),
    );
    const make = () =>
      accounts.call('POST', '/v1/api-keys', key, { name: 'more', scopes: ['evidence:read'] });
    const refused = await make();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('1000 API keys');
    const { data } = (await accounts.call('GET', '/v1/api-keys', key)).body;
    const other = data.find(({ id }: { id: string }) => id !== apiKeyId);
    expect((await accounts.call('DELETE', `/v1/api-keys/${other.id}`, key)).status).toBe(204);
    expect((await make()).status).toBe(201);
  });

  test('cannot grant what they lack', async () => {
    const { key } = await accounts.tenant(['api_keys:write', 'evidence:read']);
    const refused = await accounts.call('POST', '/v1/api-keys', key, {
      name: 'more',
      scopes: ['evidence:read', 'messages:send'],
    });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toMatchObject({ code: 'insufficient_scope' });
    expect(refused.body.error.message).toContain('messages:send');
    expect(
      (await accounts.call('POST', '/v1/api-keys', key, { name: 'less', scopes: ['evidence:read'] })).status,
    ).toBe(201);
  });

  test.each([
    [{}, 'name'],
    [{ name: 'x' }, 'scopes'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['root'] }, 'scopes'],
    [{ name: 'x', scopes: ['evidence:read', 'evidence:read'] }, 'scopes'],
    [{ name: '', scopes: ['evidence:read'] }, 'name'],
    [{ name: '  ', scopes: ['evidence:read'] }, 'name'],
    [{ name: 'a\u0000b', scopes: ['evidence:read'] }, 'name'],
    [{ name: 'x'.repeat(201), scopes: ['evidence:read'] }, 'name'],
    [{ name: 1, scopes: ['evidence:read'] }, 'name'],
    [{ name: 'x', scopes: ['evidence:read'], admin: true }, 'admin'],
    [[], 'body'],
  ])('refuses %j', async (body, field) => {
    const { key } = await accounts.tenant();
    const answer = await accounts.call('POST', '/v1/api-keys', key, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_body');
    expect(answer.body.error.message).toContain(field);
  });
});

describe('lists', () => {
  test('page through everything once, newest first', async () => {
    const { key, tenant } = await accounts.tenant();
    for (let i = 0; i < 7; i++)
      await accounts.call('POST', '/v1/suppressions', key, { address: `p${i}@example.com` });
    const seen: string[] = [];
    let after = '';
    for (let pages = 0; ; pages++) {
      const page = (await accounts.call('GET', `/v1/suppressions?limit=3${after}`, key)).body;
      seen.push(...page.data.map((each: { address: string }) => each.address));
      if (page.next_cursor === null) {
        expect(pages).toBe(2);
        break;
      }
      after = `&after=${page.next_cursor}`;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `p${i}@example.com`));
    expect(tenant.status).toBe('active');
  });

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'after=',
    'after=%00',
    'after=zzz',
    'after=AZrA3sQ7cAGPmsV2_QKZuh',
    'offset=3',
  ])('refuse ?%s', async (query) => {
    const { key } = await accounts.tenant();
    for (const path of ['/v1/api-keys', '/v1/domains', '/v1/senders', '/v1/suppressions']) {
      const answer = await accounts.call('GET', `${path}?${query}`, key);
      expect([path, answer.status, answer.body.error?.code]).toEqual([path, 400, 'invalid_parameter']);
    }
  });
});

describe('account', () => {
  test('shows settings and the usage of both bags with its price', async () => {
    const { key, tenant } = await accounts.tenant();
    await changeTenant(accounts.deps, tenant.tenantId, {
      pricePerMessageCents: 12,
      quotaMessagesMonth: 100,
      quotaPlainMessagesMonth: 5,
      defaultCertified: false,
    });
    const now = new Date();
    await accounts.db.transact((tx) =>
      reserveQuota(tx, [{ tenantId: tenant.tenantId, bag: 'certified', month: monthOf(now), count: 30 }]),
    );
    const { status, body } = await accounts.call('GET', '/v1/account', key);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: tenant.tenantId,
      name: 'Tester',
      status: 'active',
      settings: {
        default_certified: false,
        quota_messages_month: 100,
        quota_plain_messages_month: 5,
        price_per_message_cents: 12,
        price_per_plain_message_cents: 0,
      },
      usage: {
        month: now.toISOString().slice(0, 7),
        certified: { used: 30, quota: 100, remaining: 70, price_cents: 360 },
        plain: { used: 0, quota: 5, remaining: 5, price_cents: 0 },
      },
    });
    expect(Date.parse(body.usage.resets_at)).toBeGreaterThan(now.getTime());
  });
});

describe("another tenant's things", () => {
  test('answer like things that do not exist, byte for byte', async () => {
    const owner = await accounts.tenant();
    const stranger = await accounts.tenant();
    const domain = (await accounts.call('POST', '/v1/domains', owner.key, { name: 'owned.example.com' }))
      .body;
    const sender = (await accounts.call('POST', '/v1/senders', owner.key, { address: 'a@owned.example.com' }))
      .body;
    const suppression = (
      await accounts.call('POST', '/v1/suppressions', owner.key, { address: 'a@example.com' })
    ).body;
    const routes: [
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: (id: string) => string,
      id: string,
      body?: object,
    ][] = [
      ['GET', (id) => `/v1/domains/${id}`, domain.id],
      ['POST', (id) => `/v1/domains/${id}/verify`, domain.id],
      ['POST', (id) => `/v1/domains/${id}/rotate-dkim`, domain.id],
      ['DELETE', (id) => `/v1/domains/${id}`, domain.id],
      ['GET', (id) => `/v1/senders/${id}`, sender.id],
      ['PATCH', (id) => `/v1/senders/${id}`, sender.id, { active: false }],
      ['DELETE', (id) => `/v1/senders/${id}`, sender.id],
      ['DELETE', (id) => `/v1/suppressions/${id}`, suppression.id],
      ['DELETE', (id) => `/v1/api-keys/${id}`, owner.apiKeyId],
    ];
    for (const [method, path, id, body] of routes) {
      const answers = await Promise.all(
        [id, newId(), 'not-an-id', id.toUpperCase()].map((each) =>
          accounts.call(method, path(each), stranger.key, body),
        ),
      );
      for (const answer of answers)
        expect([method, path('…'), answer.status, answer.body]).toEqual([
          method,
          path('…'),
          404,
          answers[0]!.body,
        ]);
    }
    expect((await accounts.call('GET', `/v1/senders/${sender.id}`, owner.key)).body.active).toBe(true);
    for (const path of ['/v1/domains', '/v1/senders', '/v1/suppressions']) {
      expect((await accounts.call('GET', path, stranger.key)).body.data).toEqual([]);
    }
  });
});
