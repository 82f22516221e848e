import { type AssertionJson, createAuthenticator, type Instead } from '@acuse/testkit/authenticator';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetSecondFactor } from '../../../src/people/sessions/operator-issued-link.ts';
import { PASSKEYS_MAX } from '../../../src/people/sessions/passkeys.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import {
  type Browser,
  givePassword,
  linkFor,
  openBrowser,
  PASSWORD,
  type Person,
  signedIn,
} from '../../support/people.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, type TestTenant } from '../../support/tenants.ts';
import { readMessage } from './system-messages.ts';

/** Passkeys of people: a software authenticator with real keys against the routes. */

let nowMs = Date.now();
const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
const ORIGIN = 'http://localhost:8025';
const MINUTE_MS = 60_000;

let service: TestService;
let tenant: TestTenant;

beforeAll(async () => {
  service = await startTestService({ clock, environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
  tenant = await makeTenant(service);
});
afterAll(() => service.stop());

let networks = 0;
const elsewhere = () => openBrowser(service, { from: `198.51.100.${++networks}` });
const owner = () => signedIn(service, tenant.tenantId, 'owner', { from: `192.0.2.${++networks}` });
const refusal = ({ status, body }: Answer) => [status, body?.error?.code];

type Device = ReturnType<typeof createAuthenticator>;

async function add(person: Browser, device: Device, name = 'Laptop', instead: Instead = {}): Promise<Answer> {
  const begun = await person.call('POST', '/user/passkeys/options');
  expect(begun.status).toBe(200);
  const { attempt, options } = begun.body;
  const credential = device.create(options, ORIGIN, instead);
  return person.call('POST', '/user/passkeys', { attempt, credential, name });
}

/** A page's request to sign in. */
async function shown(browser: Browser, device: Device, instead: Instead & { id?: string } = {}) {
  const { body } = await browser.call('POST', '/session/passkey-options');
  return { attempt: body.attempt as string, credential: device.get(body.options, ORIGIN, instead) };
}

async function own(browser: Browser, device: Device, instead: Instead & { id?: string } = {}) {
  const { body } = await browser.call('POST', '/session/own-passkey-options');
  return { attempt: body.attempt as string, credential: device.get(body.options, ORIGIN, instead) };
}

/** Somebody with a password and a passkey on a device of theirs. */
async function withPasskey(device = createAuthenticator()) {
  const person = await owner();
  await givePassword(person);
  const added = await add(person, device);
  expect(added.status).toBe(201);
  return Object.assign(person, { device, added: added.body });
}

describe('a passkey', () => {
  test.each(['ES256', 'EdDSA', 'RS256'] as const)(
    'of %s signs in alone, without an address',
    async (algorithm) => {
      const person = await withPasskey(createAuthenticator({ algorithm }));
      expect(person.added.passkey).toMatchObject({ name: 'Laptop', synced: false, last_used_at: null });
      const browser = elsewhere();
      const answer = await browser.call('POST', '/session', { passkey: await shown(browser, person.device) });
      expect([answer.status, answer.body]).toEqual([200, { state: 'signed_in', methods: [] }]);
      const { body } = await browser.call('GET', '/session');
      expect(body.user).toMatchObject({ id: person.userId, has_passkeys: true, has_totp: false });
      const { body: list } = await person.call('GET', '/user/passkeys');
      expect(list.data).toEqual([{ ...person.added.passkey, last_used_at: clock.now().toISOString() }]);
    },
  );

  test('asks for one that its owner unlocks, and tells nothing of the person', async () => {
    const person = await withPasskey();
    const { body } = await person.call('POST', '/user/passkeys/options');
    expect(body.options).toMatchObject({
      rp: { id: 'localhost', name: 'Acuse' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(body.options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-8, -7, -257]);
    expect(Buffer.from(body.options.user.id, 'base64url')).toHaveLength(16);
    // The device is not asked to make a second one.
    expect(body.options.excludeCredentials).toHaveLength(1);
    expect(body.options.excludeCredentials[0].transports).toEqual(['hybrid', 'internal']);
    const asked = await elsewhere().call('POST', '/session/passkey-options');
    expect(asked.body.options).toMatchObject({ rpId: 'localhost', allowCredentials: [] });
    const challenges = new Set([body.options.challenge, asked.body.options.challenge]);
    expect(challenges.size).toBe(2);
  });

  test('of an authenticator that counts nothing is good again and again', async () => {
    const person = await withPasskey(createAuthenticator({ counts: false }));
    for (let round = 0; round < 3; round++) {
      const browser = elsewhere();
      const passkey = await shown(browser, person.device);
      expect((await browser.call('POST', '/session', { passkey })).status).toBe(200);
    }
  });

  test('ends the session that the browser had, and its token is a new one', async () => {
    const person = await withPasskey();
    const before = person.token;
    const passkey = await shown(person, person.device);
    expect((await person.call('POST', '/session', { passkey })).status).toBe(200);
    expect(person.token).not.toBe(before);
    const old = openBrowser(service);
    old.token = before;
    expect((await old.call('GET', '/session')).status).toBe(401);
  });
});

describe('an answer', () => {
  const LIES: [string, Instead][] = [
    ['from a page of another origin', { origin: 'http://localhost:9999' }],
    ['from a page of a site that looks like ours', { origin: 'https://localhost.evil.test' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['to another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['of another ceremony', { type: 'payment.get' }],
    ['from within a frame of another site', { crossOrigin: true }],
    ['without the person being verified', { userVerified: false }],
    ['without the person being there', { userPresent: false, userVerified: false }],
  ];

  test.each(LIES)('%s signs nobody in', async (_, instead) => {
    const { device } = await withPasskey();
    const browser = elsewhere();
    const passkey = await shown(browser, device, instead);
    expect(refusal(await browser.call('POST', '/session', { passkey }))).toEqual([401, 'unauthorized']);
    expect((await browser.call('GET', '/session')).status).toBe(401);
  });

  test.each(LIES)('%s registers nothing', async (_, instead) => {
    const person = await owner();
    expect(refusal(await add(person, createAuthenticator(), 'x', instead))).toEqual([400, 'invalid_body']);
    expect((await person.call('GET', '/user/passkeys')).body.data).toEqual([]);
  });

  test('whose counter went back, or stands still, is of a copy', async () => {
    const { device } = await withPasskey();
    const browser = elsewhere();
    const good = await shown(browser, device, { signCount: 7 });
    expect((await browser.call('POST', '/session', { passkey: good })).status).toBe(200);
    for (const signCount of [0, 6, 7]) {
      const passkey = await shown(browser, device, { signCount });
      expect(refusal(await elsewhere().call('POST', '/session', { passkey }))).toEqual([401, 'unauthorized']);
    }
    const next = await shown(browser, device, { signCount: 8 });
    expect((await elsewhere().call('POST', '/session', { passkey: next })).status).toBe(200);
  });

  test('is good once, also for two at the same time', async () => {
    const { device } = await withPasskey(createAuthenticator({ counts: false }));
    const browser = elsewhere();
    const passkey = await shown(browser, device);
    const answers = await Promise.all([1, 2, 3].map(() => elsewhere().call('POST', '/session', { passkey })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(refusal(await browser.call('POST', '/session', { passkey }))).toEqual([409, 'conflict']);
  });

  test('to two challenges with one count of the authenticator opens one session', async () => {
    const { device } = await withPasskey();
    const browser = elsewhere();
    const [one, two] = [
      await shown(browser, device, { signCount: 5 }),
      await shown(browser, device, { signCount: 5 }),
    ];
    const answers = await Promise.all(
      [one, two].map((passkey) => elsewhere().call('POST', '/session', { passkey })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('comes too late after five minutes', async () => {
    const { device } = await withPasskey();
    const browser = elsewhere();
    const passkey = await shown(browser, device);
    nowMs += 5 * MINUTE_MS;
    expect(refusal(await browser.call('POST', '/session', { passkey }))).toEqual([409, 'conflict']);
  });

  test('of a passkey that is unknown, and one of another person, are refused alike', async () => {
    const [ana, luis] = [await withPasskey(), await withPasskey()];
    const browser = elsewhere();
    const { body } = await browser.call('POST', '/session/passkey-options');
    const stranger = createAuthenticator();
    stranger.create({ challenge: '', rp: { id: 'localhost' }, user: { id: 'AAAA' } }, ORIGIN);
    const unknown = { attempt: body.attempt, credential: stranger.get(body.options, ORIGIN) };
    const { userHandle } = (await shown(browser, luis.device)).credential.response;
    const posing = await shown(browser, ana.device, { userHandle: userHandle! });
    const nameless = await shown(browser, ana.device, { userHandle: null });
    for (const passkey of [unknown, posing, nameless])
      expect(refusal(await elsewhere().call('POST', '/session', { passkey }))).toEqual([401, 'unauthorized']);
  });

  test('in which a byte was changed is refused, wherever it was', async () => {
    const { device } = await withPasskey();
    for (const field of ['authenticatorData', 'signature', 'clientDataJSON'] as const) {
      const browser = elsewhere();
      const passkey = await shown(browser, device);
      const bytes = Buffer.from(passkey.credential.response[field], 'base64url');
      bytes[bytes.length - 2]! ^= 1;
      const { response } = passkey.credential;
      const credential: AssertionJson = {
        ...passkey.credential,
        response: { ...response, [field]: bytes.toString('base64url') },
      };
      const answer = await browser.call('POST', '/session', { passkey: { ...passkey, credential } });
      expect([field, ...refusal(answer)]).toEqual([field, 401, 'unauthorized']);
    }
  });

  test('of hostile bytes is a refusal and never a fault', async () => {
    const person = await owner();
    const nested = Buffer.concat([Buffer.alloc(5000, 0x81), Buffer.of(0)]);
    for (const bytes of [Buffer.alloc(0), Buffer.of(0xa0), Buffer.alloc(3000, 0xff), nested]) {
      const { body } = await person.call('POST', '/user/passkeys/options');
      const credential = createAuthenticator().create(body.options, ORIGIN);
      credential.response.attestationObject = bytes.toString('base64url');
      const answer = await person.call('POST', '/user/passkeys', { attempt: body.attempt, credential });
      expect(refusal(answer)).toEqual([400, 'invalid_body']);
    }
    const broken = await add(person, createAuthenticator(), 'x', { publicKey: Buffer.of(0xa1, 1, 2) });
    expect(refusal(broken)).toEqual([400, 'invalid_body']);
  });

  test('with certificates that would be followed is refused before they are read', async () => {
    const person = await owner();
    const statement = new Map<string, Buffer[] | number | Buffer>([
      ['alg', -7],
      ['sig', Buffer.alloc(70)],
      ['x5c', [Buffer.from('3003020100', 'hex')]],
    ]);
    for (const fmt of ['packed', 'tpm', 'apple', 'android-key', 'fido-u2f', 'no-such-format'])
      expect(
        refusal(await add(person, createAuthenticator(), 'x', { attestation: { fmt, statement } })),
      ).toEqual([400, 'invalid_body']);
  });
});

describe('an attempt', () => {
  test('of one session opens nothing in another, nor does one for something else', async () => {
    const [ana, luis] = [await withPasskey(), await withPasskey()];
    const begun = await ana.call('POST', '/user/passkeys/options');
    const credential = createAuthenticator().create(begun.body.options, ORIGIN);
    const registration = { attempt: begun.body.attempt, credential, name: 'x' };
    expect(refusal(await luis.call('POST', '/user/passkeys', registration))).toEqual([409, 'conflict']);
    // For signing in, shown to confirm; and the other way round.
    const signIn = await shown(ana, ana.device);
    const again = await ana.call('POST', '/session/reauthenticate', { passkey: signIn });
    expect(refusal(again)).toEqual([409, 'conflict']);
    const confirming = await own(ana, ana.device);
    expect(refusal(await elsewhere().call('POST', '/session', { passkey: confirming }))).toEqual([
      409,
      'conflict',
    ]);
    for (const attempt of ['', 'AAAA', 'A'.repeat(100)]) {
      const answer = await elsewhere().call('POST', '/session', { passkey: { ...signIn, attempt } });
      expect(refusal(answer)).toEqual([409, 'conflict']);
    }
  });

  test('of strangers fills no table', async () => {
    const browser = elsewhere();
    const count = () =>
      service.db.asSessions((tx) =>
        tx.query<{ n: number }>('select count(*)::int as n from spent_challenges'),
      );
    const [before] = await count();
    for (let i = 0; i < 30; i++) await browser.call('POST', '/session/passkey-options');
    expect(await count()).toEqual([before]);
  });

  test('that was answered is forgotten once it would be refused for its age', async () => {
    const { device } = await withPasskey();
    nowMs += 6 * MINUTE_MS;
    for (let i = 0; i < 3; i++) {
      const browser = elsewhere();
      await browser.call('POST', '/session', { passkey: await shown(browser, device) });
    }
    const [left] = await service.db.asSessions((tx) =>
      tx.query<{ n: number }>('select count(*)::int as n from spent_challenges where expires_at <= $1', [
        clock.now(),
      ]),
    );
    expect(left!.n).toBe(0);
  });

  test('counts when it fails: ten from a network, then a pause', async () => {
    const { device } = await withPasskey();
    const browser = elsewhere();
    for (let i = 0; i < 10; i++) {
      const passkey = await shown(browser, device, { userVerified: false });
      expect((await browser.call('POST', '/session', { passkey })).status).toBe(401);
    }
    const answer = await browser.call('POST', '/session', { passkey: await shown(browser, device) });
    expect(refusal(answer)).toEqual([429, 'rate_limited']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('as a second factor', () => {
  /** A browser that has given the password. */
  async function half(person: Person, methods: string[]) {
    const browser = elsewhere();
    const answer = await browser.call('POST', '/session', { email: person.email, password: PASSWORD });
    expect(answer.body).toEqual({ state: 'second_factor', methods });
    return browser;
  }

  test('it is asked for after the password, and the first one comes with recovery codes', async () => {
    const person = await withPasskey();
    expect(person.added.recovery_codes).toHaveLength(10);
    const browser = await half(person, ['passkey', 'recovery_code']);
    expect((await browser.call('GET', '/session')).status).toBe(401);
    expect((await browser.call('POST', '/user/passkeys/options')).status).toBe(401);
    const { body } = await browser.call('POST', '/session/own-passkey-options');
    expect(body.options.allowCredentials).toHaveLength(1);
    const before = browser.token;
    const passkey = { attempt: body.attempt, credential: person.device.get(body.options, ORIGIN) };
    expect((await browser.call('POST', '/session/second-factor', { passkey })).status).toBe(200);
    expect(browser.token).not.toBe(before);
    expect((await browser.call('GET', '/session')).status).toBe(200);
    const lost = await half(person, ['passkey', 'recovery_code']);
    const [recovery_code] = person.added.recovery_codes;
    expect((await lost.call('POST', '/session/second-factor', { recovery_code })).status).toBe(200);
  });

  test("another person's is not one", async () => {
    const [ana, luis] = [await withPasskey(), await withPasskey()];
    const browser = await half(ana, ['passkey', 'recovery_code']);
    const { body } = await browser.call('POST', '/session/own-passkey-options');
    const passkey = { attempt: body.attempt, credential: luis.device.get(body.options, ORIGIN) };
    expect(refusal(await browser.call('POST', '/session/second-factor', { passkey }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  test('the first one ends the sessions that a password alone had opened, a second one does not', async () => {
    const person = await owner();
    await givePassword(person);
    const other = elsewhere();
    await other.call('POST', '/session', { email: person.email, password: PASSWORD });
    const device = createAuthenticator();
    expect((await add(person, device)).body.recovery_codes).toHaveLength(10);
    expect((await other.call('GET', '/session')).status).toBe(401);
    const third = elsewhere();
    await third.call('POST', '/session', { passkey: await shown(third, device) });
    expect((await add(person, createAuthenticator(), 'Key')).body.recovery_codes).toBeNull();
    expect((await third.call('GET', '/session')).status).toBe(200);
  });

  test('of two first ones at once, one comes with recovery codes, and these are good', async () => {
    const person = await owner();
    await givePassword(person);
    const begun = await Promise.all([1, 2].map(() => person.call('POST', '/user/passkeys/options')));
    const answers = await Promise.all(
      begun.map(({ body: { attempt, options } }) => {
        const credential = createAuthenticator().create(options, ORIGIN);
        return person.call('POST', '/user/passkeys', { attempt, credential });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const given = answers.flatMap(({ body }) => (body.recovery_codes === null ? [] : [body.recovery_codes]));
    expect(given).toHaveLength(1);
    const browser = await half(person, ['passkey', 'recovery_code']);
    const [recovery_code] = given[0];
    expect((await browser.call('POST', '/session/second-factor', { recovery_code })).status).toBe(200);
  });

  test('it is enough where an account demands one', async () => {
    const demanding = await makeTenant(service);
    const boss = await signedIn(service, demanding.tenantId, 'owner');
    const setting = { require_second_factor: true };
    expect(refusal(await boss.call('PATCH', '/settings', setting))).toEqual([409, 'conflict']);
    await givePassword(boss);
    const { body } = await add(boss, createAuthenticator());
    expect((await boss.call('PATCH', '/settings', setting)).status).toBe(200);
    expect((await boss.call('GET', '/account')).status).toBe(200);
    const [member] = (await boss.call('GET', '/members')).body.data;
    expect(member.has_second_factor).toBe(true);
    expect((await boss.call('DELETE', `/user/passkeys/${body.passkey.id}`)).status).toBe(204);
    expect(refusal(await boss.call('GET', '/account'))).toEqual([403, 'insufficient_scope']);
  });

  test('it confirms who is signed in, once the ten minutes are over', async () => {
    const person = await withPasskey();
    nowMs += 11 * MINUTE_MS;
    const make = () => person.call('POST', '/user/passkeys/options');
    expect(refusal(await make())).toEqual([403, 'reauthentication_required']);
    const wrong = await own(person, person.device, { userVerified: false });
    expect(refusal(await person.call('POST', '/session/reauthenticate', { passkey: wrong }))).toEqual([
      401,
      'unauthorized',
    ]);
    const passkey = await own(person, person.device);
    expect((await person.call('POST', '/session/reauthenticate', { passkey })).status).toBe(204);
    expect((await make()).status).toBe(200);
  });
});

describe('of the person', () => {
  test('it is renamed and removed, and opens nothing any more', async () => {
    const person = await withPasskey();
    const { id } = person.added.passkey;
    const renamed = await person.call('PATCH', `/user/passkeys/${id}`, { name: ' Teléfono ' });
    expect(renamed.body).toEqual({ ...person.added.passkey, name: 'Teléfono' });
    const waiting = await shown(person, person.device);
    expect((await person.call('DELETE', `/user/passkeys/${id}`)).status).toBe(204);
    expect(refusal(await elsewhere().call('POST', '/session', { passkey: waiting }))).toEqual([
      401,
      'unauthorized',
    ]);
    // With the last second factor its recovery codes end, too.
    const browser = elsewhere();
    const answer = await browser.call('POST', '/session', { email: person.email, password: PASSWORD });
    expect(answer.body).toEqual({ state: 'signed_in', methods: [] });
    expect(refusal(await person.call('DELETE', `/user/passkeys/${id}`))).toEqual([404, 'not_found']);
  });

  test('only theirs: an id of somebody else is unknown', async () => {
    const [ana, luis] = [await withPasskey(), await withPasskey()];
    const path = `/user/passkeys/${ana.added.passkey.id}`;
    expect(refusal(await luis.call('PATCH', path, { name: 'mine' }))).toEqual([404, 'not_found']);
    expect(refusal(await luis.call('DELETE', path))).toEqual([404, 'not_found']);
    expect(refusal(await luis.call('DELETE', '/user/passkeys/x'))).toEqual([404, 'not_found']);
    expect((await ana.call('GET', '/user/passkeys')).body.data).toHaveLength(1);
  });

  test('the only way in is not removed', async () => {
    const person = await owner();
    const { body } = await add(person, createAuthenticator());
    const answer = await person.call('DELETE', `/user/passkeys/${body.passkey.id}`);
    expect(refusal(answer)).toEqual([409, 'conflict']);
    expect((await person.call('GET', '/user/passkeys')).body.data).toHaveLength(1);
  });

  test('there are at most twenty, also of those that come at the same time', async () => {
    const person = await owner();
    for (let i = 0; i < PASSKEYS_MAX - 1; i++)
      expect((await add(person, createAuthenticator(), `Key ${i}`)).status).toBe(201);
    // Both have begun before either is there.
    const begun = await Promise.all([1, 2].map(() => person.call('POST', '/user/passkeys/options')));
    const answers = await Promise.all(
      begun.map(({ body: { attempt, options } }) => {
        const credential = createAuthenticator().create(options, ORIGIN);
        return person.call('POST', '/user/passkeys', { attempt, credential });
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(refusal(await person.call('POST', '/user/passkeys/options'))).toEqual([409, 'conflict']);
  });

  test('one credential is of one person', async () => {
    const credentialId = Buffer.alloc(32, 9);
    const [ana, luis] = [await owner(), await owner()];
    expect((await add(ana, createAuthenticator(), 'a', { credentialId })).status).toBe(201);
    const taken = await add(luis, createAuthenticator(), 'b', { credentialId });
    expect(refusal(taken)).toEqual([409, 'conflict']);
  });

  test('who has lost everything signs in by a link and without it', async () => {
    const person = await withPasskey();
    const source = { kind: 'operator', id: null, name: 'x', clientAddress: null, requestId: null } as const;
    await forgetSecondFactor(service.services, person.email, source);
    const passkey = await shown(elsewhere(), person.device);
    expect((await elsewhere().call('POST', '/session', { passkey })).status).toBe(401);
    const { secret } = await linkFor(service, person.email, null);
    const answer = await elsewhere().call('POST', '/session', { link: secret });
    expect(answer.body.state).toBe('signed_in');
  });

  test('what was added and removed is in the audit log, and in a mail', async () => {
    const person = await withPasskey();
    await person.call('DELETE', `/user/passkeys/${person.added.passkey.id}`);
    const { body } = await person.call('GET', '/audit?limit=2');
    expect(
      body.data.map(({ action, target }: { action: string; target: string }) => [action, target]),
    ).toEqual([
      ['remove_passkey', 'Laptop'],
      ['add_passkey', 'Laptop'],
    ]);
    await eventually(async () => {
      const mail = await readMessage(service, person.email);
      return mail?.subject === 'Se eliminó una llave de acceso' && mail.text.includes('Laptop');
    });
  });
});

describe('under another name', () => {
  test.each([
    ['127.0.0.1:8025', 'http://localhost:8025'],
    ['[::1]:8025', 'http://localhost:8025'],
  ])('%s says where passkeys work', async (host, says) => {
    const answer = await elsewhere().call('POST', '/session/passkey-options', undefined, { host });
    expect(refusal(answer)).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain(says);
  });

  test('a tunnel may give localhost another port, and the answer must come from there', async () => {
    const { device } = await withPasskey();
    const host = { host: 'localhost:9025' };
    const browser = elsewhere();
    for (const [origin, status] of [
      ['http://localhost:9025', 200],
      [ORIGIN, 401],
    ] as const) {
      const { body } = await browser.call('POST', '/session/passkey-options', undefined, host);
      const passkey = { attempt: body.attempt, credential: device.get(body.options, origin) };
      expect((await elsewhere().call('POST', '/session', { passkey }, host)).status).toBe(status);
    }
  });
});
