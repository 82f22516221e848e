import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant } from '../../support/tenants.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** An operator finds a message of any account, and what was looked for is on record. */
let service: TestService;
let admin: TestConsole;
let other: { tenantId: string; send(fields: object): Promise<string> };

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
  const { tenantId, key } = await makeTenant(service, { name: 'Otra S.A.' });
  await giveDomain(service, tenantId, 'otra.example');
  const from = 'contratos@otra.example';
  const send = async (fields: object) => (await service.send({ from, ...fields }, { key })).body.id;
  other = { tenantId, send };
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

const find = async (query: Record<string, string>) =>
  (await admin.call('GET', `/messages?${new URLSearchParams(query)}`)).body;
const idsOf = async (query: Record<string, string>) =>
  (await find(query)).data.map(({ id }: { id: string }) => id);

test('one search finds messages of every account, and never by their subject', async () => {
  const to = 'Ana García <ana.find@sandbox.test>';
  const { body: ours } = await service.send({ to, subject: 'Despido de Ramona' });
  const theirs = await other.send({ to, subject: 'Contrato' });
  for (const q of ['garcia', 'ana.find', 'ANA.FIND@sandbox.test', to])
    expect([q, (await idsOf({ q })).toSorted()]).toEqual([q, [ours.id, theirs].toSorted()]);
  expect(await idsOf({ q: 'ramona' })).toEqual([]);
  const { data, more, next_cursor: next } = await find({ q: 'garcia', tenant_id: other.tenantId });
  expect(data).toMatchObject([{ id: theirs, tenant_name: 'Otra S.A.', to, status: 'queued' }]);
  expect(data[0]).not.toHaveProperty('subject');
  expect([more, next]).toEqual([[], null]);
});

test('what names a message finds it: its id, its Message-ID, its key', async () => {
  const { body: message } = await service.send({}, { headers: { 'idempotency-key': 'order 4711' } });
  for (const q of [message.id, `<${message.id}@mail.example.com>`, 'order 4711'])
    expect([q, await idsOf({ q, status: 'bounced' })]).toEqual([q, [message.id]]);
  expect(await idsOf({ q: newId() })).toEqual([]);
});

test('an account with many shows a few, says so, and its own search has all of them, page after page', async () => {
  const sent: string[] = [];
  for (let n = 0; n < 7; n++) sent.unshift(await other.send({ to: `bob${n}@many.example` }));
  const { data, more, next_cursor: next } = await find({ q: 'many.example' });
  expect(data.map(({ id }: { id: string }) => id)).toEqual(sent.slice(0, 5));
  expect(more).toEqual([{ tenant_id: other.tenantId, tenant_name: 'Otra S.A.', scanned_to: null }]);
  expect(next).toBeNull();
  const query = { q: 'many.example', tenant_id: other.tenantId, limit: '3' };
  const first = await find(query);
  const second = await find({ ...query, after: first.next_cursor });
  const third = await find({ ...query, after: second.next_cursor });
  const pages = [first, second, third].map((page) => page.data.map(({ id }: { id: string }) => id));
  expect(pages).toEqual([sent.slice(0, 3), sent.slice(3, 6), sent.slice(6)]);
  expect(third.next_cursor).toBeNull();
  // A page of all accounts goes on with the next account.
  const page = await find({ q: 'many.example', limit: '1' });
  expect(page.data).toHaveLength(5);
  const rest = await find({ q: 'many.example', limit: '1', after: page.next_cursor });
  expect([rest.data, rest.next_cursor]).toEqual([[], null]);

  const csv = await admin.call('GET', '/messages/export?q=many.example', { as: 'support' });
  expect(csv.status).toBe(200);
  const lines = String(csv.body).trim().split('\r\n');
  expect(lines[0]).toMatch(/^\ufeff?id,tenant_id,tenant_name,/);
  expect(lines).toHaveLength(6);
});

test('who looked for what is on record; so is a search that was refused', async () => {
  await admin.call('GET', '/messages?q=rec%C3%B3rd&status=bounced', { as: 'support' });
  await admin.call('GET', '/messages/export?q=rec%C3%B3rd');
  const [taken, looked] = [
    await admin.audited('?action=message.export'),
    await admin.audited('?action=message.search'),
  ];
  expect(taken[0]).toMatchObject({ outcome: 'done', subject: 'recórd', operator: { name: /Ana/ } });
  expect(looked[0]).toMatchObject({
    outcome: 'done',
    subject: 'recórd',
    operator: { name: expect.stringContaining('Sara') },
    after: { status: ['bounced'], messages: 0 },
  });
  for (const [path, status] of [
    ['/messages', 400],
    ['/messages?q=%00', 400],
    ['/messages?tenant_id=x', 400],
    [`/messages?tenant_id=${newId()}`, 404],
    ['/messages?q=a&after=AAAA', 400],
  ] as const)
    expect([path, (await admin.call('GET', path)).status]).toEqual([path, status]);
  expect((await admin.audited('?action=message.search'))[0]).toMatchObject({ outcome: 'refused' });
});
