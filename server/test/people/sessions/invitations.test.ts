import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRefusal } from '../../../src/people/sessions/refusals-store.ts';
import { linkFor, openBrowser, type Person, secretOf, signedIn } from '../../support/people.ts';
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

async function linkIn(to: string): Promise<string> {
  const mail = await eventually(async () => readMessage(service, to));
  return secretOf(/https?:\S+#\S+/.exec(mail.text)![0]);
}
async function open(link: string): Promise<void> {
  expect((await openBrowser(service).call('POST', '/session', { link })).status).toBe(200);
}

test('to one address goes three times a day from one account, of sixty at once too, and once from any other', async () => {
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
  // Four repeated ones of all accounts; the first of each goes whatever others did.
  expect(statuses).toEqual([201, 201, 201, 429, 201, 429, 429, 429]);
  expect(await mails(email)).toBe(7);
  const last = await invite(await ownerOf('Four'), email);
  expect(last.status).toBe(201);
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
  const typed = known.email.replace('person', 'Person');
  const { body } = await invite(stranger, typed);
  const { body: list } = await stranger.call('GET', '/members');
  const listed = list.data.find(({ id }: { id: string }) => id === body.id);
  for (const shown of [body, listed])
    expect(shown).toMatchObject({ state: 'invited', name: null, has_second_factor: false, email: typed });
  // Neither the audit log, nor its CSV, nor any answer has the person's id, or the address as it is known.
  const seen = [list, (await stranger.call('GET', '/audit')).body, body];
  const csv = String((await stranger.call('GET', '/audit/export')).raw);
  expect(csv).toContain(typed);
  for (const text of [JSON.stringify(seen), csv]) {
    expect(text).not.toContain(known.userId);
    expect(text).not.toContain(known.email);
  }
  expect((await stranger.call('PATCH', `/members/${known.userId}`, { role: 'owner' })).status).toBe(404);
  // Invitations from before carry neither column.
  await service.db.asSessions((tx) =>
    tx.execute('update members set invited_as = null where user_id = $1', [known.userId]),
  );
  const path = `/members/${body.id}`;
  expect((await stranger.call('PATCH', path, { role: 'developer' })).body).toMatchObject({ id: body.id });
  await open(await linkIn(known.email));
  const after = (await stranger.call('GET', '/members')).body.data;
  expect(after).toContainEqual(expect.objectContaining({ id: known.userId, name: 'Ana López' }));
});

test('are listed newest first, whole and once, by pages of one', async () => {
  const owner = await ownerOf('Paged');
  const emails = ['p1@people.test', 'p2@people.test', 'p3@people.test'];
  for (const email of emails) await invite(owner, email);
  const seen: { id: string; email: string }[] = [];
  for (let after = ''; seen.length < 9; ) {
    const { body } = await owner.call('GET', `/members?limit=1${after}`);
    seen.push(body.data[0]);
    if (body.next_cursor === null) break;
    after = `&after=${body.next_cursor}`;
  }
  const ids = seen.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().reverse());
  // An owner's id comes from a series that another file's clock may have moved ahead.
  const invited = seen.map(({ email }) => email).filter((email) => email !== owner.email);
  expect(invited).toEqual(emails.reverse());
  expect(seen).toHaveLength(4);
});

test('is refused without a session, by a POST alone, and the account can invite that address no more', async () => {
  const email = 'not-me@people.test';
  const owner = await ownerOf('Unwanted');
  await invite(owner, email);
  const mail = await eventually(async () => readMessage(service, email));
  const [, page] = mail.text.match(/https?:\S+#\S+/g)!;
  const secret = secretOf(page!);
  const { pathname } = new URL(page!);
  expect((await service.call('GET', pathname, { key: null })).status).toBe(200);
  const somebody = openBrowser(service);
  expect((await owner.call('GET', '/members')).body.data).toHaveLength(2);
  const refuse = () => somebody.call('POST', '/invitation-refusals', { link: secret });
  const answers = await Promise.all([refuse(), refuse()]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 422]);
  expect((await owner.call('GET', '/members')).body.data).toHaveLength(1);
  expect((await somebody.call('POST', '/session', { link: secret })).status).toBe(422);
  for (const spelling of [email, 'NOT-me@People.test']) {
    const again = await invite(owner, spelling);
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
  }
  const { body: audit } = await owner.call('GET', '/audit?action=refuse_invitation');
  expect(audit.data).toMatchObject([
    { target: email, actor: { id: null, name: email }, client_address: null },
  ]);
  // Others may still invite; what was accepted is not refused.
  const other = await ownerOf('Wanted');
  expect((await invite(other, email)).status).toBe(201);
  const theirs = await linkIn(email);
  await open(theirs);
  const late = await openBrowser(service).call('POST', '/invitation-refusals', { link: theirs });
  expect(late.status).toBe(422);
});

test('refused three times in a week make the account wait', async () => {
  const owner = await ownerOf('Refused');
  const { tenantId } = (
    await service.db.query<{ tenantId: string }>(
      'select tenant_id as "tenantId" from tenants where name = \'Refused\'',
    )
  )[0]!;
  const refused = (each: number, daysAgo: number) =>
    service.db.asSessions((tx) =>
      insertRefusal(tx, tenantId, Buffer.alloc(32, each), new Date(Date.now() - daysAgo * 86_400_000)),
    );
  await refused(1, 8);
  await refused(2, 1);
  await refused(3, 0);
  expect((await invite(owner, 'r4@people.test')).status).toBe(201);
  await refused(4, 2);
  const waits = await invite(owner, 'r5@people.test');
  expect(waits.status).toBe(429);
  // Until the oldest of the three is a week old.
  expect(Number(waits.headers['retry-after'])).toBeGreaterThan(5 * 86_400 - 600);
  expect(Number(waits.headers['retry-after'])).toBeLessThanOrEqual(5 * 86_400);
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
