import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/platform/clock.ts';
import { type Person, signedIn } from '../../support/people.ts';
import { type Answer, newKey, startTestService, type TestService } from '../../support/service.ts';
import { BODIES, filled, MACHINE_ROUTES, type Owned, ownEverything } from './doors-support.ts';

/** The machine API behind both of its doors: the same answers, byte for byte. */
let service: TestService;
let owner: Person;
let owned: Owned;

/** Time goes on with each request, as much as a session may ask for: this asks faster than people do. */
const REQUEST_MS = 25;
let asked = 0;
/** While the same is asked at both doors, it is one moment: answers may say how long something has waited. */
let moment: Date | null = null;
const clock: Clock = {
  now: () => new Date(moment ?? Date.now() + asked * REQUEST_MS),
  monotonicMs: () => performance.now() + asked * REQUEST_MS,
};

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' }, clock });
  owner = await signedIn(service, service.account.tenantId, 'owner');
  owned = await ownEverything(service, owner);
  for (let i = 0; i < 3; i++) await service.send({ subject: `Message ${i}` });
  await service.call('POST', '/v1/templates', { body: { name: 'second', subject: 'S', text: 'T' } });
});
afterAll(() => service?.stop());

const byKey = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  service.call(method, `/v1${path}`, { ...(body !== undefined && { body }), headers });
const bySession: typeof byKey = (method, path, body, headers) => {
  asked++;
  return owner.call(method, path, body, headers);
};

/** The caller's own: its rate, and the request's id and time. */
const OWN = /^(request-id|date|ratelimit-.*)$/;

function shown({ status, headers, raw }: Answer) {
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name))),
    body: raw.toString('latin1'),
  };
}

async function expectSame(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  moment = clock.now();
  try {
    const [key, session] = [
      await byKey(method, path, body, headers),
      await bySession(method, path, body, headers),
    ];
    expect(shown(session)).toEqual(shown(key));
    return key;
  } finally {
    moment = null;
  }
}

/** Answers about the caller differ: the account, whose calling key the portal has not. */
const ABOUT_THE_CALLER = new Set(['getAccount']);

const READS = MACHINE_ROUTES.filter(
  ({ method, operation }) => method === 'GET' || operation.operationId === 'verifyMessage',
);

test.each(READS)('$name answers the same about what there is', async ({ method, path, operation }) => {
  const url = filled(path, owned);
  expect(url, 'nothing of this kind is owned: add it to ownEverything').not.toBeNull();
  if (ABOUT_THE_CALLER.has(operation.operationId)) {
    const [key, session] = [await byKey(method, url!), await bySession(method, url!)];
    expect(session.body).toEqual({ ...key.body, api_key: null });
    return;
  }
  const body = method === 'GET' ? undefined : { message_id: owned['messages'] };
  await expectSame(method, url!, body);
  const takes = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
  if (!takes.includes('after')) return;
  const page = await expectSame(method, `${url}?limit=1`);
  const { next_cursor: cursor } = page.body;
  // A list that was begun at one door goes on at the other.
  if (cursor !== null) expect((await expectSame(method, `${url}?limit=1&after=${cursor}`)).status).toBe(200);
  expect((await expectSame(method, `${url}?after=AAAA`)).status).toBe(400);
});

test.each(MACHINE_ROUTES)('$name refuses the same', async ({ method, path, operation }) => {
  const url = filled(path, null)!;
  const body = BODIES[operation.operationId];
  const headers = { 'idempotency-key': newKey() };
  if (path.includes('{')) expect((await expectSame(method, url, body, headers)).status).toBe(404);
  // A route that takes bytes asks for them before it looks at its URL.
  const unknown = await expectSame(method, `${url}?colour=1`, body, headers);
  expect([400, 415]).toContain(unknown.status);
  expect((await expectSame('OPTIONS', url)).status).toBe(204);
  if (method === 'GET') return;
  for (const wrong of ['{', '{"a":1,"a":2}', '[]', '{"nonsense":true}']) {
    const answer = await expectSame(method, url, wrong, headers);
    expect([wrong, answer.status]).toEqual([wrong, expect.toBeOneOf([400, 404, 415])]);
  }
  const plain = { ...headers, 'content-type': 'text/plain' };
  expect((await expectSame(method, url, 'x', plain)).status).toBe(415);
});

describe('what is made through one door', () => {
  test('is a replay through the other, and says where it is at this one', async () => {
    const headers = { 'idempotency-key': newKey() };
    const message = { from: 'billing@sandbox.test', to: 'ana@sandbox.test', subject: 'S', text: 'T' };
    const first = await bySession('POST', '/messages', message, headers);
    const again = await byKey('POST', '/messages', message, headers);
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 200, 'true']);
    expect(again.raw.toString()).toBe(first.raw.toString());
    expect(first.headers['location']).toBe(`/v1/portal/messages/${first.body.id}`);
    expect(again.headers['location']).toBe(`/v1/messages/${first.body.id}`);
    expect((await bySession('GET', `/messages/${first.body.id}`)).raw.toString()).toBe(first.raw.toString());
  });

  test('is in the access log with who it was', async () => {
    const body = { message_id: owned['messages'] };
    await byKey('POST', '/verify', body);
    await bySession('POST', '/verify', body);
    const { data } = (await expectSame('GET', '/verifications?limit=2')).body;
    expect(data.map(({ actor }: { actor: object }) => actor)).toEqual([
      { kind: 'user', id: owner.userId, name: owner.email },
      { kind: 'key', id: expect.any(String), name: expect.any(String) },
    ]);
  });
});

test('the test button of the portal sends a synthetic event too', async () => {
  const answer = await bySession('POST', `/webhooks/${owned['webhooks']}/ping`);
  // Nobody listens there: what was sent is in the answer all the same.
  expect([answer.status, answer.body.delivered]).toEqual([200, false]);
  expect(JSON.parse(answer.body.request.body)).toMatchObject({ data: { synthetic: true } });
});

test('a key opens nothing of the portal, a session nothing of the machine API', async () => {
  const cookie = { cookie: `acuse_portal=${owner.token}`, host: 'localhost:8025' };
  expect((await service.call('GET', '/v1/portal/messages', { headers: { host: 'localhost' } })).status).toBe(
    401,
  );
  expect((await service.call('GET', '/v1/messages', { key: null, headers: cookie })).status).toBe(401);
  expect((await service.call('GET', '/v1/admin/overview')).status).toBe(404);
});

test('no key of the portal grants what the person has not', async () => {
  const developer = await signedIn(service, service.account.tenantId, 'developer');
  const answer = await developer.call('POST', '/api-keys', { name: 'x', scopes: ['messages:send'] });
  expect(answer.body.error.code).toBe('insufficient_scope');
});
