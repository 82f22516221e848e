import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MemberRole, SCOPES_OF_ROLE } from '../../../src/people/sessions/roles.ts';
import { newId } from '../../../src/platform/ids.ts';
import { openBrowser, type Person, signedIn } from '../../support/people.ts';
import { newKey, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { BODIES, filled, MACHINE_ROUTES, type Owned, ownEverything, PORTAL_ROUTES } from './doors-support.ts';

/** Access behind the portal's door: every operation of contract/portal.json × every caller. */

type Rule = 'nobody' | 'half' | 'session' | 'owner' | readonly string[];

/**
 * Operations of the portal alone. Routes of the machine API have the scopes that its own table names
 * (contract/access.test.ts).
 */
const RULES: Readonly<Record<string, Rule>> = {
  'POST /session': 'nobody',
  'POST /session/second-factor': 'half',
  'GET /session': 'session',
  'DELETE /session': 'half',
  'POST /session/reauthenticate': 'session',
  'POST /password-resets': 'nobody',
  'POST /invitation-refusals': 'nobody',
  'PUT /password': 'nobody',
  'GET /user': 'session',
  'PATCH /user': 'session',
  'GET /user/sessions': 'session',
  'DELETE /user/sessions': 'session',
  'DELETE /user/sessions/{id}': 'session',
  'POST /user/totp': 'session',
  'PUT /user/totp': 'session',
  'DELETE /user/totp': 'session',
  'POST /user/recovery-codes': 'session',
  'POST /session/passkey-options': 'nobody',
  'POST /session/own-passkey-options': 'half',
  'GET /user/passkeys': 'session',
  'POST /user/passkeys': 'session',
  'POST /user/passkeys/options': 'session',
  'PATCH /user/passkeys/{id}': 'session',
  'DELETE /user/passkeys/{id}': 'session',
  'GET /members': 'owner',
  'POST /members': 'owner',
  'PATCH /members/{id}': 'owner',
  'DELETE /members/{id}': 'owner',
  'GET /grants/request': 'owner',
  'POST /grants': 'owner',
  'GET /audit': 'owner',
  'GET /audit/export': 'owner',
  'GET /settings': 'owner',
  'PATCH /settings': 'owner',
  'GET /messages/{id}/preview': ['evidence:read'],
  'POST /templates/preview': ['messages:send', 'evidence:read'],
  'GET /messages/{id}/shares': ['messages:send', 'evidence:read'],
  'POST /messages/{id}/shares': ['messages:send'],
  'DELETE /messages/{id}/shares/{sid}': ['messages:send'],
  'POST /case-files': ['evidence:read'],
  'POST /case-files/shares': ['messages:send'],
  'GET /approvals': ['evidence:read'],
  'GET /approvals/{id}': ['evidence:read'],
  'GET /approvals/{id}/preview': ['evidence:read'],
  'POST /approvals/{id}/approve': ['messages:send'],
  'POST /approvals/{id}/refuse': ['messages:send'],
  'GET /search': ['evidence:read'],
  'GET /usage/months': ['evidence:read'],
  'GET /rates/period': ['evidence:read'],
  'GET /tail': ['evidence:read'],
  'GET /changes': ['evidence:read'],
  'GET /onboarding': ['evidence:read'],
  'GET /mailbox': ['evidence:read'],
  'GET /mailbox/{id}': ['evidence:read'],
  'GET /mailbox/{id}/raw': ['evidence:read'],
  'GET /mailbox/{id}/attachments/{index}': ['evidence:read'],
  'POST /mailbox/{id}/preview': ['evidence:read'],
  'DELETE /mailbox/{id}': ['messages:send'],
  'DELETE /mailbox': ['messages:send'],
};
/** Routes that need an authentication of the last ten minutes. */
const STEP_UP = [
  'POST /api-keys, DELETE /api-keys/{id}, POST /api-keys/{id}/leak',
  'POST /user/totp, PUT /user/totp, DELETE /user/totp, POST /user/recovery-codes',
  'POST /user/passkeys, POST /user/passkeys/options, DELETE /user/passkeys/{id}',
  'POST /members, PATCH /members/{id}, DELETE /members/{id}, PATCH /settings',
  'POST /grants, POST /approvals/{id}/approve',
].flatMap((routes) => routes.split(', '));

const mirrored = new Map(
  MACHINE_ROUTES.map(({ name, operation }): [string, Rule] => [
    name,
    operation.security.map(({ apiKey }) => apiKey![0]!),
  ]),
);
const ruleOf = (name: string): Rule | undefined => RULES[name] ?? mirrored.get(name);

const ROLES = ['viewer', 'developer', 'owner'] as const;
let service: TestService;
const people = {} as Record<MemberRole, Person>;
let owned: Owned;
let stranger: Person;

beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  for (const role of ROLES) people[role] = await signedIn(service, service.account.tenantId, role);
  owned = await ownEverything(service, people.owner);
  stranger = await signedIn(service, (await makeTenant(service)).tenantId, 'owner');
});
afterAll(() => service?.stop());

