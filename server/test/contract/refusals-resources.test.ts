import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { giveDomain, makeTenant } from '../support/tenants.ts';
import { createTemplateFixture } from './fixtures.ts';
import { GOOD, type Refusal, refuses } from './refusals.ts';

let service: TestService;
let templateId: string;
let webhookId: string;
let domainId: string;
beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  templateId = await createTemplateFixture(() => service).template({ subject: 'S', text: '{{ name }}' });
  webhookId = (await create('/v1/webhooks', { url: 'https://127.0.0.1:1/', events: ['*'] })).id;
  domainId = (await create('/v1/domains', { name: 'taken.example.com' })).id;
  await create('/v1/senders', { address: 'taken@sandbox.test' });
  await create('/v1/templates', { name: 'taken', subject: 'S', text: 'T' });
});
afterAll(() => service?.stop());

async function create(path: string, body: object) {
  const answer = await service.call('POST', path, { body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const row =
  (path: string, method = 'POST') =>
  (name: string, body: unknown, code: Refusal['code'], says?: Refusal['says']): Refusal => ({
    name,
    path,
    method,
    body,
    code,
    ...(says !== undefined && { says }),
  });

describe('POST /v1/templates', () => {
  const body = { name: newKey(), subject: 'S', text: 'T' };
  const refused = row('/v1/templates');
  refuses(
    () => service,
    [
      refused('no name', { subject: 'S', text: 'T' }, 'invalid_body', 'name is required'),
      refused('no subject', { name: 'x', text: 'T' }, 'invalid_body', 'subject is required'),
      refused('neither text nor html', { name: 'x', subject: 'S' }, 'invalid_body', 'text and html'),
      refused(
        'text and html as null',
        { name: 'x', subject: 'S', text: null, html: null },
        'invalid_body',
        'text and html',
      ),
      refused('an unknown field', { ...body, version: 2 }, 'invalid_body', /^version is not a field/),
      refused('an empty name', { ...body, name: '' }, 'invalid_body', 'name'),
      refused('a blank name', { ...body, name: '  ' }, 'invalid_body', 'name'),
      refused('a name of 201 characters', { ...body, name: 'n'.repeat(201) }, 'invalid_body', 'name'),
      ...['\r', '\n', '\0', '\u0085'].map((control) =>
        refused(
          `a name with ${JSON.stringify(control)}`,
          { ...body, name: `a${control}b` },
          'invalid_body',
          'name',
        ),
      ),
      refused('a name that exists', { ...body, name: 'taken' }, 'conflict', 'taken'),
      refused('Liquid that does not parse', { ...body, text: '{{ name' }, 'invalid_body', /^text: .*line:1/),
      refused(
        'an unknown filter',
        { ...body, html: '{{ name | nonsense }}' },
        'invalid_body',
        /^html: .*nonsense/,
      ),
      refused('an include', { ...body, text: "{% include 'x' %}" }, 'invalid_body', /^text: .*include/),
      refused('text with NUL', { ...body, text: 'a\0' }, 'invalid_body', 'text'),
      refused('half a surrogate pair', { ...body, subject: '\ud800' }, 'invalid_body', 'subject'),
      refused(
        'a source over 512 KiB',
        { ...body, text: 'x'.repeat(512 * 1024 + 1) },
        'invalid_body',
        /^text exceeds 524288/,
      ),
      refused(
        'a subject that is a number',
        { ...body, subject: 1 },
        'invalid_body',
        'subject must be a string',
      ),
    ],
  );

  test('changes are held to the same', async () => {
    for (const [change, status, code] of [
      [{ text: null }, 400, 'invalid_body'],
      [{ text: '{{' }, 400, 'invalid_body'],
      [{ name: 'taken' }, 409, 'conflict'],
      [{ subjekt: 'x' }, 400, 'invalid_body'],
      [{ subject: ['S'] }, 400, 'invalid_body'],
    ] as const) {
      const answer = await service.call('PATCH', `/v1/templates/${templateId}`, { body: change });
      expect([change, answer.status, answer.body.error?.code]).toEqual([change, status, code]);
    }
    expect((await service.call('GET', `/v1/templates/${templateId}`)).body).toMatchObject({
      version: 1,
      subject: 'S',
      text: '{{ name }}',
    });
  });

  test('a preview that cannot be rendered says where, and a bomb ends soon', async () => {
    const render = (variables: object) =>
      service.call('POST', `/v1/templates/${templateId}/render`, { body: { variables } });
    const missing = await render({});
    expect([missing.status, missing.body.error.code]).toEqual([422, 'template_render_error']);
    expect(missing.body.error.message).toMatch(/^text: .*name.*line:1/);
    expect((await render({ name: { first: 'Ana' } })).body.error.code).toBe('template_render_error');
    const bomb = await create('/v1/templates', {
      name: newKey(),
      subject: 'S',
      text: '{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}',
    });
    const began = performance.now();
    const answer = await service.call('POST', `/v1/templates/${bomb.id}/render`, { body: {} });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'template_render_error']);
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  });
});

describe('POST /v1/domains', () => {
  const refused = row('/v1/domains');
  refuses(
    () => service,
    [
      refused('no name', {}, 'invalid_body', 'name is required'),
      refused('an unknown field', { name: 'a.example.com', dkim: true }, 'invalid_body', /^dkim/),
      ...[
        '',
        ' ',
        'com',
        'co.uk',
        'github.io',
        'localhost',
        '127.0.0.1',
        '[::1]',
        'a..example.com',
        '-a.example.com',
        'a_b.example.com',
        'http://example.com',
        'example.com/x',
        'a@example.com',
        '*.example.com',
        'exam\0ple.com',
        'exa mple.com',
        `${'a'.repeat(64)}.example.com`,
        `${'a.'.repeat(100)}example.com`,
      ].map((name) => refused(`the name ${JSON.stringify(name.slice(0, 30))}`, { name }, 'invalid_body')),
      refused('a name that the account has', { name: 'TAKEN.example.com.' }, 'conflict', 'taken.example.com'),
    ],
  );

  test('a domain that is verified for another account is registered like any: nothing tells of the other', async () => {
    const other = await makeTenant(service);
    await giveDomain(service, other.tenantId, 'theirs.example.com');
    const answer = await service.call('POST', '/v1/domains', { body: { name: 'theirs.example.com' } });
    expect([answer.status, answer.body.status]).toEqual([201, 'pending']);
  });
});

describe('POST /v1/senders', () => {
  const refused = row('/v1/senders');
  refuses(
    () => service,
    [
      refused('no address', {}, 'invalid_body', 'address is required'),
      refused('an unknown field', { address: 'a@sandbox.test', active: true }, 'invalid_body', /^active/),
      ...[
        '',
        'a',
        '@sandbox.test',
        '*',
        '*@',
        '*@*',
        'a*@',
        'Name <a@sandbox.test>',
        'a@sandbox.test, b@sandbox.test',
        'a@b@sandbox.test',
        'a\r\n@sandbox.test',
        'a\0@sandbox.test',
      ].map((address) => refused(`the address ${JSON.stringify(address)}`, { address }, 'invalid_address')),
      refused(
        'an address of another domain',
        { address: 'a@elsewhere.example' },
        'domain_not_verified',
        'elsewhere.example',
      ),
      refused(
        'all of another domain',
        { address: '*@elsewhere.example' },
        'domain_not_verified',
        'elsewhere.example',
      ),
      refused(
        'an address that is approved',
        { address: 'TAKEN@sandbox.test' },
        'conflict',
        'taken@sandbox.test',
      ),
    ],
  );

  test('a sender that is off, and one that was never approved, cannot send', async () => {
    const tenant = await makeTenant(service);
    await giveDomain(service, tenant.tenantId, 'strict.example.com', null);
    const from = 'billing@strict.example.com';
    const send = () =>
      service.call('POST', '/v1/messages', {
        body: { ...GOOD, from },
        headers: { 'idempotency-key': newKey() },
        key: tenant.key,
      });
    expect((await send()).body.error).toMatchObject({
      code: 'from_not_approved',
      message: expect.stringContaining(from),
    });
    const { body: sender } = await service.call('POST', '/v1/senders', {
      body: { address: from },
      key: tenant.key,
    });
    expect((await send()).status).toBe(201);
    await service.call('PATCH', `/v1/senders/${sender.id}`, { body: { active: false }, key: tenant.key });
    const off = await send();
    expect([off.status, off.body.error.code]).toEqual([422, 'from_not_approved']);
  });

  test('a domain that is registered and not verified cannot send', async () => {
    await create('/v1/senders', { address: '*@taken.example.com' });
    const answer = await service.send({ from: 'a@taken.example.com' });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'domain_not_verified']);
    expect(answer.body.error.message).toContain(`/v1/domains/${domainId}/verify`);
  });
});

