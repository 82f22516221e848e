import { createAuthenticator, type Instead } from '@acuse/testkit/authenticator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkOperator, requireByEmail, resetFactor } from '../../../src/people/operators/operators.ts';
import { signedIn } from '../../support/people.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { cookieOf, openConsole, type TestConsole } from './harness.ts';

/** Passkeys of operators; what all answers are checked for is in test/sessions/passkeys.test.ts. */
let service: TestService;
let admin: TestConsole;
/** Reached from other machines: operators need a second factor. */
let open: TestService;
let openAdmin: TestConsole;
const ORIGIN = 'http://localhost:8030';
const PASSWORD = 'three unrelated words: lamp river chess';

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
  open = await startTestService({ environment: { ACUSE_ADMIN_HOST: '0.0.0.0' } });
});
afterAll(async () => {
  await openAdmin?.stop();
  await admin?.stop();
  await service?.stop();
  await open?.stop();
});

type Device = ReturnType<typeof createAuthenticator>;
const refusal = ({ status, body }: Answer) => [status, body?.error?.code];

/** A session of one's own for somebody of the harness: it ends no other. */
async function fresh(console: TestConsole, name: string): Promise<string> {
  const { personId: operatorId } = await requireByEmail(console.sessions, `${name}@example.com`);
  const { link } = await linkOperator(console.sessions, operatorId);
  const body = { link: new URL(link.url).hash.slice(1) };
  return cookieOf(await console.call('POST', '/session', { as: null, body }));
}

async function add(console: TestConsole, cookie: string, device: Device, name = 'Laptop'): Promise<Answer> {
  const begun = await console.call('POST', '/operator/passkeys/options', { cookie });
  if (begun.status !== 200) return begun;
  const credential = device.create(begun.body.options, ORIGIN);
  const body = { attempt: begun.body.attempt, credential, name };
  return console.call('POST', '/operator/passkeys', { cookie, body });
}

async function signIn(console: TestConsole, device: Device, instead: Instead = {}): Promise<Answer> {
  const { body } = await console.call('POST', '/session/passkey-options', { as: null });
  const passkey = { attempt: body.attempt, credential: device.get(body.options, ORIGIN, instead) };
  return console.call('POST', '/session', { as: null, body: { passkey } });
}

test('a passkey signs an operator in, and is on record from its adding to its removal', async () => {
  const cookie = await fresh(admin, 'ana');
  const device = createAuthenticator();
  const added = await add(admin, cookie, device);
  expect(added.status).toBe(201);
  expect(added.body.recovery_codes).toHaveLength(10);
  expect(added.headers.location).toBe(`/v1/admin/operator/passkeys/${added.body.passkey.id}`);
  const signedIn = await signIn(admin, device);
  expect([signedIn.status, signedIn.body]).toEqual([200, { state: 'signed_in', methods: [] }]);
  const own = { cookie: cookieOf(signedIn) };
  expect((await admin.call('GET', '/session', own)).body.operator).toMatchObject({
    email: 'ana@example.com',
    has_passkeys: true,
  });
  const path = `/operator/passkeys/${added.body.passkey.id}`;
  expect((await admin.call('PATCH', path, { ...own, body: { name: 'Key' } })).body.name).toBe('Key');
  // Without a password it is the only way in.
  expect(refusal(await admin.call('DELETE', path, own))).toEqual([409, 'conflict']);
  await admin.call('PUT', '/password', { ...own, body: { password: PASSWORD } });
  expect((await admin.call('DELETE', path, own)).status).toBe(204);
  expect((await admin.call('GET', '/operator/passkeys', own)).body.data).toEqual([]);
  expect(refusal(await signIn(admin, device))).toEqual([401, 'unauthorized']);
  const { body } = await admin.call('GET', '/audit?limit=20', own);
  const actions = body.data.map(
    ({ action, outcome }: { action: string; outcome: string }) => `${action} ${outcome}`,
  );
  for (const action of ['add', 'rename', 'remove']) expect(actions).toContain(`self.${action}_passkey done`);
  expect(actions).toContain('self.remove_passkey refused');
  const signed = body.data.find(
    ({ after }: { after: object | null }) => (after as { by?: string })?.by === 'passkey',
  );
  expect(signed).toMatchObject({ action: 'session.sign_in', outcome: 'done' });
});

