import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdminSide } from '../../../src/app/admin-side.ts';
import { firstLink, linkOperator, requireByEmail } from '../../../src/people/operators/operators.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { cookieOf, OWN, openConsole, type TestConsole } from './harness.ts';

/** Sign-in to the admin console, allowed and refused. */
let service: TestService;
let admin: TestConsole;
let now = new Date('2026-11-20T10:00:00Z');
const PASSWORD = 'three unrelated words: lamp river chess';

beforeAll(async () => {
  const clock = { now: () => now, monotonicMs: () => now.getTime() };
  service = await startTestService({ clock });
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

const later = (minutes: number) => {
  now = new Date(now.getTime() + minutes * 60_000);
};
const secretOf = (url: string) => new URL(url).hash.slice(1);
const signIn = (body: object, headers = {}) => admin.call('POST', '/session', { as: null, body, headers });

/** A new operator who has just signed in by the link that came with them. */
async function newOperator(name: string, role = 'admin') {
  const made = await admin.call('POST', '/operators', { body: { email: `${name}@example.com`, role } });
  expect(made.status).toBe(201);
  const signedIn = await signIn({ link: secretOf(made.body.link.url) });
  expect(signedIn.body).toEqual({ state: 'signed_in', methods: [] });
  return { id: made.body.operator.id as string, cookie: cookieOf(signedIn), answer: signedIn };
}

test('the link of a first start makes the first operator, once, whoever spends it at the same time', async () => {
  const empty = await startTestService();
  const side = createAdminSide(empty.services);
  const links = [(await firstLink(side.sessions))!.url, (await firstLink(side.sessions))!.url];
  const spend = (url: string) =>
    side.app.inject({
      method: 'POST',
      url: '/v1/admin/session',
      headers: { ...OWN, 'content-type': 'application/json' },
      payload: { link: secretOf(url) },
    });
  const answers = await Promise.all([...links, ...links].map(spend));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 422, 422, 422]);
  expect(await firstLink(side.sessions)).toBeNull();
  const rows = await empty.db.asSessions((tx) => tx.query('select email, role from operators'));
  expect(rows).toEqual([{ email: 'admin@localhost', role: 'admin' }]);
  await side.close(0);
  await empty.stop();
});

test("another operator's link does not replace the session that is open unless that is meant", async () => {
  const own = await newOperator('olga');
  const made = await admin.call('POST', '/operators', {
    body: { email: 'pedro@example.com', role: 'support' },
  });
  const link = secretOf(made.body.link.url);
  const spend = (more: object = {}) =>
    admin.call('POST', '/session', { as: null, body: { link, ...more }, cookie: own.cookie });
  const refused = await spend();
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  expect(refused.body.error.message).toMatch(/as olga@example\.com.*signs in pedro@example\.com/);
  expect((await admin.call('GET', '/session', { cookie: own.cookie })).status).toBe(200);
  expect((await spend({ replace_session: true })).status).toBe(200);
  expect((await admin.call('GET', '/session', { cookie: own.cookie })).status).toBe(401);
});

test('a link is spent by a POST alone, once; a password follows and ends every other session', async () => {
  const { id, cookie, answer } = await newOperator('paula');
  expect(String(answer.headers['set-cookie'])).toMatch(
    /^acuse_admin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  const made = await admin.call('POST', `/operators/${id}/link`);
  const link = secretOf(made.body.link.url);
  expect((await admin.call('GET', '/session', { as: null })).status).toBe(401);
  const other = await signIn({ link });
  expect(other.status).toBe(200);
  expect((await signIn({ link })).body.error.code).toBe('invalid_link');
  expect((await signIn({ link: 'x' })).body.error.code).toBe('invalid_link');

  const weak = await admin.call('PUT', '/password', { cookie, body: { password: 'password1234' } });
  expect(weak.body.error.code).toBe('weak_password');
  expect((await admin.call('PUT', '/password', { cookie, body: { password: PASSWORD } })).status).toBe(204);
  expect((await admin.call('GET', '/session', { cookie: cookieOf(other) })).status).toBe(401);
  expect((await admin.call('GET', '/session', { cookie })).body.operator).toMatchObject({
    has_password: true,
  });

  const wrong = await signIn({ email: 'paula@example.com', password: 'three unrelated words' });
  const nobody = await signIn({ email: 'nobody@example.com', password: 'three unrelated words' });
  expect([wrong.status, wrong.raw]).toEqual([401, nobody.raw]);
  expect((await signIn({ email: 'PAULA@example.com', password: PASSWORD })).status).toBe(200);
});

test('a session ends after half an hour without a request, and after twelve hours with them', async () => {
  const { cookie } = await newOperator('ida');
  const ask = async () => (await admin.call('GET', '/session', { cookie })).status;
  later(29);
  expect(await ask()).toBe(200);
  later(29);
  expect(await ask()).toBe(200);
  later(31);
  expect(await ask()).toBe(401);
  const second = await newOperatorAgain('ida');
  for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
    later(20);
    expect((await admin.call('GET', '/session', { cookie: second })).status).toBe(200);
  }
  later(21);
  expect((await admin.call('GET', '/session', { cookie: second })).status).toBe(401);
});