describe('POST /v1/suppressions', () => {
  const refused = row('/v1/suppressions');
  refuses(
    () => service,
    [
      refused('no address', {}, 'invalid_body', 'address is required'),
      refused('an unknown field', { address: 'a@example.com', source: 'bounce' }, 'invalid_body', /^source/),
      ...['', 'a', 'a@', '*@example.com', 'Name <a@example.com>', 'a@example.com\0'].map((address) =>
        refused(`the address ${JSON.stringify(address)}`, { address }, 'invalid_address'),
      ),
      refused(
        'a reason of 501 characters',
        { address: 'a@example.com', reason: 'r'.repeat(501) },
        'invalid_body',
        'reason',
      ),
      refused(
        'a reason with a line break',
        { address: 'a@example.com', reason: 'a\nb' },
        'invalid_body',
        'reason',
      ),
    ],
  );

  test('a suppressed recipient is refused in every spelling, and not queued', async () => {
    const { id } = await create('/v1/suppressions', { address: 'Blocked@Sandbox.test' });
    for (const to of ['blocked@sandbox.test', 'BLOCKED@SANDBOX.TEST', 'Ana <bLocked@sandbox.test>']) {
      const answer = await service.send({ to });
      expect([answer.status, answer.body.error.code]).toEqual([422, 'recipient_suppressed']);
    }
    expect((await service.call('GET', '/v1/messages?to=blocked@sandbox.test')).body.data).toEqual([]);
    expect((await service.call('DELETE', `/v1/suppressions/${id}`)).status).toBe(204);
    expect((await service.send({ to: 'blocked@sandbox.test' })).status).toBe(201);
  });
});

