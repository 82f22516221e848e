import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimDue } from '../../../src/delivery/claim/claim-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { attempt } from '../../evidence/deliveries.ts';
import { audit } from '../../support/audit.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { giveDomain, makeTenant, type TestTenant } from '../../support/tenants.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** The queue as the operator sees and moves it; nobody delivers here. */
let service: TestService;
let admin: TestConsole;

beforeAll(async () => {
  service = await startTestService();
  admin = await openConsole(service);
});
beforeEach(async () => {
  for (const name of ['sandbox.test', 'example.test'])
    await admin.call('DELETE', `/queue/pauses/destinations/${name}`);
  const { total } = (await admin.call('GET', '/queue')).body;
  if (total !== null) {
    const { cancellable } = (await admin.call('GET', '/queue/selection')).body;
    await admin.call('POST', '/queue/cancel', { body: { count: cancellable } });
  }
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

type Sender = TestTenant & { readonly from: string };

const RAW = Buffer.from('Subject: x\r\n\r\nHello\r\n');

async function sendSeveral(count: number, sender?: Sender) {
  const { tenantId } = sender ?? service.account;
  const send = () =>
    sender === undefined ? service.send() : service.send({ from: sender.from }, { key: sender.key });
  const answers = await Promise.all(Array.from({ length: count }, send));
  return answers.map(({ body }) => ({ tenantId, messageId: body.id as string, raw: RAW }));
}

async function makeSender(): Promise<Sender> {
  const tenant = await makeTenant(service);
  const domain = `${tenant.tenantId}.example.com`;
  await giveDomain(service, tenant.tenantId, domain);
  return { ...tenant, from: `billing@${domain}` };
}

/** Messages that were tried and wait for their next attempt. */
async function deferSeveral(count: number, sender?: Sender) {
  const messages = await sendSeveral(count, sender);
  await attempt(service.db, messages, 'deferred');
  return messages;
}

/** The audit log of an account, newest first. */
const customersLog = async (tenantId: string) =>
  (await admin.call('GET', `/tenants/${tenantId}/audit?limit=100`)).body.data;

const statusOf = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body.status;

test('what waits is shown by destination, account and age, and for one message why', async () => {
  const [message] = await sendSeveral(3);
  const { tenantId, messageId } = message!;
  for (const [by, key] of [
    ['destination', 'sandbox.test'],
    ['tenant', tenantId],
    ['age', '< 5 min'],
  ]) {
    const { body } = await admin.call('GET', `/queue?by=${by}`);
    expect(body).toMatchObject({ by, total: { due: 3 }, groups: [{ key, due: 3 }], paused: [] });
  }
  expect((await admin.call('GET', '/queue/destinations/SANDBOX.test')).body).toMatchObject({
    destination: 'sandbox.test',
    queue: { due: 3 },
    tenants: [{ key: tenantId }],
  });
  expect((await admin.call('GET', `/tenants/${tenantId}/queue`)).body).toMatchObject({ queue: { due: 3 } });
  const { body } = await admin.call('GET', `/messages/${messageId}`);
  expect(body).toMatchObject({ message_id: messageId, status: 'queued', sender: 'billing@sandbox.test' });
  expect(body.why.join(' ')).toContain('It has not been tried yet.');
  // Its content is closed to operators.
  expect(JSON.stringify(body)).not.toContain('Hello');
  for (const id of [newId(), 'x']) expect((await admin.call('GET', `/messages/${id}`)).status).toBe(404);
});

test('fifty deferred messages are retried at once, and their number is what was looked at', async () => {
  const messages = await deferSeveral(50);
  const selection = { destination: 'sandbox.test', tenant_id: service.account.tenantId };
  const query = new URLSearchParams(selection);
  expect((await admin.call('GET', `/queue/selection?${query}`)).body).toEqual({
    total: 50,
    retryable: 50,
    cancellable: 50,
  });
  const stale = await admin.call('POST', '/queue/retry', { body: { ...selection, count: 49 } });
  expect([stale.status, stale.body.error.code]).toEqual([409, 'conflict']);
  expect(stale.body.error.message).toContain('There are 50 such messages now, not 49');
  const done = await admin.call('POST', '/queue/retry', { as: 'support', body: { ...selection, count: 50 } });
  expect(done.body).toEqual({ done: 50, left: 0 });
  expect((await admin.call('GET', '/queue')).body.total).toMatchObject({ due: 50, waiting: 0 });
  const { body } = await service.call('GET', `/v1/messages/${messages[0]!.messageId}`);
  expect(Date.parse(body.next_attempt_at)).toBeLessThanOrEqual(Date.now());
  expect(await admin.audited('?action=queue.retry')).toMatchObject([
    { outcome: 'done', operator: { name: 'Sara <sara@example.com>' }, after: { done: 50, left: 0 } },
    { outcome: 'refused', error: 'conflict' },
  ]);
});

test('only what was accepted before a moment, or is of one account, is meant', async () => {
  await deferSeveral(2);
  const between = new Date();
  await deferSeveral(1);
  const count = async (query: object) =>
    (await admin.call('GET', `/queue/selection?${new URLSearchParams({ ...query })}`)).body.retryable;
  expect(await count({ older_than: between.toISOString() })).toBe(2);
  expect(await count({ tenant_id: (await makeTenant(service)).tenantId })).toBe(0);
  expect(await count({ destination: 'example.net' })).toBe(0);
  const bad = await admin.call('GET', '/queue/selection?older_than=yesterday');
  expect([bad.status, bad.body.error.code]).toEqual([400, 'invalid_parameter']);
  const wrong = await admin.call('GET', '/queue/selection?destination=no%20domain');
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_address']);
});

test('a cancellation of many while they are delivered takes what nobody has, and each message ends once', async () => {
  const messages = await sendSeveral(60);
  const { tenantId } = service.account;
  const { cancellable } = (await admin.call('GET', '/queue/selection')).body;
  const now = new Date(Date.now() + 1_000);
  const claim = () => claimDue(service.db, { tenantId, now, limit: 7 });
  const [answer, ...claimed] = await Promise.all([
    admin.call('POST', '/queue/cancel', { body: { count: cancellable } }),
    claim(),
    claim(),
    claim(),
  ]);
  const held = new Set(claimed.flat().map((row) => row.message_id));
  if (answer.status === 409) expect(held.size).toBeGreaterThan(0);
  else expect(answer.body).toEqual({ done: 60 - held.size, left: held.size });
  for (const { messageId } of messages) {
    const expected = held.has(messageId) || answer.status === 409 ? 'queued' : 'cancelled';
    expect([messageId, await statusOf(messageId)]).toEqual([messageId, expected]);
  }
  expect(await audit(service.db)).toEqual([]);
  // The leases that this test took: as of a process that died.
  await service.db.execute('update delivery_queue set leased_until = null where tenant_id = $1', [tenantId]);
});

test('two operators who cancel the same messages cancel each once, and the customer reads of each once', async () => {
  const sender = await makeSender();
  const messages = await sendSeveral(40, sender);
  const cancel = (as: 'ana' | 'luis') => admin.call('POST', '/queue/cancel', { as, body: { count: 40 } });
  const answers = await Promise.all([cancel('ana'), cancel('luis')]);
  const done = answers.map(({ status, body }) => (status === 200 ? body.done : 0));
  expect(done[0] + done[1]).toBe(40);
  for (const { messageId } of messages)
    expect((await admin.call('GET', `/messages/${messageId}`)).body.status).toBe('cancelled');
  const told = (await customersLog(sender.tenantId)).map((entry: { after: { count: number } | null }) =>
    entry.after === null ? 1 : entry.after.count,
  );
  expect(told.reduce((sum: number, count: number) => sum + count, 0)).toBe(40);
  expect(await audit(service.db)).toEqual([]);
});

test('what is done to many is in the audit log of each account, as many as it was of theirs', async () => {
  const [several, single, none] = [await makeSender(), await makeSender(), await makeSender()];
  await deferSeveral(3, several);
  const [alone] = await deferSeveral(1, single);
  const destination = 'sandbox.test';
  const by = { kind: 'operator', name: 'Sara <sara@example.com>' };
  const stale = await admin.call('POST', '/queue/cancel', { body: { destination, count: 3 } });
  expect(stale.status).toBe(409);
  for (const [path, verb] of [
    ['/queue/retry', 'retry'],
    ['/queue/cancel', 'cancel'],
  ] as const) {
    const done = await admin.call('POST', path, { as: 'support', body: { destination, count: 4 } });
    expect(done.body).toEqual({ done: 4, left: 0 });
    const [ofSeveral, ofSingle] = [await customersLog(several.tenantId), await customersLog(single.tenantId)];
    const after = { count: 3, destination };
    expect(ofSeveral[0]).toMatchObject({ actor: by, action: `${verb}_messages`, target: null, after });
    expect(ofSingle[0]).toMatchObject({ actor: by, action: `${verb}_message`, target: alone!.messageId });
  }
  expect(await customersLog(several.tenantId)).toHaveLength(2);
  expect(await customersLog(none.tenantId)).toEqual([]);
});

test('a pause says who and why, holds what is retried, and outlives the process that set it', async () => {
  const path = '/queue/pauses/destinations/SANDBOX.TEST';
  const paused = await admin.call('PUT', path, { as: 'support', body: { reason: 'ticket 4711' } });
  expect(paused.body).toMatchObject({ paused: true, paused_by: 'Sara <sara@example.com>' });
  await deferSeveral(2);
  expect((await admin.call('GET', '/queue/selection')).body).toMatchObject({ retryable: 0, cancellable: 2 });
  const again = await startTestService({ databaseUrl: service.databaseUrl });
  const after = await openConsole(again);
  const { body } = await after.call('GET', '/queue');
  expect(body.paused).toMatchObject([{ destination: 'sandbox.test', reason: 'ticket 4711' }]);
  const overview = (await after.call('GET', '/overview')).body;
  expect(overview.attention).toContainEqual(
    expect.objectContaining({ code: 'destination_paused', subject: 'sandbox.test' }),
  );
  await after.stop();
  await again.stop();
  expect((await admin.call('DELETE', path)).body).toMatchObject({ paused: false });
  const twice = await admin.call('DELETE', path);
  expect([twice.status, twice.body.error.code]).toEqual([409, 'conflict']);
});

test('an account is paused and resumed; one that there is not is not', async () => {
  const { tenantId } = await makeTenant(service);
  const pause = (id: string) =>
    admin.call('PUT', `/queue/pauses/tenants/${id}`, { body: { reason: 'spam complaints' } });
  expect((await pause(tenantId)).body).toMatchObject({ tenant_id: tenantId, paused: true });
  expect((await pause(newId())).status).toBe(404);
  expect((await admin.call('DELETE', `/queue/pauses/tenants/${tenantId}`)).body).toMatchObject({ due: 0 });
  const without = await admin.call('PUT', `/queue/pauses/tenants/${tenantId}`, { body: { reason: ' ' } });
  expect([without.status, without.body.error.code]).toEqual([400, 'invalid_body']);
});

test('one message is retried, cancelled and erased, each in its state only', async () => {
  const [deferred] = await deferSeveral(1);
  const path = `/messages/${deferred!.messageId}`;
  expect((await admin.call('POST', `${path}/retry`)).body).toMatchObject({ status: 'deferred' });
  const erase = (body: object) => admin.call('POST', `${path}/erase`, { body });
  expect((await erase({ reason: 'request 1' })).body.error.message).toContain('cancel it first');
  expect((await admin.call('POST', `${path}/cancel`)).body).toMatchObject({ status: 'cancelled' });
  expect((await admin.call('POST', `${path}/cancel`)).status).toBe(409);
  const guarded = await erase({ reason: 'request 1' });
  expect([guarded.status, guarded.body.error.message]).toEqual([409, expect.stringContaining('set force')]);
  expect((await admin.call('POST', `${path}/erase`, { as: 'support', body: { reason: 'x' } })).status).toBe(
    403,
  );
  const erased = await erase({ reason: 'request 1', force: true });
  expect(erased.body).toMatchObject({ erased_by: 'Ana <ana@example.com>', already_erased: false });
  expect((await erase({ reason: 'again' })).body).toMatchObject({
    already_erased: true,
    reason: 'request 1',
  });
  expect((await service.call('GET', `/v1/messages/${deferred!.messageId}/raw`)).status).toBe(404);
  expect(await admin.audited('?action=message.erase')).toMatchObject([
    { outcome: 'done', after: { already_erased: true } },
    { outcome: 'done', reason: 'request 1', after: { force: true } },
    { outcome: 'refused', error: 'conflict' },
    { outcome: 'refused', error: 'conflict' },
  ]);
  // The customer reads what was done, once, and nothing of what was refused.
  const entries = (await customersLog(service.account.tenantId)).filter(
    ({ target }: { target: string | null }) => target === deferred!.messageId,
  );
  const actor = { kind: 'operator', name: 'Ana <ana@example.com>' };
  expect(entries).toMatchObject([
    { actor, action: 'erase_message', after: { reason: 'request 1' } },
    { actor, action: 'cancel_message', after: null },
    { actor, action: 'retry_message', after: null },
  ]);
});
