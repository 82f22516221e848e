import { eventually } from '@acuse/testkit/eventually';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetSecondFactor } from '../../../src/people/sessions/operator-issued-link.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import {
  givePassword,
  linkFor,
  openBrowser,
  PASSWORD,
  type Person,
  secretOf,
  signedIn,
} from '../../support/people.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, type TestTenant } from '../../support/tenants.ts';
import { readMessage } from './system-messages.ts';

/** Stands still, so that a code stays what it is; a test puts it forward. */
let nowMs = Date.now();
const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
const STEP_MS = 30_000;

let service: TestService;
let tenant: TestTenant;

beforeAll(async () => {
  service = await startTestService({ clock, environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
  tenant = await makeTenant(service);
});
afterAll(() => service.stop());

/** An app that somebody has set up by typing the secret: made by the library, from the answer alone. */
function codeOf(secret: string, aheadMs = 0): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: nowMs + aheadMs });
}

interface WithApp extends Person {
  readonly secret: string;
  readonly recoveryCodes: string[];
}

let networks = 0;

/** An owner with password and app, from a network that nobody else has failed from. */
async function withApp(): Promise<WithApp> {
  const person = await signedIn(service, tenant.tenantId, 'owner', { from: `192.0.2.${++networks}` });
  await givePassword(person);
  const { body } = await person.call('POST', '/user/totp');
  const confirmed = await person.call('PUT', '/user/totp', { code: codeOf(body.secret) });
  expect(confirmed.status).toBe(200);
  nowMs += STEP_MS;
  return Object.assign(person, { secret: body.secret, recoveryCodes: confirmed.body.recovery_codes });
}

/** A browser of theirs that has given the password. */
async function half(person: Person) {
  const browser = openBrowser(service, { from: `198.51.100.${++networks}` });
  const answer = await browser.call('POST', '/session', { email: person.email, password: PASSWORD });
  expect(answer.body).toEqual({ state: 'second_factor', methods: ['totp', 'recovery_code'] });
  return browser;
}

const refusal = ({ status, body }: Answer) => [status, body?.error?.code];