describe('webhooks', () => {
  const refused = row('/v1/webhooks');
  const url = 'https://127.0.0.1:1/';
  refuses(
    () => service,
    [
      refused('no url', { events: ['*'] }, 'invalid_body', 'url is required'),
      refused('no events', { url }, 'invalid_body', 'events is required'),
      refused('an event that does not exist', { url, events: ['email.opened'] }, 'invalid_body', 'events[0]'),
      refused('no event', { url, events: [] }, 'invalid_body', 'events'),
      refused('an unknown field', { url, events: ['*'], secret: 'mine' }, 'invalid_body', /^secret/),
      ...[
        '',
        'hooks',
        'ftp://93.184.215.14/',
        'http://93.184.215.14/',
        'https://user:pass@93.184.215.14/',
        'https://93.184.215.14/#a',
        'https://10.0.0.1/',
        'https://169.254.169.254/',
        'https://[fd00::1]/',
        'https://0/',
        'https://2130706433.1.1.1/',
        `https://93.184.215.14/${'a'.repeat(2_048)}`,
      ].map((bad) => refused(`the url ${bad.slice(0, 40)}`, { url: bad, events: ['*'] }, 'invalid_body')),
      {
        name: 'a change to an unknown event',
        method: 'PATCH',
        path: '/v1/webhooks/x',
        body: { events: ['x'] },
        code: 'invalid_body',
        says: 'events[0]',
      },
      {
        name: 'a replay without since',
        path: '/v1/webhooks/x/replay',
        body: {},
        code: 'invalid_body',
        says: 'since is required',
      },
      {
        name: 'a replay since no time',
        path: '/v1/webhooks/x/replay',
        body: { since: 'yesterday' },
        code: 'invalid_body',
        says: 'since',
      },
    ],
  );

  test('a disabled endpoint replays nothing', async () => {
    await service.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { enabled: false } });
    const answer = await service.call('POST', `/v1/webhooks/${webhookId}/replay`, {
      body: { since: '2026-01-01T00:00:00Z' },
    });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
  });
});