/** A stream would not end; those who may not follow it are refused before it begins. */
const STREAM = 'GET /changes';

/** A request that never gets further than its body: what matters is who is refused before. */
function ask(caller: Pick<Person, 'call'>, { method, path }: { method: string; path: string }) {
  return caller.call(method, filled(path, null)!, method === 'GET' ? undefined : '{');
}

function admits(rule: Rule, role: MemberRole): boolean {
  if (rule === 'owner') return role === 'owner';
  if (typeof rule === 'string') return true;
  return SCOPES_OF_ROLE[role].some((scope) => rule.includes(scope));
}

describe('the document', () => {
  test('says of each route what its rule is, and no route is without one', () => {
    for (const { name, operation } of PORTAL_ROUTES) {
      const rule = ruleOf(name);
      expect(rule, `${name} has no rule: add it to RULES`).toBeDefined();
      const said = operation.security.flatMap(({ session }) => session!);
      const expected =
        typeof rule !== 'string' ? rule : rule === 'nobody' || rule === 'session' ? [] : [rule];
      expect([name, said]).toEqual([name, expected]);
      expect([name, operation.security.length === 0]).toEqual([name, rule === 'nobody']);
      expect([name, operation['x-step-up'] === true]).toEqual([name, STEP_UP.includes(name)]);
    }
  });

  test('has every route that has a rule', () => {
    const names = new Set(PORTAL_ROUTES.map(({ name }) => name));
    for (const name of [...Object.keys(RULES), ...STEP_UP, ...mirrored.keys()])
      expect([name, names.has(name)]).toEqual([name, true]);
  });
});

describe('without a session', () => {
  test.each(['nobody', 'a key', 'a cookie that means nothing'])('%s is let in nowhere else', async (who) => {
    const browser = openBrowser(service);
    if (who === 'a cookie that means nothing') browser.token = 'x'.repeat(43);
    const headers = who === 'a key' ? { authorization: `Bearer ${service.account.apiKey}` } : {};
    for (const { name, method, path } of PORTAL_ROUTES) {
      const body = method === 'GET' ? undefined : '{';
      const answer = await browser.call(method, filled(path, null)!, body, headers);
      if (ruleOf(name) === 'nobody')
        expect([name, [401, 403].includes(answer.status)]).toEqual([name, false]);
      else expect([name, answer.status, answer.body.error.code]).toEqual([name, 401, 'unauthorized']);
    }
  });
});

describe.each(ROLES)('a %s', (role) => {
  test('is let in where the role is enough, and nowhere else', async () => {
    const person = await signedIn(service, service.account.tenantId, role);
    for (const route of PORTAL_ROUTES) {
      const may = admits(ruleOf(route.name)!, role);
      if (may && route.name === STREAM) continue;
      const answer = await ask(person, route);
      const refused = [401, 403].includes(answer.status);
      expect([route.name, refused, refused && answer.body.error.code]).toEqual(
        may ? [route.name, false, false] : [route.name, true, 'insufficient_scope'],
      );
    }
  });
});

describe('of another account', () => {
  const withIds = PORTAL_ROUTES.filter(({ path }) => path.includes('{'));
  test.each(withIds)('an id answers as one that nobody has: $name', async ({ method, path, operation }) => {
    const theirs = filled(path, owned);
    expect(theirs, `nothing of this kind is owned: add it to ownEverything`).not.toBeNull();
    const body = BODIES[operation.operationId];
    const headers = { 'idempotency-key': newKey() };
    const [unknown, foreign] = [
      await stranger.call(method, filled(path, null)!, body, headers),
      await stranger.call(method, theirs!, body, headers),
    ];
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
    expect([foreign.status, foreign.raw.toString()]).toEqual([404, unknown.raw.toString()]);
  });

  test('nothing was changed by any of that', async () => {
    const { owner } = people;
    for (const kind of ['messages', 'templates', 'domains', 'senders', 'webhooks', 'mailbox'])
      expect([kind, (await owner.call('GET', `/${kind}/${owned[kind]}`)).status]).toEqual([kind, 200]);
    for (const kind of ['suppressions', 'api-keys', 'members']) {
      const { data } = (await owner.call('GET', `/${kind}?limit=100`)).body;
      const ids = data.map((each: { id?: string; user_id?: string }) => each.id ?? each.user_id);
      expect([kind, ids.includes(owned[kind])]).toEqual([kind, true]);
    }
    const shares = (await owner.call('GET', `/messages/${owned['messages']}/shares`)).body.data;
    expect(shares).toMatchObject([{ id: owned['messages/sid'], revoked_at: null }]);
  });

  test('an account is named by those who belong to it, and to others it is unknown', async () => {
    const theirs = { 'service-account': service.account.tenantId };
    const nobodys = { 'service-account': newId() };
    const [foreign, unknown] = await Promise.all(
      [theirs, nobodys].map((headers) => stranger.call('GET', '/messages', undefined, headers)),
    );
    expect([foreign!.status, foreign!.raw.toString()]).toEqual([404, unknown!.raw.toString()]);
  });
});
