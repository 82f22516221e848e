import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../../../src/app/describe-api.ts';
import { linkOperator, requireByEmail } from '../../../src/people/operators/operators.ts';
import { newId } from '../../../src/platform/ids.ts';
import { ADMIN } from '../../../src/surfaces/reference/audiences.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain } from '../../support/tenants.ts';
import { type ConsoleCall, cookieOf, openConsole, type TestConsole } from './harness.ts';

/** Access to the admin console: every operation of its document × every caller. */
const operations = Object.entries(describeApi(ADMIN).paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method.toUpperCase()} ${path.replace('/v1/admin', '')}`,
    method: method.toUpperCase(),
    path: path.replace('/v1/admin', ''),
    id: operation.operationId,
    session: operation.security[0]?.['session'] ?? null,
  })),
);

/** The rule of each route; `!`: an authentication of the last ten minutes, too. */
const RULES: Readonly<Record<string, string>> = {
  nobody: 'POST /session, POST /session/passkey-options',
  half: [
    'POST /session/second-factor, POST /session/own-passkey-options, DELETE /session',
    'POST /operator/totp!, PUT /operator/totp!, POST /operator/passkeys!, POST /operator/passkeys/options!',
  ].join(', '),
  session: [
    'GET /session, POST /session/reauthenticate, PUT /password, GET /operator, PATCH /operator!',
    'GET /operator/sessions, DELETE /operator/sessions, DELETE /operator/sessions/{id}, DELETE /operator/totp!',
    'POST /operator/recovery-codes!',
    'GET /operator/passkeys, PATCH /operator/passkeys/{id}, DELETE /operator/passkeys/{id}!',
  ].join(', '),
  support: [
    'GET /overview, GET /audit, GET /operators, GET /configuration, GET /retention, GET /billing',
    'GET /tenants, GET /tenants/{id}, GET /tenants/{id}/usage, GET /tenants/{id}/rates, GET /tenants/{id}/queue',
    'GET /tenants/{id}/api-keys, GET /tenants/{id}/domains, GET /tenants/{id}/members, GET /tenants/{id}/audit',
    'GET /tenants/{id}/webhooks',
    'GET /messages, GET /messages/export, GET /messages/{id}, POST /messages/{id}/retry, POST /messages/{id}/cancel',
    'GET /queue, GET /queue/destinations/{name}, GET /queue/selection, POST /queue/retry, POST /queue/cancel',
    'PUT /queue/pauses/destinations/{name}, DELETE /queue/pauses/destinations/{name}',
    'PUT /queue/pauses/tenants/{id}, DELETE /queue/pauses/tenants/{id}',
    'GET /queue/caps, POST /queue/caps, DELETE /queue/caps/{id}',
    'GET /queue/notes, PUT /queue/notes/{name}/{note}, DELETE /queue/notes/{name}/{note}',
    'GET /sealing, GET /sealing/authorities, GET /sealing/costs, GET /sealing/batches, GET /sealing/witnesses',
    'GET /changes, GET /sealing/checks, GET /sealing/checks/{id}, GET /suppressions, GET /suppressions/export',
    'GET /role-mail, GET /role-mail/{id}/raw',
  ].join(', '),
  admin: [
    'POST /tenants!, PATCH /tenants/{id}!, DELETE /tenants/{id}/api-keys/{kid}!',
    'POST /tenants/{id}/domains/{did}/vouch!, POST /messages/{id}/erase!',
    'POST /messages/{id}/content!, GET /messages/{id}/content, GET /messages/{id}/content/{index}',
    'POST /tenants/{id}/members!',
    'POST /sealing/renewals!, POST /sealing/checks!, POST /suppressions!, DELETE /suppressions/{address}!',
    'POST /suppressions/import!, DELETE /role-mail/{id}!',
    'POST /operators!, PATCH /operators/{id}!, DELETE /operators/{id}!, POST /operators/{id}/link!',
    'DELETE /operators/{id}/second-factor!',
  ].join(', '),
};
const RULE_OF = new Map(
  Object.entries(RULES).flatMap(([rule, routes]) =>
    routes
      .split(', ')
      .map((route) => [route.replace('!', ''), { rule, fresh: route.endsWith('!') }] as const),
  ),
);

const CHANGE_NOTHING = ['giveSecondFactor', 'beginPasskeySignIn', 'beginPasskeyProof', 'beginPasskey'];

let service: TestService;
let admin: TestConsole;
let now = new Date();

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now, monotonicMs: () => now.getTime() } });
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

/** A request that gets no further than its body: what matters is who is refused before. */
async function ask({ method, path }: { method: string; path: string }, options: ConsoleCall) {
  // A second each, so that no limit of rate is in the way.
  now = new Date(now.getTime() + 1_000);
  const answer = await admin.call(method, path.replaceAll(/\{\w+\}/g, newId()), {
    ...(method !== 'GET' && { body: '{' }),
    ...options,
  });
  return [answer.status, answer.body?.error?.code] as const;
}

async function signIn(who: string): Promise<string> {
  const { personId: operatorId } = await requireByEmail(admin.sessions, `${who}@example.com`);
  const { link } = await linkOperator(admin.sessions, operatorId);
  const body = { link: new URL(link.url).hash.slice(1) };
  return cookieOf(await admin.call('POST', '/session', { as: null, body }));
}

test('every route has a rule, and the document says the same', () => {
  expect(operations.map(({ route }) => route).sort()).toEqual([...RULE_OF.keys()].sort());
  for (const { route, session } of operations) {
    const { rule } = RULE_OF.get(route)!;
    const said = rule === 'nobody' ? null : rule === 'session' ? [] : [rule];
    expect([route, session]).toEqual([route, said]);
  }
});

test('without a session, with an API key or with the cookie of a customer nothing opens', async () => {
  const key = { authorization: `Bearer ${service.account.apiKey}` };
  for (const operation of operations.filter(({ route }) => RULE_OF.get(route)!.rule !== 'nobody'))
    for (const caller of [{}, { headers: key }, { cookie: `acuse_portal=${'x'.repeat(43)}` }])
      expect([operation.route, await ask(operation, { as: null, ...caller })]).toEqual([
        operation.route,
        [401, 'unauthorized'],
      ]);
});

/** A stream would not end; those who may not follow it are refused before it begins. */
const ending = operations.filter(({ route }) => route !== 'GET /changes');

test.each(['support', 'admin'] as const)('a role opens what it may, and nothing else: %s', async (role) => {
  for (const operation of ending) {
    const cookie = await signIn(role === 'admin' ? 'ana' : 'sara');
    const { rule } = RULE_OF.get(operation.route)!;
    const [status, code] = await ask(operation, { cookie });
    if (role === 'support' && rule === 'admin')
      expect([operation.route, status, code]).toEqual([operation.route, 403, 'insufficient_scope']);
    else expect([operation.route, [401, 403].includes(status), code]).toEqual([operation.route, false, code]);
  }
});

test('after ten minutes what cannot be undone wants to know again who it is', async () => {
  for (const operation of ending) {
    const cookie = await signIn('ana');
    now = new Date(now.getTime() + 11 * 60_000);
    const { fresh } = RULE_OF.get(operation.route)!;
    const [, code] = await ask(operation, { cookie });
    expect([operation.route, code === 'reauthentication_required']).toEqual([operation.route, fresh]);
  }
});

test('each change leaves an entry, whatever it came to', async () => {
  const { tenantId } = service.account;
  const { body: message } = await service.send();
  const domain = await giveDomain(service, tenantId, 'audited.example.com');
  const { personId: operatorId } = await requireByEmail(admin.sessions, 'luis@example.com');
  const { link } = await linkOperator(admin.sessions, operatorId);
  const reason = 'ticket 4711';
  const bodies: Record<string, object | string> = {
    signIn: { link: new URL(link.url).hash.slice(1), replace_session: true },
    giveSecondFactor: { code: '000000' },
    reauthenticate: { password: 'a wrong password' },
    updateSelf: { name: 'Ana' },
    setPassword: { password: 'three unrelated words: lamp river chess' },
    confirmTotp: { code: '000000' },
    addPasskey: {
      attempt: '',
      credential: {
        ...{ id: 'AA', rawId: 'AA', type: 'public-key' },
        response: { clientDataJSON: 'AA', attestationObject: 'AA' },
      },
    },
    updatePasskey: { name: 'Laptop' },
    createTenant: { name: 'Audited' },
    updateTenant: { name: 'Audited' },
    eraseMessage: { reason },
    openMessageContent: { reason },
    addTenantMember: { email: 'owner@example.com' },
    pauseDestination: { reason },
    pauseTenant: { reason },
    writeDestinationNote: { value: 1, reason },
    writeCap: { steps: [1], reason },
    retryQueueSelection: { count: 1 },
    cancelQueueSelection: { count: 1 },
    createGlobalSuppression: { address: 'x@example.com' },
    importGlobalSuppressions: 'y@example.com\n',
    createOperator: { email: 'x@example.com', role: 'support' },
    updateOperator: { role: 'support' },
  };
  const ids: Record<string, string> = { tenants: tenantId, messages: message.id, operators: operatorId };
  for (const { method, path, route, id } of operations.filter((each) => each.method !== 'GET')) {
    const cookie = await signIn('ana');
    const url = path
      .replace('{id}', ids[path.split('/').at(path.includes('pauses') ? -2 : 1)!] ?? newId())
      .replace('{did}', domain)
      .replace('{name}', 'example.com')
      .replace('{note}', 'no_tls')
      .replace('{address}', 'x@example.com')
      .replace('{kid}', newId());
    const body = bodies[id];
    const isFile = typeof body === 'string';
    const headers = { ...(isFile && { 'content-type': 'text/csv' }) };
    const answer = await admin.call(method, url, { cookie, headers, ...(body && { body }) });
    const entries = await service.db.query<{ phase: string }>(
      'select phase from operator_events where request_id = $1 order by event_id',
      [answer.headers['request-id']],
    );
    // A session that is whole is asked for no second factor, and options change nothing: nothing begins.
    const expected = CHANGE_NOTHING.includes(id) ? [] : ['started', 'ended'];
    expect([route, answer.status, entries.map(({ phase }) => phase)]).toEqual([
      route,
      answer.status,
      expected,
    ]);
  }
});
