import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { deleteMail, insertMail } from '../../src/sandbox/store.ts';
import { SCOPES_OF_ROLE } from '../../src/sessions/roles.ts';
import { openBrowser, type Person, signedIn } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makeTenant } from '../support/tenants.ts';

/**
 * Who is let in where behind `/v1/portal/mailbox`. The test mailbox is there in the sandbox only and no part
 * of contract/portal.json, so that its routes have their matrix here: a new one needs its line.
 */
const ROUTES: readonly (readonly [method: string, path: string, scope: string, ok: number])[] = [
  ['GET', '/mailbox', 'evidence:read', 200],
  ['GET', '/mailbox/{id}', 'evidence:read', 200],
  ['GET', '/mailbox/{id}/raw', 'evidence:read', 200],
  ['GET', '/mailbox/{id}/attachments/0', 'evidence:read', 200],
  ['POST', '/mailbox/{id}/preview', 'evidence:read', 200],
  ['DELETE', '/mailbox/{id}', 'messages:send', 204],
  ['DELETE', '/mailbox', 'messages:send', 204],
];
const ROLES = ['viewer', 'developer', 'owner'] as const;

let service: TestService;
let stranger: Person;
beforeAll(async () => {
  service = await startTestService();
  stranger = await signedIn(service, (await makeTenant(service)).tenantId, 'owner');
});
afterAll(() => service?.stop());

/** A mail that has just come; its id. */
async function arrive(): Promise<string> {
  await deleteMail(service.db);
  const mailId = newId();
  const raw = Buffer.from(
    [
      'From: eva@sandbox.test\r\nTo: ana@sandbox.test\r\nSubject: secret link\r\nMIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>x</p>',
      '--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\na',
      '--b--\r\n',
    ].join('\r\n'),
  );
  const mail = { mailId, reversePath: 'b+1@bounce.test', forwardPath: 'ana@sandbox.test', clientName: 't' };
  await insertMail(service.db, [{ ...mail, tls: null, raw, receivedAt: new Date() }]);
  return mailId;
}

const stillThere = async (owner: Person, id: string) =>
  (await owner.call('GET', `/mailbox/${id}`)).status === 200;

describe.each(ROUTES)('%s %s', (method, path, scope, ok) => {
  test('admits the roles with its scope, and no other', async () => {
    for (const role of ROLES) {
      const person = await signedIn(service, service.account.tenantId, role);
      const id = await arrive();
      const answer = await person.call(method, path.replace('{id}', id));
      const may = (SCOPES_OF_ROLE[role] as readonly string[]).includes(scope);
      expect([role, answer.status]).toEqual([role, may ? ok : 403]);
      if (!may) expect(answer.body.error.code).toBe('insufficient_scope');
      if (!may || method !== 'DELETE') expect(await stillThere(person, id)).toBe(true);
    }
  });

  test('is closed without a session, with a key, from another site and for other accounts', async () => {
    const id = await arrive();
    const url = path.replace('{id}', id);
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
      await stranger.call(method, path.replace('{id}', newId())),
    ];
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found']);
    expect(foreign.raw.toString()).toBe(unknown.raw.toString());
    expect(await stillThere(owner, id)).toBe(true);
  });
});

test('every route below the mailbox has its line here', () => {
  const lines = service.http.app.printRoutes({ commonPrefix: false }).split('\n');
  const first = lines.findIndex((line) => line.includes('v1/portal/mailbox ('));
  const depthOf = (line: string) => line.indexOf('──');
  const after = lines.findIndex((line, at) => at > first && depthOf(line) <= depthOf(lines[first]!));
  const methods = lines
    .slice(first, after)
    .flatMap((line) => line.slice(line.indexOf('(')).match(/[A-Z]+/g) ?? [])
    .filter((method) => method !== 'HEAD');
  expect(methods.sort()).toEqual(ROUTES.map(([method]) => method).sort());
});