test('it is a second factor after the password, and confirms again', async () => {
  const cookie = await fresh(admin, 'luis');
  await admin.call('PUT', '/password', { cookie, body: { password: PASSWORD } });
  const device = createAuthenticator();
  expect((await add(admin, cookie, device)).status).toBe(201);
  const body = { email: 'luis@example.com', password: PASSWORD };
  const half = await admin.call('POST', '/session', { as: null, body });
  expect(half.body).toEqual({ state: 'second_factor', methods: ['passkey', 'recovery_code'] });
  const own = { cookie: cookieOf(half) };
  expect((await admin.call('GET', '/overview', own)).status).toBe(401);
  // A thief of the password alone adds no factor to get in by.
  for (const [method, route, given] of [
    ['POST', '/operator/totp', undefined],
    ['PUT', '/operator/totp', { code: '000000' }],
    ['POST', '/operator/passkeys/options', undefined],
  ] as const)
    expect([
      route,
      ...refusal(await admin.call(method, route, { ...own, ...(given && { body: given }) })),
    ]).toEqual([route, 401, 'unauthorized']);
  const prove = async (session: { cookie: string }, path: string) => {
    const begun = await admin.call('POST', '/session/own-passkey-options', session);
    const passkey = { attempt: begun.body.attempt, credential: device.get(begun.body.options, ORIGIN) };
    return admin.call('POST', path, { ...session, body: { passkey } });
  };
  const whole = await prove(own, '/session/second-factor');
  expect(whole.body).toEqual({ state: 'signed_in', methods: [] });
  const now = { cookie: cookieOf(whole) };
  expect((await admin.call('GET', '/overview', now)).status).toBe(200);
  expect((await prove(now, '/session/reauthenticate')).status).toBe(204);
  const { personId: operatorId } = await requireByEmail(admin.sessions, 'luis@example.com');
  expect(await resetFactor(admin.sessions, operatorId)).toBe(true);
  expect(refusal(await signIn(admin, device))).toEqual([401, 'unauthorized']);
});

test('where a second factor is needed, a passkey is one to begin with', async () => {
  openAdmin = await openConsole(open);
  const { personId: operatorId } = await requireByEmail(openAdmin.sessions, 'ana@example.com');
  const { link } = await linkOperator(openAdmin.sessions, operatorId);
  const answer = await openAdmin.call('POST', '/session', {
    as: null,
    body: { link: new URL(link.url).hash.slice(1) },
  });
  expect(answer.body).toEqual({ state: 'second_factor', methods: ['enrol'] });
  const cookie = cookieOf(answer);
  expect((await openAdmin.call('GET', '/overview', { cookie })).status).toBe(401);
  const device = createAuthenticator();
  // A second browser with the same half of a session, at the same time: one of them adds the first factor.
  const begun = await Promise.all(
    [1, 2].map(() => openAdmin.call('POST', '/operator/passkeys/options', { cookie })),
  );
  const answers = await Promise.all(
    begun.map(({ body: { attempt, options } }) => {
      const credential = device.create(options, ORIGIN);
      return openAdmin.call('POST', '/operator/passkeys', { cookie, body: { attempt, credential } });
    }),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
  const added = answers.find(({ status }) => status === 201)!;
  const own = { cookie: cookieOf(added) };
  expect((await openAdmin.call('GET', '/overview', own)).status).toBe(200);
  await openAdmin.call('PUT', '/password', { ...own, body: { password: PASSWORD } });
  const path = `/operator/passkeys/${added.body.passkey.id}`;
  expect(refusal(await openAdmin.call('DELETE', path, own))).toEqual([409, 'conflict']);
});

test('a passkey of the portal opens nothing in the console', async () => {
  const person = await signedIn(service, service.account.tenantId, 'owner');
  const device = createAuthenticator();
  const begun = await person.call('POST', '/user/passkeys/options');
  const credential = device.create(begun.body.options, 'http://localhost:8025');
  await person.call('POST', '/user/passkeys', { attempt: begun.body.attempt, credential });
  expect(refusal(await signIn(admin, device))).toEqual([401, 'unauthorized']);
  const { body } = await person.call('POST', '/session/passkey-options');
  const passkey = { attempt: body.attempt, credential: device.get(body.options, ORIGIN) };
  const answer = await admin.call('POST', '/session', { as: null, body: { passkey } });
  expect(refusal(answer)).toEqual([409, 'conflict']);
});
