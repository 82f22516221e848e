import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTenants } from '../../../src/accounts/tenants/operations.ts';
import { RESET_AGAIN_MS } from '../../../src/people/sessions/passwords-of-people.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import {
  type Browser,
  givePassword,
  linkFor,
  openBrowser,
  PASSWORD,
  type Person,
  secretOf,
  signedIn,
} from '../../support/people.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { countMessages, readMessage } from './system-messages.ts';

/** One that sends mail of its own, and one that does not. */
let mailing: TestService;
let silent: TestService;

/** A clock that a test can put forward. */
let aheadMs = 0;
const clock: Clock = {
  now: () => new Date(Date.now() + aheadMs),
  monotonicMs: () => performance.now() + aheadMs,
};

beforeAll(async () => {
  const environment = { ACUSE_TRUST_PROXY: '127.0.0.1' };
  mailing = await startTestService({ environment, clock });
  silent = await startTestService({
    environment: {
      ...environment,
      ACUSE_DELIVERY: 'smarthost',
      ACUSE_SMARTHOST: 'smtp://127.0.0.1:1',
      ACUSE_HOSTNAME: 'mail.example.com',
      ACUSE_WEBHOOK_NETWORKS: '127.0.0.1',
      ACUSE_LOG_ORIGIN: 'mail.example.com/log',
    },
  });
});
afterAll(async () => {
  await mailing.stop();
  await silent.stop();
});

async function ownerOf(service: TestService): Promise<Person> {
  const { tenantId } = await makeTenant(service, { name: 'Example S.A.' });
  return signedIn(service, tenantId, 'owner');
}

let invited = 0;
const newEmail = () => `new${++invited}@people.test`;

