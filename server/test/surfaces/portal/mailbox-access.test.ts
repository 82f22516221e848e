import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES_OF_ROLE } from '../../../src/people/sessions/roles.ts';
import { newId } from '../../../src/platform/ids.ts';
import { deleteMail } from '../../../src/sandbox/store.ts';
import { openBrowser, type Person, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { arriveInMailbox, filled, PORTAL_ROUTES } from './doors-support.ts';

/**
 * The result of each caller of `/v1/portal/mailbox`, and what stays, for every route of it in
 * contract/portal.json: the mailbox is the sandbox account's alone, which no scope says.
 */
const ROUTES = PORTAL_ROUTES.filter(({ path }) => /^\/mailbox(?:\/|$)/.test(path)).map((route) => ({
  ...route,
  scopes: route.operation.security.flatMap(({ session }) => session!),
  ok: Number(Object.keys(route.operation.responses).find((status) => status.startsWith('2'))),
}));
const ROLES = ['viewer', 'developer', 'owner'] as const;

let service: TestService;
let stranger: Person;
beforeAll(async () => {
  service = await startTestService();
  stranger = await signedIn(service, (await makeTenant(service)).tenantId, 'owner');
});
afterAll(() => service?.stop());

/** Into an empty mailbox; its id. */
async function arrive(): Promise<string> {
  await deleteMail(service.db);
  return arriveInMailbox(service.db);
}

/** The route for this mail. */
const urlOf = (path: string, mailbox: string) => filled(path, { mailbox, 'mailbox/index': '0' })!;

const stillThere = async (owner: Person, id: string) =>
  (await owner.call('GET', `/mailbox/${id}`)).status === 200;

test('there are routes to ask', () => expect(ROUTES.length).toBeGreaterThan(0));

describe.each(ROUTES)('$name', ({ method, path, scopes, ok }) => {
  test('admits the roles with its scope, and no other', async () => {
    for (const role of ROLES) {
      const person = await signedIn(service, service.account.tenantId, role);
      const id = await arrive();
      const answer = await person.call(method, urlOf(path, id));
      const may = SCOPES_OF_ROLE[role].some((scope) => scopes.includes(scope));
      expect([role, answer.status]).toEqual([role, may ? ok : 403]);
      if (!may) expect(answer.body.error.code).toBe('insufficient_scope');
      if (!may || method !== 'DELETE') expect(await stillThere(person, id)).toBe(true);
    }
  });

  test('is closed without a session, with a key, from another site and for other accounts', async () => {
    const id = await arrive();
    const url = urlOf(path, id);
    const owner = await signedIn(service, service.account.tenantId, 'owner');
    const headers = { authorization: `Bearer ${service.account.apiKey}` };
    expect((await openBrowser(service).call(method, url)).status).toBe(401);
    expect((await openBrowser(service).call(method, url, undefined, headers)).status).toBe(401);
    if (method !== 'GET') {
      const site = { 'sec-fetch-site': 'same-site' };
      expect((await owner.call(method, url, undefined, site)).body.error.code).toBe('cross_origin_refused');
    }
    const [foreign, unknown] = [
      await stranger.call(method, url),
      await stranger.call(method, urlOf(path, newId())),
    ];
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    expect(foreign.raw.toString()).toBe(unknown.raw.toString());
    expect(await stillThere(owner, id)).toBe(true);
  });
});

test('whoever deletes mail there is in the audit log, whoever looks at it is not', async () => {
  const owner = await signedIn(service, service.account.tenantId, 'owner');
  const id = await arrive();
  await owner.call('POST', `/mailbox/${id}/preview`);
  await owner.call('DELETE', `/mailbox/${id}`);
  await owner.call('DELETE', '/mailbox');
  const { data } = (await owner.call('GET', '/audit?limit=2')).body;
  expect(data).toMatchObject([
    { action: 'empty_mailbox', target: null, actor: { id: owner.userId } },
    { action: 'delete_mailbox_mail', target: id, actor: { id: owner.userId } },
  ]);
});
