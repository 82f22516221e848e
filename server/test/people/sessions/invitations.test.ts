import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkFor, type Person, signedIn } from '../../support/people.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { readMessage } from './system-messages.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ environment: { ACUSE_TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => service.stop());

async function ownerOf(name: string): Promise<Person> {
  const { tenantId } = await makeTenant(service, { name });
  return signedIn(service, tenantId, 'owner');
}

const invite = (owner: Person, email: string) => owner.call('POST', '/members', { email, role: 'viewer' });
const mails = async (to: string) =>
  (await service.db.query('select 1 from messages where recipient_address = $1', [to])).length;

test('to one address goes three times a day from one account, six times from all, of sixty at once too', async () => {
  const email = 'victim@people.test';
  const owner = await ownerOf('One');
  const answers = await Promise.all(Array.from({ length: 60 }, () => invite(owner, email)));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(57);
  expect(limited.every(({ headers }) => Number(headers['retry-after']) > 80_000)).toBe(true);
  const statuses: number[] = [];
  for (const name of ['Two', 'Three']) {
    const other = await ownerOf(name);
    for (let each = 0; each < 4; each++) statuses.push((await invite(other, email)).status);
  }
  expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  expect(await mails(email)).toBe(6);
});

test('of one person is limited to fifty a day, whoever is invited', async () => {
  const owner = await ownerOf('Many');
  const statuses: number[] = [];
  for (let each = 0; each < 52; each++) statuses.push((await invite(owner, `m${each}@people.test`)).status);
  expect(statuses.indexOf(429)).toBe(50);
});

test('says nothing in the words of who invites, and names the address of that person', async () => {
  const owner = await ownerOf('Acuse Security: your mailbox is blocked, unblock at https://evil.test');
  await owner.call('PATCH', '/user', { name: 'Go to https://evil.test/x now' });
  expect((await invite(owner, 'reader@people.test')).status).toBe(201);
  const mail = await eventually(async () => readMessage(service, 'reader@people.test'));
  expect(mail.subject).toBe('Invitación a una cuenta en Acuse');
  expect(`${mail.subject} ${mail.text}`).not.toMatch(/evil|blocked|Security/);
  expect(mail.text).toContain(owner.email);
});

test('tells who invites nothing of somebody who has a user, until it is accepted', async () => {
  const known = await ownerOf('Elsewhere');
  await known.call('PATCH', '/user', { name: 'Ana López' });
  const stranger = await ownerOf('Strangers');
  const { body } = await invite(stranger, known.email);
  const [listed] = (await stranger.call('GET', '/members')).body.data.filter(
    ({ email }: { email: string }) => email === known.email,
  );
  for (const shown of [body, listed])
    expect(shown).toMatchObject({ state: 'invited', name: null, has_second_factor: false });
});

test('whose link is opened where another person is signed in: both are named, and nothing is spent until that is meant', async () => {
  const { tenantId } = await makeTenant(service, { name: 'Mine' });
  const mine = await signedIn(service, tenantId, 'owner');
  const theirs = await linkFor(service, 'other@people.test', { tenantId, role: 'owner' });
  const spend = (more: object = {}) => mine.call('POST', '/session', { link: theirs.secret, ...more });
  const before = mine.token;
  for (let each = 0; each < 2; each++) {
    const refused = await spend();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain(`signed in as ${mine.email}`);
    expect(refused.body.error.message).toContain('signs in other@people.test');
  }
  expect(mine.token).toBe(before);
  expect((await mine.call('GET', '/session')).body.user.email).toBe(mine.email);
  expect((await spend({ replace_session: true })).status).toBe(200);
  expect((await mine.call('GET', '/session')).body.user.email).toBe('other@people.test');
  // One's own asks nothing.
  const again = await linkFor(service, 'other@people.test', null);
  expect((await mine.call('POST', '/session', { link: again.secret })).status).toBe(200);
});