/** The secret of the link in the newest mail to somebody. */
async function mailedSecret(email: string): Promise<string> {
  const found = await eventually(async () => readMessage(mailing, email));
  return secretOf(/https?:\S+#\S+/.exec(found.text)![0]);
}

async function open(service: TestService, link: string): Promise<Browser> {
  const browser = openBrowser(service);
  const { status } = await browser.call('POST', '/session', { link });
  expect(status).toBe(200);
  return browser;
}

async function codeOf(answer: Promise<Answer>): Promise<unknown[]> {
  const { status, body } = await answer;
  return [status, body?.error?.code];
}

describe('an invitation', () => {
  test('goes by mail in the language that the inviter reads, and opens the account once accepted', async () => {
    const owner = await ownerOf(mailing);
    const email = newEmail();
    const { status, body } = await owner.call(
      'POST',
      '/members',
      { email, role: 'developer' },
      { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' },
    );
    expect([status, body.link, body.state, body.role]).toEqual([201, null, 'invited', 'developer']);
    const mail = await eventually(async () => readMessage(mailing, email));
    expect(mail.subject).toBe('Invitación a una cuenta en Acuse');
    expect(mail.text).toContain('Nombre de la cuenta, elegido por su propietario: Example S.A.');
    const member = await open(mailing, secretOf(/https?:\S+#\S+/.exec(mail.text)![0]));
    expect((await member.call('GET', '/session')).body.accounts).toMatchObject([{ role: 'developer' }]);
    const list = await owner.call('GET', '/members');
    expect(list.body.data.map(({ state }: { state: string }) => state)).toEqual(['active', 'active']);
    expect(await codeOf(owner.call('POST', '/members', { email, role: 'viewer' }))).toEqual([
      409,
      'conflict',
    ]);
  });

  test('made again replaces the first; withdrawn, it opens nothing', async () => {
    const owner = await ownerOf(silent);
    const email = newEmail();
    const first = await owner.call('POST', '/members', { email, role: 'viewer' });
    expect(first.body.invitation_expires_at).toBe(first.body.link.expires_at);
    const second = await owner.call('POST', '/members', { email: email.toUpperCase(), role: 'owner' });
    expect(second.body).toMatchObject({ id: first.body.id, role: 'owner' });
    const spend = (answer: typeof first) =>
      codeOf(openBrowser(silent).call('POST', '/session', { link: secretOf(answer.body.link.url) }));
    expect(await spend(first)).toEqual([422, 'invalid_link']);
    expect((await owner.call('DELETE', `/members/${first.body.id}`)).status).toBe(204);
    expect(await spend(second)).toEqual([422, 'invalid_link']);
  });

  test('hands no link to the user of somebody else to the inviter', async () => {
    const [victims, attackers] = [await ownerOf(silent), await ownerOf(silent)];
    const invite = (email: string) => attackers.call('POST', '/members', { email, role: 'owner' });
    // Never proven, and known to another account.
    const pending = newEmail();
    const { body } = await victims.call('POST', '/members', { email: pending, role: 'viewer' });
    expect(await codeOf(invite(pending))).toEqual([409, 'conflict']);
    await open(silent, secretOf(body.link.url));
    expect(await codeOf(invite(pending))).toEqual([409, 'conflict']);
    expect((await victims.call('GET', '/members')).body.data).toHaveLength(2);
    // Vouched for by the operator: a member at once, and no link to the user.
    expect((await invite(victims.email)).body).toMatchObject({ state: 'active', link: null });
  });

  test('accepted by mail ends what somebody else had set up under the address', async () => {
    const squatter = await ownerOf(mailing);
    await givePassword(squatter);
    await mailing.db.asSessions((tx) =>
      tx.execute('update users set email_proven_at = null where user_id = $1', [squatter.userId]),
    );
    const owner = await ownerOf(mailing);
    await owner.call('POST', '/members', { email: squatter.email, role: 'viewer' });
    // The membership waits for the mail to be opened: the session that is there sees nothing of it.
    expect((await squatter.call('GET', '/session')).body.accounts).toHaveLength(1);
    const real = await open(mailing, await mailedSecret(squatter.email));
    expect((await real.call('GET', '/session')).body.accounts).toHaveLength(2);
    expect((await squatter.call('GET', '/session')).status).toBe(401);
    const signIn = { email: squatter.email, password: PASSWORD };
    expect((await openBrowser(mailing).call('POST', '/session', signIn)).status).toBe(401);
  });

  test.each(['no address', '', 'a@b', 'Ana <ana@people.test>', 'a\r\nBcc: b@people.test'])(
    'goes not to %j',
    async (email) => {
      const owner = await ownerOf(silent);
      expect((await owner.call('POST', '/members', { email, role: 'viewer' })).status).toBe(400);
    },
  );
});

describe('the people of an account', () => {
  test('are changed and removed with their next request, and of another account are not there', async () => {
    const owner = await ownerOf(silent);
    const account = (await owner.call('GET', '/session')).body.accounts[0].id;
    const member = await signedIn(silent, account, 'developer');
    expect((await member.call('POST', '/suppressions', { address: 'x@people.test' })).status).toBe(201);
    await owner.call('PATCH', `/members/${member.userId}`, { role: 'viewer' });
    expect((await member.call('POST', '/suppressions', { address: 'y@people.test' })).status).toBe(403);
    for (const path of ['/members', '/audit', '/settings'])
      expect(await codeOf(member.call('GET', path))).toEqual([403, 'insufficient_scope']);
    const stranger = await ownerOf(silent);
    for (const id of [member.userId, owner.userId, '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11', 'x']) {
      expect((await stranger.call('PATCH', `/members/${id}`, { role: 'owner' })).status).toBe(404);
      expect((await stranger.call('DELETE', `/members/${id}`)).status).toBe(404);
    }
    expect((await owner.call('DELETE', `/members/${member.userId}`)).status).toBe(204);
    expect((await member.call('GET', '/account')).status).toBe(404);
    expect((await member.call('GET', '/session')).body.accounts).toEqual([]);
  });

  test('always have an owner, even when two leave at once', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await ownerOf(silent);
      const account = (await first.call('GET', '/session')).body.accounts[0].id;
      const second = await signedIn(silent, account, 'owner');
      const answers = await Promise.all([
        first.call('DELETE', `/members/${second.userId}`),
        second.call('PATCH', `/members/${first.userId}`, { role: 'viewer' }),
      ]);
      const good = answers.filter(({ status }) => status < 300);
      // The second to come finds itself the last, or no owner any more.
      expect(good).toHaveLength(1);
      const last = answers[0]!.status < 300 ? first : second;
      expect((await last.call('GET', '/members')).status).toBe(200);
      expect(await codeOf(last.call('DELETE', `/members/${last.userId}`))).toEqual([409, 'conflict']);
      expect(await codeOf(last.call('PATCH', `/members/${last.userId}`, { role: 'viewer' }))).toEqual([
        409,
        'conflict',
      ]);
    }
  });

  test('leave a trace of each change, which nobody can change', async () => {
    const owner = await ownerOf(silent);
    const email = newEmail();
    const { body: member } = await owner.call('POST', '/members', { email, role: 'viewer' });
    await owner.call('PATCH', `/members/${member.id}`, { role: 'developer' });
    await owner.call('DELETE', `/members/${member.id}`);
    await givePassword(owner);
    const { body } = await owner.call('GET', '/audit');
    expect(body.data).toMatchObject([
      { action: 'set_password' },
      { action: 'remove_member', target: email, before: { role: 'developer' } },
      { action: 'change_member', before: { role: 'viewer' }, after: { role: 'developer' } },
      { action: 'invite_member', target: email, after: { role: 'viewer' } },
      { action: 'sign_in', actor: { kind: 'user', id: owner.userId, name: owner.email } },
      { action: 'hand_out_link', actor: { kind: 'operator' } },
    ]);
    expect(body.data[0]).toMatchObject({ client_address: '127.0.0.1', request_id: expect.any(String) });
    for (const role of ['transact', 'asSessions'] as const)
      for (const sql of ["update account_events set action = 'x'", 'delete from account_events'])
        await expect(silent.db[role]((tx) => tx.execute(sql))).rejects.toThrow(/permission denied/);
    const account = (await owner.call('GET', '/session')).body.accounts[0].id;
    await expect(
      silent.db.asTenant(account, (tx) => tx.execute('delete from account_events')),
    ).rejects.toThrow(/permission denied/);
  });
});

describe('the audit log', () => {
  const actionsOf = (answer: Answer) => answer.body.data.map(({ action }: { action: string }) => action);

  test('is filtered by what was done, by whom, to what and when', async () => {
    const owner = await ownerOf(silent);
    const account = (await owner.call('GET', '/session')).body.accounts[0].id;
    const other = await signedIn(silent, account, 'owner');
    const email = newEmail();
    const { body: member } = await owner.call('POST', '/members', { email, role: 'viewer' });
    await other.call('PATCH', `/members/${member.id}`, { role: 'developer' });
    const read = (query: string) => owner.call('GET', `/audit?${query}`);
    expect(actionsOf(await read(`target=${email}`))).toEqual(['change_member', 'invite_member']);
    expect(actionsOf(await read('action=invite_member'))).toEqual(['invite_member']);
    expect(actionsOf(await read(`actor_id=${other.userId}`))).toEqual(['change_member', 'sign_in']);
    const { body: invitation } = await read('action=invite_member');
    const at = invitation.data[0].occurred_at;
    expect(actionsOf(await read(`created_after=${at}&target=${email}`))).toContain('invite_member');
    expect(actionsOf(await read(`created_before=${at}`))).not.toContain('invite_member');
    const first = await read(`actor_id=${other.userId}&limit=1`);
    const second = await read(`actor_id=${other.userId}&limit=1&after=${first.body.next_cursor}`);
    expect([actionsOf(first), actionsOf(second)]).toEqual([['change_member'], ['sign_in']]);
    expect(second.body.next_cursor).toBeNull();
    // A cursor goes on in its own list only.
    expect((await read(`limit=1&after=${first.body.next_cursor}`)).status).toBe(400);
  });

  test.each([
    'actor_id=x',
    'created_after=yesterday',
    `action=${'x'.repeat(65)}`,
    'target=%00',
    'action=%00',
    'who=ana',
  ])('refuses %s', async (query) => {
    const owner = await ownerOf(silent);
    const answer = owner.call('GET', `/audit?${query}`);
    expect(await codeOf(answer)).toEqual([400, 'invalid_parameter']);
  });

  test('of another account is not reached by any filter', async () => {
    const [owner, stranger] = [await ownerOf(silent), await ownerOf(silent)];
    for (const query of [`actor_id=${owner.userId}`, `target=${owner.email}`]) {
      expect((await stranger.call('GET', `/audit?${query}`)).body.data).toEqual([]);
      const { raw } = await stranger.call('GET', `/audit/export?${query}`);
      expect(raw.toString().split('\r\n')).toHaveLength(2);
    }
  });

  test('is exported as CSV with the filters of the list, and no formula in it', async () => {
    const owner = await ownerOf(silent);
    await owner.call('PATCH', '/user', { name: '=1;=HYPERLINK("https://evil.test")' });
    const email = newEmail();
    await owner.call('POST', '/members', { email, role: 'viewer' });
    const { status, headers, raw } = await owner.call('GET', `/audit/export?target=${email}`);
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const [names, line, end] = raw.toString().split('\r\n');
    expect(names).toContain('id,occurred_at,actor_kind,actor_id,actor_name,action,target,before,after');
    expect(line).toContain(
      `"'=1;'=HYPERLINK(""https://evil.test"")",invite_member,${email},,"{""role"":""viewer""}"`,
    );
    expect(end).toBe('');
    expect((await owner.call('GET', '/audit/export?limit=1')).status).toBe(400);
  });
});

describe('the name of an account', () => {
  test('is changed by its owners, on record, and shown to its people', async () => {
    const owner = await ownerOf(silent);
    expect((await owner.call('GET', '/settings')).body).toEqual({
      name: 'Example S.A.',
      require_second_factor: false,
    });
    const renamed = await owner.call('PATCH', '/settings', { name: 'Ejemplo, S. A. de C. V. ' });
    expect(renamed.body).toEqual({ name: 'Ejemplo, S. A. de C. V.', require_second_factor: false });
    // Nothing changes: nothing is recorded.
    await owner.call('PATCH', '/settings', { name: 'Ejemplo, S. A. de C. V.', require_second_factor: false });
    expect((await owner.call('GET', '/session')).body.accounts[0].name).toBe('Ejemplo, S. A. de C. V.');
    const { body } = await owner.call('GET', '/audit');
    const [entry, before] = body.data;
    expect(entry).toMatchObject({
      action: 'rename_account',
      before: { name: 'Example S.A.' },
      after: { name: 'Ejemplo, S. A. de C. V.' },
    });
    expect(before.action).toBe('sign_in');
  });

  test.each(['', ' ', 'a\nb', 'x'.repeat(201), null])('is not %j', async (name) => {
    const owner = await ownerOf(silent);
    expect(await codeOf(owner.call('PATCH', '/settings', { name }))).toEqual([400, 'invalid_body']);
    expect(await codeOf(owner.call('PATCH', '/settings', {}))).toEqual([400, 'invalid_body']);
  });
});

test('what people and keys change through either door is on record, and no secret with it', async () => {
  const owner = await ownerOf(silent);
  const { id: account } = (await owner.call('GET', '/session')).body.accounts[0];
  const made = await owner.call('POST', '/api-keys', { name: 'billing', scopes: ['api_keys:write'] });
  const hook = { url: 'https://127.0.0.1/hook', events: ['*'] };
  const { body: endpoint, status } = await owner.call('POST', '/webhooks', hook);
  expect([status, endpoint.error]).toEqual([201, undefined]);
  const { key } = made.body;
  const second = { name: 'second', scopes: ['api_keys:write'] };
  const { body: byKey } = await silent.call('POST', '/v1/api-keys', { key, body: second });
  expect((await owner.call('DELETE', `/api-keys/${byKey.id}`)).status).toBe(204);
  expect((await owner.call('DELETE', `/api-keys/${byKey.id}`)).status).toBe(404);
  const { body, raw } = await owner.call('GET', '/audit');
  expect(body.data.slice(0, 4)).toMatchObject([
    { action: 'revoke_api_key', target: byKey.id, actor: { kind: 'user', id: owner.userId }, after: null },
    { action: 'create_api_key', target: byKey.id, actor: { kind: 'key', id: made.body.id, name: 'billing' } },
    { action: 'create_webhook', target: endpoint.id, after: hook },
    { action: 'create_api_key', target: made.body.id, after: { name: 'billing' } },
  ]);
  for (const secret of [key, byKey.key, endpoint.secret]) expect(raw.toString()).not.toContain(secret);
  const other = await ownerOf(silent);
  expect((await other.call('GET', '/audit')).raw.toString()).not.toContain(account);
});

test('what people sign in with is out of reach of requests and workers', async () => {
  const tables = [
    'users',
    'user_sessions',
    'one_time_links',
    'recovery_codes',
    'members',
    'sign_in_failures',
  ];
  for (const table of tables) {
    const read = `select * from ${table}`;
    await expect(silent.db.query(read)).rejects.toThrow(/permission denied/);
    await expect(silent.db.asTenant(silent.account.tenantId, (tx) => tx.query(read))).rejects.toThrow(
      /permission denied/,
    );
  }
  await expect(silent.db.asSessions((tx) => tx.query('select * from messages'))).rejects.toThrow(
    /permission denied/,
  );
});

describe('a new password', () => {
  test('is asked for by mail, set by its link, and ends every session', async () => {
    const person = await ownerOf(mailing);
    const ask = (email: string) => openBrowser(mailing).call('POST', '/password-resets', { email });
    const known = await ask(person.email);
    const unknown = await ask('nobody@people.test');
    expect([known.status, known.body]).toEqual([202, '']);
    expect([unknown.status, unknown.body]).toEqual([202, '']);
    const link = await mailedSecret(person.email);
    // It opens no session by itself.
    expect(await codeOf(openBrowser(mailing).call('POST', '/session', { link }))).toEqual([
      422,
      'invalid_link',
    ]);
    const set = (password: string) => openBrowser(mailing).call('PUT', '/password', { link, password });
    // Refused before the link is spent: it can be corrected.
    expect(await codeOf(set('short'))).toEqual([422, 'weak_password']);
    const both = await Promise.all([set(PASSWORD), set('otra buena frase')]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 422]);
    expect((await person.call('GET', '/session')).status).toBe(401);
    const password = both[0]!.status === 204 ? PASSWORD : 'otra buena frase';
    const browser = openBrowser(mailing);
    expect((await browser.call('POST', '/session', { email: person.email, password })).status).toBe(200);
    expect(await readMessage(mailing, 'nobody@people.test')).toBeNull();
  });

  test('asked for by strangers without end neither keeps the person from asking nor takes a link away', async () => {
    const person = await ownerOf(mailing);
    const ask = (from: string) =>
      openBrowser(mailing, { from }).call('POST', '/password-resets', { email: person.email });
    expect((await ask('198.51.100.7')).status).toBe(202);
    const link = await mailedSecret(person.email);
    const strangers = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(`203.0.113.${at}`)));
    expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([202]));
    expect((await ask('198.51.100.7')).status).toBe(202);
    // Another is made after a while, and the first stays good.
    aheadMs += RESET_AGAIN_MS + 1_000;
    await Promise.all(Array.from({ length: 5 }, (_, at) => ask(`192.0.2.${at}`)));
    const second = await eventually(async () => {
      const newest = await mailedSecret(person.email);
      return newest === link ? undefined : newest;
    });
    const set = (secret: string) =>
      openBrowser(mailing).call('PUT', '/password', { link: secret, password: PASSWORD });
    expect((await set(link)).status).toBe(204);
    expect(await codeOf(set(second))).toEqual([422, 'invalid_link']);
    const mails = await countMessages(mailing, person.email);
    expect(mails).toBe(3);
  });

  test('is asked for ten times in 15 minutes by one network', async () => {
    const ask = (at: number) =>
      openBrowser(mailing, { from: '198.51.100.99' }).call('POST', '/password-resets', {
        email: `flood${at}@people.test`,
      });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(at)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(202), 429, 429]);
    // Those who sign in from there are not kept out by it.
    const { tenantId } = await makeTenant(mailing);
    await signedIn(mailing, tenantId, 'viewer', { from: '198.51.100.99' });
  });
});

test('the account that Acuse sends from is in no list, and no key reads it', async () => {
  const owner = await ownerOf(mailing);
  const email = newEmail();
  await owner.call('POST', '/members', { email, role: 'viewer' });
  await eventually(async () => readMessage(mailing, email));
  const names = (await readTenants(mailing.services, null, 100)).map(({ name }) => name);
  expect(names).toContain('Example S.A.');
  expect(names).not.toContain('Acuse');
  const { secret } = await linkFor(mailing, owner.email, null);
  expect(secret).toHaveLength(43);
});