describe('an authenticator app', () => {
  test('counts once a code of it came, and ends the other sessions', async () => {
    const person = await signedIn(service, tenant.tenantId, 'owner');
    const other = openBrowser(service);
    await other.call('POST', '/session', { link: (await linkFor(service, person.email, null)).secret });
    const { body } = await person.call('POST', '/user/totp');
    expect(body.uri).toContain(`secret=${body.secret}`);
    expect((await person.call('GET', '/user')).body.has_totp).toBe(false);
    expect(refusal(await person.call('PUT', '/user/totp', { code: codeOf(body.secret, 600_000) }))).toEqual([
      401,
      'unauthorized',
    ]);
    const { body: codes } = await person.call('PUT', '/user/totp', { code: codeOf(body.secret) });
    expect(new Set(codes.recovery_codes).size).toBe(10);
    expect((await person.call('GET', '/user')).body.has_totp).toBe(true);
    expect((await other.call('GET', '/session')).status).toBe(401);
    for (const method of ['POST', 'PUT'])
      expect(
        refusal(await person.call(method, '/user/totp', method === 'PUT' ? { code: '000000' } : undefined)),
      ).toEqual([409, 'conflict']);
  });

  test('is asked for after the password, under a new token, and each code is good once', async () => {
    const person = await withApp();
    const browser = await half(person);
    for (const [method, path] of [
      ['GET', '/session'],
      ['GET', '/account'],
      ['GET', '/user'],
      ['PUT', '/password'],
      ['DELETE', '/user/totp'],
    ] as const)
      expect(
        refusal(await browser.call(method, path, method === 'PUT' ? { password: PASSWORD } : undefined)),
      ).toEqual([401, 'unauthorized']);
    const before = browser.token;
    const code = codeOf(person.secret);
    expect(refusal(await browser.call('POST', '/session/second-factor', { code: '000000' }))).toEqual([
      401,
      'unauthorized',
    ]);
    // The same code in two browsers at once: one gets in.
    const second = await half(person);
    const answers = await Promise.all(
      [browser, second].map((each) => each.call('POST', '/session/second-factor', { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winner = answers[0]!.status === 200 ? browser : second;
    expect((await winner.call('GET', '/session')).status).toBe(200);
    expect(winner.token).not.toBe(before);
    // Not even in the next step, where it would still be taken, nor one of before.
    nowMs += STEP_MS;
    const third = await half(person);
    for (const old of [code, codeOf(person.secret, -2 * STEP_MS)])
      expect((await third.call('POST', '/session/second-factor', { code: old })).status).toBe(401);
    const fresh = { code: codeOf(person.secret) };
    expect((await third.call('POST', '/session/second-factor', fresh)).status).toBe(200);
    expect(refusal(await third.call('POST', '/session/second-factor', fresh))).toEqual([409, 'conflict']);
  });

  test('can be replaced by a recovery code, once', async () => {
    const person = await withApp();
    const [recovery_code] = person.recoveryCodes;
    const browsers = await Promise.all([half(person), half(person)]);
    const answers = await Promise.all(
      browsers.map((each) => each.call('POST', '/session/second-factor', { recovery_code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const stranger = await withApp();
    const foreign = await half(stranger);
    expect(
      (await foreign.call('POST', '/session/second-factor', { recovery_code: person.recoveryCodes[1] }))
        .status,
    ).toBe(401);
  });

  test('confirms who is there, and is turned off', async () => {
    const person = await withApp();
    nowMs += 11 * 60_000;
    expect(refusal(await person.call('DELETE', '/user/totp'))).toEqual([403, 'reauthentication_required']);
    const code = codeOf(person.secret);
    expect((await person.call('POST', '/session/reauthenticate', { code })).status).toBe(204);
    expect((await person.call('POST', '/session/reauthenticate', { code })).status).toBe(401);
    expect((await person.call('DELETE', '/user/totp')).status).toBe(204);
    expect((await person.call('DELETE', '/user/totp')).status).toBe(404);
    const browser = openBrowser(service, { from: '203.0.113.1' });
    const signIn = { email: person.email, password: PASSWORD };
    expect((await browser.call('POST', '/session', signIn)).body.state).toBe('signed_in');
    const recovery = { recovery_code: person.recoveryCodes[0] };
    expect((await person.call('POST', '/session/reauthenticate', recovery)).status).toBe(401);
  });

  test('is guessed ten times, then no more', async () => {
    const person = await withApp();
    const browser = await half(person);
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        browser.call('POST', '/session/second-factor', { code: String(100_000 + at) }),
      ),
    );
    expect(guesses.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429]);
    const right = await browser.call('POST', '/session/second-factor', { code: codeOf(person.secret) });
    expect(right.status).toBe(429);
  });

  test('that is lost is forgotten by the operator, who ends the sessions too', async () => {
    const person = await withApp();
    const operator = { kind: 'operator', id: null, name: 'x', clientAddress: null, requestId: null } as const;
    await forgetSecondFactor({ db: service.db, clock }, person.email, operator);
    expect((await person.call('GET', '/session')).status).toBe(401);
    const browser = openBrowser(service, { from: '203.0.113.2' });
    await browser.call('POST', '/session', { email: person.email, password: PASSWORD });
    expect((await browser.call('GET', '/audit')).body.data).toContainEqual(
      expect.objectContaining({ action: 'forget_second_factor', target: person.email }),
    );
  });

  test('is still asked for after a new password by mail', async () => {
    const person = await withApp();
    const browser = openBrowser(service, { from: '203.0.113.3' });
    await browser.call('POST', '/password-resets', { email: person.email });
    const isReset = (mail: { text: string } | null) => (mail?.text.includes('#') === true ? mail : null);
    const mail = await eventually(async () => isReset(await readMessage(service, person.email)));
    const link = secretOf(/https?:\S+#\S+/.exec(mail.text)![0]);
    const password = 'una frase del todo nueva';
    expect((await browser.call('PUT', '/password', { link, password })).status).toBe(204);
    const signIn = { email: person.email, password };
    expect((await browser.call('POST', '/session', signIn)).body.state).toBe('second_factor');
  });

  test('leaves half a session for ten minutes only', async () => {
    const person = await withApp();
    const browser = await half(person);
    nowMs += 10 * 60_000 + 1;
    const late = await browser.call('POST', '/session/second-factor', { code: codeOf(person.secret) });
    expect(late.status).toBe(401);
  });
});

test('an account may demand a second factor of its people', async () => {
  const { tenantId } = await makeTenant(service);
  const owner = await signedIn(service, tenantId, 'owner');
  expect(refusal(await owner.call('PATCH', '/settings', { require_second_factor: true }))).toEqual([
    409,
    'conflict',
  ]);
  const { body } = await owner.call('POST', '/user/totp');
  await owner.call('PUT', '/user/totp', { code: codeOf(body.secret) });
  expect((await owner.call('PATCH', '/settings', { require_second_factor: true })).status).toBe(200);
  const member = await signedIn(service, tenantId, 'developer');
  expect(refusal(await member.call('GET', '/messages'))).toEqual([403, 'insufficient_scope']);
  expect((await member.call('GET', '/session')).body.accounts[0].second_factor_missing).toBe(true);
  const { body: theirs } = await member.call('POST', '/user/totp');
  nowMs += STEP_MS;
  await member.call('PUT', '/user/totp', { code: codeOf(theirs.secret) });
  expect((await member.call('GET', '/messages')).status).toBe(200);
  expect((await owner.call('GET', '/audit')).body.data).toContainEqual(
    expect.objectContaining({
      action: 'update_policy',
      before: { require_second_factor: false },
      after: { require_second_factor: true },
    }),
  );
});

describe('new recovery codes', () => {
  test('take the place of those before, with a mail and an entry in the audit log', async () => {
    const person = await withApp();
    const { status, body } = await person.call('POST', '/user/recovery-codes');
    expect(status).toBe(200);
    expect(new Set([...body.recovery_codes, ...person.recoveryCodes]).size).toBe(20);
    const tries: [string, number][] = [
      [person.recoveryCodes[0]!, 401],
      [body.recovery_codes[0], 200],
      [body.recovery_codes[0], 401],
    ];
    for (const [recovery_code, wanted] of tries)
      expect(
        (await (await half(person)).call('POST', '/session/second-factor', { recovery_code })).status,
      ).toBe(wanted);
    const { body: log } = await person.call('GET', '/audit?action=renew_recovery_codes');
    expect(log.data[0]).toMatchObject({ actor: { id: expect.any(String) }, before: null, after: null });
    expect(JSON.stringify(log)).not.toContain(body.recovery_codes[0]);
    const mail = await eventually(async () => {
      const found = await readMessage(service, person.email);
      return found?.subject === 'Se renovaron sus códigos de recuperación' ? found : undefined;
    });
    expect(mail.text).toContain('Los anteriores ya no sirven');
  });

  test('are refused without a second factor, and without a fresh authentication', async () => {
    const without = await signedIn(service, tenant.tenantId, 'owner');
    expect(refusal(await without.call('POST', '/user/recovery-codes'))).toEqual([409, 'conflict']);
    const person = await withApp();
    nowMs += 11 * 60_000;
    expect(refusal(await person.call('POST', '/user/recovery-codes'))).toEqual([
      403,
      'reauthentication_required',
    ]);
  });

  test('made twice at once leave ten that work', async () => {
    const person = await withApp();
    const answers = await Promise.all([1, 2].map(() => person.call('POST', '/user/recovery-codes')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const sets = answers.map(({ body }) => body.recovery_codes as string[]);
    const worked = [];
    for (const [recovery_code] of sets)
      worked.push(
        (await (await half(person)).call('POST', '/session/second-factor', { recovery_code })).status,
      );
    expect(worked.sort()).toEqual([200, 401]);
  });
});

test('the name of an account and its rule for second factors change together, or neither does', async () => {
  const person = await withApp();
  const { body: before } = await person.call('GET', '/settings');
  const schema = new pg.Client({ connectionString: service.databaseUrl });
  await schema.connect();
  const refuse = (how: string) => schema.query(`alter table account_settings ${how}`);
  const change = () =>
    person.call('PATCH', '/settings', {
      name: 'Half a change',
      require_second_factor: !before.require_second_factor,
    });
  await refuse('add constraint refused check (false) not valid');
  try {
    expect((await change()).status).toBeGreaterThanOrEqual(500);
  } finally {
    await refuse('drop constraint refused');
    await schema.end();
  }
  expect((await person.call('GET', '/settings')).body).toEqual(before);
  expect((await person.call('GET', '/audit?action=rename_account')).body.data).toEqual([]);
  expect((await change()).body).toEqual({
    name: 'Half a change',
    require_second_factor: !before.require_second_factor,
  });
});