/** Ana's session has idled out with the time that tests make pass. */
async function newOperatorAgain(name: string): Promise<string> {
  const { personId: operatorId } = await requireByEmail(admin.sessions, `${name}@example.com`);
  const { link } = await linkOperator(admin.sessions, operatorId);
  return cookieOf(await signIn({ link: secretOf(link.url) }));
}

test('what cannot be undone needs an authentication of the last ten minutes', async () => {
  const cookie = await newOperatorAgain('ana');
  await admin.call('PUT', '/password', { cookie, body: { password: PASSWORD } });
  later(11);
  const create = () => admin.call('POST', '/tenants', { cookie, body: { name: 'x' } });
  const refused = await create();
  expect([refused.status, refused.body.error.code]).toEqual([403, 'reauthentication_required']);
  const again = (body: object) => admin.call('POST', '/session/reauthenticate', { cookie, body });
  expect((await again({ password: 'not this one, surely' })).status).toBe(401);
  expect((await again({ password: PASSWORD })).status).toBe(204);
  expect((await create()).status).toBe(201);
});

test('codes of an authenticator app are asked for, each good once, as are recovery codes', async () => {
  const cookie = await newOperatorAgain('luis');
  const { body: totp } = await admin.call('POST', '/operator/totp', { cookie });
  const app = new TOTP({ secret: Secret.fromBase32(totp.secret), algorithm: 'SHA1', digits: 6, period: 30 });
  const code = () => app.generate({ timestamp: now.getTime() });
  expect((await admin.call('PUT', '/operator/totp', { cookie, body: { code: '000000' } })).status).toBe(401);
  const { body: confirmed } = await admin.call('PUT', '/operator/totp', { cookie, body: { code: code() } });
  expect(confirmed.recovery_codes).toHaveLength(10);
  expect((await admin.call('PUT', '/password', { cookie, body: { password: PASSWORD } })).status).toBe(204);

  const half = async () => {
    const answer = await signIn({ email: 'luis@example.com', password: PASSWORD });
    expect(answer.body).toEqual({ state: 'second_factor', methods: ['totp', 'recovery_code'] });
    return cookieOf(answer);
  };
  const first = await half();
  expect((await admin.call('GET', '/overview', { cookie: first })).status).toBe(401);
  const give = (session: string, body: object) =>
    admin.call('POST', '/session/second-factor', { cookie: session, body });
  // Of the confirmation: spent.
  expect((await give(first, { code: code() })).status).toBe(401);
  later(1);
  const whole = await give(first, { code: code() });
  expect(whole.body).toEqual({ state: 'signed_in', methods: [] });
  expect((await admin.call('GET', '/overview', { cookie: first })).status).toBe(401);
  expect((await admin.call('GET', '/overview', { cookie: cookieOf(whole) })).status).toBe(200);
  const recovery = { recovery_code: confirmed.recovery_codes[0] };
  expect((await give(await half(), recovery)).status).toBe(200);
  expect((await give(await half(), recovery)).status).toBe(401);
});

test('a first password of who has a second factor needs it shown, and ends links that were handed out', async () => {
  const cookie = await newOperatorAgain('ida');
  const { body: begun } = await admin.call('POST', '/operator/totp', { cookie });
  // A factor that waits for its first code can be taken back.
  expect((await admin.call('DELETE', '/operator/totp', { cookie })).status).toBe(204);
  const code = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() });
  const confirm = (secret: string) =>
    admin.call('PUT', '/operator/totp', { cookie, body: { code: code(secret) } });
  expect((await confirm(begun.secret)).body.error.code).toBe('conflict');
  const { body: totp } = await admin.call('POST', '/operator/totp', { cookie });
  expect((await confirm(totp.secret)).status).toBe(200);
  later(11);
  const { personId } = await requireByEmail(admin.sessions, 'ida@example.com');
  const { link } = await linkOperator(admin.sessions, personId);
  const set = () => admin.call('PUT', '/password', { cookie, body: { password: PASSWORD } });
  expect((await set()).body.error.code).toBe('reauthentication_required');
  const shown = { cookie, body: { code: code(totp.secret) } };
  expect((await admin.call('POST', '/session/reauthenticate', shown)).status).toBe(204);
  expect((await set()).status).toBe(204);
  expect((await signIn({ link: secretOf(link.url) })).body.error.code).toBe('invalid_link');
});

