import crypto, { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { eventually } from '@acuse/testkit/eventually';
import { createGate } from '@acuse/testkit/https-receiver';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LOOK_UPS_AT_ONCE, LOOK_UPS_WAITING_MAX } from '../../../src/accounts/api-keys/failed-keys.ts';
import { changeTenant } from '../../../src/accounts/tenants/operations.ts';
import { HASHES_WAITING_MAX } from '../../../src/people/sessions/passwords.ts';
import { holdableClock } from '../../support/holdable-clock.ts';
import { givePassword, linkFor, openBrowser, PASSWORD, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, type TestTenant } from '../../support/tenants.ts';

/** A clock that a test can put forward. */
let aheadMs = 0;
const clock = holdableClock(() => aheadMs);
const HOUR = 3_600_000;

let service: TestService;
let tenant: TestTenant;

beforeAll(async () => {
  service = await startTestService({ clock, environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
  tenant = await makeTenant(service, { name: 'Example S.A.' });
});
afterAll(() => service.stop());

const owner = () => signedIn(service, tenant.tenantId, 'owner');

describe('a one-time link', () => {
  test('opens a session by POST alone, once, and of many at once for one', async () => {
    const { secret } = await linkFor(service, 'first@people.test', {
      tenantId: tenant.tenantId,
      role: 'owner',
    });
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/session', '/session?link=x', '/link'])
        expect((await openBrowser(service).call(method, path)).status).toBeGreaterThanOrEqual(400);
    const browsers = Array.from({ length: 8 }, () => openBrowser(service));
    const answers = await Promise.all(
      browsers.map((browser) => browser.call('POST', '/session', { link: secret })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(422)]);
    const lost = answers.find(({ status }) => status === 422)!;
    expect(lost.body.error.code).toBe('invalid_link');
    expect(lost.headers['set-cookie']).toBeUndefined();
    expect(browsers.filter(({ token }) => token !== null)).toHaveLength(1);
  });

  test('is invalid_link, whatever is wrong with it', async () => {
    const wrong = async (link: string) => {
      const { status, body } = await openBrowser(service).call('POST', '/session', { link });
      return [status, body.error];
    };
    const expired = await linkFor(service, 'late@people.test', { tenantId: tenant.tenantId, role: 'viewer' });
    aheadMs += 25 * HOUR;
    const replaced = await linkFor(service, 'late@people.test', null);
    await linkFor(service, 'late@people.test', null);
    const answers = await Promise.all(
      [expired.secret, replaced.secret, 'x', '', 'A'.repeat(43), 'ñ'.repeat(43)].map(wrong),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]![0]).toBe(422);
  });
});

describe('a session', () => {
  test('is found while cookies that are made up come by the hundred, from its network too', async () => {
    const from = '2001:db8:77::1';
    const person = await signedIn(service, tenant.tenantId, 'owner', { from });
    expect((await person.call('GET', '/session')).status).toBe(200);
    const madeUp = () => {
      const browser = openBrowser(service, { from });
      browser.token = randomBytes(32).toString('base64url');
      return browser.call('GET', '/session').then(({ status }) => status);
    };
    const statuses: number[] = [];
    const flood = (count: number) =>
      Promise.all(Array.from({ length: count }, async () => statuses.push(await madeUp())));
    await clock.held(async () => {
      await flood(101);
      expect(new Set(statuses)).toEqual(new Set([401]));
      const owner = new pg.Client({ connectionString: service.databaseUrl });
      await owner.connect();
      await owner.query('begin; lock table user_sessions in access exclusive mode');
      const more = flood(LOOK_UPS_AT_ONCE + LOOK_UPS_WAITING_MAX + 40);
      const answer = person.call('GET', '/session');
      // More are not even waited for.
      await eventually(() => statuses.length === 101 + 40).finally(() => owner.end());
      expect((await answer).status).toBe(200);
      await more;
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    });
  });

  test('says who is signed in and what they may do in which account', async () => {
    const person = await owner();
    const { body, headers } = await person.call('GET', '/session');
    expect(body).toMatchObject({
      user: { id: person.userId, email: person.email, name: null, locale: null },
      accounts: [{ id: tenant.tenantId, name: 'Example S.A.', role: 'owner', status: 'active' }],
    });
    expect(body.accounts[0].scopes).toContain('api_keys:write');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('comes in a cookie that no script reads and no other site sends', async () => {
    const { secret } = await linkFor(service, 'cookie@people.test', {
      tenantId: tenant.tenantId,
      role: 'viewer',
    });
    const answer = await openBrowser(service).call('POST', '/session', { link: secret });
    expect(answer.headers['set-cookie']).toMatch(
      /^acuse_portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    expect(JSON.stringify(answer.body)).not.toContain(
      /=([^;]*)/.exec(String(answer.headers['set-cookie']))![1],
    );
  });

  test('under a public https address has the prefix that binds it to the host', async () => {
    const other = await startTestService({
      environment: { ACUSE_PUBLIC_URL: 'https://mail.example.com', ACUSE_TRUST_PROXY: '127.0.0.1' },
    });
    try {
      const { tenantId } = await makeTenant(other);
      const { secret } = await linkFor(other, 'ana@people.test', { tenantId, role: 'owner' });
      const headers = { host: 'mail.example.com', 'sec-fetch-site': 'same-origin' };
      const answer = await other.call('POST', '/v1/portal/session', {
        key: null,
        body: { link: secret },
        headers,
      });
      const cookie = String(answer.headers['set-cookie']);
      expect(cookie).toMatch(/^__Host-acuse_portal=.*; Secure; /);
      const [pair] = cookie.split(';');
      const read = (cookie: string) =>
        other.call('GET', '/v1/portal/session', { key: null, headers: { ...headers, cookie } });
      expect((await read(pair!)).status).toBe(200);
      // A name without the prefix could have been set by anybody on the host.
      expect((await read(pair!.replace('__Host-', ''))).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  test.each([
    '',
    'acuse_portal=',
    'acuse_portal=null',
    `acuse_portal=${'A'.repeat(43)}`,
    `acuse_portal=${'A'.repeat(10_000)}`,
    'acuse_portal="; drop table users;',
    'acuse_admin=x',
  ])('is none with the cookie %j', async (cookie) => {
    const { status, body } = await openBrowser(service).call('GET', '/session', undefined, { cookie });
    expect([status, body.error.code]).toEqual([401, 'unauthorized']);
  });

  test('is not opened by an API key, nor the machine API by a cookie', async () => {
    const person = await owner();
    const { key } = tenant;
    const asKey = await service.call('GET', '/v1/portal/messages', { key, headers: { host: 'localhost' } });
    expect(asKey.status).toBe(401);
    const cookie = `acuse_portal=${person.token}`;
    expect((await service.call('GET', '/v1/messages', { key: null, headers: { cookie } })).status).toBe(401);
    expect((await person.call('GET', '/messages')).status).toBe(200);
  });

  test('ends when its person signs out, and the cookie with it', async () => {
    const person = await owner();
    const old = person.token;
    expect((await person.call('DELETE', '/session')).status).toBe(204);
    expect(person.token).toBeNull();
    person.token = old;
    expect((await person.call('GET', '/session')).status).toBe(401);
  });

  test('ends after 12 hours without a request, and after 14 days whatever happens', async () => {
    const idle = await owner();
    const busy = await owner();
    aheadMs += 11 * HOUR;
    expect((await idle.call('GET', '/session')).status).toBe(200);
    aheadMs += 11 * HOUR;
    expect((await idle.call('GET', '/session')).status).toBe(200);
    aheadMs += 12 * HOUR + 1000;
    expect((await idle.call('GET', '/session')).status).toBe(401);
    // Not even when the clock goes back.
    aheadMs -= 2 * HOUR;
    expect((await idle.call('GET', '/session')).status).toBe(401);
    const fresh = await owner();
    for (let hours = 0; hours < 14 * 24 - 6; hours += 6) {
      expect((await fresh.call('GET', '/session')).status).toBe(200);
      aheadMs += 6 * HOUR;
    }
    const { body } = await fresh.call('GET', '/session');
    expect(new Date(body.expires_at).getTime() - clock.now().getTime()).toBeLessThanOrEqual(6 * HOUR);
    aheadMs += 6 * HOUR + 1000;
    expect((await fresh.call('GET', '/session')).status).toBe(401);
    expect((await busy.call('GET', '/session')).status).toBe(401);
  });

  test('that the browser had before ends with the next sign-in', async () => {
    const person = await owner();
    const before = person.token;
    const { secret } = await linkFor(service, person.email, null);
    expect((await person.call('POST', '/session', { link: secret })).status).toBe(200);
    expect(person.token).not.toBe(before);
    person.token = before;
    expect((await person.call('GET', '/session')).status).toBe(401);
  });

  test('is listed with its device, and ended from another one', async () => {
    const first = await owner();
    const second = openBrowser(service, { from: '198.51.100.7' });
    const { secret } = await linkFor(service, first.email, null);
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await second.call('POST', '/session', { link: secret }, { 'user-agent': agent });
    const { body } = await first.call('GET', '/user/sessions');
    expect(body.data).toMatchObject([
      { current: false, device: 'Firefox on Linux', client_address: '198.51.100.7' },
      { current: true, client_address: '127.0.0.1' },
    ]);
    const stranger = await owner();
    expect((await stranger.call('DELETE', `/user/sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await first.call('DELETE', `/user/sessions/${body.data[0].id}`)).status).toBe(204);
    expect((await first.call('DELETE', `/user/sessions/${body.data[0].id}`)).status).toBe(404);
    expect((await second.call('GET', '/session')).status).toBe(401);
    expect((await first.call('GET', '/session')).status).toBe(200);
  });

  test('ends all others of its person, and those of nobody else', async () => {
    const [first, stranger] = [await owner(), await owner()];
    const others = [openBrowser(service), openBrowser(service)];
    for (const other of others) {
      const { secret } = await linkFor(service, first.email, null);
      await other.call('POST', '/session', { link: secret });
    }
    for (let round = 0; round < 2; round++)
      expect((await first.call('DELETE', '/user/sessions')).status).toBe(204);
    expect((await first.call('GET', '/user/sessions')).body.data).toMatchObject([{ current: true }]);
    for (const other of others) expect((await other.call('GET', '/session')).status).toBe(401);
    expect((await stranger.call('GET', '/session')).status).toBe(200);
  });

  test('makes 50 requests a second, 200 at once', async () => {
    const person = await owner();
    const ask = (times: number) =>
      Promise.all(Array.from({ length: times }, () => person.call('GET', '/user')));
    await clock.held(async () => {
      const refused = (await ask(210)).filter(({ status }) => status === 429);
      expect(refused).toHaveLength(10);
      expect(refused[0]!.headers['retry-after']).toBe('1');
      aheadMs += 1000;
      expect((await ask(60)).filter(({ status }) => status === 200)).toHaveLength(50);
    });
    // Nobody else's.
    expect((await (await owner()).call('GET', '/user')).status).toBe(200);
  });

  test('is refused from another origin and under another name', async () => {
    const person = await owner();
    const refusal = async (method: string, path: string, headers: Record<string, string>) => {
      const { status, body } = await person.call(method, path, undefined, headers);
      return [status, body.error?.code];
    };
    const refused = [403, 'cross_origin_refused'];
    const foreign = { 'sec-fetch-site': 'same-site', origin: 'http://localhost:8030' };
    expect(await refusal('DELETE', '/session', foreign)).toEqual(refused);
    for (const [method, path] of [
      ['GET', '/session'],
      ['POST', '/session'],
      ['GET', '/messages'],
      ['POST', '/password-resets'],
      ['GET', '/members'],
    ] as const)
      expect(await refusal(method, path, { host: 'evil.test' })).toEqual(refused);
    expect((await person.call('GET', '/session')).status).toBe(200);
  });
});

describe('a password', () => {
  test('is set in the session, opens others, and ends them when it changes', async () => {
    const person = await owner();
    await givePassword(person);
    const other = openBrowser(service);
    const signIn = { email: person.email.toUpperCase(), password: PASSWORD };
    expect((await other.call('POST', '/session', signIn)).body).toEqual({ state: 'signed_in', methods: [] });
    const change = { password: 'otros cinco perros', current_password: PASSWORD };
    expect((await other.call('PUT', '/password', { ...change, current_password: 'x' })).status).toBe(401);
    expect((await other.call('PUT', '/password', change)).status).toBe(204);
    expect((await other.call('GET', '/session')).status).toBe(200);
    expect((await person.call('GET', '/session')).status).toBe(401);
    expect((await openBrowser(service).call('POST', '/session', signIn)).status).toBe(401);
  });

  test.each(['short', 'qwertyuiop12', 'x'.repeat(300)])('is not %s', async (password) => {
    const { status, body } = await (await owner()).call('PUT', '/password', { password });
    expect([status, body.error.code]).toEqual([422, 'weak_password']);
  });

  test('that is wrong, of nobody, or of no address at all is one and the same 401', async () => {
    const person = await owner();
    await givePassword(person);
    const answers = [];
    for (const [at, email] of [person.email, 'nobody@people.test', 'no address', ''].entries()) {
      const browser = openBrowser(service, { from: `203.0.113.${at}` });
      const { status, body } = await browser.call('POST', '/session', { email, password: 'wrong' });
      answers.push([status, body]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]![0]).toBe(401);
  });
});

/** Each hash waits until they go on. */
function holdHashes(): { goOn(): void } {
  const { scrypt } = crypto;
  const gate = createGate();
  const held = vi.spyOn(crypto, 'scrypt');
  held.mockImplementation((...hashed) => void gate.until.then(() => scrypt(...hashed)));
  syncBuiltinESMExports();
  return {
    goOn() {
      held.mockRestore();
      syncBuiltinESMExports();
      gate.open();
    },
  };
}

describe('what counts failures', () => {
  test('stops the eleventh, but not the owner on a known network', async () => {
    const person = await signedIn(service, tenant.tenantId, 'owner', { from: '192.0.2.10' });
    await givePassword(person);
    const stranger = (from: string, password: string) =>
      openBrowser(service, { from }).call('POST', '/session', { email: person.email, password });
    // From ten networks at once: counted before they are judged.
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, at) => stranger(`203.0.113.${100 + at}`, `wrong ${at}`)),
    );
    const statuses = guesses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    const eleventh = await stranger('203.0.113.200', PASSWORD);
    expect(eleventh.status).toBe(429);
    expect(Number(eleventh.headers['retry-after'])).toBeGreaterThan(800);
    expect((await stranger('192.0.2.10', PASSWORD)).status).toBe(200);
    aheadMs += 15 * 60_000 + 1000;
    expect((await stranger('203.0.113.200', PASSWORD)).status).toBe(200);
  });

  test('tried from all of an IPv6 /48 at once keeps no owner on a known network out', async () => {
    const busy = await startTestService({ environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
    try {
      const { tenantId } = await makeTenant(busy);
      const person = await signedIn(busy, tenantId, 'owner', { from: '192.0.2.10' });
      await givePassword(person);
      const statuses: number[] = [];
      const refused = (count: number) =>
        eventually(() => statuses.filter((status) => status === 503).length === count);
      const hashes = holdHashes();
      const attack = Array.from({ length: 80 }, async (_, at) => {
        const browser = openBrowser(busy, { from: `2001:db8:1:${at.toString(16)}::1` });
        const tried = { email: `nobody${at}@people.test`, password: 'wrong' };
        statuses.push((await browser.call('POST', '/session', tried)).status);
      });
      // One is at work.
      await refused(80 - 1 - HASHES_WAITING_MAX);
      const own = Array.from({ length: 8 }, () =>
        openBrowser(busy, { from: '192.0.2.10' }).call('POST', '/session', {
          email: person.email,
          password: PASSWORD,
        }),
      );
      // The first begins at once, and each other takes a place.
      await refused(80 - 1 - HASHES_WAITING_MAX + 7).finally(hashes.goOn);
      expect((await Promise.all(own)).map(({ status }) => status)).toEqual(Array(8).fill(200));
      await Promise.all(attack);
      expect(statuses.every((status) => status === 401 || status === 503)).toBe(true);
    } finally {
      await busy.stop();
    }
  });

  test('stops a network that tries many people, and IPv6 by the /64', async () => {
    const attempt = (at: number) =>
      openBrowser(service, { from: `2001:db8:1:2::${at.toString(16)}` }).call('POST', '/session', {
        email: `nobody${at}@people.test`,
        password: 'wrong',
      });
    const statuses = (await Promise.all(Array.from({ length: 11 }, (_, at) => attempt(at)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([...Array(10).fill(401), 429]);
  });
});

describe('an account', () => {
  test('is named by who belongs to several, and is not there for who belongs to none', async () => {
    const person = await owner();
    const second = await makeTenant(service, { name: 'Second' });
    const { secret } = await linkFor(service, person.email, { tenantId: second.tenantId, role: 'viewer' });
    await person.call('POST', '/session', { link: secret });
    const none = await person.call('GET', '/account');
    expect([none.status, none.body.error.code]).toEqual([400, 'invalid_parameter']);
    for (const { tenantId } of [tenant, second]) {
      const named = await person.call('GET', '/account', undefined, { 'service-account': tenantId });
      expect(named.body.id).toBe(tenantId);
      const inAddress = await person.call('GET', `/account?service_account=${tenantId}`);
      expect(inAddress.body.id).toBe(tenantId);
    }
    const other = await makeTenant(service);
    for (const id of [other.tenantId, 'x', '']) {
      const { status } = await person.call('GET', '/account', undefined, { 'service-account': id });
      expect(status).toBe(404);
    }
    // The role is that of the account that was named.
    const keys = (tenantId: string) =>
      person.call('GET', '/api-keys', undefined, { 'service-account': tenantId });
    expect((await keys(tenant.tenantId)).status).toBe(200);
    expect((await keys(second.tenantId)).status).toBe(403);
  });

  test('that is suspended refuses all but the session and the person', async () => {
    const other = await makeTenant(service);
    const person = await signedIn(service, other.tenantId, 'owner');
    for (const [status, code] of [
      ['suspended', 'tenant_suspended'],
      ['deactivated', 'tenant_deactivated'],
    ] as const) {
      await changeTenant(service.services, other.tenantId, { status });
      for (const path of ['/messages', '/account', '/members', '/audit', '/settings']) {
        const { status: http, body } = await person.call('GET', path);
        expect([http, body.error.code]).toEqual([403, code]);
      }
      expect((await person.call('GET', '/session')).body.accounts[0].status).toBe(status);
      expect((await person.call('GET', '/user')).status).toBe(200);
    }
  });
});

test('what cannot be undone demands an authentication of the last 10 minutes', async () => {
  const person = await owner();
  await givePassword(person);
  const makeKey = () => person.call('POST', '/api-keys', { name: 'x', scopes: ['evidence:read'] });
  expect((await makeKey()).status).toBe(201);
  aheadMs += 10 * 60_000 + 1000;
  for (const answer of [
    await makeKey(),
    await person.call('POST', '/members', { email: 'x@people.test', role: 'viewer' }),
    await person.call('POST', '/user/totp'),
    await person.call('PATCH', '/settings', { require_second_factor: false }),
    await person.call('PUT', '/password', { password: 'otros cinco perros' }),
  ])
    expect([answer.status, answer.body.error?.code]).toEqual([403, 'reauthentication_required']);
  expect((await person.call('POST', '/session/reauthenticate', { password: 'wrong' })).status).toBe(401);
  expect((await person.call('POST', '/session/reauthenticate', { code: '000000' })).status).toBe(401);
  expect((await makeKey()).status).toBe(403);
  expect((await person.call('POST', '/session/reauthenticate', { password: PASSWORD })).status).toBe(204);
  expect((await makeKey()).status).toBe(201);
});

test('the first password, set in order to confirm, is an authentication', async () => {
  const person = await owner();
  const makeKey = () => person.call('POST', '/api-keys', { name: 'x', scopes: ['evidence:read'] });
  aheadMs += 10 * 60_000 + 1000;
  expect((await makeKey()).body.error?.code).toBe('reauthentication_required');
  expect((await person.call('PUT', '/password', { password: PASSWORD })).status).toBe(204);
  aheadMs += 9 * 60_000;
  expect((await makeKey()).status).toBe(201);
});
