import { get } from 'node:http';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STREAMS_PER_ACCOUNT_MAX } from '../../../src/surfaces/portal/changes-routes.ts';
import { COOKIE, type Person, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';

/** Changes, as hints to pages that are open. */
let service: TestService;
let base: string;
beforeAll(async () => {
  service = await startTestService();
  base = await service.http.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => service?.stop());

interface Followed {
  readonly status: number;
  readonly contentType: string | undefined;
  text: string;
  ended: boolean;
  leave(): void;
}

function follow(person: Person): Promise<Followed> {
  return new Promise((resolve, reject) => {
    const headers = { cookie: `${COOKIE}=${person.token}`, accept: 'text/event-stream' };
    const request = get(`${base}/v1/portal/changes`, { headers }, (answer) => {
      const followed: Followed = {
        status: answer.statusCode!,
        contentType: answer.headers['content-type'],
        text: '',
        ended: false,
        leave: () => void request.destroy(),
      };
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        followed.text += text;
      });
      answer.on('close', () => {
        followed.ended = true;
      });
      answer.on('error', () => {});
      resolve(followed);
    });
    request.on('error', reject);
  });
}

const person = (tenantId = service.account.tenantId) => signedIn(service, tenantId, 'viewer');

test('a page hears of the messages of its own account, once each, and of no other', async () => {
  const stranger = await person((await makeTenant(service)).tenantId);
  const [own, second, other] = [
    await follow(await person()),
    await follow(await person()),
    await follow(stranger),
  ];
  expect([own.status, own.contentType]).toEqual([200, 'text/event-stream']);
  const sent = (await service.send({})).body.id;
  const hint = `data: {"kind":"message","id":"${sent}"}\n\n`;
  for (const each of [own, second])
    await eventually(async () => (each.text.includes(hint) ? true : undefined));
  const later = (await service.send({})).body.id;
  await eventually(async () => (own.text.includes(later) ? true : undefined));
  expect(own.text.split(sent)).toHaveLength(2);
  // Of its own sign-in at most.
  expect(other.text).not.toContain('"message');
  for (const each of [own, second, other]) each.leave();
});

test('more than a few messages at once are one hint to read the list', async () => {
  const own = await follow(await person());
  const messages = Array.from({ length: 60 }, (_, i) => ({
    idempotency_key: `many-${i}`,
    from: 'billing@sandbox.test',
    to: 'ana@sandbox.test',
    subject: 'Hello',
    text: 'Hello',
  }));
  await service.call('POST', '/v1/messages/batch', { body: { messages } });
  await eventually(async () => (own.text.includes('{"kind":"messages","id":null}') ? true : undefined));
  own.leave();
});

test('what people, keys and the service change of an account is hinted by its kind, to that account alone', async () => {
  const tenant = await makeTenant(service);
  const owner = await signedIn(service, tenant.tenantId, 'owner');
  const stranger = await person((await makeTenant(service)).tenantId);
  const [own, other] = [await follow(owner), await follow(stranger)];
  const hinted = (kind: string) =>
    eventually(async () => (own.text.includes(`{"kind":"${kind}","id":null}`) ? true : undefined));
  await owner.call('POST', '/templates', { name: 'first', subject: 'S', text: 'T' });
  await hinted('templates');
  const { body: domain } = await owner.call('POST', '/domains', { name: 'hinted.example.com' });
  await hinted('domains');
  await hinted('audit');
  await owner.call('POST', '/senders', { address: 'a@hinted.example.com' });
  await hinted('senders');
  await owner.call('POST', '/api-keys', { name: 'hinted', scopes: ['evidence:read'] });
  await hinted('api-keys');
  await owner.call('PATCH', '/settings', { name: 'Hinted S.A.' });
  await hinted('account');
  await owner.call('POST', '/members', { email: 'hinted@people.test', role: 'viewer' });
  await hinted('members');
  // By a program, of which the audit log keeps nothing.
  await service.call('POST', '/v1/suppressions', { key: tenant.key, body: { address: 'x@example.com' } });
  await hinted('suppressions');
  // By itself: a check of the domain's records.
  own.text = '';
  await service.db.query('update domains set checked_at = now() where domain_id = $1', [domain.id]);
  await hinted('domains');
  expect(own.text).not.toContain('hinted.example.com');
  // Of its own sign-in at most.
  expect(other.text).not.toMatch(/"(?:domains|senders|templates|api-keys|account|suppressions)"/);
  for (const each of [own, other]) each.leave();
});

test('a page hears of what changed while it was loading, whether another page was open or not', async () => {
  const tenant = await makeTenant(service);
  const owner = await signedIn(service, tenant.tenantId, 'owner');
  await owner.call('POST', '/templates', { name: 'before', subject: 'S', text: 'T' });
  const first = await follow(owner);
  await eventually(async () => first.text.includes('"templates"') || undefined);
  const second = await follow(owner);
  await eventually(async () => second.text.includes('"templates"') || undefined);
  // Neither is told again and again.
  await owner.call('PATCH', '/settings', { name: 'Loaded S.A.' });
  for (const each of [first, second]) {
    await eventually(async () => each.text.includes('"account"') || undefined);
    expect(each.text.split('"templates"')).toHaveLength(2);
    each.leave();
  }
});

test('an account has so many streams, of which whoever has most gives one up; a stop ends them', async () => {
  const { tenantId } = await makeTenant(service);
  const many = await person(tenantId);
  const owner = await person(tenantId);
  const open = await Promise.all(Array.from({ length: STREAMS_PER_ACCOUNT_MAX }, () => follow(many)));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  const own = await follow(owner);
  open.push(own, await follow(many), await follow(many));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  await eventually(async () => (open.filter(({ ended }) => ended).length === 3 ? true : undefined));
  expect(own.ended).toBe(false);
  expect(open.filter(({ ended }) => ended).every(({ text }) => text.includes('retry: 30000'))).toBe(true);
  expect((await follow(Object.assign(Object.create(many), { token: 'nobody' }))).status).toBe(401);
  await service.http.close();
  await eventually(async () => (open.every(({ ended }) => ended) ? true : undefined));
});