test('a console that other machines reach opens to nobody without a second factor', async () => {
  const environment = { ACUSE_ADMIN_HOST: '0.0.0.0', ACUSE_ADMIN_URL: 'https://admin.example.com' };
  const exposed = await startTestService({ environment });
  const side = createAdminSide(exposed.services);
  const ask = (method: 'GET' | 'POST' | 'PUT', url: string, cookie = '', payload?: object) =>
    side.app.inject({
      method,
      url: `/v1/admin${url}`,
      headers: { host: 'admin.example.com', 'sec-fetch-site': 'same-origin', cookie },
      ...(payload && { payload }),
    });
  const { url } = (await firstLink(side.sessions))!;
  expect(url).toMatch(/^https:\/\/admin\.example\.com\/link#/);
  const opened = await ask('POST', '/session', '', { link: secretOf(url) });
  expect(opened.json()).toEqual({ state: 'second_factor', methods: ['enrol'] });
  const [cookie, ...attributes] = String(opened.headers['set-cookie']).split('; ');
  expect(cookie).toMatch(/^__Host-acuse_admin=/);
  expect(attributes).toContain('Secure');
  expect((await ask('GET', '/overview', cookie)).statusCode).toBe(401);
  const { secret } = (await ask('POST', '/operator/totp', cookie)).json();
  const code = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1' }).generate();
  const confirmed = await ask('PUT', '/operator/totp', cookie, { code });
  const whole = String(confirmed.headers['set-cookie']).split(';', 1)[0];
  expect((await ask('GET', '/overview', whole)).statusCode).toBe(200);
  expect((await ask('GET', '/session', cookie)).statusCode).toBe(401);
  await side.close(0);
  await exposed.stop();
});

test('other origins, other hosts, keys and sessions of customers stay out', async () => {
  const cookie = await newOperatorAgain('ana');
  const post = (headers: Record<string, string>) =>
    admin.call('POST', '/tenants', { cookie, body: { name: 'x' }, headers });
  for (const headers of [
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8025' },
    { host: 'evil.test' },
    { host: 'localhost.evil.test' },
  ]) {
    const answer = await post(headers);
    expect([headers, answer.status, answer.body.error.code]).toEqual([headers, 403, 'cross_origin_refused']);
  }
  const rebound = await admin.call('GET', '/overview', { cookie, headers: { host: 'evil.test:8030' } });
  expect(rebound.body.error.code).toBe('cross_origin_refused');
  const key = { authorization: `Bearer ${service.account.apiKey}` };
  expect((await admin.call('GET', '/overview', { as: null, headers: key })).status).toBe(401);
  const token = cookie.split('=')[1];
  for (const hostile of [
    `acuse_portal=${token}`,
    `acuse_admin=${token}; acuse_admin=${token}`,
    'acuse_admin=',
    'acuse_admin=%00',
  ])
    expect([hostile, (await admin.call('GET', '/overview', { cookie: hostile })).status]).toEqual([
      hostile,
      401,
    ]);
  // On the port of the API there is no console.
  for (const path of ['/v1/admin/overview', '/v1/admin/session'])
    expect((await service.call('GET', path, { headers: { cookie } })).status).toBe(404);
});

test('the eleventh failed sign-in in a quarter of an hour waits', async () => {
  later(16);
  const fail = () => signIn({ email: 'brute@example.com', password: 'wrong wrong wrong' });
  for (let at = 0; at < 10; at++) expect((await fail()).status).toBe(401);
  const answer = await fail();
  expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  later(16);
  expect((await fail()).status).toBe(401);
});

test('there is always an admin, also when two take the role from each other at once', async () => {
  const cookie = await newOperatorAgain('ana');
  const { body } = await admin.call('GET', '/operators?limit=100', { cookie });
  const [keep, ...others] = body.data.filter(({ role }: { role: string }) => role === 'admin');
  const demote = (id: string, as: string) =>
    admin.call('PATCH', `/operators/${id}`, { cookie: as, body: { role: 'support' } });
  for (const { id, email } of others)
    if (email !== 'ana@example.com') expect((await demote(id, cookie)).status).toBe(200);
  const ana = body.data.find(({ email }: { email: string }) => email === 'ana@example.com');
  const rival = keep.id === ana.id ? others[0] : keep;
  await admin.call('PATCH', `/operators/${rival.id}`, { cookie, body: { role: 'admin' } });
  const rivals = await newOperatorAgain(rival.email.split('@')[0]);
  const answers = await Promise.all([demote(rival.id, cookie), demote(ana.id, rivals)]);
  const admins = await service.db.asSessions((tx) =>
    tx.query("select email from operators where role = 'admin'"),
  );
  expect(admins).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