describe('POST /v1/api-keys', () => {
  const refused = row('/v1/api-keys');
  refuses(
    () => service,
    [
      refused('no name', { scopes: ['evidence:read'] }, 'invalid_body', 'name is required'),
      refused('no scopes', { name: 'x' }, 'invalid_body', 'scopes is required'),
      refused('an empty list of scopes', { name: 'x', scopes: [] }, 'invalid_body', 'scopes'),
      refused('a scope that does not exist', { name: 'x', scopes: ['*'] }, 'invalid_body', 'scopes[0]'),
      refused(
        'an unknown field',
        { name: 'x', scopes: ['evidence:read'], expires: null },
        'invalid_body',
        /^expires /,
      ),
    ],
  );

  test('a key cannot grant a scope that it lacks', async () => {
    const tenant = await makeTenant(service);
    const key = await tenant.keyWith('api_keys:write');
    const answer = await service.call('POST', '/v1/api-keys', {
      body: { name: 'x', scopes: ['api_keys:write', 'messages:send'] },
      key,
    });
    expect([answer.status, answer.body.error]).toEqual([
      403,
      { code: 'insufficient_scope', message: expect.stringContaining('messages:send') },
    ]);
  });
});

describe('queries', () => {
  const lists = [
    '/v1/messages',
    '/v1/templates',
    '/v1/domains',
    '/v1/senders',
    '/v1/suppressions',
    '/v1/webhooks',
    '/v1/api-keys',
    '/v1/messages/x/events',
    '/v1/messages/x/attempts',
    '/v1/webhooks/x/deliveries',
  ];
  const bad = [
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=ten',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'after=',
    'after=x',
    'after=%00',
    'after=%ff',
    'offset=0',
    'page=2',
  ];
  refuses(
    () => service,
    [
      ...lists.flatMap((list) =>
        bad.map(
          (query): Refusal => ({
            name: `${list}?${query}`,
            method: 'GET',
            path: `${list}?${query}`,
            code: 'invalid_parameter',
          }),
        ),
      ),
      ...[
        'days=0',
        'days=367',
        'days=-1',
        'days=two',
        'days=1.5',
        'days=',
        'days=1&days=2',
        'from=2026-01-01',
      ].map(
        (query): Refusal => ({
          name: `/v1/rates?${query}`,
          method: 'GET',
          path: `/v1/rates?${query}`,
          code: 'invalid_parameter',
        }),
      ),
      ...[
        'status=open',
        'certified=maybe',
        'to=%00',
        'tag=%00',
        `tag=${'t'.repeat(65)}`,
        `to=${'t'.repeat(321)}`,
        'sort=asc',
      ].map(
        (query): Refusal => ({
          name: `/v1/messages?${query}`,
          method: 'GET',
          path: `/v1/messages?${query}`,
          code: 'invalid_parameter',
        }),
      ),
      {
        name: '/v1/suppressions?address=nobody',
        method: 'GET',
        path: '/v1/suppressions?address=nobody',
        code: 'invalid_parameter',
      },
      {
        name: '/v1/webhooks/x/deliveries?status=open',
        method: 'GET',
        path: '/v1/webhooks/x/deliveries?status=open',
        code: 'invalid_parameter',
      },
    ],
  );
});
