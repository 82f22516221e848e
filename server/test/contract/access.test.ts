import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatKey, parseKey } from '../../src/accounts/api-keys/key.ts';
import { endApiKey } from '../../src/accounts/api-keys/operations.ts';
import { changeTenant } from '../../src/accounts/tenants/operations.ts';
import { describeApi } from '../../src/app/describe-api.ts';
import { SCOPES, type Scope } from '../../src/platform/http/http.ts';
import { newId } from '../../src/platform/ids.ts';
import { type CallOptions, startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/** The callers that are let in where: every operation of the document × every key. */
const document = describeApi();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    id: operation.operationId,
  })),
);
const keyed = operations.filter(({ operation }) => operation.security.length > 0);

/** The contract's table of scopes, and what came after it; `+` marks reads that also accept evidence:read. */
const TABLE: readonly [scope: Scope, routes: string][] = [
  ['messages:send', 'POST /v1/messages, POST /v1/messages/batch'],
  [
    'evidence:read',
    'GET /v1/messages, GET /v1/messages/{id}, GET /v1/messages/{id}/events, GET /v1/messages/{id}/attempts, GET /v1/messages/{id}/reports, GET /v1/messages/{id}/raw, GET /v1/messages/{id}/dsn, GET /v1/messages/{id}/waiting, GET /v1/messages/{id}/parts, GET /v1/messages/{id}/parts/{index}',
  ],
  ['evidence:read', 'GET /v1/messages/{id}/evidence, GET /v1/messages/{id}/proof-bundle'],
  [
    'messages:send',
    'POST /v1/messages/{id}/seal, POST /v1/messages/{id}/retry, POST /v1/messages/{id}/cancel, POST /v1/messages/{id}/resend, PATCH /v1/messages/{id}',
  ],
  ['evidence:read', 'POST /v1/verify, GET /v1/verifications, GET /v1/rates, GET /v1/account'],
  [
    'messages:send',
    'POST /v1/domains, GET /v1/domains+, GET /v1/domains/{id}+, DELETE /v1/domains/{id}, POST /v1/domains/{id}/verify, POST /v1/domains/{id}/rotate-dkim, GET /v1/domains/{id}/reports+, GET /v1/domains/{id}/requirements+',
  ],
  [
    'messages:send',
    'POST /v1/senders, GET /v1/senders+, GET /v1/senders/{id}+, PATCH /v1/senders/{id}, DELETE /v1/senders/{id}',
  ],
  [
    'messages:send',
    'POST /v1/templates, GET /v1/templates+, GET /v1/templates/{id}+, GET /v1/templates/{id}/versions+, PATCH /v1/templates/{id}, DELETE /v1/templates/{id}, POST /v1/templates/{id}/render, POST /v1/templates/render',
  ],
  [
    'messages:send',
    'POST /v1/webhooks, GET /v1/webhooks+, GET /v1/webhooks/{id}+, PATCH /v1/webhooks/{id}, DELETE /v1/webhooks/{id}, POST /v1/webhooks/{id}/ping, POST /v1/webhooks/{id}/rotate-secret, GET /v1/webhooks/{id}/deliveries+, GET /v1/webhooks/{id}/deliveries/{did}+, POST /v1/webhooks/{id}/deliveries/{did}/replay, GET /v1/webhooks/{id}/replay+, POST /v1/webhooks/{id}/replay',
  ],
  ['evidence:read', 'GET /v1/events, GET /v1/suppressions'],
  ['evidence:read', 'GET /v1/suppressions/export, GET /v1/messages/export'],
  ['suppressions:write', 'POST /v1/suppressions, POST /v1/suppressions/import, DELETE /v1/suppressions/{id}'],
  [
    'api_keys:write',
    'POST /v1/api-keys, GET /v1/api-keys, DELETE /v1/api-keys/{id}, POST /v1/api-keys/{id}/leak',
  ],
];
const SCOPES_OF = new Map(
  TABLE.flatMap(([scope, routes]) =>
    routes
      .split(', ')
      .map((route): [string, Scope[]] => [
        route.replace('+', ''),
        route.endsWith('+') ? [scope, 'evidence:read'] : [scope],
      ]),
  ),
);

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => service?.stop());

/** A request that never gets further than its body: what matters is who is refused before. */
function ask({ method, path }: { method: string; path: string }, options: CallOptions) {
  const url = path.replaceAll(/\{\w+\}/g, newId());
  return service.call(method, url, { ...(method !== 'GET' && { body: '{' }), ...options });
}

