import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { openConsole, type TestConsole } from './harness.ts';

/** A message's content opens to an operator with a reason, for a while, and the customer reads of it. */
let service: TestService;
let admin: TestConsole;
let now = new Date();

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now, monotonicMs: () => now.getTime() } });
  admin = await openConsole(service);
});
afterAll(async () => {
  await admin?.stop();
  await service?.stop();
});

test('one body is opened with a reason, which is in the record of operators and in that of the customer', async () => {
  const { body: message } = await service.send({ subject: 'Salario de Ana', text: 'Nadie debe leer esto.' });
  const path = `/messages/${message.id}/content`;
  expect((await admin.call('GET', path)).status).toBe(404);
  for (const body of [{}, { reason: ' ' }, { reason: 'x\ny' }])
    expect((await admin.call('POST', path, { body })).status).toBe(400);
  const support = await admin.call('POST', path, { as: 'support', body: { reason: 'ticket 4711' } });
  expect(support.body.error.code).toBe('insufficient_scope');

  const opened = await admin.call('POST', path, { body: { reason: 'ticket 4711' } });
  expect(opened.status).toBe(201);
  expect(opened.body.headers).toContainEqual({ name: 'Subject', value: 'Salario de Ana' });
  expect(opened.body.parts).toMatchObject([{ index: 0, media_type: 'text/plain' }]);
  const part = await admin.call('GET', `${path}/0`);
  expect(part.raw.toString()).toContain('Nadie debe leer esto.');
  expect(part.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  // Open to who opened it, and to nobody else.
  expect((await admin.call('GET', path, { as: 'luis' })).status).toBe(404);
  expect((await admin.call('GET', `${path}/0`, { as: 'luis' })).status).toBe(404);

  const { tenantId } = service.account;
  expect(await admin.audited('?action=message.open_content')).toMatchObject([
    { outcome: 'done', tenant_id: tenantId, subject: message.id, reason: 'ticket 4711' },
  ]);
  const customers = (await admin.call('GET', `/tenants/${tenantId}/audit`)).body.data;
  expect(customers).toMatchObject([
    {
      actor: { kind: 'operator', name: 'Ana <ana@example.com>' },
      action: 'open_message_content',
      target: message.id,
      after: { reason: 'ticket 4711', expires_at: opened.body.expires_at },
    },
  ]);

  now = new Date(now.getTime() + 15 * 60_000);
  expect((await admin.call('GET', path)).status).toBe(404);
  expect((await admin.call('GET', `${path}/0`)).status).toBe(404);
});

test('what is unknown or was deleted cannot be opened, and the customer reads nothing of the attempt', async () => {
  const fresh = await openConsole(service);
  const { body: message } = await service.send({ text: 'gone', certified: false });
  const body = { reason: 'ticket 4711' };
  await fresh.call('POST', `/messages/${message.id}/cancel`);
  expect((await fresh.call('POST', `/messages/${message.id}/erase`, { body })).status).toBe(200);
  for (const id of [newId(), 'x', message.id])
    expect((await fresh.call('POST', `/messages/${id}/content`, { body })).status).toBe(404);
  const { data } = (await fresh.call('GET', `/tenants/${service.account.tenantId}/audit`)).body;
  const told = data.filter(({ target }: { target: string }) => target === message.id);
  expect(told.map(({ action }: { action: string }) => action)).toEqual(['erase_message', 'cancel_message']);
  await fresh.stop();
});

test('the first owner of an account gets a link, and is seen among its people', async () => {
  const fresh = await openConsole(service);
  const { body: tenant } = await fresh.call('POST', '/tenants', { body: { name: 'New S.A.' } });
  const path = `/tenants/${tenant.id}/members`;
  const made = await fresh.call('POST', path, { body: { email: 'Duena@Example.com', name: 'La dueña' } });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ role: 'owner', link: { url: expect.stringContaining('/portal/link#') } });
  expect((await fresh.call('GET', path)).body.data).toMatchObject([{ role: 'owner', name: 'La dueña' }]);
  expect((await fresh.call('GET', `/tenants/${tenant.id}/audit`)).body.data).toMatchObject([
    { actor: { kind: 'operator' }, action: 'hand_out_link' },
  ]);
  expect(
    (await fresh.call('POST', `/tenants/${newId()}/members`, { body: { email: 'a@example.com' } })).status,
  ).toBe(404);
  await fresh.stop();
});