let callers = 0;
/** Another client address each time: too many failures from one are answered 429. */
function elsewhere() {
  callers++;
  return { 'x-forwarded-for': `203.0.${callers >> 8}.${callers & 255}` };
}

test('the document has the routes and scopes of the contract, each of them', () => {
  const documented = new Map(
    keyed.map(({ method, path, operation }) => [
      `${method} ${path}`,
      operation.security.map(({ apiKey }) => apiKey![0]),
    ]),
  );
  for (const [route, scopes] of documented) expect([route, scopes]).toEqual([route, SCOPES_OF.get(route)]);
});

test('every cause of a 401 reads the same on every operation, byte for byte', async () => {
  const revoked = await makeTenant(service);
  const { apiKeyId } = parseKey(revoked.key)!;
  await endApiKey(service.services, revoked.tenantId, apiKeyId);
  const good = service.account.apiKey;
  const causes: Record<string, string | null> = {
    none: null,
    'another scheme': 'Basic dXNlcjpwYXNz',
    'the key alone': good,
    'a prefix that is not ours': `Bearer sk_live_${good.slice(6)}`,
    'a wrong checksum': `Bearer ${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`,
    'an unknown key': `Bearer ${formatKey(newId(), new Uint8Array(20))}`,
    'a known id with another secret': `Bearer ${formatKey(parseKey(good)!.apiKeyId, new Uint8Array(20).fill(1))}`,
    'a revoked key': `Bearer ${revoked.key}`,
  };
  const bodies = new Set<string>();
  for (const operation of keyed) {
    for (const [cause, authorization] of Object.entries(causes)) {
      const answer = await ask(operation, {
        key: null,
        headers: { ...elsewhere(), ...(authorization !== null && { authorization }) },
      });
      expect([operation.id, cause, answer.status, answer.headers['www-authenticate']]).toEqual([
        operation.id,
        cause,
        401,
        'Bearer realm="acuse"',
      ]);
      bodies.add(answer.raw.toString());
    }
  }
  expect([...bodies].map((body) => JSON.parse(body).error.code)).toEqual(['unauthorized']);
});

describe.each(['suspended', 'deactivated'] as const)('an account that is %s', (status) => {
  test('is told so by every operation, before its scopes', async () => {
    const tenant = await makeTenant(service);
    const keys = [tenant.key, await tenant.keyWith('suppressions:write')];
    await changeTenant(service.services, tenant.tenantId, { status });
    for (const operation of keyed) {
      for (const key of keys) {
        const answer = await ask(operation, { key });
        expect([operation.id, answer.status, answer.body]).toEqual([
          operation.id,
          403,
          { error: { code: `tenant_${status}`, message: expect.any(String) } },
        ]);
      }
    }
  });
});

describe('a key', () => {
  test.each(SCOPES)('with %s alone is let in where that scope is enough, and nowhere else', async (scope) => {
    const tenant = await makeTenant(service);
    const key = await tenant.keyWith(scope);
    for (const operation of keyed) {
      const scopes = SCOPES_OF.get(`${operation.method} ${operation.path}`)!;
      const answer = await ask(operation, { key });
      if (scopes.includes(scope)) {
        expect([operation.id, [401, 403].includes(answer.status)]).toEqual([operation.id, false]);
      } else {
        expect([operation.id, answer.status, answer.body.error.code]).toEqual([
          operation.id,
          403,
          'insufficient_scope',
        ]);
        expect(answer.body.error.message).toContain(
          `requires the scope ${scopes.join(' or ')}; the API key has ${scope}`,
        );
      }
    }
  });
});

test('what needs no key is served without one, and to a bad one', async () => {
  for (const operation of operations.filter(({ operation: each }) => each.security.length === 0)) {
    for (const authorization of [undefined, 'Bearer nonsense']) {
      const answer = await service.call(
        operation.method,
        operation.path.replace('{path}', '0/000').replace('{tree_size}', '1').replace('{id}', newId()),
        {
          key: null,
          headers: {
            ...(authorization !== undefined && { authorization }),
            ...(operation.method === 'POST' &&
              operation.id !== 'openShare' && { 'content-type': 'application/timestamp-query' }),
          },
          ...(operation.id === 'openShare' && { body: { secret: 'x' } }),
        },
      );
      expect([operation.id, [200, 404].includes(answer.status)]).toEqual([operation.id, true]);
    }
  }
});
